"""The form for a compiler's options."""

from __future__ import annotations

from itertools import pairwise

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


def test_rows_are_equally_high(qtbot: QtBot) -> None:
    texts = ["Try kernels.", "Fuse what follows a matrix product.", "A", "Bits of a vector: 0 for none, 256, 512."]
    options = tuple(CompilerOption(name=f"option_{place}", description=text) for place, text in enumerate(texts))
    dialog = CompilerOptionsDialog(
        CompilerInfo(name="inductor", description="Fused loops.", options=options), parse_choice("inductor")
    )
    qtbot.addWidget(dialog)
    for height in (dialog.height(), dialog.height() + 200):
        dialog.resize(dialog.width(), height)
        dialog.show()
        tops = [field.y() for field in dialog.fields.values()]
        assert len({below - above for above, below in pairwise(tops)}) == 1, tops


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
