import msgspec
from hypothesis import given
from hypothesis import strategies as st

from aotgui.model.capture import Capture, Region, SavedValue
from aotgui.model.diff import diff_captures, diff_graphs
from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Op, Role, Side, TensorInfo
from aotgui.model.matching import NodeKeys, match_nodes
from aotgui.model.settings import Settings

SIZES = (4, 8)
TENSORS = [TensorInfo((size,), "float32", (1,), "cpu", 4 * size) for size in SIZES]
FILE = "/home/me/model.py"


class Builder:
    """Writes a graph node by node; what a node reads is given by name."""

    def __init__(self, kind=GraphKind.JOINT):
        self.kind, self.rows = kind, []

    def input(self, name, fate=Fate.FORWARD_ONLY):
        self.rows.append((name, name, Role.INPUT, (), "", 0, 0, fate, ()))
        return name

    def call(self, name, target, *inputs, module="", line=0, size=0, fate=Fate.FORWARD_ONLY, arguments=()):
        self.rows.append((name, target, Role.OPERATOR, inputs, module, line, size, fate, arguments))
        return name

    def graph(self, origins=None):
        names = [row[0] for row in self.rows]
        texts = [text for row in self.rows for text in (row[1], row[4], *(t for pair in row[8] for t in pair))]
        strings = list(dict.fromkeys(texts))
        lines = sorted({row[5] for row in self.rows})
        edges = [(names.index(source), target) for target, row in enumerate(self.rows) for source in row[3]]
        return Graph(
            kind=self.kind,
            strings=strings,
            names=names,
            ops=[Op.PLACEHOLDER if row[2] is Role.INPUT else Op.CALL_FUNCTION for row in self.rows],
            targets=[strings.index(row[1]) for row in self.rows],
            roles=[row[2] for row in self.rows],
            sides=[Side.FORWARD] * len(names),
            fates=[row[7] for row in self.rows],
            seq_nrs=[-1] * len(names),
            origins=list(range(len(names))) if origins is None else origins,
            labels=[-1] * len(names),
            modules=[strings.index(row[4]) if row[4] else -1 for row in self.rows],
            stacks=[lines.index(row[5]) if row[5] else -1 for row in self.rows],
            values=[[row[6]] for row in self.rows],
            arguments=[[strings.index(text) for pair in row[8] for text in pair] for row in self.rows],
            edge_sources=[source for source, _ in edges],
            edge_targets=[target for _, target in edges],
            stack_table=[[index] for index in range(len(lines))],
            frame_table=[Frame(FILE, line, "forward") for line in lines],
            tensor_table=TENSORS,
        )


def chain(*targets, module=""):
    """An input and operators one after the other, each reading the one before."""
    build = Builder()
    last = build.input("x")
    for position, target in enumerate(targets):
        last = build.call(f"node_{position}", target, last, module=module)
    return build.graph()


def diff(old, new, old_sources=None, new_sources=None):
    return diff_graphs(old, new, old_sources or {}, new_sources or {})


def names(graph, nodes):
    return [graph.names[node] for node in nodes]


def test_an_operator_put_between_two_others_is_the_only_one_added():
    old, new = chain("cos", "sin", "exp"), chain("cos", "neg", "sin", "exp")
    found = diff(old, new)
    assert names(new, found.added) == ["node_1"]
    assert not found.removed
    assert [(change.old, change.new, change.what) for change in found.changed] == [
        (2, 3, ("reads node_1 instead of node_0",))
    ]


def test_an_operator_taken_out_is_the_only_one_removed():
    old, new = chain("cos", "neg", "sin", "exp"), chain("cos", "sin", "exp")
    found = diff(old, new)
    assert (names(old, found.removed), found.added) == (["node_1"], [])


def test_equal_operators_are_told_apart_by_their_modules():
    def blocks(*modules):
        build = Builder()
        last = build.input("x")
        for position, module in enumerate(modules):
            last = build.call(f"mm_{position}", "aten.mm.default", last, module=module)
        return build.graph()

    old, new = blocks("layers.0", "layers.2"), blocks("layers.0", "layers.1", "layers.2")
    assert names(new, diff(old, new).added) == ["mm_1"]


def test_equal_operators_are_told_apart_by_the_text_of_their_lines():
    def lines(*numbers):
        build = Builder()
        x = build.input("x")
        for number in numbers:
            build.call(f"cos_{number}", "aten.cos.default", x, line=number)
        return build.graph()

    old = lines(1, 2)
    new = lines(2, 3, 4)
    sources = {FILE: "a = x.cos()\nb = x.cos()\n"}, {FILE: "import torch\na = x.cos()\nnew = x.cos()\nb = x.cos()\n"}
    found = diff(old, new, *sources)
    assert found.new_of == {0: 0, 1: 1, 2: 3}
    assert names(new, found.added) == ["cos_3"]


