"""A part of a report that is there only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol


class Section(Protocol):
    """What a report takes in at its end."""

    def document(self) -> dict[str, Any]:
        """The keys that it adds to the JSON document."""

    def lines(self) -> Iterator[str]:
        """A heading and its lines of text."""
