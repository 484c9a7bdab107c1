"""What a search can ask: the keys of the language and the parts of a query that was read."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from aotgui.model.graph import Fate


class Key(StrEnum):
    """What can be asked of a node."""

    OP = "op"
    FATE = "fate"
    SIDE = "side"
    ROLE = "role"
    MODULE = "module"
    DTYPE = "dtype"
    SHAPE = "shape"
    BYTES = "bytes"
    SOURCE = "source"
    NAME = "name"
    POLICY = "policy"


class KeyHelp(msgspec.Struct, frozen=True):
    """What a person is told of a key.

    Attributes:
        key: which.
        example: how it is written.
        meaning: what it finds.
    """

    key: Key
    example: str
    meaning: str


KEYS: Final = (
    KeyHelp(Key.OP, "op:mm", "operator, with or without its namespace and overload; op:*mm* has addmm too"),
    KeyHelp(Key.FATE, "fate:saved", f"what the partitioner made of it: {', '.join(fate.label for fate in Fate)}"),
    KeyHelp(Key.SIDE, "side:backward", "forward or backward"),
    KeyHelp(Key.ROLE, "role:parameter", "what it stands for: parameter, buffer, input, tangent, output, gradient, …"),
    KeyHelp(Key.MODULE, "module:layers.3", "inside a module, by its path or its class; module:layers.*.attn"),
    KeyHelp(Key.DTYPE, "dtype:bf16", "type of the value; dtype:int* has all integers"),
    KeyHelp(Key.SHAPE, "shape:4x*x16", "shape of the value; * is any one size, ** any number of sizes"),
    KeyHelp(Key.BYTES, "bytes>1MB", "size of the value with >, <, >=, <=, =, !=; units B, KB, KiB, MB, MiB, GB, GiB"),
    KeyHelp(Key.SOURCE, "source:model.py:12", "called from a file, a line of it, or lines as in model.py:12-20"),
    KeyHelp(Key.NAME, "name:mm_1", "in the node's name; with * the whole name must fit"),
    KeyHelp(Key.POLICY, "policy:must_save", "the checkpoint policy noted while tracing"),
)  # fmt: skip


class Word(msgspec.Struct, frozen=True, tag=True):
    """A text in the name, the human name or the target; lower case."""

    text: str


class Pattern(msgspec.Struct, frozen=True, tag=True):
    """A pattern that a text column fits; lower case, ``*`` for any characters.

    Attributes:
        key: ``OP``, ``MODULE``, ``DTYPE``, ``NAME`` or ``POLICY``.
        text: the pattern.
    """

    key: Key
    text: str


class OneOf(msgspec.Struct, frozen=True, tag=True):
    """A value from a short list.

    Attributes:
        key: ``FATE``, ``SIDE`` or ``ROLE``.
        labels: the accepted values, as shown to people.
    """

    key: Key
    labels: tuple[str, ...]


class Shape(msgspec.Struct, frozen=True, tag=True):
    """Sizes as text; ``*`` is one size, ``**`` any number of them; empty for a scalar."""

    sizes: tuple[str, ...]


class Size(msgspec.Struct, frozen=True, tag=True):
    """Bytes compared with a number; ``operator`` is ``>``, ``<``, ``>=``, ``<=``, ``=`` or ``!=``."""

    operator: str
    size_bytes: float


class Source(msgspec.Struct, frozen=True, tag=True):
    """A place in a file.

    Attributes:
        file: the end of its path; lower case, ``*`` for any characters.
        first: 1-based line, 0 for any.
        last: likewise, included.
    """

    file: str
    first: int = 0
    last: int = 0


class Not(msgspec.Struct, frozen=True, tag=True):
    """Everything that a query does not find."""

    query: Query


class All(msgspec.Struct, frozen=True, tag=True):
    """What every part finds; without parts everything."""

    parts: tuple[Query, ...] = ()


class AnyOf(msgspec.Struct, frozen=True, tag=True):
    """What some part finds."""

    parts: tuple[Query, ...]


Term: TypeAlias = Word | Pattern | OneOf | Shape | Size | Source
Query: TypeAlias = Term | Not | All | AnyOf
