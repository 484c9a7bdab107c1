"""A comparison as text, JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json

import pytest

from aotgui.export.compare_report import COLUMNS, compare_csv, compare_document, compare_markdown, compare_text
from aotgui.export.report import json_text
from aotgui.model.capture import Capture, Check, CheckStatus, Comparison, Problem, Severity
from aotgui.model.comparison import Candidate, CompareRow, Culprit, CulpritKind, Element, Timing, Verdict
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings

CAPTURE = Capture(source="/work/model.py", target="model", torch="2.13.0", settings=Settings())
CHECK = Check(
    status=CheckStatus.MISMATCH,
    outputs=[Comparison(name="out", status=CheckStatus.MATCH, max_error=1e-6, eager_error=1e-6)],
    gradients=[Comparison(name="weight", status=CheckStatus.MISMATCH, max_error=0.25, eager_error=2e-6)],
    max_error=0.25,
    eager_error=2e-6,
    note="judged against a float64 run",
)
TIMING = Timing(median_s=0.002, low_s=0.0019, high_s=0.0021, samples=40)
EAGER = Timing(median_s=0.004, low_s=0.004, high_s=0.004, samples=40)
ROWS = [
    CompareRow(
        candidate=Candidate(compiler="mine", partitioner="min_cut", memory_budget=0.5),
        verdict=Verdict.MISMATCH,
        compiler="mine",
        backward_compiler="mine",
        partitioner="min_cut@0.5",
        decompositions="none",
        compile_forward_s=0.5,
        compile_backward_s=1.0,
        forward=TIMING,
        backward=TIMING,
        eager_forward=EAGER,
        eager_backward=EAGER,
        peak_bytes=4096,
        eager_peak_bytes=2048,
        saved_bytes=1024,
        saved_activation_bytes=512,
        check=CHECK,
    ),
    CompareRow(
        candidate=Candidate(compiler="broken"),
        verdict=Verdict.FAILED,
        compiler="broken",
        partitioner="min_cut",
        problem=Problem(severity=Severity.ERROR, stage="compare", message="broken raised ValueError: no"),
    ),
]
CULPRIT = Culprit(
    compiler="mine",
    region=0,
    graph=GraphKind.BACKWARD,
    node="mm_3",
    op="aten.mm.default",
    kind=CulpritKind.WRONG,
    message="mine computes aten.mm.default (node mm_3) wrong: largest error 0.25.",
    alone=True,
    nodes=60,
    compilations=8,
    worst=[Element(index=(1, 2), expected=1.0, actual="NaN")],
    file="/work/model.py",
    line=12,
    module="layers.0",
)


def test_text_is_a_table_with_what_is_wrong_below():
    text = compare_text(CAPTURE, ROWS, {0: CULPRIT})
    lines = text.splitlines()
    assert lines[3].split()[:4] == ["compiler", "partitioner", "verdict", "compile"]
    assert lines[4].split("  ")[1].strip() == "mine"
    assert "2 ms ±5.0 %    0.50 x  4.0 KiB  1.0 KiB         1e-06            0.25" in lines[4]
    assert lines[5].split() == ["broken", "min_cut", "failed", *["—"] * 9]
    assert "Eager: peak 2.0 KiB, largest error 2e-06." in lines
    assert "broken: broken raised ValueError: no" in lines
    assert "  where     backward graph, model.py:12, layers.0" in lines
    assert "  worst     [1, 2]: 1, compiled NaN" in lines
    assert "  found by  8 compilations of parts of 60 operators" in lines


def test_one_culprit_of_two_rows_is_told_once():
    assert compare_text(CAPTURE, [ROWS[0], ROWS[0]], {0: CULPRIT, 1: CULPRIT}).count("Culprit") == 1


def test_json_keeps_the_contract():
    document = json.loads(json_text(compare_document(CAPTURE, ROWS, {0: CULPRIT}, [])))
    first, second = document["rows"]
    assert first["forward"] == {"median_s": 0.002, "low_s": 0.0019, "high_s": 0.0021, "samples": 40}
    assert (first["output_error"], first["gradient_error"]) == (1e-6, 0.25)
    assert first["culprit"]["node"] == "mm_3"
    assert first["check"]["gradients"][0]["status"] == "mismatch"
    assert (second["forward"], second["culprit"], second["verdict"]) == (None, None, "failed")
    assert second["problem"]["message"] == "broken raised ValueError: no"
    assert first.keys() == second.keys()


def test_csv_holds_plain_numbers():
    first, second = csv.DictReader(io.StringIO(compare_csv(ROWS)))
    assert tuple(first) == COLUMNS
    assert (first["forward_median_s"], first["eager_backward_median_s"], first["samples"]) == ("0.002", "0.004", "40")
    assert (second["forward_median_s"], second["problem"]) == ("", "broken raised ValueError: no")


def test_markdown_is_a_table():
    lines = compare_markdown(ROWS, {0: CULPRIT}).splitlines()
    assert [line.count("|") for line in lines[:4]] == [13] * 4
    assert CULPRIT.message in lines


@pytest.mark.parametrize(
    ("candidate", "label"),
    [
        (Candidate(compiler="nop"), "nop"),
        (Candidate(compiler="a", backward_compiler="b", decompositions="core"), "a/b, core"),
        (Candidate(partitioner="min_cut", memory_budget=1.0), "min_cut"),
        (Candidate(compiler="nop", partitioner="min_cut", memory_budget=0.25), "nop, min_cut@0.25"),
    ],
)
def test_labels(candidate, label):
    assert candidate.label == label
