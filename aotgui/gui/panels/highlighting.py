"""Colours for code: Pygments tokens as text formats, line by line and only when asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.style import Style
from pygments.styles import get_style_by_name
from pygments.token import _TokenType
from pygments.util import ClassNotFound
from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextLayout

WHOLE_CHARACTERS: Final = 200_000
"""A text up to this size is lexed from its beginning, so that strings over several lines are right."""
TOKENS_AT_ONCE: Final = 2000
"""So many take 20 ms; lexing 200,000 characters would stop the window for a third of a second."""
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
        self._is_whole = len(text) <= WHOLE_CHARACTERS
        self._tokens = iter(self._lexer.get_tokens(text)) if self._is_whole else iter(())
        self._place = (0, 0)
        self._known = 0
        self._ranges: dict[int, list[QTextLayout.FormatRange]] = {}
        self._formats: dict[_TokenType, QTextCharFormat | None] = {}

    def line(self, number: int) -> list[QTextLayout.FormatRange]:
        """Formats of a line, 0-based; lexes whatever it takes."""
        while not self.advance(number):
            pass
        if not self._is_whole and number not in self._ranges:
            self._lex_around(number)
        return self._ranges.get(number, [])

    def knows(self, number: int) -> bool:
        """Whether the formats of a line are to be had at once."""
        return not self._is_whole or number < self._known

    def advance(self, number: int) -> bool:
        """Lexes on towards a line, for 20 ms at most; whether it is reached."""
        if self.knows(number):
            return True
        tokens = list(itertools.islice(self._tokens, TOKENS_AT_ONCE))
        self._place = self._take(tokens, *self._place)
        self._known = self._place[0] if len(tokens) == TOKENS_AT_ONCE else len(self._lines)
        return self.knows(number) or self._known == len(self._lines)

    def _lex_around(self, number: int) -> None:
        first = number // CHUNK_LINES * CHUNK_LINES
        lines = self._lines[first : first + CHUNK_LINES]
        for line in range(first, first + len(lines)):
            self._ranges[line] = []
        self._take(self._lexer.get_tokens("\n".join(lines)), first, 0)

    def _take(self, tokens: Iterable[tuple[_TokenType, str]], line: int, column: int) -> tuple[int, int]:
        """Adds the formats of tokens that begin at a place; where the next one begins."""
        for token, value in tokens:
            for part_number, part in enumerate(value.split("\n")):
                if part_number:
                    line, column = line + 1, 0
                self._add(line, column, part, token)
                column += _utf16_length(part)
        return line, column

    def _add(self, line: int, column: int, part: str, token: _TokenType) -> None:
        if token not in self._formats:
            self._formats[token] = _format(self._style, token)
        chosen = self._formats[token]
        if chosen is None or not part or not (self._is_whole or line in self._ranges):
            return
        found = QTextLayout.FormatRange()
        found.start, found.length, found.format = column, _utf16_length(part), chosen
        self._ranges.setdefault(line, []).append(found)


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
