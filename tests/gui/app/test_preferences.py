from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from aotgui.gui.app.preferences import MAX_FILES, MAX_FOLDERS, MAX_RECENT, Preferences, PreferencesStore
from aotgui.gui.app.theme import Theme
from aotgui.gui.session.session import RecordingOptions, TargetChoice
from aotgui.model.settings import Settings


def test_what_is_remembered_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "preferences.json"
    store = PreferencesStore(path)
    settings = Settings(partitioner="default", seed=3)
    value = msgspec.structs.replace(store.value, theme=Theme.DARK, geometry=b"\x00\xff").with_opened("/a.py")
    store.update(value.with_settings("/a.py", settings))
    again = PreferencesStore(path).value
    assert again == store.value
    assert again.files == {"/a.py": settings}
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"theme": "pink"}', '{"files": {"a": {"no_such_setting": 1}}}'])
def test_a_file_that_cannot_be_understood_gives_the_defaults(tmp_path: Path, content: str) -> None:
    path = tmp_path / "preferences.json"
    path.write_text(content)
    assert PreferencesStore(path).value == Preferences()


def test_a_place_that_cannot_be_written_disturbs_nobody(tmp_path: Path) -> None:
    obstacle = tmp_path / "file"
    obstacle.touch()
    store = PreferencesStore(obstacle / "preferences.json")
    store.update(store.value.with_opened("/a.py"))
    assert store.value.recent == ("/a.py",)


def test_recent_sources_are_unique_newest_first_and_few() -> None:
    value = Preferences()
    for number in range(MAX_RECENT + 3):
        value = value.with_opened(f"/{number}.py")
    value = value.with_opened("/5.py")
    assert value.recent[:2] == ("/5.py", f"/{MAX_RECENT + 2}.py")
    assert len(value.recent) == len(set(value.recent)) == MAX_RECENT


def test_settings_are_kept_for_the_newest_files() -> None:
    value = Preferences()
    for number in range(MAX_FILES + 1):
        value = value.with_settings(f"/{number}.py", Settings(seed=number))
    assert len(value.files) == MAX_FILES
    assert "/0.py" not in value.files


def test_the_last_choice_of_a_file_is_the_one_to_begin_with(tmp_path: Path) -> None:
    value = Preferences()
    assert value.choice_of("/a.py") == TargetChoice()
    for target, inputs in (("net", "randn 4"), ("loss", "randn 2; 3"), ("net", "randn 8")):
        value = value.with_choice("/a.py", TargetChoice(target, inputs))
    store = PreferencesStore(tmp_path / "preferences.json")
    store.update(value)
    again = PreferencesStore(store.path).value
    assert again.choice_of("/a.py") == TargetChoice("net", "randn 8")
    assert again.choices["/a.py"]["loss"] == "randn 2; 3"


def test_how_a_script_was_recorded_is_read_again(tmp_path: Path) -> None:
    store = PreferencesStore(tmp_path / "preferences.json")
    store.update(store.value.with_recording("/a.py", RecordingOptions(("--fast",), 2)))
    assert PreferencesStore(store.path).value.recordings == {"/a.py": RecordingOptions(("--fast",), 2)}


def test_what_is_inside_a_trusted_folder_is_trusted() -> None:
    value = Preferences().with_trusted(Path("/home/ada/models"))
    assert value.trusts(Path("/home/ada/models/vision/net.pt"))
    assert not value.trusts(Path("/home/ada/models.pt"))
    assert not value.trusts(Path("/home/ada/downloads/net.pt"))
    for number in range(MAX_FOLDERS):
        value = value.with_trusted(Path(f"/{number}"))
    assert len(value.trusted_folders) == MAX_FOLDERS
    assert not value.trusts(Path("/home/ada/models/net.pt"))


def test_a_folder_is_known_once_something_in_it_was_opened() -> None:
    value = Preferences().with_opened("/home/ada/a.py")
    assert value.knows_folder(Path("/home/ada"))
    assert not value.knows_folder(Path("/home/ada/downloads"))
    assert not value.trusts(Path("/home/ada/net.pt"))
