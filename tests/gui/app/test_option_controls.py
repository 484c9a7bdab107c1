"""A control for every option, driven as a person does."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot

from aotgui.gui.app.option_controls import OptionControl, option
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture
from aotgui.model.settings import OPTIONS, EntryPoint, Settings


def control(qtbot: QtBot, field: str) -> tuple[Session, OptionControl]:
    session = Session()
    made = OptionControl(option(field), session, session)
    qtbot.addWidget(made.widget)
    return session, made


@pytest.mark.parametrize("entry", OPTIONS, ids=lambda entry: entry.field)
def test_every_option_has_a_control_that_shows_its_value(qtbot: QtBot, entry: msgspec.Struct) -> None:
    _, made = control(qtbot, entry.field)  # type: ignore[attr-defined] # an Option
    assert made.widget.toolTip()
    assert made.widget.accessibleName()


def test_a_list_sets_the_enum_of_its_field(qtbot: QtBot) -> None:
    session, made = control(qtbot, "entry_point")
    assert isinstance(made.widget, QComboBox)
    qtbot.keyClick(made.widget, Qt.Key.Key_Down)
    assert session.settings.entry_point is EntryPoint.AOT_FUNCTION


def test_a_box_a_number_a_share_and_a_text(qtbot: QtBot) -> None:
    session, made = control(qtbot, "dynamic")
    assert isinstance(made.widget, QCheckBox)
    made.widget.click()
    assert session.settings == Settings(dynamic=True)
    session, made = control(qtbot, "seed")
    assert isinstance(made.widget, QSpinBox)
    made.widget.setValue(9)
    assert session.settings == Settings(seed=9)
    session, made = control(qtbot, "memory_budget")
    assert isinstance(made.widget, QDoubleSpinBox)
    made.widget.setValue(0.25)
    assert session.settings == Settings(memory_budget=0.25)
    session, made = control(qtbot, "device")
    assert isinstance(made.widget, QLineEdit)
    made.widget.setText(" cuda ")
    made.widget.editingFinished.emit()
    assert session.settings == Settings(device="cuda")


def test_what_the_script_defines_can_be_chosen(qtbot: QtBot) -> None:
    session, made = control(qtbot, "partitioner")
    assert isinstance(made.widget, QComboBox)
    assert made.widget.findText("mine") < 0
    script = "def mine(joint, inputs, *, num_fwd_outputs, **options): ..."
    sources = {"/home/me/script.py": script}
    capture = Capture(source="/home/me/script.py", target="fn", torch="2", settings=Settings(), sources=sources)
    session.set_source("/home/me/script.py")
    session.set_capture(capture)
    assert [made.widget.itemText(index) for index in range(made.widget.count())] == ["default", "min_cut", "mine"]
    assert made.widget.currentText() == session.settings.partitioner
    qtbot.keyClicks(made.widget, "mine")
    assert session.settings.partitioner == "mine"


def test_a_control_follows_the_session_and_sets_nothing_by_itself(qtbot: QtBot) -> None:
    session, made = control(qtbot, "partitioner")
    assert isinstance(made.widget, QComboBox)
    own = Settings(partitioner="my_partitioner", seed=4)
    session.set_settings(own)
    assert made.widget.currentText() == "my_partitioner"
    assert session.settings == own
