import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPalette

from aotgui.gui.panels.code_browser import CodeBrowser
from aotgui.gui.panels.code_gutter import LineMark
from aotgui.gui.panels.code_view import CodeView
from aotgui.gui.panels.highlighting import CHUNK_LINES, WHOLE_CHARACTERS, Highlighting
from aotgui.model.palette import palette

CODE = '"""Several\nlines."""\nimport torch\n\nx = torch.randn(3)  # random\n'
LONG = "".join(f"    mm_{number} = torch.ops.aten.mm.default(a, b);  a = None\n" for number in range(5000))


@pytest.fixture
def view(shown):
    view = shown(CodeView())
    view.set_code(CODE)
    return view


def colours(highlighting, line):
    return [range_.format.foreground().color().name() for range_ in highlighting.line(line)]


def test_a_string_over_several_lines_is_one_colour():
    highlighting = Highlighting(CODE, "python", dark=False)
    assert colours(highlighting, 0) == colours(highlighting, 1)
    assert colours(highlighting, 3) == []


def test_light_and_dark_differ():
    light, dark = (colours(Highlighting(CODE, "python", dark=dark), 2) for dark in (False, True))
    assert light != dark


def test_a_long_text_is_lexed_around_the_lines_asked_for():
    assert len(LONG) > WHOLE_CHARACTERS
    highlighting = Highlighting(LONG, "python", dark=False)
    assert highlighting.line(4000)
    assert highlighting.line(4000)[0].start > 0
    assert len(highlighting._ranges) == CHUNK_LINES


def test_positions_count_in_utf16():
    highlighting = Highlighting('s = "😀"; y = 1', "python", dark=False)
    last = highlighting.line(0)[-1]
    assert (last.start, last.length) == (len('s = "xx"; y = '), 1)


def test_an_unknown_language_is_plain_text():
    assert colours(Highlighting("import torch", "no such language", dark=False), 0) == []


def test_visible_lines_are_formatted_when_painted(view):
    view.grab()
    formats = view.document().findBlockByNumber(2).layout().formats()
    assert next(range_.length for range_ in formats) == len("import")


def test_a_click_activates_a_line(view, qtbot):
    line_height = view.fontMetrics().height()
    place = QPoint(40, round(view.contentOffset().y() + 4.5 * line_height))
    assert view.line_at(place.y()) == 5
    with qtbot.waitSignal(view.line_activated) as activated:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert activated.args == [5]


def test_a_click_beside_a_line_sets_a_breakpoint_where_the_view_takes_them(view, qtbot):
    gutter = view._gutter
    place = QPoint(10, round(view.contentOffset().y() + 4.5 * view.fontMetrics().height()))
    with qtbot.waitSignal(view.line_activated) as activated:
        qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place)
    assert activated.args == [5]
    narrow = view.gutter_width()
    view.set_breakpoints({})
    assert view.gutter_width() > narrow
    with qtbot.waitSignal(view.breakpoint_toggled) as toggled, qtbot.assertNotEmitted(view.line_activated):
        qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place)
    assert toggled.args == [5]


def test_a_breakpoint_is_a_dot_full_or_hollow(view, theme):
    view.set_breakpoints({1: True, 3: False})
    picture = view._gutter.grab().toImage()
    middles = [round(view.contentOffset().y() + (line - 0.5) * view.fontMetrics().height()) for line in (1, 2, 3)]
    colours = [picture.pixelColor(8, middle + 1).name() for middle in middles]
    assert colours[0] == palette(theme == "dark").breakpoint.lower()
    assert colours[1] == colours[2]
    view.repaint()


def test_selecting_text_activates_nothing(view, qtbot):
    with qtbot.assertNotEmitted(view.line_activated):
        qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
        qtbot.mouseMove(view.viewport(), QPoint(90, 5))
        qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(90, 5))
    assert view.textCursor().hasSelection()


