"""Frames: a 4-byte big-endian length and a msgpack document."""

from __future__ import annotations

from functools import cache
from typing import BinaryIO, Final

import msgspec

from aotgui.protocol.messages import AnyEvent, AnyRequest, Event, Request

HEADER_BYTES: Final = 4
MAX_FRAME_BYTES: Final = 512 * 1024 * 1024
"""A longer frame is refused: a graph of 200,000 nodes takes about 30 MB."""

_encoder = msgspec.msgpack.Encoder()


# Each process needs one of the two, and the window not before it is seen.
@cache
def _request_decoder() -> msgspec.msgpack.Decoder[AnyRequest]:
    return msgspec.msgpack.Decoder(AnyRequest)


@cache
def _event_decoder() -> msgspec.msgpack.Decoder[AnyEvent]:
    return msgspec.msgpack.Decoder(AnyEvent)


class FrameError(Exception):
    """Bytes that are no frame; the channel cannot be read any further."""


def encode(message: Request | Event) -> bytes:
    """One message as a frame.

    Raises:
        FrameError: the message is larger than ``MAX_FRAME_BYTES``.
    """
    body = _encoder.encode(message)
    if len(body) > MAX_FRAME_BYTES:
        raise FrameError(f"a {type(message).__name__} of {len(body)} bytes is too large to send")
    return frame_of(body)


def frame_of(body: bytes) -> bytes:
    """A document as a frame."""
    return len(body).to_bytes(HEADER_BYTES, "big") + body


def decode_request(body: bytes) -> AnyRequest:
    """The request in a frame's body.

    Raises:
        FrameError: it is none.
    """
    try:
        return _request_decoder().decode(body)
    except msgspec.MsgspecError as error:
        raise FrameError(f"not a request: {error}") from error


def decode_event(body: bytes) -> AnyEvent:
    """The event in a frame's body.

    Raises:
        FrameError: it is none.
    """
    try:
        return _event_decoder().decode(body)
    except msgspec.MsgspecError as error:
        raise FrameError(f"not an event: {error}") from error


def read_frame(stream: BinaryIO) -> bytes | None:
    """The body of the next frame; None at the end of the stream. Blocks.

    Raises:
        FrameError: the stream ends within a frame, or the length is absurd.
    """
    header = _read_exactly(stream, HEADER_BYTES)
    if not header:
        return None
    if len(header) < HEADER_BYTES:
        raise FrameError("the channel closed within a frame")
    length = int.from_bytes(header, "big")
    if length > MAX_FRAME_BYTES:
        raise FrameError(f"a frame of {length} bytes is larger than the limit of {MAX_FRAME_BYTES}")
    body = _read_exactly(stream, length)
    if len(body) < length:
        raise FrameError("the channel closed within a frame")
    return body


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    chunks = []
    while length:
        chunk = stream.read(length)
        if not chunk:
            break
        chunks.append(chunk)
        length -= len(chunk)
    return b"".join(chunks)
