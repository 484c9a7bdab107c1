"""What holds for every partition."""

from __future__ import annotations

from aotgui.model.graph import Fate, Graph, Op, Role, Side


def check_invariants(joint: Graph, forward: Graph, backward: Graph) -> None:
    """Every node has one fate, counts add up, and what backward takes comes from forward."""
    assert sum(joint.fate_counts().values()) == len(joint)
    for graph in (joint, forward, backward):
        columns = (graph.ops, graph.targets, graph.roles, graph.sides, graph.fates, graph.values, graph.origins)
        assert {len(column) for column in columns} == {len(graph)}
        assert all(0 <= source < target for source, target in zip(graph.edge_sources, graph.edge_targets, strict=True))
    returned = {forward.origins[output.node] for output in forward.outputs if output.node >= 0}
    inputs = {origin for origin, op in zip(forward.origins, forward.ops, strict=True) if op == Op.PLACEHOLDER}
    for index, op in enumerate(backward.ops):
        if op == Op.PLACEHOLDER and backward.roles[index] != Role.TANGENT:
            assert backward.origins[index] in returned | inputs
    in_forward, in_backward = set(forward.origins), set(backward.origins)
    for index, fate in enumerate(joint.fates):
        if fate == Fate.ELIMINATED:
            assert index not in in_forward | in_backward
        if fate in (Fate.RECOMPUTED, Fate.SAVED):
            assert index in in_forward
            assert index in in_backward
        if fate == Fate.MOVED:
            assert index in in_backward - in_forward
            assert joint.sides[index] == Side.FORWARD
        if fate == Fate.FORWARD_ONLY:
            assert index not in in_backward
