import pytest

from aotgui.gui.panels.code_gutter import LineMark
from aotgui.gui.panels.source_pane import SourcePane
from aotgui.gui.session.session import SteppingState
from aotgui.model.graph import GraphKind


@pytest.fixture
def pane(captured, shown):
    return shown(SourcePane(captured))


def names(session):
    graph = session.graph(session.selection.graph)
    return [graph.names[node] for node in session.selection.nodes]


def test_without_a_capture_it_says_so(session, shown):
    pane = shown(SourcePane(session))
    assert pane.code.is_empty
    assert "after a run" in pane.code.empty_text
    assert not pane.files.isVisible()


def test_the_opened_file_comes_first(pane, model_file, blocks_file):
    assert [pane.files.itemData(row) for row in range(pane.files.count())] == [model_file, blocks_file]
    assert pane.files.itemText(0) == "two_layers.py"
    assert pane.file == model_file
    assert "class TwoLayers" in pane.code.view.toPlainText()


def test_lines_with_nodes_are_counted(pane):
    assert pane.code.view.counts == {17: 5, 18: 4, 19: 2}


def test_a_line_without_nodes_says_so(pane, captured, qtbot):
    captured.select(GraphKind.JOINT, [0])
    with qtbot.waitSignal(pane.notice) as said:
        pane.code.view.line_activated.emit(3)
    assert said.args == ["No node comes from line 3."]
    assert captured.selection.nodes == (0,)


def test_the_line_of_the_selected_node_stands_out(pane, captured, node_of, blocks_file, model_file):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    assert pane.file == blocks_file
    assert pane.code.view.marks == {12: LineMark.CURRENT}
    assert pane.code.view.current_line() == 12
    pane.show_place(model_file, 17)
    assert pane.code.view.marks == {17: LineMark.CALLER}


def test_the_line_of_a_backward_node_stands_out_too(pane, captured, node_of):
    captured.select(GraphKind.BACKWARD, [node_of(GraphKind.BACKWARD, "mm_4")])
    assert pane.code.view.marks == {11: LineMark.CURRENT}


def test_a_click_on_a_line_selects_its_nodes_forward_and_backward(pane, captured):
    pane.code.view.line_activated.emit(18)
    assert captured.selection.graph is GraphKind.JOINT
    assert names(captured) == ["t_1", "mm_1", "mm_2", "mm_3"]
    in_backward = [captured.graph(GraphKind.BACKWARD).names[i] for i in captured.selected_in(GraphKind.BACKWARD)]
    assert in_backward == ["t_1", "mm_2", "mm_3"]


def test_a_click_selects_in_the_graph_shown(pane, captured):
    captured.show_graph(GraphKind.BACKWARD)
    pane.code.view.line_activated.emit(18)
    assert captured.selection.graph is GraphKind.BACKWARD
    assert names(captured) == ["t_1", "mm_2", "mm_3"]


def test_a_line_that_the_shown_graph_lacks_selects_in_the_first_that_has_it(pane, captured, blocks_file):
    captured.show_graph(GraphKind.INFERENCE)
    pane.show_place(blocks_file, 12)
    pane.code.view.line_activated.emit(12)
    assert captured.selection.graph is GraphKind.JOINT
    assert names(captured) == ["relu", "le"]


def test_a_line_without_nodes_leaves_the_selection(pane, captured):
    captured.select(GraphKind.JOINT, [4])
    pane.code.view.line_activated.emit(1)
    assert captured.selection.nodes == (4,)


def test_the_line_that_would_run_next_is_marked(pane, captured, node_of):
    place = node_of(GraphKind.FORWARD, "mm_1")
    captured.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=place))
    assert pane.code.view.marks == {18: LineMark.NEXT}
    captured.set_stepping(SteppingState())
    assert pane.code.view.marks == {}


def test_a_new_capture_keeps_the_file_that_is_shown(pane, captured, made_capture, blocks_file):
    pane.show_place(blocks_file, 3)
    captured.set_capture(made_capture)
    assert pane.file == blocks_file


def test_an_unknown_file_changes_nothing(pane, model_file):
    pane.show_place("/nowhere.py", 3)
    assert pane.file == model_file


def test_the_same_text_stays_where_it_was_after_another_run(pane, captured, made_capture):
    pane.resize(320, 200)
    bar = pane.code.view.verticalScrollBar()
    bar.setValue(5)
    captured.set_capture(made_capture)
    assert bar.value() == 5


def test_the_line_where_it_stopped_comes_into_view(pane, captured, node_of, blocks_file):
    place = node_of(GraphKind.FORWARD, "relu")
    captured.set_stepping(SteppingState(active=True, running=True, graph=GraphKind.FORWARD, node=place))
    assert pane.file != blocks_file
    captured.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=place))
    assert (pane.file, pane.code.view.current_line()) == (blocks_file, 12)
