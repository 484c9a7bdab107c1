"""Colours for code: Pygments tokens as text formats, line by line and only when asked for."""

from __future__ import annotations

from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.style import Style
from pygments.styles import get_style_by_name
from pygments.token import _TokenType
from pygments.util import ClassNotFound
from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextLayout

WHOLE_CHARACTERS: Final = 200_000
"""A text up to this size is lexed at once, so that strings over several lines are right (0.15 s)."""
CHUNK_LINES: Final = 120
"""A longer one, which is generated code without such strings, is lexed around the lines that are seen."""


def lexer_for(language: str) -> Lexer:
    """The lexer of a Pygments alias; plain text for an unknown one."""
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return get_lexer_by_name("text", stripnl=False, ensurenl=False)


class Highlighting:
    """The formats of a text's lines.

    Attributes:
        dark: for which theme.
    """

    def __init__(self, text: str, language: str, *, dark: bool) -> None:
        self.dark = dark
        self._lines = text.split("\n")
        self._lexer = lexer_for(language)
        self._style = get_style_by_name("github-dark" if dark else "friendly")
        self._chunk = len(self._lines) if len(text) <= WHOLE_CHARACTERS else CHUNK_LINES
        self._ranges: dict[int, list[QTextLayout.FormatRange]] = {}
        self._formats: dict[_TokenType, QTextCharFormat | None] = {}

    def line(self, number: int) -> list[QTextLayout.FormatRange]:
        """Formats of a line, 0-based."""
        if number not in self._ranges:
            self._lex_around(number)
        return self._ranges.get(number, [])

    def _lex_around(self, number: int) -> None:
        first = number // self._chunk * self._chunk
        lines = self._lines[first : first + self._chunk]
        for line in range(first, first + len(lines)):
            self._ranges[line] = []
        line, column = first, 0
        for token, value in self._lexer.get_tokens("\n".join(lines)):
            for part_number, part in enumerate(value.split("\n")):
                if part_number:
                    line, column = line + 1, 0
                self._add(line, column, part, token)
                column += _utf16_length(part)

    def _add(self, line: int, column: int, part: str, token: _TokenType) -> None:
        if token not in self._formats:
            self._formats[token] = _format(self._style, token)
        chosen = self._formats[token]
        if chosen is None or not part or line not in self._ranges:
            return
        found = QTextLayout.FormatRange()
        found.start, found.length, found.format = column, _utf16_length(part), chosen
        self._ranges[line].append(found)


def _utf16_length(text: str) -> int:
    """Qt counts positions in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _format(style: type[Style], token: _TokenType) -> QTextCharFormat | None:
    described = style.style_for_token(token)
    if not (described["color"] or described["italic"]):
        return None
    found = QTextCharFormat()
    if described["color"]:
        found.setForeground(QColor(f"#{described['color']}"))
    if described["bold"]:
        found.setFontWeight(QFont.Weight.DemiBold)
    found.setFontItalic(bool(described["italic"]))
    return found
