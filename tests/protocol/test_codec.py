"""Messages as bytes and back."""

from __future__ import annotations

import io

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.model.breakpoint import Breakpoint, BreakpointHit, BreakpointKind
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings
from aotgui.model.stepping import Granularity, NodeError, Replacement, ReplacementKind
from aotgui.model.values import ValuePlane, ValueSlice
from aotgui.protocol import codec
from aotgui.protocol.codec import FrameError, decode_event, decode_request, encode, read_frame
from aotgui.protocol.messages import (
    AnyEvent,
    EngineProblem,
    ExportTorchScript,
    FindCause,
    PlaneRead,
    Quit,
    ReadPlane,
    ReadValue,
    ReplaceValue,
    Request,
    Run,
    SetBreakpoints,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    Stop,
    StopReason,
    ValueRead,
)

ids = st.integers(0, 2**63 - 1)
words = st.text(max_size=30)
kinds = st.sampled_from(GraphKind)
breakpoints = st.dictionaries(kinds, st.lists(words, max_size=4))
numbers = st.floats(allow_nan=False) | st.integers(-(2**63), 2**63 - 1) | st.booleans() | words
points = st.lists(
    st.builds(Breakpoint, id=words, kind=st.sampled_from(BreakpointKind), where=words, condition=words), max_size=3
)
replacements = st.builds(Replacement, kind=st.sampled_from(ReplacementKind), low=st.none() | st.floats(-1, 1))

requests = st.one_of(
    st.builds(
        Run, run=ids, source=words, target=words, inputs=words, settings=st.builds(Settings, seed=st.integers(0, 99))
    ),
    st.builds(Stop),
    st.builds(Quit),
    st.builds(StartStepping, session=ids, region=ids, graph=kinds, breakpoints=breakpoints, points=points),
    st.builds(
        Step,
        session=ids,
        action=st.sampled_from(StepAction),
        node=words,
        graph=kinds | st.none(),
        granularity=st.sampled_from(Granularity),
    ),
    st.builds(SetBreakpoints, session=ids, breakpoints=breakpoints, points=points),
    st.builds(ReplaceValue, session=ids, graph=kinds, node=ids, replacement=replacements),
    st.builds(FindCause, request=ids, session=ids, graph=kinds, node=ids),
    st.builds(ReadPlane, request=ids, session=ids, graph=kinds, node=ids, index=st.lists(ids, max_size=4).map(tuple)),
    st.builds(ReadValue, request=ids, session=ids, graph=kinds, node=ids, index=st.lists(ids, max_size=4).map(tuple)),
    st.builds(ExportTorchScript, request=ids, region=ids, graph=kinds, path=words),
)
slices = st.builds(ValueSlice, node=ids, rows=st.lists(st.lists(numbers, max_size=4), max_size=4), text=words)
problems = st.builds(Problem, severity=st.sampled_from(Severity), stage=words, message=words, details=words)
planes = st.builds(ValuePlane, node=ids, data=st.binary(max_size=40), minimum=st.none() | st.floats(-1, 1))
node_errors = st.lists(st.builds(NodeError, node=ids, relative=st.floats(0, 1) | st.just(float("inf"))), max_size=3)
stops = st.builds(
    Stepped,
    session=ids,
    region=ids,
    graph=kinds,
    node=ids,
    reason=st.sampled_from(StopReason),
    frontier=st.dictionaries(kinds, ids),
    hits=st.lists(st.builds(BreakpointHit, id=words, graph=kinds, node=ids), max_size=2),
    errors=st.dictionaries(kinds, node_errors),
)
events = st.one_of(
    st.builds(ValueRead, request=ids, graph=kinds, value=slices),
    st.builds(PlaneRead, request=ids, graph=kinds, plane=planes),
    stops,
    st.builds(EngineProblem, problem=problems),
)


@given(requests)
def test_a_request_survives_the_pipe(request: Request) -> None:
    body = read_frame(io.BytesIO(encode(request)))
    assert body is not None
    assert decode_request(body) == request


@given(st.lists(events, max_size=5))
def test_events_survive_one_after_the_other(sent: list[AnyEvent]) -> None:
    stream = io.BytesIO(b"".join(map(encode, sent)))
    received = []
    while (body := read_frame(stream)) is not None:
        received.append(decode_event(body))
    assert received == sent


def test_nan_and_infinity_survive() -> None:
    value = ValueSlice(node=0, rows=[[float("nan"), float("inf"), float("-inf")]])
    body = read_frame(io.BytesIO(encode(ValueRead(request=1, graph=GraphKind.FORWARD, value=value))))
    assert body is not None
    event = decode_event(body)
    assert isinstance(event, ValueRead)
    assert repr(event.value.rows) == repr(value.rows)


@given(requests, st.data())
def test_a_channel_that_closes_within_a_frame_is_noticed(request: Request, data: st.DataObject) -> None:
    frame = encode(request)
    cut = data.draw(st.integers(1, len(frame) - 1))
    with pytest.raises(FrameError, match="closed within a frame"):
        read_frame(io.BytesIO(frame[:cut]))


def test_the_end_of_the_stream_is_no_frame() -> None:
    assert read_frame(io.BytesIO()) is None


def test_an_absurd_length_is_refused_before_anything_is_read() -> None:
    stream = io.BytesIO(b"\xff\xff\xff\xff" + b"x" * 10)
    with pytest.raises(FrameError, match="larger than the limit"):
        read_frame(stream)
    assert stream.tell() == codec.HEADER_BYTES


def test_a_message_that_is_too_large_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_FRAME_BYTES", 10)
    with pytest.raises(FrameError, match="a Run of"):
        encode(Run(run=1, source="a source that is too long"))


@given(st.binary(max_size=60))
def test_foreign_bytes_are_refused_with_one_error(body: bytes) -> None:
    for decode in (decode_request, decode_event):
        try:
            decode(body)
        except FrameError:
            continue


def test_an_event_is_no_request() -> None:
    body = encode(Stop())[codec.HEADER_BYTES :]
    with pytest.raises(FrameError, match="not an event"):
        decode_event(body)
    with pytest.raises(FrameError, match="not a request"):
        decode_request(msgspec.msgpack.encode({"type": "Hello"}))
