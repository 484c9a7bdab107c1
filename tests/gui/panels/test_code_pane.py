import pytest

from aotgui.gui.panels.code_gutter import LineMark
from aotgui.gui.panels.code_pane import CodePane, lines_of_nodes
from aotgui.gui.session.session import SteppingState
from aotgui.model.graph import GraphKind


@pytest.fixture
def pane(captured, shown):
    captured.show_graph(GraphKind.FORWARD)
    return shown(CodePane(captured))


def test_each_node_has_the_line_that_makes_it(captured):
    graph = captured.graph(GraphKind.FORWARD)
    lines = {graph.names[node]: line for node, line in lines_of_nodes(graph).items()}
    assert lines == {
        **dict.fromkeys(["primals_1", "primals_2", "primals_3"], 1),
        "t": 3,
        "mm": 4,
        "relu": 5,
        "t_1": 6,
        "mm_1": 7,
        "sum_1": 8,
    }


def test_a_line_selects_its_node(pane, captured, node_of):
    pane.code.view.line_activated.emit(4)
    assert captured.selection.graph is GraphKind.FORWARD
    assert captured.selection.nodes == (node_of(GraphKind.FORWARD, "mm"),)
    pane.code.view.line_activated.emit(2)
    assert captured.selection.nodes == (node_of(GraphKind.FORWARD, "mm"),)


def test_a_node_selected_elsewhere_marks_its_line(pane, captured, node_of):
    captured.select(GraphKind.BACKWARD, [node_of(GraphKind.BACKWARD, "relu")])
    assert pane.code.view.marks == {5: LineMark.CURRENT}
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, name) for name in ("mm", "relu")])
    assert pane.code.view.marks == {4: LineMark.CURRENT, 5: LineMark.CALLER}


def test_the_code_follows_the_graph_shown(pane, captured):
    captured.show_graph(GraphKind.BACKWARD)
    assert pane.code.view.toPlainText() == captured.graph(GraphKind.BACKWARD).code
    captured.show_graph(GraphKind.INFERENCE)
    assert pane.code.is_empty


def test_the_node_that_would_run_next_is_marked(pane, captured, node_of):
    place = node_of(GraphKind.FORWARD, "relu")
    captured.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=place))
    assert pane.code.view.marks == {5: LineMark.NEXT}
    assert pane.code.view.current_line() == 5
    captured.show_graph(GraphKind.BACKWARD)
    assert pane.code.view.marks == {}
