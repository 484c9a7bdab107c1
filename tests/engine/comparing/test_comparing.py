"""Compilers and partitioners side by side on a real target."""

from __future__ import annotations

import threading

import pytest
import torch

from aotgui.engine.comparing import Comparing
from aotgui.engine.memory_peak import PeakMeter
from aotgui.engine.timing import MIN_SAMPLES, timing_of
from aotgui.engine.worker import Worker
from aotgui.model.comparison import Candidate, CompareRow, Verdict
from aotgui.protocol.messages import Compare, CompareEnded, CompareProgress, CompareRowReady, RunStatus

from .conftest import Workshop

LATE = Candidate(compiler="nop", partitioner="min_cut", memory_budget=0.3)


def compared(workshop: Workshop, *candidates: Candidate) -> list[CompareRow]:
    workshop.events.clear()
    request = Compare(request=3, candidates=list(candidates), seconds=0.01)
    Comparing(workshop.pipeline, request, workshop.events.append).run()
    ready = workshop.all(CompareRowReady)
    assert [event.index for event in ready] == list(range(len(candidates)))
    assert workshop.last(CompareEnded).status is RunStatus.DONE
    return [event.row for event in ready]


@pytest.fixture(scope="module")
def rows(workshop) -> dict[str, CompareRow]:
    names = ["nop", "simple_ts_compile", "drops_bias", "refuses", "nonsense"]
    candidates = [*(Candidate(compiler=name) for name in names), LATE, Candidate(compiler="memory_efficient_fusion")]
    before = [half.compiled for half in workshop.pipeline.regions[0].halves.values()]
    found = {row.candidate.label: row for row in compared(workshop, *candidates)}
    assert [half.compiled for half in workshop.pipeline.regions[0].halves.values()] == before
    return found


def test_what_is_right_is_measured(rows):
    for name in ("nop", "simple_ts_compile", "nop, min_cut@0.3", "memory_efficient_fusion"):
        row = rows[name]
        assert (row.verdict, row.problem) == (Verdict.MATCH, None), row
        for timing in (row.forward, row.backward, row.eager_forward, row.eager_backward):
            assert 0 < timing.low_s <= timing.median_s <= timing.high_s
            assert timing.samples >= MIN_SAMPLES
        assert row.compile_forward_s > 0 < row.compile_backward_s
        assert row.gradient_error <= 10 * row.check.eager_error + 1e-5
        assert row.peak_bytes >= row.saved_activation_bytes > 0


def test_what_is_wrong_says_so(rows):
    row = rows["drops_bias"]
    assert row.verdict is Verdict.MISMATCH
    assert row.output_error > 0.01
    assert row.forward is not None  # it runs, and how fast may matter


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("refuses", "refuses raised NotImplementedError: tanh_backward is not supported"),
        ("nonsense", "There is no compiler 'nonsense', neither in the script nor among nop"),
    ],
)
def test_what_fails_says_why(rows, name, message):
    row = rows[name]
    assert row.verdict is Verdict.FAILED
    assert row.problem.message.startswith(message)
    assert (row.forward, row.peak_bytes) == (None, None)


def test_a_smaller_budget_saves_less(rows):
    assert rows["nop, min_cut@0.3"].saved_bytes < rows["nop"].saved_bytes
    assert rows["nop, min_cut@0.3"].partitioner == "min_cut@0.3"


def test_a_preset_stands_for_its_settings(rows):
    row = rows["memory_efficient_fusion"]
    assert (row.partitioner, row.decompositions, row.backward_compiler) == ("min_cut", "default", "ts_compile")


def test_progress_names_what_is_done(workshop):
    compared(workshop, Candidate(compiler="nop", partitioner="default"))
    doing = [event.doing for event in workshop.all(CompareProgress)]
    assert doing == ["tracing", "compiling forward", "compiling backward", "checking", "timing", "measuring memory"]


def test_stop_ends_it_and_keeps_the_rows(workshop):
    workshop.events.clear()
    ended, measured = threading.Event(), threading.Event()
    request = Compare(request=4, candidates=[Candidate(compiler="nop")] * 50, seconds=0.01)

    def note(event: object) -> None:
        workshop.events.append(event)
        if isinstance(event, CompareRowReady):
            measured.set()
        if isinstance(event, CompareEnded):
            ended.set()

    worker = Worker(lambda error: None)
    worker.submit(Comparing(workshop.pipeline, request, note).run)
    assert measured.wait(60)
    worker.stop()
    assert ended.wait(60)
    assert workshop.last(CompareEnded).status is RunStatus.STOPPED
    assert 1 <= len(workshop.all(CompareRowReady)) < 50


def test_nothing_captured_is_said(new_workshop):
    workshop = new_workshop()
    Comparing(workshop.pipeline, Compare(request=1, candidates=[LATE]), workshop.events.append).run()
    [ended] = workshop.events
    assert ended.status is RunStatus.FAILED
    assert ended.problem.message.startswith("There is nothing to run compilers on: capture a function or module first.")


def test_an_inference_has_no_backward(new_workshop):
    workshop = new_workshop()
    workshop.run("import torch\ndef fn(x):\n    return x.cos()\nexample_inputs = torch.randn(3)\n")
    [row] = compared(workshop, Candidate(compiler="simple_ts_compile"))
    assert row.verdict is Verdict.MATCH
    assert (row.backward, row.compile_backward_s, row.gradient_error) == (None, None, None)


def test_peak_counts_what_lives_at_once():
    meter = PeakMeter({"cpu"})
    kept = meter.run(lambda: torch.zeros(1000))
    meter.run(lambda: torch.cat([torch.zeros(500), torch.zeros(500)]))
    assert meter.peak == 4 * (1000 + 500 + 500 + 1000)
    assert kept.shape == (1000,)


def test_without_the_profiler_there_is_no_peak(monkeypatch):
    monkeypatch.delattr(torch.autograd, "_enable_profiler_legacy")
    meter = PeakMeter({"cpu"})
    assert meter.run(lambda: 3) == 3
    assert meter.peak is None


def test_timing_needs_two_calls():
    assert timing_of([]) is None
    timing = timing_of([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (timing.low_s, timing.median_s, timing.high_s, timing.samples) == (2.0, 3.0, 4.0, 5)
    assert timing.spread == pytest.approx(2 / 3)
