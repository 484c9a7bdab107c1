"""The search language of the window and of ``aotgui report --where``: text to a ``Query``.

    query      = and-group {"or" and-group}
    and-group  = term {["and"] term}
    term       = "not" term | "(" query ")" | comparison | word
    comparison = KEY ":" VALUE | "bytes" (">" | "<" | ">=" | "<=" | "=" | "!=") SIZE
    word       = text without spaces | '"' text '"'

A word is found in names, human names and targets. Case never matters. ``*`` stands for any characters. The keys are
those of ``query_terms.KEYS``; ``query_match`` says which nodes a query finds.

Known limit: a word that contains a colon, a bracket or a comparison sign has to be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec

from aotgui.model.dtypes import dtype_name
from aotgui.model.graph import Fate, OutputKind, Role, Side
from aotgui.model.query_terms import All, AnyOf, Key, Not, OneOf, Pattern, Query, Shape, Size, Source, Term, Word
from aotgui.model.unreadable_text import UnreadableTextError

MAX_TEXT: Final = 2_000
"""Characters; longer text is no query."""
MAX_NESTING: Final = 40


class QueryError(UnreadableTextError):
    """A text is no query."""

    what = "search"


def parse_query(text: str) -> Query:
    """Reads a query; blank text finds everything.

    Raises:
        QueryError: the text is none.
    """
    if len(text) > MAX_TEXT:
        raise QueryError(f"the text is longer than {MAX_TEXT} characters", "", 0)
    return _Parser(text).query()


_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<bracket>[()])
      | (?P<key>\w+)(?:(?P<colon>:)|\s*(?P<sign>>=|<=|!=|[<>=])\s*)
      | (?P<quoted>"[^"]*")
      | (?P<word>[^\s()"]+)
    )""",
    re.VERBOSE,
)
_VALUE: Final = re.compile(r'"[^"]*"|[^\s()"]+')
_WORDS: Final = ("and", "or", "not")


class _Token(msgspec.Struct, frozen=True):
    """A piece of the text; ``kind`` is empty at its end."""

    kind: str
    text: str
    position: int
    sign: str = ""
    value: str = ""
    value_position: int = 0

    def is_word(self, word: str) -> bool:
        """Whether this is ``and``, ``or`` or ``not``, unquoted."""
        return self.kind == "word" and self.text.lower() == word