def test_a_changed_argument_shape_and_input_are_named():
    def graph(dim, size, source):
        build = Builder()
        build.input("x")
        build.input("y")
        build.call("sum_1", "aten.sum", source, size=size, arguments=(("self", "%x"), ("dim", dim)))
        return build.graph()

    found = diff(graph("1", 0, "x"), graph("2", 1, "y"))
    (change,) = found.changed
    assert change.what == ("float32[4] -> float32[8]", "dim: 1 -> 2", "reads y instead of x")


def test_arguments_in_another_order_are_a_change():
    def graph(*sources):
        build = Builder()
        build.input("x")
        build.input("y")
        build.call("sub", "aten.sub.Tensor", *sources)
        return build.graph()

    (change,) = diff(graph("x", "y"), graph("y", "x")).changed
    assert change.what == ("reads the same nodes in another order",)


def test_inputs_match_by_their_name_only():
    old, new = Builder(), Builder()
    old.input("weight")
    new.input("bias")
    found = diff(old.graph(), new.graph())
    assert (found.removed, found.added, found.new_of) == ([0], [0], {})


@given(st.lists(st.sampled_from(["cos", "sin", "exp"]), max_size=8), st.data())
def test_a_graph_is_the_same_as_itself_whatever_its_names(targets, data):
    graph = chain(*targets)
    renamed = msgspec.structs.replace(
        graph, names=["x", *(f"other_{number}" for number in data.draw(st.permutations(range(len(targets)))))]
    )
    found = diff(graph, renamed)
    assert found.is_empty
    assert found.new_of == {node: node for node in range(len(graph))}


@given(
    st.lists(st.sampled_from(["cos", "sin", "exp"]), max_size=8),
    st.lists(st.sampled_from(["cos", "sin", "exp"]), max_size=8),
)
def test_every_node_is_matched_once_with_its_own_kind_or_added_or_removed(one, other):
    old, new = chain(*one), chain(*other)
    found = diff(old, new)
    assert sorted([*found.new_of, *found.removed]) == list(range(len(old)))
    assert sorted([*found.new_of.values(), *found.added]) == list(range(len(new)))
    assert all(old.target(a) == new.target(b) for a, b in found.new_of.items())


def test_known_pairs_are_kept_whatever_they_are():
    old, new = NodeKeys(chain("cos", "sin"), {}), NodeKeys(chain("exp", "sin"), {})
    assert match_nodes(old, new, {1: 1})[1] == 1


def halves(saved, fate):
    """A capture of ``x.cos().sin()`` that saves one value and whose backward computes or takes ``cos``."""
    joint, forward, backward = Builder(), Builder(GraphKind.FORWARD), Builder(GraphKind.BACKWARD)
    x = joint.input("x")
    joint.call("sin", "aten.sin.default", joint.call("cos", "aten.cos.default", x, fate=fate))
    x = forward.input("x")
    forward.call("sin", "aten.sin.default", forward.call("cos", "aten.cos.default", x))
    if saved == "cos":
        backward.input("cos")
    else:
        backward.call("cos", "aten.cos.default", backward.input("x"))
    value = SavedValue(name=saved, tensor=TENSORS[0], size_bytes=16, storage_bytes=16, role="activation")
    graphs = {
        GraphKind.JOINT: joint.graph(),
        GraphKind.FORWARD: forward.graph(),
        GraphKind.BACKWARD: backward.graph(origins=[1] if saved == "cos" else [0, 1]),
    }
    return Region(name="region 0", graphs=graphs, saved=[value])


def capture(*regions, **settings):
    return Capture(source=FILE, target="fn", torch="2.13.0", settings=Settings(**settings), regions=list(regions))


def test_another_partition_shows_in_fates_saved_values_and_the_backward():
    old = capture(halves("cos", Fate.SAVED), partitioner="default")
    new = capture(halves("x", Fate.RECOMPUTED), partitioner="min_cut")
    found = diff_captures(old, new)
    (region,) = found.regions
    (moved,) = region.graphs[GraphKind.JOINT].moved
    assert (moved.old_fate, moved.new_fate) == (Fate.SAVED, Fate.RECOMPUTED)
    assert ([value.name for value in region.saved_lost], [value.name for value in region.saved_gained]) == (
        ["cos"],
        ["x"],
    )
    (change,) = region.graphs[GraphKind.BACKWARD].changed
    assert change.what == ("handed in -> computed by aten.cos.default",)
    assert found.settings == [("Partitioner", "default", "min_cut")]


def test_captures_of_the_same_are_empty_and_regions_beyond_are_named():
    region = halves("cos", Fate.SAVED)
    assert diff_captures(capture(region), capture(region)).is_empty
    more = diff_captures(capture(region), capture(region, msgspec.structs.replace(region, name="region 1")))
    assert more.added_regions == ["region 1"]
    assert not more.is_empty
