"""Layouts in the background: the newest wins, faults are told, nothing is left running."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

from aotgui.gui.canvas.arranging import Arrangement, Request, arrange, text_widths
from aotgui.gui.canvas.detail import GROUP_ROOM_UNITS
from aotgui.gui.canvas.group_facts import GroupLedger
from aotgui.gui.canvas.layout_runner import LayoutRunner, Turns, measured_options
from aotgui.layout.nesting import nest
from aotgui.layout.options import LayoutCancelled


class SlowLayout:
    """Lays out when told to; notices a cancellation as the real engine does."""

    def __init__(self, result):
        self.go = threading.Event()
        self.began = threading.Event()
        self.cancelled_graphs = []
        self._result = result

    def __call__(self, request, options, cancelled):
        graph = request.graph
        self.began.set()
        while not self.go.wait(0.001):
            if cancelled():
                self.cancelled_graphs.append(graph)
                raise LayoutCancelled
        return Arrangement(graph, self._result, nest(graph), None, [])


@pytest.fixture
def runner_of(qtbot):
    runners = []

    def make(lay_out):
        runners.append(LayoutRunner(work=lay_out))
        return runners[-1]

    yield make
    for runner in runners:
        runner.close()


def test_a_real_graph_is_laid_out(make_graph, qtbot):
    runner = LayoutRunner()
    graph, _ = make_graph(10)
    with qtbot.waitSignal(runner.finished) as finished:
        runner.start(Request(graph))
    (arrangement,) = finished.args
    assert arrangement.graph is graph
    assert len(arrangement.layout.boxes) == 20
    assert not runner.is_running
    runner.close()


def test_only_the_newest_arrives(make_graph, qtbot, runner_of):
    (first, layout), (second, _) = make_graph(3), make_graph(4)
    slow = SlowLayout(layout)
    runner = runner_of(slow)
    arrived = []
    runner.finished.connect(lambda arrangement: arrived.append(arrangement.graph))
    runner.start(Request(first))
    qtbot.waitUntil(slow.began.is_set)  # one that has not begun is dropped without a word
    runner.start(Request(second))
    qtbot.waitUntil(lambda: slow.cancelled_graphs == [first])
    slow.go.set()
    qtbot.waitUntil(lambda: arrived == [second])


def test_what_is_cancelled_does_not_arrive(make_graph, qtbot, runner_of):
    graph, layout = make_graph(3)
    slow = SlowLayout(layout)
    runner = runner_of(slow)
    runner.start(Request(graph))
    with qtbot.assertNotEmitted(runner.finished):
        runner.cancel()
        slow.go.set()
        runner.close()


def test_a_long_layout_is_announced(make_graph, qtbot, runner_of):
    graph, layout = make_graph(3)
    slow = SlowLayout(layout)
    runner = runner_of(slow)
    with qtbot.waitSignal(runner.slow):
        runner.start(Request(graph))
    with qtbot.waitSignal(runner.finished):
        slow.go.set()


def test_a_fault_is_told(make_graph, qtbot, runner_of):
    graph, _ = make_graph(3)

    def broken(request, options, cancelled):
        raise ValueError("no room")

    runner = runner_of(broken)
    with qtbot.waitSignal(runner.failed) as failed:
        runner.start(Request(graph))
    assert failed.args == [graph, "ValueError: no room"]
    assert not runner.is_running


def test_boxes_are_as_wide_as_their_lines(make_graph, qapp):
    graph, _ = make_graph(3)
    widths = measured_options().node_widths(graph)
    assert len(widths) == 6
    assert widths[0] > widths[1]  # layers.0.weight, parameter f32[32, 64]


def test_a_group_has_room_for_its_words_and_its_sign(make_graph, qapp):
    graph, _ = make_graph(3)
    options = measured_options()
    opened = arrange(Request(graph, is_opening=True), options, lambda: False)
    folded = arrange(Request(graph, frozenset(), known=opened), options, lambda: False)
    assert folded.widths is opened.widths
    assert opened.nesting.paths == ["layers.0"]
    assert len(folded.layout.boxes) == 2
    lines = [GroupLedger(graph).facts(group).line() for group in folded.layout.groups]
    words = text_widths(lines, options.subtitle_advances)
    assert (folded.layout.boxes[:, 2] >= words + GROUP_ROOM_UNITS).all()


def test_texts_are_measured_all_at_once():
    advances = np.arange(128, dtype=float)
    assert text_widths(["ab", "", "c\u00e9"], advances).tolist() == [97 + 98, 0, 99 + 0]


def test_a_finished_job_is_let_go(make_graph, qtbot):
    """PySide6 6.11 keeps every ``QRunnable``: a person who opened and closed modules for long filled the memory."""
    runner = LayoutRunner()
    graph, _ = make_graph(4)
    for _ in range(3):
        with qtbot.waitSignal(runner.finished):
            runner.start(Request(graph))
    runner.close()  # the thread that told it has a hold of the last one until it is done
    gc.collect()
    kept = [one for one in gc.get_objects() if isinstance(one, Arrangement | Request) and one.graph is graph]
    assert not kept


def test_layouts_have_their_turns_in_the_order_asked_for() -> None:
    turns, done = Turns(), []
    numbers = [turns.take() for _ in range(3)]

    def work(number: int) -> None:
        with turns.turn(number):
            done.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in reversed(numbers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == numbers
