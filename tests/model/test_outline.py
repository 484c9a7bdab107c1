from aotgui.model.capture import Region, SavedValue
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Role, Side, TensorInfo
from aotgui.model.outline import NO_MODULE, outline_of

TENSOR = TensorInfo((4,), "float32", (1,), "cpu", 16)


def graph(rows, kind=GraphKind.JOINT, types=None):
    """A graph from (name, module, side, fate, target)."""
    strings = list(dict.fromkeys(text for row in rows for text in (row[1], row[4]) if text))
    return Graph(
        kind=kind,
        strings=strings,
        names=[row[0] for row in rows],
        ops=[Op.CALL_FUNCTION] * len(rows),
        targets=[strings.index(row[4]) for row in rows],
        roles=[Role.OPERATOR] * len(rows),
        sides=[row[2] for row in rows],
        fates=[row[3] for row in rows],
        seq_nrs=[-1] * len(rows),
        origins=list(range(len(rows))),
        labels=[-1] * len(rows),
        modules=[strings.index(row[1]) if row[1] else -1 for row in rows],
        stacks=[-1] * len(rows),
        values=[[0] for _ in rows],
        arguments=[[] for _ in rows],
        edge_sources=[],
        edge_targets=[],
        tensor_table=[TENSOR],
        module_types=types or {},
    )


def blocks(count, odd=-1):
    """A stack of blocks, each a product and what differentiates it; one may recompute its product."""
    rows = []
    for block in range(count):
        fate = Fate.RECOMPUTED if block == odd else Fate.SAVED
        rows.append((f"mm_{block}", f"layers.{block}.linear", Side.FORWARD, fate, "aten.mm.default"))
    rows += [
        (f"mul_{block}", f"layers.{block}", Side.BACKWARD, Fate.BACKWARD_ONLY, "aten.mul.Tensor")
        for block in range(count)
    ]
    types = {f"layers.{block}": "Block" for block in range(count)}
    return graph(rows, types=types | {f"layers.{block}.linear": "Linear" for block in range(count)})


def lines(entries, depth=0):
    """The tree as text."""
    found = []
    for entry in entries:
        counts = f"{entry.forward}+{entry.backward} r{entry.recomputed} {entry.saved_bytes}B"
        mark = " differs" if entry.differs else ""
        kind = f" {entry.count}x{entry.type_name}" if entry.is_run else f" {entry.type_name}".rstrip()
        found += [f"{'  ' * depth}{entry.title}{kind} {counts}{mark}", *lines(entry.children, depth + 1)]
    return found


def region(joint, saved=()):
    forward = graph([("mm_0", "", Side.FORWARD, Fate.SAVED, "aten.mm.default")], GraphKind.FORWARD)
    return Region(name="region 0", graphs={GraphKind.JOINT: joint, GraphKind.FORWARD: forward}, saved=list(saved))


def saved(name, role="activation", storage=16):
    return SavedValue(name=name, tensor=TENSOR, size_bytes=16, storage_bytes=storage, role=role)


def test_modules_nest_and_add_up():
    tree = outline_of(region(blocks(2), [saved("mm_0")]))
    assert lines(tree) == [
        "layers 2+2 r0 16B",
        "  0 Block 1+1 r0 16B",
        "    linear Linear 1+0 r0 16B",
        "  1 Block 1+1 r0 0B",
        "    linear Linear 1+0 r0 0B",
    ]
    assert tree[0].nodes == (0, 1, 2, 3)
    assert tree[0].children[1].nodes == (1, 3)


def test_repeated_blocks_are_one_entry_and_the_odd_one_is_marked():
    (run,) = outline_of(region(blocks(5, odd=3)))
    assert (run.title, run.count, run.type_name, run.path) == ("layers.0 … 4", 5, "Block", "layers.0")
    assert [block.differs for block in run.children] == [False, False, False, True, False]
    assert (run.forward, run.backward, run.recomputed) == (5, 5, 1)
    assert run.encloses("layers.4.linear")
    assert not run.encloses("layers.5")


def test_a_few_blocks_are_shown_as_they_are():
    (layers,) = outline_of(region(blocks(2)))
    assert [child.title for child in layers.children] == ["0", "1"]


def test_a_path_without_a_module_joins_what_it_leads_to():
    rows = [("mm", "L.args.0.model", Side.FORWARD, Fate.SAVED, "aten.mm.default")]
    assert lines(outline_of(region(graph(rows)))) == ["L.args.0.model 1+0 r0 0B"]
    assert lines(outline_of(region(graph(rows, types={"L.args.0": "Wrapper"})))) == [
        "L.args.0 Wrapper 1+0 r0 0B",
        "  model 1+0 r0 0B",
    ]


def test_neighbours_of_one_class_that_are_not_numbered_stay_apart():
    rows = [(name, f"attn.{name}", Side.FORWARD, Fate.SAVED, "aten.mm.default") for name in ("query", "key", "value")]
    types = {f"attn.{row[0]}": "Linear" for row in rows}
    (attention,) = outline_of(region(graph(rows, types=types)))
    assert [child.title for child in attention.children] == ["query", "key", "value"]


def test_what_belongs_to_no_module_comes_last():
    rows = [
        ("t", "", Side.FORWARD, Fate.FORWARD_ONLY, "aten.t.default"),
        ("mm", "linear", Side.FORWARD, Fate.SAVED, "aten.mm.default"),
    ]
    assert lines(outline_of(region(graph(rows)))) == ["linear 1+0 r0 0B", f"{NO_MODULE} 1+0 r0 0B"]


def test_only_activations_count_as_saved():
    (layers,) = outline_of(region(blocks(1), [saved("mm_0", role="parameter")]))
    assert layers.saved_bytes == 0
    (layers,) = outline_of(region(blocks(1), [saved("mm_0", storage=0)]))
    assert layers.saved_bytes == 0


def test_a_region_without_a_main_graph_has_no_outline():
    assert outline_of(Region(name="region 0", graphs={})) == ()
