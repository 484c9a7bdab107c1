"""The worker thread: runs one job after the other, and can be stopped inside the user's code."""

from __future__ import annotations

import ctypes
import queue
import threading
from collections.abc import Callable

from aotgui.engine.errors import Stopped

Job = Callable[[], None]


class Worker:
    """A thread with a queue of jobs.

    Jobs answer for their own errors; ``on_crash`` gets what they let through.
    """

    def __init__(self, on_crash: Callable[[BaseException], None]) -> None:
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._on_crash = on_crash
        self._lock = threading.Lock()
        self._busy = False
        self._thread = threading.Thread(target=self._work, name="aotgui-worker", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Run a job after those before it."""
        self._jobs.put(job)

    def stop(self) -> None:
        """Raise ``Stopped`` in the job at work, at its next Python instruction; drop those that wait."""
        with self._lock:
            while not self._jobs.empty():
                self._jobs.get()
            if self._busy and self._thread.ident is not None:
                # A thread inside native code sees it when that returns; what never returns is ended by the sender.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread.ident), ctypes.py_object(Stopped)
                )

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get()
                with self._lock:
                    self._busy = True
                try:
                    job()
                finally:
                    with self._lock:
                        self._busy = False
            except Stopped:
                continue  # it came as the job ended
            except BaseException as error:
                self._on_crash(error)
