"""Decisions of several regions in one table, and as settings."""

from __future__ import annotations

import zlib

import msgspec
import pytest

from aotgui.model.capture import Capture
from aotgui.model.capture_file import FORMAT_VERSION, MAGIC, CaptureFileError, decode_capture, encode_capture
from aotgui.model.decision import (
    Decision,
    decision_key,
    decisions_in,
    decisions_text,
    key_parts,
    region_number,
    with_decisions_in,
)
from aotgui.model.diff import diff_captures
from aotgui.model.settings import Settings

BOTH = {"mm": Decision.SAVE, "1:mm": Decision.RECOMPUTE, "1:tanh": Decision.SAVE}


@pytest.mark.parametrize(("region", "node"), [(0, "mm"), (3, "mm_1")])
def test_a_key_tells_region_and_node(region: int, node: str) -> None:
    assert key_parts(decision_key(region, node)) == (region, node)


def test_the_first_region_may_be_named() -> None:
    assert key_parts("0:mm") == (0, "mm")
    assert key_parts("x:mm") == (0, "x:mm")


def test_decisions_of_one_region() -> None:
    assert decisions_in(BOTH, 0) == {"mm": Decision.SAVE}
    assert decisions_in(BOTH, 1) == {"mm": Decision.RECOMPUTE, "tanh": Decision.SAVE}
    assert decisions_in(BOTH, 2) == {}


def test_other_decisions_for_one_region_leave_the_others() -> None:
    assert with_decisions_in(BOTH, 1, {"add": Decision.SAVE}) == {"mm": Decision.SAVE, "1:add": Decision.SAVE}
    assert with_decisions_in(BOTH, 0, {}) == {key: BOTH[key] for key in ("1:mm", "1:tanh")}


@pytest.mark.parametrize(("name", "number"), [("region 2", 2), ("call 2, region 1", 1), ("forward", 0)])
def test_the_number_of_a_region(name: str, number: int) -> None:
    assert region_number(name) == number


def test_decisions_in_words() -> None:
    assert decisions_text(BOTH) == "save mm, 1:tanh; recompute 1:mm"
    assert decisions_text({}) == ""


def test_settings_survive_a_round_trip() -> None:
    settings = Settings(decisions=BOTH)
    assert msgspec.json.decode(msgspec.json.encode(settings), type=Settings) == settings
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(settings), type=Settings) == settings


def test_other_decisions_need_a_new_trace() -> None:
    assert Settings(decisions=BOTH).needs_new_trace(Settings())
    assert not Settings(decisions=BOTH).needs_new_trace(Settings(decisions=dict(BOTH), forward_compiler="inductor"))


def captured(settings: Settings) -> Capture:
    return Capture(source="mlp.py", target="model", torch="2.13.0", settings=settings)


def test_a_capture_file_keeps_decisions() -> None:
    capture = captured(Settings(decisions=BOTH))
    assert decode_capture(encode_capture(capture)).settings == capture.settings


def test_captures_and_preferences_from_before_there_were_decisions_are_read() -> None:
    settings = Settings(partitioner="default")
    old = msgspec.to_builtins(captured(settings))
    old["regions"] = [{"name": "region 0", "graphs": {}}]
    del old["settings"]["decisions"]
    preferences = msgspec.json.encode(old["settings"])
    assert msgspec.json.decode(preferences, type=Settings) == settings
    body = zlib.compress(msgspec.msgpack.encode({"capture": old, "writer": "0.0.9"}))
    capture = decode_capture(MAGIC + FORMAT_VERSION.to_bytes(2, "big") + body)
    assert capture.settings == settings
    assert capture.regions[0].decided == {}


def test_a_decision_that_is_none_is_refused() -> None:
    data = encode_capture(captured(Settings(decisions={"mm": "drop"})))  # type: ignore[dict-item] # it is wrong
    with pytest.raises(CaptureFileError):
        decode_capture(data)


def test_a_comparison_names_other_decisions() -> None:
    diff = diff_captures(captured(Settings()), captured(Settings(decisions=BOTH)))
    assert ("Decisions", "", "save mm, 1:tanh; recompute 1:mm") in diff.settings
