"""Opens sources in this process and puts back what that changes."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aotgui.engine.pipeline import Pipeline
from aotgui.protocol.messages import AnyEvent, Event, Run

Write = Callable[..., Path]
Events = Callable[..., list[AnyEvent]]


@pytest.fixture(autouse=True)
def clean_interpreter() -> Iterator[None]:
    path, argv, modules = list(sys.path), list(sys.argv), dict(sys.modules)
    yield
    sys.path[:], sys.argv[:] = path, argv
    for name in set(sys.modules) - set(modules):
        if name.startswith(("aotgui_target_", "offered")):
            del sys.modules[name]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file below the test's folder and gives its path."""

    def write_file(text: str, name: str = "script.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write_file


@pytest.fixture
def events_of() -> Events:
    """Runs one request through a pipeline of its own and gives what it emitted."""

    def run(source: Path | str, **fields: object) -> list[AnyEvent]:
        sink: list[Event] = []
        Pipeline(sink.append).run(Run(run=1, source=str(source), **fields))
        return sink

    return run
