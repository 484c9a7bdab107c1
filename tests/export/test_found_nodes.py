from aotgui.export.found_nodes import FoundNodes
from aotgui.export.report import report_document
from aotgui.export.report_text import report_text
from aotgui.model.capture import Capture
from aotgui.model.graph import GraphKind
from aotgui.model.query_match import find_nodes


def found(capture: Capture, query: str) -> FoundNodes:
    graph = capture.regions[0].graphs[GraphKind.JOINT]
    return FoundNodes(query, graph, find_nodes(graph, query))


def test_found_nodes_join_the_document(capture: Capture) -> None:
    document = report_document(capture, [found(capture, "fate:saved op:mm")])
    [node] = document["nodes"]
    assert (node["name"], node["op"], node["role"]) == ("mm", "aten.mm.default", "operator")
    assert (node["side"], node["fate"], node["module"]) == ("forward", "saved", "layer")
    assert node["values"][0]["bytes"] == node["bytes"]
    assert "nodes" not in report_document(capture)


def test_found_nodes_are_listed_in_the_text(capture: Capture) -> None:
    text = report_text(capture, [found(capture, "op:mm")])
    heading, first, second = text[text.index("Nodes ") :].splitlines()[:3]
    assert heading == "Nodes     2 nodes of the joint graph where op:mm"
    assert first.split()[2:4] == ["mm", "aten.mm.default"]
    assert second.split()[2:4] == ["mm_1", "aten.mm.default"]


def test_nothing_found_is_said(capture: Capture) -> None:
    assert "0 nodes of the joint graph where name:nowhere" in report_text(capture, [found(capture, "name:nowhere")])
