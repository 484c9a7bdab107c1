"""The SVG as a document: well-formed, complete, and saying what the graph says."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.export.picture_options import PictureOptions
from aotgui.export.svg import LIMIT_PX, svg_of
from aotgui.layout.engine import lay_out
from aotgui.layout.result import Group, Layout
from aotgui.model.graph import Fate, Graph
from aotgui.model.palette import DARK, LIGHT

from .conftest import make_graph

SVG = "{http://www.w3.org/2000/svg}"


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def nodes_of(root: ET.Element) -> dict[str, ET.Element]:
    return {element.get("id", ""): element for element in root.findall(f"{SVG}g[@class='nodes']/{SVG}g")}


def tooltip_of(element: ET.Element) -> list[str]:
    return (element.findtext(f"{SVG}title") or "").splitlines()


def test_every_node_has_an_id_a_text_and_a_tooltip(graph: Graph, layout: Layout) -> None:
    nodes = nodes_of(parse(svg_of(graph, layout)))
    assert list(nodes) == [f"n-{name}" for name in graph.names]
    assert nodes["n-mm"].findtext(f"{SVG}text") == "mm"
    assert nodes["n-primals_2"].findtext(f"{SVG}text") == "layer.weight"
    assert tooltip_of(nodes["n-mm"]) == [
        "mm",
        "aten.mm.default",
        "float32[4, 4], 64 B",
        "forward side, saved",
        "in layer",
        "/home/me/model.py:12",
    ]
    assert tooltip_of(nodes["n-mm_1"])[-1] == "returned as gradient gradient of layer.weight"


def test_a_box_with_room_has_a_second_line(graph: Graph) -> None:
    nodes = nodes_of(parse(svg_of(graph, lay_out(graph, PictureOptions()))))
    assert [text.text for text in nodes["n-mm"].findall(f"{SVG}text")] == ["mm", "f32[4, 4]"]
    assert [text.text for text in nodes["n-primals_2"].findall(f"{SVG}text")] == ["layer.weight", "parameter f32[4, 4]"]


def test_every_edge_is_a_path_that_starts_and_ends_like_its_route(graph: Graph, layout: Layout) -> None:
    paths = parse(svg_of(graph, layout)).findall(f"{SVG}g[@class='edges']/{SVG}path")
    assert len(paths) == len(graph.edge_sources)
    for edge, path in enumerate(paths):
        first, last = layout.points[layout.route_starts[edge]], layout.points[layout.route_starts[edge + 1] - 1]
        numbers = [float(n) for n in path.get("d", "").translate(str.maketrans("MLCQ,", "     ")).split()]
        assert numbers[:2] == pytest.approx(first.tolist(), abs=0.06)
        assert numbers[-2:] == pytest.approx(last.tolist(), abs=0.06)


def test_fate_is_class_and_badge(graph: Graph, layout: Layout) -> None:
    nodes = nodes_of(parse(svg_of(graph, layout)))
    for index, name in enumerate(graph.names):
        fate, element = Fate(graph.fates[index]), nodes[f"n-{name}"]
        assert element.get("class") == f"s{graph.sides[index]} f{int(fate)}"
        badges = [use.get("href") for use in element.findall(f"{SVG}use")]
        assert (f"#b{int(fate)}" in badges) == bool(LIGHT.fate(fate).badge)
    assert nodes["n-sin"].find(f"{SVG}use[@href='#out']") is not None
    assert nodes["n-mm_1"].find(f"{SVG}use[@href='#grad']") is not None


def test_colours_need_no_style_sheet(graph: Graph, layout: Layout) -> None:
    """Small renderers (ImageMagick's own, viewers of mail programs) know attributes only."""
    svg = svg_of(graph, layout)
    assert "style" not in svg
    nodes = nodes_of(parse(svg))
    for index, name in enumerate(graph.names):
        box = nodes[f"n-{name}"].find(f"{SVG}rect")
        assert box is not None
        assert box.get("fill") == LIGHT.sides[graph.sides[index]]
        assert box.get("stroke") == LIGHT.fate(Fate(graph.fates[index])).border


def test_every_symbol_that_is_used_is_defined(graph: Graph, layout: Layout) -> None:
    root = parse(svg_of(graph, layout))
    defined = {element.get("id") for element in root.iter() if element.get("id")}
    used = {use.get("href", "")[1:] for use in root.iter(f"{SVG}use")}
    assert used <= defined


def test_legend_counts_sides_and_fates(graph: Graph, layout: Layout) -> None:
    legend = parse(svg_of(graph, layout, title="model: joint")).find(f"{SVG}g[@class='legend']")
    assert legend is not None
    texts = [text.text for text in legend.findall(f"{SVG}text")]
    assert texts == [
        "model: joint",
        "11 nodes, 12 edges",
        "forward 7",
        "backward 3",
        "saved 2",
        "recomputed 1",
        "moved 1",
        "eliminated 1",
    ]


def test_without_legend_the_view_is_the_graph(graph: Graph, layout: Layout) -> None:
    root = parse(svg_of(graph, layout, legend=False))
    assert root.find(f"{SVG}g[@class='legend']") is None
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert (width, height) == pytest.approx((layout.bounds[2] + 48, layout.bounds[3] + 48), abs=0.2)


@pytest.mark.parametrize(("dark", "colors"), [(False, LIGHT), (True, DARK)])
def test_colours_follow_the_theme(graph: Graph, layout: Layout, dark: bool, colors: object) -> None:
    svg = svg_of(graph, layout, dark=dark)
    other = LIGHT if dark else DARK
    background = parse(svg).find(f"{SVG}rect[@class='bg']")
    assert background is not None
    assert background.get("fill") == colors.background
    assert other.background not in svg


def test_a_subset_shows_its_nodes_and_the_edges_between_them(graph: Graph, layout: Layout) -> None:
    root = parse(svg_of(graph, layout, nodes={1, 2, 3}))
    assert list(nodes_of(root)) == ["n-primals_2", "n-mm", "n-cos"]
    assert len(root.findall(f"{SVG}g[@class='edges']/{SVG}path")) == 2


def test_a_picture_that_is_too_large_keeps_its_coordinates(graph: Graph) -> None:
    layout = lay_out(graph)
    layout.boxes[0, 1] = -90_000
    far = Layout(**{**_fields(layout), "bounds": (0.0, -90_000.0, 1000.0, 100_000.0)})
    root = parse(svg_of(graph, far))
    assert int(root.get("height", "")) <= LIMIT_PX
    assert float(root.get("viewBox", "").split()[3]) > 100_000


def _fields(layout: Layout) -> dict[str, object]:
    return {name: getattr(layout, name) for name in Layout.__slots__}


def test_a_collapsed_group_is_one_box(graph: Graph, layout: Layout) -> None:
    members = np.array([2, 3], np.int32)
    grouped = Layout(
        boxes=layout.boxes[:1],
        item_nodes=np.array([-1], np.int32),
        item_groups=np.array([0], np.int32),
        node_items=np.zeros(len(graph), np.int32),
        edge_sources=np.empty(0, np.int32),
        edge_targets=np.empty(0, np.int32),
        points=np.empty((0, 2), np.float32),
        route_starts=np.zeros(1, np.int32),
        route_kinds=np.empty(0, np.uint8),
        groups=(Group("layer", "layer", -1, members),),
        bounds=layout.bounds,
    )
    nodes = nodes_of(parse(svg_of(graph, grouped)))
    assert tooltip_of(nodes["g0"]) == ["layer", "2 nodes"]
    assert nodes["g0"].get("class") == "s0 group"


def test_an_empty_graph_is_a_valid_picture(graph: Graph) -> None:
    columns = {
        name: [] for name in graph.__struct_fields__ if isinstance(getattr(graph, name), list) and name != "strings"
    }
    empty = Graph(kind=graph.kind, strings=[], **columns)
    assert parse(svg_of(empty, lay_out(empty))).tag == f"{SVG}svg"


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_gives_a_well_formed_document(label: str, title: str) -> None:
    graph = make_graph(label=label, module=label)
    root = parse(svg_of(graph, lay_out(graph), title=title))
    assert len(nodes_of(root)) == len(graph)
    assert (root.findtext(f"{SVG}title") or "").split() == "".join(c for c in title if _is_xml(c)).split()


def _is_xml(character: str) -> bool:
    return character in "\t\n\r" or (
        character >= " " and character not in "\ufffe\uffff" and not "\ud800" <= character <= "\udfff"
    )