def test_the_keyboard_walks_and_activates(view, qtbot):
    with qtbot.waitSignal(view.line_activated) as activated:
        qtbot.keyClick(view, Qt.Key.Key_Down)
        qtbot.keyClick(view, Qt.Key.Key_Down)
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert activated.args == [3]


def test_the_gutter_has_room_for_numbers_and_counts(view):
    narrow = view.gutter_width()
    view.set_counts({3: 12345})
    assert view.gutter_width() > narrow
    assert view.viewport().x() >= view.gutter_width()


def test_marked_lines_have_a_background(view, theme):
    view.setPalette(view.window().palette())
    view.set_marks({3: LineMark.CURRENT, 5: LineMark.CALLER})
    view.grab()
    base = view.palette().color(QPalette.ColorRole.Base)
    shown = {
        selection.cursor.blockNumber() + 1: selection.format.background().color()
        for selection in view.extraSelections()
    }
    assert set(shown) == {3, 5}
    assert len({base.name(), *(color.name() for color in shown.values())}) == 3


def test_a_far_line_comes_into_view(shown):
    view = shown(CodeView())
    view.set_code(LONG)
    view.show_line(4000)
    assert 4000 in [block.blockNumber() + 1 for block, _ in view.visible_blocks()]


def test_a_line_chosen_while_hidden_is_in_view_when_shown(qtbot):
    view = CodeView()
    qtbot.addWidget(view)
    view.set_code(LONG)
    view.resize(320, 2000)
    view.show_line(60)
    view.resize(320, 200)
    view.show()
    assert 60 in [block.blockNumber() + 1 for block, _ in view.visible_blocks()]


@pytest.fixture
def browser(shown):
    browser = shown(CodeBrowser("No code"))
    browser.set_code(CODE)
    return browser


def test_without_code_it_says_so(shown):
    browser = shown(CodeBrowser("No code"))
    assert (browser.is_empty, browser.empty_text) == (True, "No code")
    browser.open_search()
    assert not browser.search.isVisible()


def test_search_finds_counts_and_walks_around(browser, qtbot):
    browser.open_search()
    qtbot.keyClicks(browser.search.field, "TORCH")
    assert (browser.match_count, browser.search.status.text()) == (2, "1 of 2")
    assert browser.view.current_line() == 3
    qtbot.keyClick(browser.search.field, Qt.Key.Key_Return)
    assert (browser.view.current_line(), browser.search.status.text()) == (5, "2 of 2")
    browser.find_next()
    assert browser.view.current_line() == 3
    browser.find_next(-1)
    assert browser.view.current_line() == 5


def test_search_says_that_nothing_matches_and_closes(browser, qtbot):
    browser.open_search()
    qtbot.keyClicks(browser.search.field, "nowhere")
    assert browser.search.status.text() == "No match"
    browser.search.closed.emit()
    assert not browser.search.isVisible()
    assert browser.view.extraSelections() == []


def test_ctrl_f_opens_the_search_and_escape_closes_it(browser, qtbot):
    browser.activateWindow()
    browser.view.setFocus()
    qtbot.waitUntil(browser.view.hasFocus)
    qtbot.keyClick(browser.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert browser.search.isVisible()
    qtbot.waitUntil(browser.search.field.hasFocus)
    qtbot.keyClick(browser.search.field, Qt.Key.Key_Escape)
    assert not browser.search.isVisible()


def test_a_long_text_is_lexed_a_little_at_a_time():
    text = "x = 1\n" * 4000 + '"""a\nb\n"""\n'
    highlighting = Highlighting(text, "python", dark=False)
    assert not highlighting.advance(4001)
    assert highlighting.knows(0)
    assert not highlighting.knows(4001)
    turns = 1
    while not highlighting.advance(4001):
        turns += 1
    assert turns > 3
    assert highlighting.line(4001)  # inside a string that began on the line before


def test_lines_far_down_are_formatted_in_the_end(view, qtbot):
    view.set_code("x = 1\n" * 5000)
    view.show_line(5000)
    qtbot.waitUntil(lambda: bool(view.document().findBlockByNumber(4999).layout().formats()))
