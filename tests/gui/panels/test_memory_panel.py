"""Memory over time: the plot, what is alive at the peak or where one clicks, and marks of debugger and selection."""

import msgspec
import pytest
from PySide6.QtCore import Qt

from aotgui.gui.panels.memory_panel import MemoryPanel
from aotgui.gui.session.session import SteppingState
from aotgui.model.graph import GraphKind, Output, OutputKind

VIEWS = {"t": "primals_1", "t_1": "primals_2"}


def with_storages(made_capture):
    """Every node has a storage of its own, but for views; placeholders of the backward have those of the forward."""
    region = made_capture.regions[0]
    joint = region.graphs[GraphKind.JOINT]

    def storages(graph):
        return [[joint.index_of[VIEWS.get(name, name)]] for name in graph.names]

    halves = {
        kind: msgspec.structs.replace(region.graphs[kind], storages=storages(region.graphs[kind]))
        for kind in (GraphKind.FORWARD, GraphKind.BACKWARD)
    }
    backward = halves[GraphKind.BACKWARD]
    gradient = Output(backward.index_of["mm_4"], OutputKind.GRADIENT, "gradient of block.linear.weight")
    halves[GraphKind.BACKWARD] = msgspec.structs.replace(backward, outputs=[gradient])
    sizes = [joint.size_bytes(node) for node in range(len(joint))]
    region = msgspec.structs.replace(region, graphs={**region.graphs, **halves}, storage_bytes=sizes)
    return msgspec.structs.replace(made_capture, regions=[region])


@pytest.fixture
def memory(session, made_capture, model_file, shown):
    session.set_source(model_file)
    session.set_capture(with_storages(made_capture))
    return shown(MemoryPanel(session), 900, 300)


def column(table, title):
    place = [column.title for column in table.model.columns].index(title)
    return [table.model.index(row, place).data() for row in range(table.model.rowCount())]


def test_it_opens_at_the_peak_with_what_is_alive_there(memory):
    assert not memory.is_empty
    assert memory.node_name(memory.chosen) == "mm_4 in backward"
    assert memory.memory.total[memory.chosen] == memory.memory.peak_bytes()
    values = column(memory.table, "Value")
    assert values[:2] == ["block.linear.weight", "mm_4"]
    assert "(the peak)" in memory.table.summary.text()
    assert "gradients" in memory.legend.text()


def test_storages_say_their_part_and_until_when_they_live(memory):
    rows = dict(zip(column(memory.table, "Value"), column(memory.table, "Until"), strict=True))
    assert rows["block.linear.weight"] == "the end"
    parts = dict(zip(column(memory.table, "Value"), column(memory.table, "Part"), strict=True))
    assert parts["block.linear.weight"] == "parameters"
    assert parts["mm_4"] == "gradients"


def test_a_click_lists_what_is_alive_there_and_selects_the_node(memory, session, node_index):
    step = memory.memory.step_of(GraphKind.FORWARD, node_index(GraphKind.FORWARD, "relu"))
    memory.plot.step_clicked.emit(step)
    assert memory.chosen == step
    assert session.selection.graph is GraphKind.JOINT
    assert session.selection.nodes == (node_index(GraphKind.JOINT, "relu"),)
    assert "relu" in column(memory.table, "Value")
    assert memory.plot.marks["selected"] == step
    memory.peak_button.click()
    assert memory.chosen == memory.memory.peak()


def test_the_plot_shows_where_the_debugger_stands(memory, session):
    session.set_stepping(SteppingState(active=True, graph=GraphKind.BACKWARD, node=2))
    assert memory.plot.marks["stepping"] == memory.memory.forward_steps + 2
    session.set_stepping(SteppingState())
    assert memory.plot.marks["stepping"] == -1


def test_the_pointer_tells_the_node_and_its_bytes(memory):
    plot = memory.plot
    box = plot.getPlotItem().vb
    place = box.mapViewToScene(plot.getPlotItem().vb.viewRect().center())
    plot.scene().sigMouseMoved.emit(place)
    assert plot.hovered == plot.step_at(place) >= 0
    before = memory.legend.text()
    assert plot._card.textItem.toPlainText().startswith(memory.node_name(plot.hovered))
    plot.scene().sigMouseMoved.emit(place + place * 100)
    assert plot.hovered == -1
    assert memory.legend.text() != before


def test_a_node_that_runs_twice_is_marked_where_it_was_clicked(memory, node_index):
    step = memory.memory.step_of(GraphKind.BACKWARD, node_index(GraphKind.BACKWARD, "t_1"))
    memory.plot.step_clicked.emit(step)
    assert memory.plot.marks["selected"] == step


def test_the_life_of_the_selected_value_stands_out(memory, session, node_index):
    session.select(GraphKind.FORWARD, [node_index(GraphKind.FORWARD, "relu")])
    born = memory.memory.step_of(GraphKind.FORWARD, node_index(GraphKind.FORWARD, "relu"))
    dies = memory.memory.step_of(GraphKind.BACKWARD, node_index(GraphKind.BACKWARD, "mm_3"))
    assert memory.plot.span == (born, dies)
    session.select(GraphKind.FORWARD, [node_index(GraphKind.FORWARD, "t")])  # a view: its storage is the parameter's
    assert memory.plot.span is None


def test_the_arrow_keys_walk_from_node_to_node(memory, session, node_index, qtbot):
    session.select(GraphKind.FORWARD, [node_index(GraphKind.FORWARD, "mm")])
    before = memory.plot.marks["selected"]
    qtbot.keyClick(memory.plot, Qt.Key.Key_Right)
    assert memory.chosen == before + 1
    assert memory.node_name(memory.chosen) == "relu in forward"
    qtbot.keyClick(memory.plot, Qt.Key.Key_Left)
    assert memory.chosen == before
    qtbot.keyClick(memory.plot, Qt.Key.Key_End)
    assert memory.chosen == memory.memory.steps - 1
    qtbot.keyClick(memory.plot, Qt.Key.Key_Right)
    assert memory.chosen == memory.memory.steps - 1
    qtbot.keyClick(memory.plot, Qt.Key.Key_Home)
    assert memory.chosen == 0


def test_the_layers_of_the_plot_add_up(memory):
    total = [sum(layer) for layer in zip(*memory._curves.values(), strict=True)]
    assert total == memory.memory.total


def test_the_plot_follows_the_theme(memory, theme):
    memory.setPalette(memory.palette())  # as when the application's changes
    assert memory.plot.is_dark is (theme == "dark")
    memory.plot.draw()
    assert len(memory.plot.getPlotItem().items) > 3


def test_without_storages_it_says_why(session, made_capture, shown):
    panel = shown(MemoryPanel(session))
    assert panel.is_empty
    assert "after a run" in panel.empty_text
    session.set_capture(made_capture)
    assert panel.is_empty
    assert "older version" in panel.empty_text
    assert panel.plot is None


def test_it_does_not_widen_a_small_window(memory):
    assert memory.legend.text()
    assert memory.minimumSizeHint().width() < 320


@pytest.fixture
def node_index(session):
    def find(kind, name):
        return session.graph(kind).index_of[name]

    return find