class _Parser:
    """Recursive descent over the tokens, one ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._tokenize(text))
        self._next = 0
        self._depth = 0

    def query(self) -> Query:
        """The whole text."""
        if self._token.kind == "":
            return All()
        found = self._any_of()
        if self._token.kind:
            raise self._fail("this ')' has no '('", self._token.position)
        return found

    def _tokenize(self, text: str) -> list[_Token]:
        tokens: list[_Token] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position, end)
            if match is None:
                raise self._fail("a quotation has no end", text.index('"', position))
            token, position = self._token_of(match)
            tokens.append(token)
        return [*tokens, _Token("", "", end)]

    def _token_of(self, match: re.Match[str]) -> tuple[_Token, int]:
        if not match["key"]:
            kind = match.lastgroup or ""
            return _Token(kind, match[kind], match.start(kind)), match.end()
        sign, place = match["colon"] or match["sign"], match.end()
        value = _VALUE.match(self._text, place)
        if value is None:
            missing = "a quotation has no end" if self._text[place : place + 1] == '"' else "a value is missing"
            raise self._fail(f"{missing} after {match['key']}{sign}", place)
        text = value[0].strip('"')
        return _Token("key", match["key"], match.start("key"), sign, text, place), value.end()

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._token
        self._next += token.kind != ""
        return token

    def _fail(self, message: str, position: int) -> QueryError:
        return QueryError(message, self._text, position)

    def _any_of(self) -> Query:
        parts = [self._all_of()]
        while self._token.is_word("or"):
            self._take()
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all_of(self) -> Query:
        parts = [self._term()]
        while self._token.kind and self._token.text != ")" and not self._token.is_word("or"):
            if self._token.is_word("and"):
                self._take()
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _term(self) -> Query:
        token = self._take()
        if token.is_word("not"):
            return Not(self._nested(self._term, token))
        if token.kind == "bracket" and token.text == "(":
            return self._nested(self._bracketed, token)
        if token.kind == "key":
            return self._comparison(token)
        if token.kind == "quoted":
            return Word(token.text.strip('"').lower())
        if token.kind == "word" and token.text.lower() not in _WORDS:
            return Word(token.text.lower())
        found = f"before {token.text!r}" if token.kind else "at the end"
        raise self._fail(f"something to search for is missing {found}", token.position)

    def _bracketed(self) -> Query:
        opening = self._tokens[self._next - 1]
        query = self._any_of()
        if self._take().text != ")":
            raise self._fail("this '(' has no ')'", opening.position)
        return query

    def _nested(self, read: Callable[[], Query], token: _Token) -> Query:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self._fail(f"the search is nested deeper than {MAX_NESTING}", token.position)
        query = read()
        self._depth -= 1
        return query

    def _comparison(self, token: _Token) -> Term:
        key = token.text.lower()
        if key not in tuple(Key):
            keys = ", ".join(Key)
            raise self._fail(f"{token.text!r} is no key; the keys are {keys}; quote the word to search for it",
                             token.position)  # fmt: skip
        if key != Key.BYTES and token.sign not in (":", "="):
            raise self._fail(f"only bytes can be compared with {token.sign!r}; write {key}:", token.position)
        try:
            return _term(Key(key), token.sign, token.value.lower())
        except ValueError as error:
            raise self._fail(str(error), token.value_position) from None


def _term(key: Key, sign: str, value: str) -> Term:
    """One comparison; a ``ValueError`` says in words why there is none."""
    if not value:
        raise ValueError(f"a value is missing after {key}{sign}")
    match key:
        case Key.FATE | Key.SIDE | Key.ROLE:
            return OneOf(key, _choices(key, value))
        case Key.BYTES:
            return Size("=" if sign == ":" else sign, _bytes(value))
        case Key.SHAPE:
            return Shape(_sizes(value))
        case Key.SOURCE:
            return _source(value)
        case Key.DTYPE:
            return Pattern(key, dtype_name(value))
    return Pattern(key, value)


_CHOICES: Final = {
    Key.FATE: tuple(fate.label for fate in Fate),
    Key.SIDE: tuple(side.label for side in Side),
    Key.ROLE: (*(role.label for role in Role), OutputKind.OUTPUT.label, OutputKind.GRADIENT.label),
}


def _choices(key: Key, value: str) -> tuple[str, ...]:
    """The one that is meant, or all that begin so: a word that is being typed finds something already."""
    wanted = value.replace("_", " ").replace("-", " ")
    if wanted in _CHOICES[key]:
        return (wanted,)
    found = tuple(label for label in _CHOICES[key] if label.startswith(wanted))
    if not found:
        choices = ", ".join(label.replace(" ", "_") for label in _CHOICES[key])
        raise ValueError(f"there is no {key} {value!r}; there are {choices}")
    return found


_SIZE: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?)(i?)b?")
_POWERS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def _bytes(value: str) -> float:
    match = _SIZE.fullmatch(value)
    if match is None or (match[3] and not match[2]):
        raise ValueError(f"{value!r} is no size; write 4096, 64KiB or 1.5MB")
    unit: int = (1024 if match[3] else 1000) ** _POWERS[match[2]]
    return float(match[1]) * unit


_ONE_SIZE: Final = re.compile(r"\*{1,2}|\d+|[a-z_][^\sx]*")


def _sizes(value: str) -> tuple[str, ...]:
    bare = value.strip("[]()").replace(",", "x")
    if bare in ("", "scalar"):
        return ()
    sizes: list[str] = []
    for size in bare.strip("x").split("x"):
        if not _ONE_SIZE.fullmatch(size):
            raise ValueError(f"{value!r} is no shape; write 4x16, 4x*, **x16 or scalar")
        if size != "**" or sizes[-1:] != ["**"]:  # two of them mean no more than one and are slow to match
            sizes.append(size)
    return tuple(sizes)


_PLACE: Final = re.compile(r"(.*?)(?::(\d+)(?:-(\d+))?)?:?")


def _source(value: str) -> Source:
    match = _PLACE.fullmatch(value)
    if match is None or not match[1]:
        raise ValueError(f"{value!r} is no place; write model.py, model.py:12 or model.py:12-20")
    first = int(match[2] or 0)
    last = int(match[3] or first)
    if last < first:
        raise ValueError(f"the lines {first}-{last} run backwards")
    return Source(match[1].replace("\\", "/"), first, last)
