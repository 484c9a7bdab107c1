"""Notices that the open file changed on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from aotgui.gui.session.source_key import SourceKey

SETTLE_MS: Final = 150
"""Editors write in several steps, and some replace the file: look only when it rests."""


class SourceWatch(QObject):
    """Watches one file.

    Signals:
        changed: the file's content is no longer the one that ``watch`` saw.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._key: SourceKey | None = None
        self._watcher = QFileSystemWatcher(self)
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._look)
        self._watcher.fileChanged.connect(lambda _path: self._settle.start())
        self._watcher.directoryChanged.connect(lambda _path: self._settle.start())

    def watch(self, source: str) -> None:
        """Watches ``source`` as it is now; what is no file is never reported."""
        for path in (*self._watcher.files(), *self._watcher.directories()):
            self._watcher.removePath(path)
        self._settle.stop()
        self._key = SourceKey.of(source)
        if Path(source).is_file():
            self._watcher.addPath(source)
            # A file that an editor replaces by renaming is only seen through its folder.
            self._watcher.addPath(str(Path(source).parent))

    def _look(self) -> None:
        if self._key is None:
            return
        path = self._key.source
        now = SourceKey.of(path)
        if now.mtime_ns and path not in self._watcher.files():
            self._watcher.addPath(path)
        if now.mtime_ns and now != self._key:
            self._key = now
            self.changed.emit()
