import msgspec
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from aotgui.export.capture_files import save_capture
from aotgui.gui.app.comparisons import Comparisons
from aotgui.gui.app.diff_window import DiffWindow
from aotgui.gui.canvas.arranging import arrange
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Role, Side, TensorInfo
from aotgui.model.settings import Settings


def graph(targets, fates=None):
    """A chain: an input, then one operator after the other."""
    names = ["x", *(f"n{place}_{target}" for place, target in enumerate(targets))]
    count = len(names)
    strings = ["x", *targets]
    return Graph(
        kind=GraphKind.JOINT,
        strings=strings,
        names=names,
        ops=[Op.PLACEHOLDER, *[Op.CALL_FUNCTION] * len(targets)],
        targets=list(range(count)),
        roles=[Role.INPUT, *[Role.OPERATOR] * len(targets)],
        sides=[Side.FORWARD] * count,
        fates=fates or [Fate.FORWARD_ONLY] * count,
        seq_nrs=[-1] * count,
        origins=list(range(count)),
        labels=[-1] * count,
        modules=[-1] * count,
        stacks=[-1] * count,
        values=[[0]] * count,
        arguments=[[]] * count,
        edge_sources=list(range(count - 1)),
        edge_targets=list(range(1, count)),
        tensor_table=[TensorInfo((4,), "float32", (1,), "cpu", 16)],
    )


def capture(joint, **settings):
    region = Region(name="region 0", graphs={GraphKind.JOINT: joint})
    return Capture(source="/m.py", target="fn", torch="2.13.0", settings=Settings(**settings), regions=[region])


OLD = capture(graph(["cos", "sin", "exp"]), partitioner="default")
NEW = capture(graph(["cos", "neg", "sin", "exp"], [*[Fate.FORWARD_ONLY] * 4, Fate.RECOMPUTED]), partitioner="min_cut")


@pytest.fixture
def open_diff(qtbot):
    opened = []

    def open_window(old, new):
        window = DiffWindow(old, new)
        window.resize(1200, 800)
        window.show()
        opened.append(window)
        qtbot.waitUntil(lambda: window.pair.diff is not None)
        panes = window.side(GraphKind.JOINT)
        qtbot.waitUntil(lambda: all(pane.view.scene is not None for pane in panes))
        return window

    yield open_window
    for window in opened:
        window.close()


def rows(window):
    return [(row.sort, row.name, row.what) for row in window.list.model.shown]


def test_every_difference_is_listed(open_diff):
    window = open_diff(OLD, NEW)
    assert rows(window) == [
        ("other fate", "n3_exp", "forward only → recomputed"),
        ("added", "n1_neg", ""),
        ("changed", "n2_sin", "reads n1_neg instead of n0_cos"),
    ]


def test_what_is_the_same_is_faded_until_that_is_switched_off(open_diff, qtbot):
    window = open_diff(OLD, NEW)
    _, new = window.side(GraphKind.JOINT)
    mask = new.view.states.dimmed
    assert mask is not None
    assert list(mask) == [True, True, False, False, False]
    window.dims.setChecked(False)
    assert new.view.states.dimmed is None


def test_a_row_selects_its_node_in_both(open_diff):
    window = open_diff(OLD, NEW)
    window.list.view.selectRow(2)
    assert window.pair.new.selection.nodes == (3,)
    assert window.pair.old.selection.nodes == (2,)


def test_a_node_selected_on_one_side_is_selected_on_the_other(open_diff):
    window = open_diff(OLD, NEW)
    window.pair.old.select(GraphKind.JOINT, [3])
    assert window.pair.new.selection.nodes == (4,)
    window.pair.new.select(GraphKind.JOINT, [2])
    assert window.pair.old.selection.nodes == ()


def test_the_other_side_goes_where_one_goes(open_diff):
    window = open_diff(OLD, NEW)
    old, new = window.side(GraphKind.JOINT)
    for pane, node, other, mate in ((old, 3, new, 4), (new, 1, old, 1)):
        middle = QPointF(pane.view.width() / 2, pane.view.height() / 2)
        pane.view.zoom_by(1.3)
        pane.view.keep_at(pane.view.scene.centre_of(node), middle)
        there = other.view.camera.to_view(*other.view.scene.centre_of(mate))
        assert (there - middle).manhattanLength() < 2
        assert other.view.camera.scale == pane.view.camera.scale


def test_sides_can_be_looked_at_apart(open_diff):
    window = open_diff(OLD, NEW)
    old, new = window.side(GraphKind.JOINT)
    window.follows.setChecked(False)
    before = new.view.camera
    old.view.zoom_by(2.0)
    assert new.view.camera == before


def test_the_same_captures_say_so(open_diff):
    window = open_diff(OLD, OLD)
    assert window.list.is_empty
    assert "the same" in window.list.empty_text
    old, _ = window.side(GraphKind.JOINT)
    assert old.view.states.dimmed is None


@pytest.fixture
def comparisons(qtbot):
    window, session = QWidget(), Session()
    qtbot.addWidget(window)
    made = Comparisons(session, window, lambda: arrange)
    session.set_source("/m.py")
    yield made, session, window
    made.close()
    for child in window.findChildren(DiffWindow):
        child.close()


def test_a_run_is_compared_with_the_one_before_of_the_same_source(comparisons):
    made, session, window = comparisons
    session.set_capture(OLD)
    assert not made.can_compare_runs
    session.set_capture(NEW)
    assert made.can_compare_runs
    made.compare_runs()
    (opened,) = window.findChildren(DiffWindow)
    assert opened.pair.old.capture is OLD
    session.set_capture(msgspec.structs.replace(NEW, source="/other.py"))
    assert not made.can_compare_runs


def test_a_file_is_the_older_of_the_two(comparisons, qtbot, tmp_path):
    made, session, window = comparisons
    session.set_capture(NEW)
    save_capture(tmp_path / "old.aotcap", OLD)
    made.compare_with(str(tmp_path / "old.aotcap"))
    qtbot.waitUntil(lambda: bool(window.findChildren(DiffWindow)))
    (opened,) = window.findChildren(DiffWindow)
    assert opened.pair.old.capture.settings.partitioner == "default"


def test_a_file_that_is_no_capture_is_a_problem(comparisons, qtbot, tmp_path):
    made, session, _window = comparisons
    session.set_capture(NEW)
    (tmp_path / "bad.aotcap").write_text("nothing")
    with qtbot.waitSignal(made.failed) as failed:
        made.compare_with(str(tmp_path / "bad.aotcap"))
    assert "no capture of aotgui" in failed.args[0]
    assert session.problems[-1].stage == "compare"


def test_windows_that_compare_end_with_the_window_and_lay_out_as_it_does(qtbot):
    window, session, asked = QWidget(), Session(), []

    def work(request, options, cancelled):
        asked.append(request.graph)
        return arrange(request, options, cancelled)

    qtbot.addWidget(window)
    made = Comparisons(session, window, lambda: work)
    session.set_source("/m.py")
    session.set_capture(OLD)
    session.set_capture(NEW)
    made.compare_runs()
    (opened,) = window.findChildren(DiffWindow)
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert opened.isVisible()
    with qtbot.waitSignal(opened.closed):
        made.close()
    assert not made._opened
