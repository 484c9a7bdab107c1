"""The form for a compiler's options."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.app.compiler_options_dialog import OTHERS, CompilerOptionsDialog
from aotgui.model.compiler_choice import parse_choice
from aotgui.protocol.messages import CompilerInfo, CompilerOption

INFO = CompilerInfo(
    name="inductor",
    description="Fused loops.",
    options=(
        CompilerOption(name="max_autotune", description="Try kernels.", default="false", choices=("false", "true")),
        CompilerOption(name=OTHERS, description="Any other."),
    ),
)


def opened(qtbot: QtBot, choice: str) -> CompilerOptionsDialog:
    dialog = CompilerOptionsDialog(INFO, parse_choice(choice))
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.mark.parametrize(
    "choice",
    ["inductor", "inductor(max_autotune=true)", "inductor(max_autotune=true, cpp.threads=1, fallback_random=true)"],
)
def test_what_is_chosen_stays_chosen(qtbot: QtBot, choice: str) -> None:
    assert opened(qtbot, choice).text() == choice


def test_others_are_typed_and_checked(qtbot: QtBot) -> None:
    dialog = opened(qtbot, "inductor")
    dialog.fields[OTHERS].setCurrentText("fast")
    dialog.accept()
    assert dialog.problem.isVisible()
    assert "'fast' is no option of a compiler" in dialog.problem.text()
    dialog.fields[OTHERS].setCurrentText("cpp.threads=1")
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.accept()
    assert chosen.args == ["inductor(cpp.threads=1)"]
