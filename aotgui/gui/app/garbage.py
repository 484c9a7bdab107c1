"""Python's cyclic garbage is collected on the GUI thread only.

The interpreter collects on whichever thread happens to allocate. Where that is a reader or a layout thread, a widget,
timer or file watcher in a cycle is destroyed there, Qt's dispatcher keeps a pointer to it, and the process hangs or
crashes some time later (seen as "QSocketNotifier: Invalid socket" without end).
"""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS: Final = 500


class GarbageCollection(QObject):
    """Takes over from the interpreter until ``stop``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        # What exists by now (modules, their functions) stays: to look through it again and again stalls the window.
        gc.freeze()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collects the oldest generation that is due, as the interpreter would."""
        due = [
            generation
            for generation, (count, threshold) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True))
            if count > threshold
        ]
        if due:
            gc.collect(max(due))

    def stop(self) -> None:
        """Leaves collecting to the interpreter again."""
        self._timer.stop()
        gc.enable()
