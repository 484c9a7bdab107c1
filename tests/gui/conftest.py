"""What every test with Qt needs."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def garbage_is_collected_here() -> Iterator[None]:
    """Destroys what a test leaves in cycles on this thread: a Qt object destroyed on another one ends in a crash."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()
