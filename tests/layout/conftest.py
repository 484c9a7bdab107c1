"""The helpers of this folder as fixtures: tests are imported without packages."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"layout_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


_graphs = _load("graphs")
_quality = _load("quality")


@pytest.fixture(scope="session")
def graphs() -> ModuleType:
    """``graphs.py``: captured and made-up graphs."""
    return _graphs


@pytest.fixture(scope="session")
def quality() -> ModuleType:
    """``quality.py``: crossings, lengths and the comparison with Graphviz."""
    return _quality


@pytest.fixture(scope="session", params=_graphs.REAL_GRAPHS)
def real_graph(request: pytest.FixtureRequest) -> object:
    """Each captured graph."""
    return _graphs.real_graph(request.param)
