"""The bytes of an ``.aotcap`` file: a capture that opens later, elsewhere, and without torch.

Layout: 8 bytes of magic, the format's version as 2 bytes big-endian, then one zlib stream of a msgpack document
(``_Document``). The stream's own checksum tells damage. Opening is bounded: what unpacks to more than
``MAX_BYTES`` is refused before it is unpacked, and nothing in a file is executed.

Reading a file that somebody else wrote is safe: indexes are checked before anything relies on them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

import msgspec

from aotgui.model.capture import Capture, Region
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.graph import Fate, Graph, Op, Role, Side

MAGIC: Final = b"\x89AOTCAP\n"
"""Not text, and broken by whatever changes line ends, as in PNG."""
FORMAT_VERSION: Final = 1
ENDING: Final = ".aotcap"
MAX_BYTES: Final = 1024 * 1024 * 1024
"""Of a document once unpacked: a graph of 200,000 nodes takes about 30 MB."""
_HEADER_BYTES: Final = len(MAGIC) + 2
_LEVEL: Final = 6


class CaptureFileError(Exception):
    """A file cannot be opened as a capture; the text is one sentence."""


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored.

    Attributes:
        capture: the capture.
        writer: version of aotgui that wrote it.
    """

    capture: Capture
    writer: str = ""


_decoder = msgspec.msgpack.Decoder(_Document)


def encode_capture(capture: Capture, writer: str = "") -> bytes:
    """A capture as the content of a file.

    Args:
        capture: what to keep.
        writer: version of the program that writes it.

    Raises:
        CaptureFileError: the capture is larger than ``MAX_BYTES``.
    """
    body = msgspec.msgpack.encode(_Document(capture=capture, writer=writer))
    if len(body) > MAX_BYTES:
        raise CaptureFileError(f"The capture takes {len(body)} bytes, more than a capture file may hold.")
    return MAGIC + FORMAT_VERSION.to_bytes(2, "big") + zlib.compress(body, _LEVEL)


def decode_capture(data: bytes, max_bytes: int = MAX_BYTES) -> Capture:
    """The capture in the content of a file.

    Args:
        data: the whole file.
        max_bytes: how much it may unpack to.

    Raises:
        CaptureFileError: it is no capture, damaged, cut off, too large, or written by a newer version.
    """
    if not looks_like_capture(data):
        raise CaptureFileError("This is no capture of aotgui.")
    if len(data) < _HEADER_BYTES:
        raise CaptureFileError("The capture is cut off: the file ends in its header.")
    version = int.from_bytes(data[len(MAGIC) : _HEADER_BYTES], "big")
    if version > FORMAT_VERSION:
        raise CaptureFileError(
            f"The capture was written by a newer aotgui: it has format {version}, "
            f"and this version reads up to {FORMAT_VERSION}."
        )
    capture = _decoded(_unpacked(data[_HEADER_BYTES:], max_bytes))
    for region in capture.regions:
        for graph in region.graphs.values():
            _require_sound(graph)
        _require_sound_partition(region)
    return capture


def looks_like_capture(data: bytes) -> bool:
    """Whether a file's first bytes are those of a capture."""
    return data[: len(MAGIC)] == MAGIC


def _unpacked(data: bytes, max_bytes: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(data, max_bytes)
    except zlib.error:
        raise CaptureFileError("The capture is damaged: its content does not match its checksum.") from None
    if stream.eof and not stream.unused_data:
        return body
    if stream.eof:
        raise CaptureFileError("The capture is damaged: something else follows it in the file.")
    if len(body) >= max_bytes:
        raise CaptureFileError(f"The capture unpacks to more than {max_bytes} bytes and is not opened.")
    raise CaptureFileError("The capture is cut off: the end of the file is missing.")


def _decoded(body: bytes) -> Capture:
    try:
        return _decoder.decode(body).capture
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        reason = " ".join(str(error).split())  # it may quote what stands in the file
        raise CaptureFileError(f"The capture cannot be read: {reason}.") from None


def _require_sound(graph: Graph) -> None:
    """Every column has one entry a node, every index points at something, and edges go from earlier to later nodes."""
    nodes, strings = len(graph.names), len(graph.strings)
    columns = (
        (graph.ops, 0, len(Op)),
        (graph.targets, 0, strings),
        (graph.roles, 0, len(Role)),
        (graph.sides, 0, len(Side)),
        (graph.fates, 0, len(Fate)),
        (graph.labels, -1, strings),
        (graph.modules, -1, strings),
        (graph.stacks, -1, len(graph.stack_table)),
    )
    sound = (
        all(len(column) == nodes and _within(column, low, high) for column, low, high in columns)
        and all(len(column) == nodes for column in (graph.seq_nrs, graph.origins, graph.values, graph.arguments))
        and len(graph.edge_sources) == len(graph.edge_targets)
        and _within(graph.edge_sources, 0, nodes)
        and _within(graph.edge_targets, 0, nodes)
        and all(source < target for source, target in zip(graph.edge_sources, graph.edge_targets, strict=True))
        and all(one <= other for one, other in pairwise(graph.edge_targets))
        and len(set(graph.names)) == nodes
        and _within((output.node for output in graph.outputs), -1, nodes)
        and all(_within(stack, 0, len(graph.frame_table)) for stack in graph.stack_table)
        and all(_within(value, 0, len(graph.tensor_table)) for value in graph.values)
        and all(len(texts) % 2 == 0 and _within(texts, 0, strings) for texts in graph.arguments)
    )
    sound = sound and len(graph.policies) in (0, nodes) and _within(graph.policies, -1, strings)
    for inner in graph.subgraphs.values():
        _require_sound(inner)
    if not sound:
        raise CaptureFileError(f"The capture cannot be read: its {graph.kind} graph does not hold together.")


def _require_sound_partition(region: Region) -> None:
    """The storages of the graphs and the min-cut network point at something."""
    sizes = len(region.storage_bytes)
    sound = all(
        len(graph.storages) in (0, len(graph)) and all(_within(storages, -1, sizes) for storages in graph.storages)
        for graph in region.graphs.values()
    )
    if region.cut is not None:
        sound = sound and region.main_graph is not None and _is_sound(region.cut, len(region.main_graph))
    if not sound:
        raise CaptureFileError(f"The capture cannot be read: the partition of {region.name} does not hold together.")


def _is_sound(cut: CutNetwork, joint: int) -> bool:
    count, strings = len(cut.nodes), len(cut.strings)
    columns = (cut.capacities, cut.bans, cut.unsaveable, cut.needs, cut.needs_value, cut.sides)
    return (
        all(len(column) == count for column in columns)
        and all(_within(column, -1, strings) for column in (cut.bans, cut.unsaveable, cut.needs))
        and _within(cut.nodes, 0, joint)
        and _within(cut.sides, 0, len(CutSide))
        and len(cut.edge_sources) == len(cut.edge_targets)
        and _within((*cut.edge_sources, *cut.edge_targets), 0, count)
    )


def _within(indexes: Iterable[int], low: int, high: int) -> bool:
    return all(low <= index < high for index in indexes)
