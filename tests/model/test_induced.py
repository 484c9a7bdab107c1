from hypothesis import given
from hypothesis import strategies as st

from aotgui.model.graph import Fate, Graph, GraphKind, Op, Output, OutputKind, Role, Side, TensorInfo
from aotgui.model.induced import induced_graph


def chain(length):
    """Nodes ``n0`` to ``n<length - 1>``, each read by the next and by the one after that; the last is returned."""
    edges = [(node - gap, node) for node in range(length) for gap in (2, 1) if node >= gap]
    return Graph(
        kind=GraphKind.JOINT,
        strings=["aten.cos.default"],
        names=[f"n{node}" for node in range(length)],
        ops=[Op.CALL_FUNCTION] * length,
        targets=[0] * length,
        roles=[Role.OPERATOR] * length,
        sides=[Side.FORWARD] * length,
        fates=[Fate.FORWARD_ONLY] * length,
        seq_nrs=list(range(length)),
        origins=list(range(length)),
        labels=[-1] * length,
        modules=[-1] * length,
        stacks=[-1] * length,
        values=[[0]] * length,
        arguments=[[]] * length,
        edge_sources=[source for source, _ in edges],
        edge_targets=[target for _, target in edges],
        outputs=[Output(length - 1, OutputKind.OUTPUT, "out")],
        tensor_table=[TensorInfo((4,), "float32", (1,), "cpu", 16)],
        code="...",
    )


@given(st.integers(1, 12), st.data())
def test_part_holds_its_nodes_and_the_edges_between_them(length, data):
    graph = chain(length)
    nodes = data.draw(st.sets(st.integers(0, length - 1), min_size=1))
    part = induced_graph(graph, nodes)
    assert part.names == [graph.names[node] for node in sorted(nodes)]
    assert part.origins == sorted(nodes)

    def edges(of):
        return {(of.names[a], of.names[b]) for a, b in zip(of.edge_sources, of.edge_targets, strict=True)}

    kept = set(part.names)
    assert edges(part) == {(a, b) for a, b in edges(graph) if {a, b} <= kept}
    assert [part.names[output.node] for output in part.outputs] == [graph.names[-1]] * (length - 1 in nodes)


def test_whole_graph_is_itself_without_its_code():
    graph = chain(5)
    part = induced_graph(graph, range(5))
    assert (part.names, part.edge_sources, part.outputs, part.code) == (
        graph.names,
        graph.edge_sources,
        graph.outputs,
        "",
    )
