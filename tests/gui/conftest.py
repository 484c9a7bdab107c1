"""What every test with Qt needs, and the engines without torch that windows and controllers are tested over."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

FAKE_ENGINE = Path(__file__).parent / "session" / "fake_engine.py"


@pytest.fixture(autouse=True)
def garbage_is_collected_here() -> Iterator[None]:
    """Destroys what a test leaves in cycles on this thread: a Qt object destroyed on another one ends in a crash.

    What was there before the test is not looked at: where torch is loaded, looking costs more than most tests. pytest
    holds a test's fixtures until the next one, so what they made is destroyed then, before it counts as there.
    """
    gc.disable()
    gc.collect()
    gc.freeze()
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def application_looks_as_before(qapp: QApplication) -> Iterator[None]:
    """Takes back a theme that a test chose: with a style sheet, palettes reach widgets in another way."""
    palette, sheet = qapp.palette(), qapp.styleSheet()
    yield
    if qapp.styleSheet() != sheet:
        qapp.setStyleSheet(sheet)
    if qapp.palette() != palette:
        qapp.setPalette(palette)


@pytest.fixture(autouse=True)
def no_key_is_held(qapp: QApplication) -> Iterator[None]:
    """Lets modifier keys go: after a click with Shift Qt believes it held, and the next test's selections extend."""
    yield
    if qapp.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyEvent(QTest.KeyAction.Release, QWindow(), Qt.Key.Key_Shift)


@pytest.fixture
def no_threads_left() -> Iterator[None]:
    """Fails a test that leaves a thread."""
    threads = set(threading.enumerate())
    yield
    left = [thread.name for thread in set(threading.enumerate()) - threads if "Dummy" not in thread.name]
    assert not left, f"threads left behind: {left}"


@pytest.fixture
def fake_engine() -> Callable[..., tuple[str, ...]]:
    """The command line of an engine that needs no torch; words say how it behaves from its start."""
    return lambda *words: (sys.executable, str(FAKE_ENGINE), *words)


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """Writes a script whose words tell the fake engine how to behave."""

    def write(*words: str, name: str = "model.py") -> str:
        path = tmp_path / name
        path.write_text(" ".join(words))
        return str(path)

    return write
