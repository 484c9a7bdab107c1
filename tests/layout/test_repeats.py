"""Blocks that repeat are shown as one until somebody looks inside."""

from __future__ import annotations

from types import ModuleType

import msgspec
import pytest

from aotgui.layout.engine import lay_out
from aotgui.layout.expansion import everything
from aotgui.layout.groups import groups_of
from aotgui.layout.nesting import nest
from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import Group
from aotgui.model.graph import Fate, Graph, GraphKind, Role, Side

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


def residual_stack(graphs: ModuleType, blocks: int) -> Graph:
    """Forward and backward of ``x + f(x)`` repeated; the sums of gradients count as operators of no module."""
    builder = graphs.GraphBuilder()
    value = builder.add(role=Role.INPUT)
    seq_nrs = range(0, 3 * blocks, 3)
    for block, seq_nr in enumerate(seq_nrs):
        module = f"layers.{block}"
        inner = builder.add(value, seq_nr=seq_nr, module=f"{module}.up")
        inner = builder.add(inner, seq_nr=seq_nr + 1, module=f"{module}.up")
        value = builder.add(value, inner, seq_nr=seq_nr + 2, module=module)
    gradient = builder.add(role=Role.TANGENT, side=Side.BACKWARD)
    for block in reversed(range(blocks)):
        back = {"side": Side.BACKWARD, "module": f"layers.{block}.up"}
        inner = builder.add(gradient, seq_nr=seq_nrs[block] + 1, **back)
        inner = builder.add(inner, seq_nr=seq_nrs[block], **back)
        gradient = builder.add(gradient, inner, side=Side.BACKWARD, seq_nr=3 * blocks)
    return msgspec.structs.replace(
        builder.build(), module_types={f"layers.{block}": "Block" for block in range(blocks)}
    )


def test_summed_gradients_belong_to_the_blocks_that_they_leave(graphs: ModuleType) -> None:
    graph = residual_stack(graphs, 4)
    groups = groups_of(graph)
    assert {(group.path, group.blocks) for group in groups if group.blocks} == {("layers.0\u20263", 4)}
    ends = {group.path: int(group.nodes[-1]) for group in groups if group.side}
    assert [ends[f"layers.{block}"] for block in (3, 2, 1)] == [len(graph) - 10, len(graph) - 7, len(graph) - 4]
    expanded = everything(nest(graph))
    assert len(lay_out(graph, LayoutOptions(expanded=expanded)).boxes) == len(graph)
