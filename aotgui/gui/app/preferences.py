"""What the program remembers between starts: one JSON file in the user's configuration folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

import msgspec
import platformdirs

from aotgui.export.files import ExportError, write_text_atomically
from aotgui.gui.app.theme import Theme
from aotgui.gui.session.session import RecordingOptions, TargetChoice
from aotgui.gui.session.view_state import ViewState
from aotgui.model.breakpoint import Breakpoint
from aotgui.model.settings import Settings
from aotgui.protocol.step_messages import DEFAULT_MEMORY_LIMIT_BYTES

MAX_RECENT: Final = 12
MAX_FILES: Final = 100
"""Settings are remembered for so many files."""
MAX_FOLDERS: Final = 20


class Preferences(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered.

    Attributes:
        theme: light, dark, or as the system.
        geometry: of the window, as Qt gives it.
        layout: of docks and toolbars, as Qt gives it.
        recent: sources, the newest first.
        files: settings by source, the newest last.
        searches: earlier searches, the newest first.
        choices: by source, the inputs of each target that was captured of it, the newest last.
        recordings: by script, how it was recorded, the newest last.
        views: by source and kind of graph, how it was looked at, the newest last.
        expands_to_reveal: whether modules open to show a node that is asked for.
        breakpoints: by source, where stepping stops, the newest last.
        watches: by source, the watch expressions, the newest last.
        debug_memory_mib: of the values that the debugger keeps for going back.
        trusted_folders: folders from which everything may be opened, the newest last.
    """

    theme: Theme = Theme.SYSTEM
    geometry: bytes = b""
    layout: bytes = b""
    recent: tuple[str, ...] = ()
    files: dict[str, Settings] = {}
    searches: tuple[str, ...] = ()
    choices: dict[str, dict[str, str]] = {}
    recordings: dict[str, RecordingOptions] = {}
    views: dict[str, dict[str, ViewState]] = {}
    expands_to_reveal: bool = True
    breakpoints: dict[str, tuple[Breakpoint, ...]] = {}
    watches: dict[str, tuple[str, ...]] = {}
    debug_memory_mib: int = DEFAULT_MEMORY_LIMIT_BYTES >> 20
    trusted_folders: tuple[str, ...] = ()

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

    def with_choice(self, source: str, choice: TargetChoice) -> Preferences:
        """The same with what was captured of a source last."""
        targets = {name: text for name, text in self.choices.get(source, {}).items() if name != choice.target}
        choices = {name: kept for name, kept in self.choices.items() if name != source}
        choices[source] = {**targets, choice.target: choice.inputs}
        newest = list(choices.items())[-MAX_FILES:]
        return msgspec.structs.replace(self, choices=dict(newest))

    def with_recording(self, script: str, options: RecordingOptions) -> Preferences:
        """The same with how a script was recorded last."""
        recordings = {name: kept for name, kept in self.recordings.items() if name != script}
        recordings[script] = options
        return msgspec.structs.replace(self, recordings=dict(list(recordings.items())[-MAX_FILES:]))

    def with_views(self, source: str, views: dict[str, ViewState]) -> Preferences:
        """The same with how the graphs of a source were looked at last."""
        kept = {name: states for name, states in self.views.items() if name != source}
        kept[source] = {**self.views.get(source, {}), **views}
        return msgspec.structs.replace(self, views=dict(list(kept.items())[-MAX_FILES:]))

    def with_debugging(self, source: str, points: tuple[Breakpoint, ...], watches: tuple[str, ...]) -> Preferences:
        """The same with the breakpoints and watch expressions of a source; of one that has none nothing is kept."""
        return msgspec.structs.replace(
            self,
            breakpoints=_with(self.breakpoints, source, points),
            watches=_with(self.watches, source, watches),
        )

    def choice_of(self, source: str) -> TargetChoice:
        """What was captured of a source last; nothing in particular where nobody chose."""
        targets = self.choices.get(source, {})
        last = next(reversed(targets), "")
        return TargetChoice(last, targets.get(last, ""))

    def with_trusted(self, folder: Path) -> Preferences:
        """The same with one more trusted folder; the oldest are forgotten."""
        folders = (*(known for known in self.trusted_folders if known != str(folder)), str(folder))
        return msgspec.structs.replace(self, trusted_folders=folders[-MAX_FOLDERS:])

    def trusts(self, path: Path) -> bool:
        """Whether a file or folder is, or is inside, a trusted folder."""
        return any(path.is_relative_to(folder) for folder in self.trusted_folders)

    def knows_folder(self, folder: Path) -> bool:
        """Whether scripts of a folder may run unasked: it is trusted, or something in it was opened before."""
        return self.trusts(folder) or any(Path(source).parent == folder for source in self.recent)


Kept = TypeVar("Kept")


def _with(kept: dict[str, Kept], source: str, value: Kept) -> dict[str, Kept]:
    """The same with the value of a source, the newest last."""
    others = {name: other for name, other in kept.items() if name != source}
    if value:
        others[source] = value
    return dict(list(others.items())[-MAX_FILES:])


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
