"""The scripts shipped with the program and the sentence that each begins with."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec

from aotgui.model.resources import resource_path


class Example(msgspec.Struct, frozen=True):
    """One script of the gallery.

    Attributes:
        path: where it is.
        title: its file name.
        sentence: the first sentence of its docstring.
    """

    path: Path
    title: str
    sentence: str


def find_examples(folder: Path | None = None) -> list[Example]:
    """The scripts of ``resources/examples`` that begin with a docstring, by name."""
    paths = sorted((folder or resource_path("examples")).glob("*.py"))
    found = [Example(path, path.name, _sentence(path)) for path in paths]
    return [example for example in found if example.sentence]


def _sentence(path: Path) -> str:
    try:
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""
    first = " ".join(text.split("\n\n")[0].split())
    return first.split(". ")[0].rstrip(".") + "." if first else ""
