"""What every message is."""

from __future__ import annotations

import msgspec


class Request(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Base of what the engine is asked."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Base of what the engine says."""
