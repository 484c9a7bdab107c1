"""Whatever a person does, values are those of a straight run with the same edits."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.utils import _pytree as pytree

from aotgui.engine.half import Half
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.graph import GraphKind, Op
from aotgui.model.stepping import Granularity, Replacement, ReplacementKind
from aotgui.protocol.messages import ReplaceValue, RestoreValue, SetReference, StepAction, Stepped, StopReason

FORWARD, INFERENCE = GraphKind.FORWARD, GraphKind.INFERENCE
WALKS = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

moves = st.sampled_from(
    [
        StepAction.STEP,
        StepAction.STEP_BACK,
        StepAction.CONTINUE,
        StepAction.REVERSE_CONTINUE,
        StepAction.STEP_INTO,
        StepAction.STEP_OUT,
        StepAction.RESTART,
    ]
)
replacements = st.one_of(
    st.sampled_from([Replacement(kind=ReplacementKind.ZEROS), Replacement(kind=ReplacementKind.ONES)]),
    st.builds(Replacement, kind=st.just(ReplacementKind.NOISE), seed=st.integers(0, 3)),
    st.just(Replacement(kind=ReplacementKind.CLAMP, low=-0.25, high=0.5)),
    st.just(Replacement(kind=ReplacementKind.EXPRESSION, expression="value * 2 + torch.rand(())")),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("move"), moves, st.sampled_from(Granularity)),
        st.tuples(st.just("go"), st.integers(0, 99), st.sampled_from([StepAction.GO_TO, StepAction.RUN_TO])),
        st.tuples(st.just("mark"), st.integers(0, 99), st.booleans()),
        st.tuples(st.just("replace"), st.integers(0, 99), replacements),
        st.tuples(st.just("restore"), st.booleans()),
        st.tuples(st.just("reference"), st.booleans()),
    ),
    min_size=3,
    max_size=14,
)


def random_and_deep(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    for _ in range(2):
        x = nn.functional.dropout(x @ w, 0.5).sin() + torch.rand_like(x) * x
    return x.sum()


def writing(x: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
    y = x * 2
    buffer.add_(nn.functional.dropout(y, 0.5))
    z = buffer.sin() + y
    buffer.mul_(0.5)
    return z + buffer


def nodes_of(halves: dict[GraphKind, Half]) -> list[tuple[GraphKind, int]]:
    return [(kind, node) for kind, half in halves.items() for node in range(len(half.nodes))]


def take(driver: Any, step: tuple[Any, ...], places: list[tuple[GraphKind, int]]) -> Stepped | None:
    match step:
        case ("move", action, granularity):
            return driver(action, granularity=granularity)
        case ("go", number, action):
            kind, node = places[number % len(places)]
            return driver(action, driver.halves[kind].nodes[node].name, kind)
        case ("mark", number, conditional):
            kind, node = places[number % len(places)]
            condition = "node.name != ''" if conditional else ""
            name = driver.halves[kind].nodes[node].name
            driver.mark(Breakpoint(id="b", kind=BreakpointKind.NODE, graph=kind, where=name, condition=condition))
        case ("replace", number, replacement):
            kind, node = places[number % len(places)]
            return driver.tell(ReplaceValue, graph=kind, node=node, replacement=replacement)
        case ("restore", everything) if driver.session._run.edits.all and not everything:
            edit = driver.session._run.edits.all[0]
            return driver.tell(RestoreValue, graph=edit.graph, node=driver.index(edit.graph, edit.node))
        case ("restore", _):
            return driver.tell(RestoreValue)
        case ("reference", enabled):
            return driver.tell(SetReference, enabled=enabled)
    return None


def values(driver: Any) -> dict[tuple[GraphKind, int], Any]:
    """Each node's value as it was right after the node ran."""
    cursors = driver.timeline.cursors
    return {(k, n): pytree.tree_map(copied, c.value(n, n + 1)) for k, c in cursors.items() for n in range(c.position)}


def copied(leaf: Any) -> Any:
    return leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf


def assert_same(one: dict[Any, Any], other: dict[Any, Any]) -> None:
    assert one.keys() == other.keys()
    for place in one:
        for left, right in zip(*map(pytree.tree_leaves, (one[place], other[place])), strict=True):
            if isinstance(left, torch.Tensor):
                assert left.stride() == right.stride(), place
                assert torch.equal(left.nan_to_num(nan=-7), right.nan_to_num(nan=-7)), place
            else:
                assert left == right, place


def run_through(driver: Any) -> Stepped:
    driver.mark()
    return driver(StepAction.CONTINUE)


@pytest.fixture
def training(make_halves) -> dict[GraphKind, Half]:
    torch.manual_seed(2)
    return make_halves(random_and_deep, torch.randn(4, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True))


@pytest.fixture
def mutating(make_halves) -> dict[GraphKind, Half]:
    torch.manual_seed(2)
    return make_halves(writing, torch.randn(4, 4), torch.randn(4, 4), disable_functionalization=True)


@pytest.mark.parametrize(("fixture", "start"), [("training", FORWARD), ("mutating", INFERENCE)])
@pytest.mark.parametrize("limit_bytes", [1 << 30, 100], ids=["all kept", "none kept"])
def test_walks(request, drive, fixture, start, limit_bytes):
    halves = request.getfixturevalue(fixture)
    places = nodes_of(halves)

    @WALKS
    @given(steps)
    def walk(chosen: list[tuple[Any, ...]]) -> None:
        driver = drive(halves, start, {"memory_limit_bytes": limit_bytes})
        assert driver.stop().reason is StopReason.ENTRY
        for step in chosen:
            take(driver, step, places)
        end = run_through(driver)
        assert end.reason is StopReason.FINISHED, end.problem
        straight = drive(halves, start, {"edits": end.edits})
        straight.stop()
        assert run_through(straight).reason is StopReason.FINISHED
        assert_same(values(driver), values(straight))
        for kind in halves:
            known = [(stats.node, stats.mean, stats.nans) for stats in driver.executed[kind]]
            assert known == [(stats.node, stats.mean, stats.nans) for stats in straight.executed[kind]]
        driver.end()
        straight.end()

    walk()


def test_the_functions_do_what_the_walks_are_for(training, mutating):
    """Random numbers in both halves' reach, and writes into values computed before."""
    assert any(plan.may_draw for plan in training[FORWARD].plan.nodes)
    assert mutating[INFERENCE].plan.writes
    assert Op.CALL_FUNCTION in training[FORWARD].graph.ops
