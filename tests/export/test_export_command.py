"""Exports of a stored capture, in this process: no engine is needed."""

import pytest

from aotgui.cli import main
from aotgui.export.capture_files import save_capture


@pytest.fixture
def stored(tmp_path, capture):
    path = tmp_path / "model.aotcap"
    save_capture(path, capture)
    return str(path)


@pytest.mark.parametrize(
    ("name", "start"),
    [("out.graphml", b"<?xml"), ("out.csv", b"index,name,op"), ("out.html", b"<!doctype html>"), ("out.svg", b"<svg")],
)
def test_format_follows_from_the_ending(stored, tmp_path, name, start):
    assert main(["export", stored, "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(("table", "start"), [("saved", "name,label"), ("check", "name,kind")])
def test_tables_are_chosen(stored, tmp_path, table, start):
    assert main(["export", stored, "-o", str(tmp_path / "out.csv"), "--table", table]) == 0
    assert (tmp_path / "out.csv").read_text().startswith(start)


def test_only_the_nodes_that_a_search_finds_are_exported(stored, tmp_path):
    path = tmp_path / "out.csv"
    assert main(["export", stored, "-o", str(path), "--where", "op:mm"]) == 0
    assert [line.split(",")[1] for line in path.read_text().splitlines()[1:]] == ["mm", "mm_1"]


def test_a_search_that_finds_nothing_leaves_the_old_file(stored, tmp_path, capsys):
    path = tmp_path / "out.svg"
    path.write_text("old")
    assert main(["export", stored, "-o", str(path), "--where", "op:conv2d"]) == 1
    assert "No node of the joint graph is found" in capsys.readouterr().err
    assert path.read_text() == "old"


@pytest.mark.parametrize("words", [["--format", "html"], ["--format", "csv", "--table", "saved"]])
def test_a_part_of_what_has_no_parts_is_wrong_usage(stored, tmp_path, words):
    assert main(["export", stored, "-o", str(tmp_path / "out"), "--where", "op:mm", *words]) == 2
