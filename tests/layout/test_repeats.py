"""Blocks that repeat are shown as one until somebody looks inside."""

from __future__ import annotations

from types import ModuleType

import msgspec
import pytest

from aotgui.layout.engine import lay_out
from aotgui.layout.groups import groups_of
from aotgui.layout.nesting import nest
from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import Group
from aotgui.model.graph import Fate, Graph, GraphKind, Role

RUN = "layers.0\u20265"


def stack(graphs: ModuleType, types: dict[int, str] | None = None, odd: int | None = None) -> Graph:
    """Six blocks of four operators between an input and a head; block ``odd`` has a fifth one."""
    builder = graphs.GraphBuilder(kind=GraphKind.INFERENCE)
    value = builder.add(role=Role.INPUT)
    for block in range(6):
        for _ in range(5 if block == odd else 4):
            value = builder.add(value, module=f"layers.{block}")
    for _ in range(3):
        value = builder.add(value, module="head")
    graph = builder.build()
    classes = {f"layers.{block}": (types or {}).get(block, "Block") for block in range(6)}
    return msgspec.structs.replace(graph, module_types={**classes, "head": "Linear"})


def runs(groups: tuple[Group, ...]) -> dict[str, Group]:
    return {group.path: group for group in groups if group.blocks}


def test_a_run_encloses_its_blocks(graphs: ModuleType) -> None:
    groups = groups_of(stack(graphs))
    run = runs(groups)[RUN]
    assert (run.blocks, run.title, len(run.nodes)) == (6, "6 \u00d7 Block", 25)  # with the input
    blocks = [group for group in groups if group.path.startswith("layers.") and not group.blocks]
    assert [groups[block.parent].path for block in blocks] == [RUN] * 6
    assert blocks[0].title == "layers.0 · Block"


def test_a_collapsed_run_is_one_box_and_opens_to_its_blocks(graphs: ModuleType) -> None:
    graph = stack(graphs)
    closed = lay_out(graph, LayoutOptions(expanded=frozenset()))
    assert [closed.groups[group].title for group in closed.item_groups if group >= 0] == [
        "6 \u00d7 Block",
        "head · Linear",
    ]
    opened = lay_out(graph, LayoutOptions(expanded=frozenset({RUN})))
    assert len([group for group in opened.item_groups if group >= 0]) == 7
    assert [opened.groups[group].path for group in opened.frame_groups] == [RUN]


def test_a_block_that_differs_is_marked(graphs: ModuleType) -> None:
    assert [group.path for group in groups_of(stack(graphs, odd=3)) if group.differs] == ["layers.3"]
    assert not [group for group in groups_of(stack(graphs)) if group.differs]


def test_another_fate_is_a_difference(graphs: ModuleType) -> None:
    graph = stack(graphs)
    fates = list(graph.fates)
    fates[6] = Fate.SAVED
    assert [group.path for group in groups_of(msgspec.structs.replace(graph, fates=fates)) if group.differs] == [
        "layers.1"
    ]


@pytest.mark.parametrize(
    ("types", "expected"), [({2: "Other"}, {"layers.3\u20265"}), ({1: "A", 3: "B", 5: "C"}, set())]
)
def test_blocks_of_another_class_end_a_run(graphs: ModuleType, types: dict[int, str], expected: set[str]) -> None:
    assert set(runs(groups_of(stack(graphs, types)))) == expected


@pytest.mark.parametrize(
    ("name", "run"), [("llama_32.joint", "0.model.layers.0\u202631"), ("gpt2_12.joint", "transformer.h.0\u202611")]
)
def test_layers_of_captured_models_are_runs(graphs: ModuleType, name: str, run: str) -> None:
    nesting = nest(graphs.real_graph(name))
    blocks = nesting.blocks[nesting.paths.index(run)]
    assert sum(nesting.paths[parent] == run for parent in nesting.parents if parent >= 0) == blocks


def test_a_value_that_leaves_and_comes_back_breaks_the_run(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(kind=GraphKind.INFERENCE)
    value = builder.add(role=Role.INPUT)
    for block in range(4):
        value = builder.add(builder.add(value, module=f"layers.{block}"), module=f"layers.{block}")
        value = builder.add(builder.add(value, module="between"), module="between")
    assert not runs(groups_of(builder.build()))
