import msgspec
import pytest

from aotgui.gui.panels.findings_panel import NO_CAPTURE, NOTHING, FindingsPanel
from aotgui.model.capture import Finding, Severity
from aotgui.model.graph import GraphKind


@pytest.fixture
def findings(model_file):
    return [
        Finding(
            id="random-op-in-both-graphs",
            severity=Severity.ERROR,
            message="The mask is drawn twice.",
            advice="Use the default partitioner.",
            region=0,
            graph=GraphKind.BACKWARD,
            node="mm_4",
        ),
        Finding(id="closure-parameter", severity=Severity.INFO, message="A constant.", file=model_file, line=18),
    ]


@pytest.fixture
def panel(captured, made_capture, findings, shown):
    panel = shown(FindingsPanel(captured))
    captured.update_result(msgspec.structs.replace(made_capture, findings=findings))
    return panel


def test_each_finding_says_what_to_do(panel):
    assert [panel.model.row_texts(row) for row in panel.model.shown] == [
        ["The mask is drawn twice.\n→ Use the default partitioner.", "", "mm_4", "random-op-in-both-graphs"],
        ["A constant.", "two_layers.py:18", "", "closure-parameter"],
    ]
    assert panel.summary.text() == "1 error, 1 note"
    assert panel.view.rowHeight(0) > panel.view.rowHeight(1)


def test_empty_states(session, made_capture, shown):
    panel = shown(FindingsPanel(session))
    assert (panel.is_empty, panel.empty_text) == (True, NO_CAPTURE)
    session.set_capture(made_capture)
    assert (panel.is_empty, panel.empty_text) == (True, NOTHING)


def test_activating_goes_to_the_node(panel, captured, node_of):
    captured.show_graph(GraphKind.BACKWARD)
    panel.view.activated.emit(panel.model.index(0, 0))
    assert captured.selection.graph is GraphKind.BACKWARD
    assert captured.selection.current == node_of(GraphKind.BACKWARD, "mm_4")


def test_activating_goes_to_the_line(panel, qtbot, model_file):
    with qtbot.waitSignal(panel.source_requested) as asked:
        panel.view.activated.emit(panel.model.index(1, 0))
    assert asked.args == [model_file, 18]


def test_activating_shows_the_region(captured, made_capture, findings, shown):
    panel = shown(FindingsPanel(captured))
    second = msgspec.structs.replace(made_capture.regions[0], name="region 1")
    elsewhere = msgspec.structs.replace(findings[0], region=1)
    captured.set_capture(
        msgspec.structs.replace(made_capture, regions=[*made_capture.regions, second], findings=[elsewhere])
    )
    panel.view.selectRow(0)
    panel.view.activated.emit(panel.model.index(0, 0))
    assert captured.region_index == 1
    assert panel.model.row_texts(elsewhere)[0].startswith("region 1: The mask is drawn twice.")
    assert captured.selection.nodes
    assert len(panel.selected_rows()) == 1
