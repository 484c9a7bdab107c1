"""A file is whole, old or new, whatever happens while it is written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from aotgui.export.files import ExportError, write_bytes_atomically, write_text_atomically


def test_text_is_utf8_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_text_atomically(tmp_path / "a.svg", "été\n")
    assert (tmp_path / "a.svg").read_bytes() == b"\xc3\xa9t\xc3\xa9\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_a_failure_while_writing_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svg"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportError, match=r"^Cannot write .*a\.svg: no space left on device\.$"):
        write_bytes_atomically(path, b"new")
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_ctrl_c_before_the_file_is_in_place_keeps_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svg"
    path.write_text("old")

    def interrupted(new: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bytes_atomically(path, b"new")
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_what_is_no_file_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_bytes_atomically(pipe, b"new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_in_the_way_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(ExportError, match=r"is a directory\.$"):
        write_bytes_atomically(tmp_path / "taken", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"no such file or directory\.$"):
        write_bytes_atomically(tmp_path / "none" / "a.svg", b"")


def test_permissions_are_those_of_the_old_file_or_of_any_new_one(tmp_path: Path) -> None:
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_text("")
    old.chmod(0o640)
    plain.write_text("")
    for path in (old, new):
        write_bytes_atomically(path, b"x")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == plain.stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_bytes_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
