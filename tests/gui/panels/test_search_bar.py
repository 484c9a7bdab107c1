from html import escape

import pytest
from PySide6.QtCore import Qt

from aotgui.gui.panels.search_bar import MAX_HISTORY, SearchBar
from aotgui.gui.session.search import Search
from aotgui.model.graph import GraphKind
from aotgui.model.query_terms import KEYS


@pytest.fixture
def bar(captured, shown):
    search = Search(captured)
    bar = shown(SearchBar(captured, search), width=900, height=40)
    bar.open()
    search.setParent(bar)
    return bar


def typed(bar, qtbot, text):
    """Types and waits until the search follows."""
    bar.field.clear()
    qtbot.keyClicks(bar.field, text)
    qtbot.waitUntil(lambda: bar.search.text == text)


def test_it_is_hidden_until_it_is_opened(captured, shown):
    bar = SearchBar(captured, Search(captured))
    assert bar.isHidden()
    bar.open()
    assert not bar.isHidden()
    bar.close()


def test_the_search_follows_the_keys(bar, qtbot, captured):
    typed(bar, qtbot, "op:mm side:forward")
    assert bar.search.matches(GraphKind.JOINT) == [5, 8]
    assert bar.status.text() == "2 found"
    names = captured.graph(GraphKind.FORWARD).names
    assert [names[node] for node in bar.search.matches(GraphKind.FORWARD)] == ["mm", "mm_1"]


def test_enter_walks_through_the_matches_and_begins_again(bar, qtbot, captured):
    typed(bar, qtbot, "op:mm side:forward")
    seen = []
    for _ in range(3):
        qtbot.keyClick(bar.field, Qt.Key.Key_Return)
        seen.append((captured.selection.current, bar.status.text()))
    assert seen == [(5, "1 of 2"), (8, "2 of 2"), (5, "1 of 2")]
    qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert captured.selection.current == 8


def test_enter_does_not_wait_for_the_keys_to_rest(bar, qtbot, captured, node_of):
    qtbot.keyClicks(bar.field, "relu")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert captured.selection.current == node_of(GraphKind.JOINT, "relu")


def test_the_next_match_is_that_after_the_selected_node(bar, qtbot, captured, node_of):
    typed(bar, qtbot, "op:mm")
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    assert bar.status.text() == "5 found"
    bar.go_next()
    assert captured.graph(GraphKind.JOINT).names[captured.selection.current] == "mm_1"


def test_a_match_is_brought_into_view(bar, qtbot, captured):
    typed(bar, qtbot, "op:relu")
    with qtbot.waitSignal(captured.reveal_requested) as asked:
        bar.go_next()
    assert asked.args == [GraphKind.JOINT, captured.graph(GraphKind.JOINT).index_of["relu"]]


def test_matches_elsewhere_are_told(bar, qtbot, captured):
    captured.show_graph(GraphKind.BACKWARD)
    typed(bar, qtbot, "name:sum_1")
    assert bar.status.text() == "None here; 1 in joint, 1 in forward"
    typed(bar, qtbot, "name:nowhere")
    assert bar.status.text() == "Nothing found"


def test_another_graph_has_its_own_count(bar, qtbot, captured):
    typed(bar, qtbot, "op:mm")
    captured.show_graph(GraphKind.FORWARD)
    assert bar.status.text() == "2 found"


def test_a_bad_query_says_where(bar, qtbot, theme):
    typed(bar, qtbot, "op:mm fate:lost")
    assert bar.status.text().startswith("Character 12: There is no fate 'lost'")
    assert "^" in bar.status.toolTip()
    assert not bar.search.is_active
    assert bar.search.mask(GraphKind.JOINT) is None


def test_escape_clears_and_closes(bar, qtbot):
    typed(bar, qtbot, "op:mm")
    with qtbot.waitSignal(bar.closed):
        qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert (bar.search.text, bar.field.text(), bar.search.is_active) == ("", "", False)


def test_what_was_searched_for_is_offered_again(bar, qtbot):
    for text in ("relu", "op:mm", "relu", "fate:lost"):
        bar.field.setText(text)
        qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.history == ("relu", "op:mm")
    bar.field.completer().setCompletionPrefix("MM")
    assert bar.field.completer().currentCompletion() == "op:mm"
    bar.set_history(map(str, range(100)))
    assert len(bar.history) == MAX_HISTORY


def test_new_graphs_are_searched_too(bar, qtbot, captured, made_capture):
    typed(bar, qtbot, "op:mm")
    before = bar.search.matches(GraphKind.JOINT)
    captured.set_capture(None)
    assert bar.search.matches(GraphKind.JOINT) == []
    captured.set_capture(made_capture)
    assert bar.search.matches(GraphKind.JOINT) == before


def test_a_search_set_elsewhere_is_shown(bar):
    bar.search.set_text("op:relu")
    assert bar.field.text() == "op:relu"


def test_an_example_of_the_help_joins_what_is_typed(bar, qtbot):
    typed(bar, qtbot, "relu")
    bar.help.example_chosen.emit("fate:saved")
    assert bar.field.text() == "relu fate:saved"
    assert all(escape(entry.example) in bar.help.label.text() for entry in KEYS)
