from __future__ import annotations

import gc
import threading
import weakref

from pytestqt.qtbot import QtBot

from aotgui.gui.app.garbage import GarbageCollection


class Knot:
    """Garbage that only a cyclic collection finds."""

    def __init__(self) -> None:
        self.itself = self


def test_cycles_are_collected_on_this_thread_only(qtbot: QtBot) -> None:
    gc.enable()  # what the interpreter does unless told otherwise
    collection = GarbageCollection()
    threads: list[threading.Thread] = []
    weakref.finalize(Knot(), lambda: threads.append(threading.current_thread()))

    def allocate() -> None:
        for _ in range(10 * gc.get_threshold()[0]):
            Knot()

    worker = threading.Thread(target=allocate)
    worker.start()
    worker.join()
    assert not threads
    qtbot.waitUntil(lambda: bool(threads))
    assert threads == [threading.main_thread()]
    collection.stop()
    assert gc.isenabled()
