"""What the program remembers between starts: one JSON file in the user's configuration folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import platformdirs

from aotgui.export.files import ExportError, write_text_atomically
from aotgui.gui.app.theme import Theme
from aotgui.model.settings import Settings

MAX_RECENT: Final = 12
MAX_FILES: Final = 100
"""Settings are remembered for so many files."""


class Preferences(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered.

    Attributes:
        theme: light, dark, or as the system.
        geometry: of the window, as Qt gives it.
        layout: of docks and toolbars, as Qt gives it.
        recent: sources, the newest first.
        files: settings by source, the newest last.
        searches: earlier searches, the newest first.
    """

    theme: Theme = Theme.SYSTEM
    geometry: bytes = b""
    layout: bytes = b""
    recent: tuple[str, ...] = ()
    files: dict[str, Settings] = {}
    searches: tuple[str, ...] = ()

    def with_opened(self, source: str) -> Preferences:
        """The same with a source at the top of the recent ones."""
        recent = (source, *(other for other in self.recent if other != source))
        return msgspec.structs.replace(self, recent=recent[:MAX_RECENT])

    def with_settings(self, source: str, settings: Settings) -> Preferences:
        """The same with the settings of a source."""
        files = {name: kept for name, kept in self.files.items() if name != source}
        files[source] = settings
        newest = list(files.items())[-MAX_FILES:]
        return msgspec.structs.replace(self, files=dict(newest))


def default_path() -> Path:
    """Where preferences are kept for the person who runs the program."""
    return platformdirs.user_config_path("aotgui", appauthor=False) / "preferences.json"


class PreferencesStore:
    """Preferences and the file that keeps them.

    Attributes:
        path: the file.
        value: what is remembered now; assign through ``update``.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self.value = _read(self.path)

    def update(self, value: Preferences) -> None:
        """Remembers something else; what cannot be written is remembered until the program ends."""
        if value == self.value:
            return
        self.value = value
        text = msgspec.json.format(msgspec.json.encode(value)).decode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomically(self.path, text)
        except (OSError, ExportError):
            # A read-only home is no reason to disturb anybody: everything but the memory works.
            return


def _read(path: Path) -> Preferences:
    """What a file holds; the defaults where there is none or another version wrote it."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Preferences)
    except (OSError, msgspec.MsgspecError):
        return Preferences()
