"""What the inspector says, as sections of rows: neither widgets nor markup, for tests and the clipboard."""

from __future__ import annotations

from dataclasses import dataclass

from aotgui.gui.panels.inspector_links import Part
from aotgui.model.graph import Fate, Side


@dataclass(frozen=True)
class Row:
    """A label and what stands beside it.

    Attributes:
        label: one or two words.
        parts: texts and links, one after the other.
        is_code: set in the code font.
        is_alarm: says something bad.
    """

    label: str
    parts: tuple[Part, ...]
    is_code: bool = False
    is_alarm: bool = False

    @property
    def text(self) -> str:
        """Without links."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)


@dataclass(frozen=True)
class Section:
    """Rows under a heading."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Page:
    """Everything that the inspector shows.

    Attributes:
        title: the name of the node, or a summary.
        subtitle: what kind of thing it is.
        side: badge, or None.
        fate: badge, or None.
        sentence: what the fate means, or a hint.
        sections: the rows.
    """

    title: str
    subtitle: str = ""
    side: Side | None = None
    fate: Fate | None = None
    sentence: str = ""
    sections: tuple[Section, ...] = ()

    @property
    def text(self) -> str:
        """As plain text, for the clipboard."""
        badges = ", ".join(badge.label for badge in (self.side, self.fate) if badge is not None)
        head = [line for line in (self.title, self.subtitle, badges, self.sentence) if line]
        for section in self.sections:
            head += [
                "",
                section.title,
                *(f"{row.label}: {row.text}" if row.label else row.text for row in section.rows),
            ]
        return "\n".join(head)
