"""A capture is recorded once and read by the other commands, without an engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aotgui.cli.capturing import EngineClient
from aotgui.cli.command_line import main

from .conftest import Aotgui


@pytest.fixture
def recorded(aotgui: Aotgui, example: Callable[[str], str], tmp_path: Path) -> str:
    done = aotgui("capture", example("cos_cos.py"), "-o", "cos.aotcap")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Saved 1 region to ")
    return str(tmp_path / "cos.aotcap")


def test_a_recorded_capture_is_reported_and_exported_without_an_engine(
    recorded: str,
    example: Callable[[str], str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an engine was started")

    monkeypatch.setattr(EngineClient, "__init__", refuse)
    assert main(["report", recorded, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["source"] == example("cos_cos.py")
    assert document["regions"][0]["recomputed"] == ["cos"]
    assert main(["export", recorded, "-o", str(tmp_path / "joint.svg")]) == 0
    assert "<svg" in (tmp_path / "joint.svg").read_text()


@pytest.mark.parametrize("words", [["step"], ["export", "-o", "half.pt"]])
def test_a_recorded_capture_cannot_be_run(recorded: str, aotgui: Aotgui, words: list[str]) -> None:
    done = aotgui(*words, recorded)
    assert done.returncode == 2
    assert done.stderr == f"{recorded} is a capture, which can be read but not run.\n"


def test_a_damaged_capture_is_one_sentence(recorded: str, aotgui: Aotgui) -> None:
    data = Path(recorded).read_bytes()
    Path(recorded).write_bytes(data[: len(data) // 2])
    done = aotgui("report", recorded)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert recorded in done.stderr
