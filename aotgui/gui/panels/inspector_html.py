"""A page of the inspector as rich text for ``QTextBrowser``.

Qt's rich text knows tables and colours but neither rounded boxes nor columns that line up across tables, so badges
are pictures and every table has the same first column in pixels.
"""

from __future__ import annotations

from html import escape
from typing import Final

from PySide6.QtGui import QFont, QFontInfo, QPalette

from aotgui.gui.panels.inspector_links import Link, Part
from aotgui.gui.panels.inspector_page import Page, Row, Section
from aotgui.gui.panels.look import code_font, is_dark, muted_color
from aotgui.model.palette import palette

LABEL_WIDTH: Final = 116
STRUT: Final = "\u200b"
"""No width, but the height of its font: puts a label on the baseline of the code beside it."""
BREAK: Final = STRUT
"""Where a long name may go on in the next line."""
BADGES: Final = ("badge:side", "badge:fate")


class PageMarkup:
    """Turns pages into markup in the colours and fonts of a widget.

    Attributes:
        links: targets of the links by the number that is their address, filled while rendering.
    """

    def __init__(self, colors: QPalette, font: QFont) -> None:
        self._muted = muted_color(colors).name()
        self._link = colors.color(QPalette.ColorRole.Link).name()
        self._alarm = palette(is_dark(colors)).error
        self._code_family = QFontInfo(code_font()).family()
        self._points = font.pointSizeF()
        self.links: list[Link] = []

    def render(self, page: Page) -> str:
        """The whole page."""
        self.links = []
        sections = "".join(map(self._section, page.sections))
        return f"{self._head(page)}{sections}"

    def _head(self, page: Page) -> str:
        title = f'<div style="font-size:{self._points * 1.35:.1f}pt; font-weight:600">{escape(page.title)}</div>'
        subtitle = f'<div style="color:{self._muted}">{escape(page.subtitle)}</div>' if page.subtitle else ""
        shown = (page.side, page.fate)
        pictures = "&nbsp;".join(
            f'<img src="{name}">' for name, badge in zip(BADGES, shown, strict=True) if badge is not None
        )
        badges = f'<div style="margin-top:6px">{pictures}</div>' if pictures else ""
        sentence = f'<div style="margin-top:6px">{escape(page.sentence)}</div>' if page.sentence else ""
        return title + subtitle + badges + sentence

    def _section(self, section: Section) -> str:
        heading = (
            f'<p style="margin-top:14px; margin-bottom:3px; color:{self._muted}; font-weight:600; '
            f'font-size:{self._points * 0.88:.1f}pt">{escape(section.title.upper())}</p>'
        )
        rows = "".join(map(self._row, section.rows))
        return f'{heading}<table width="100%" cellspacing="0" cellpadding="0">{rows}</table>'

    def _row(self, row: Row) -> str:
        value = "".join(map(self._part, row.parts))
        label = escape(row.label).replace("_", f"_{BREAK}")
        if row.is_code:
            value, label = self._code(value), label + self._code(STRUT)
        if row.is_alarm:
            value = f'<b style="color:{self._alarm}">{value}</b>'
        return (
            f'<tr><td width="{LABEL_WIDTH}" style="color:{self._muted}; padding:2px 8px 2px 0">{label}</td>'
            f'<td style="padding:2px 0">{value}</td></tr>'
        )

    def _code(self, markup: str) -> str:
        return f"<span style=\"font-family:'{self._code_family}'\">{markup}</span>"

    def _part(self, part: Part) -> str:
        if isinstance(part, str):
            return escape(part)
        self.links.append(part)
        style = f"color:{self._link}; text-decoration:none"
        tip = f' title="{escape(part.tip)}"' if part.tip else ""
        return f'<a href="{len(self.links) - 1}"{tip} style="{style}">{escape(part.text)}</a>'
