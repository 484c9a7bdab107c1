import pytest
from PySide6.QtGui import QGuiApplication

from aotgui.gui.panels import console_panel
from aotgui.gui.panels.console_panel import ConsolePanel


@pytest.fixture
def panel(session, shown):
    return shown(ConsolePanel(session))


def text(panel):
    return panel.text.toPlainText()


def test_text_is_added_without_ansi_codes(panel, session):
    session.add_console_text("\x1b[1;32mepoch 1\x1b[0m loss 0.3\r\n")
    session.add_console_text("\x1b]0;title\x07epoch 2\n")
    assert text(panel) == "epoch 1 loss 0.3\nepoch 2\n"


def test_an_ansi_code_cut_in_two_by_the_pipe_is_stripped(panel, session):
    session.add_console_text("one \x1b[3")
    session.add_console_text("1mtwo\x1b")
    session.add_console_text("[0m three")
    assert text(panel) == "one two three"


def test_a_line_stands_between_what_two_runs_print(panel, session):
    session.begin_console_section("gpt2.py, run 1")
    session.add_console_text("loss 0.3")
    session.begin_console_section("gpt2.py, run 2")
    session.begin_console_section("gpt2.py, run 3")
    session.add_console_text("loss 0.2\n")
    session.add_console_text("done\n")
    assert text(panel) == "── gpt2.py, run 1 ──\nloss 0.3\n── gpt2.py, run 3 ──\nloss 0.2\ndone\n"


def test_old_lines_go(panel, session, monkeypatch):
    panel.text.setMaximumBlockCount(100)
    session.add_console_text("".join(f"line {number}\n" for number in range(1000)))
    assert text(panel).split("\n")[0] == "line 901"


def test_old_characters_go_even_without_line_ends(panel, session, monkeypatch):
    monkeypatch.setattr(console_panel, "MAX_CHARACTERS", 50_000)
    for _ in range(20):
        session.add_console_text("x" * 9_000)
    assert len(text(panel)) <= 50_000
    session.add_console_text("y" * 200_000 + "end")
    assert text(panel).endswith("yend")
    assert len(text(panel)) <= 50_000


def test_a_line_without_end_is_cut(panel, session):
    for _ in range(10):
        session.add_console_text("z" * 15_000)
    assert max(map(len, text(panel).split("\n"))) <= 2 * console_panel.MAX_LINE_CHARACTERS
    assert text(panel).count("z") == 150_000


def test_the_end_stays_in_view_until_told_otherwise(panel, session):
    bar = panel.text.verticalScrollBar()
    session.add_console_text("line\n" * 200)
    assert bar.value() == bar.maximum() > 0
    panel.follow_action.setChecked(False)
    bar.setValue(3)
    session.add_console_text("line\n" * 200)
    assert bar.value() == 3
    panel.follow_action.setChecked(True)
    assert bar.value() == bar.maximum()


def test_copy_and_clear(panel, session):
    session.add_console_text("hello\n")
    panel.copy_action.trigger()
    assert QGuiApplication.clipboard().text() == "hello\n"
    panel.clear_action.trigger()
    assert text(panel) == ""
