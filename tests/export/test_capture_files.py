"""Capture files: what is written reads back, and damage is one sentence."""

from __future__ import annotations

import time
import tracemalloc
import zlib

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aotgui.export.capture_files import is_capture_file, open_capture, save_capture
from aotgui.export.diff_report import diff_text
from aotgui.export.files import ExportError
from aotgui.export.html_report import html_report
from aotgui.export.report import json_text, report_document
from aotgui.export.report_text import report_text
from aotgui.model.capture import Capture
from aotgui.model.capture_file import (
    FORMAT_VERSION,
    MAGIC,
    CaptureFileError,
    decode_capture,
    encode_capture,
)
from aotgui.model.diff import diff_captures
from aotgui.model.graph import GraphKind

HEADER = MAGIC + FORMAT_VERSION.to_bytes(2, "big")


def test_what_is_written_reads_back(capture, tmp_path):
    path = tmp_path / "model.aotcap"
    save_capture(path, capture)
    assert open_capture(path) == capture
    assert is_capture_file(path)
    assert [child.name for child in tmp_path.iterdir()] == ["model.aotcap"]


def test_a_folder_that_is_not_there(capture, tmp_path):
    with pytest.raises(ExportError, match="no such file"):
        save_capture(tmp_path / "nowhere" / "model.aotcap", capture)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is no capture of aotgui"),
        (b"import torch\n", "is no capture of aotgui"),
        (MAGIC, "ends in its header"),
        (HEADER, "the end of the file is missing"),
        (HEADER + b"\0\1\2", "does not match its checksum"),
        (MAGIC + (FORMAT_VERSION + 1).to_bytes(2, "big"), "newer aotgui"),
        (HEADER + zlib.compress(b"no msgpack"), "cannot be read"),
        (HEADER + zlib.compress(msgspec.msgpack.encode({"capture": 1})), "cannot be read"),
    ],
)
def test_foreign_and_damaged_files_say_so(data, sentence, tmp_path):
    path = tmp_path / "other.aotcap"
    path.write_bytes(data)
    with pytest.raises(CaptureFileError) as caught:
        open_capture(path)
    message = str(caught.value)
    assert sentence in message
    assert str(path) in message
    assert message.endswith(".")
    assert "\n" not in message


def test_a_missing_file(tmp_path):
    with pytest.raises(CaptureFileError, match="no such file"):
        open_capture(tmp_path / "nothing.aotcap")
    assert not is_capture_file(tmp_path / "nothing.aotcap")


def test_something_after_the_end(capture):
    with pytest.raises(CaptureFileError, match="something else follows"):
        decode_capture(encode_capture(capture) + b"more")


def test_a_bomb_is_refused_before_it_unpacks():
    bomb = HEADER + zlib.compress(bytes(64 * 1024 * 1024))
    tracemalloc.start()
    try:
        with pytest.raises(CaptureFileError, match="unpacks to more than 1000000 bytes"):
            decode_capture(bomb, max_bytes=1_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


@pytest.mark.parametrize(
    "change",
    [
        {"edge_sources": [99] * 9},
        {"edge_targets": [0]},
        {"edge_sources": [5, 3], "edge_targets": [3, 5]},
        {"edge_sources": [0, 0], "edge_targets": [5, 3]},
        {"names": ["same"] * 10},
        {"arguments": [[0]] * 10},
        {"ops": [0]},
        {"targets": [-1] * 10},
        {"stacks": [7] * 10},
        {"values": [[5]] * 10},
        {"fates": [77] * 10},
        {"stack_table": [[3]]},
        {"policies": [0]},
        {"policies": [99] * 10},
        {"subgraphs": "broken"},
    ],
)
def test_indexes_that_point_nowhere_are_refused(capture, graph, change):
    if change == {"subgraphs": "broken"}:
        change = {"subgraphs": {"body": msgspec.structs.replace(graph, ops=[0])}}
    region = msgspec.structs.replace(
        capture.regions[0], graphs={GraphKind.JOINT: msgspec.structs.replace(graph, **change)}
    )
    data = encode_capture(msgspec.structs.replace(capture, regions=[region]))
    with pytest.raises(CaptureFileError, match="its joint graph does not hold together"):
        decode_capture(data)


def opened_or_refused(data: bytes) -> tuple[Capture | None, str]:
    """The capture, or the sentence that refuses it; anything else that is raised fails the test."""
    try:
        return decode_capture(data), ""
    except CaptureFileError as error:
        return None, str(error)


bounded = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@bounded
@given(st.data())
def test_flipped_bits_and_cuts_never_crash(capture: Capture, data: st.DataObject):
    content = bytearray(encode_capture(capture))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(content) - 1)))
    began = time.perf_counter()
    opened, sentence = opened_or_refused(bytes(content[:cut]))
    assert opened == capture or sentence.endswith(".")
    assert time.perf_counter() - began < 5.0


@bounded
@given(st.data())
def test_documents_with_a_right_checksum_and_wrong_content_never_crash(capture: Capture, data: st.DataObject):
    body = bytearray(zlib.decompress(encode_capture(capture)[len(HEADER) :]))
    for _ in range(data.draw(st.integers(1, 6))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    tracemalloc.start()
    opened, sentence = opened_or_refused(HEADER + zlib.compress(bytes(body)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert opened is not None or (sentence and "\n" not in sentence)
    assert peak < 32_000_000


@settings(bounded, max_examples=100)
@given(st.data())
def test_whatever_opens_can_be_reported_drawn_and_compared(capture: Capture, data: st.DataObject):
    body = bytearray(zlib.decompress(encode_capture(capture)[len(HEADER) :]))
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    opened, _ = opened_or_refused(HEADER + zlib.compress(bytes(body)))
    if opened is not None:
        assert report_text(opened)
        assert json_text(report_document(opened))
        assert html_report(opened)
        assert diff_text(capture, opened, diff_captures(capture, opened))
