"""Options become settings, and sources become what the engine understands."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from aotgui.cli.arguments import Parser, add_settings, settings_of, source_of
from aotgui.cli.outcome import CommandError
from aotgui.model.decision import Decision
from aotgui.model.settings import EntryPoint, Settings


def parse(*words: str) -> argparse.Namespace:
    parser = Parser()
    add_settings(parser)
    return parser.parse_args(words)


def test_no_option_is_the_default() -> None:
    assert settings_of(parse()) == Settings()


def test_each_option_reaches_its_setting() -> None:
    words = (
        "--entry torch.compile --route dynamic --partitioner mine --memory-budget 0.5 --decompositions core --dynamic "
        "--compiler ts_compile --backward-compiler nop --inference-compiler inductor "
        "--keep-inference-input-mutations --disable-functionalization --seed 7 --device cuda --save mm"
    )
    settings = settings_of(parse(*words.split()))
    assert all(getattr(settings, name) != getattr(Settings(), name) for name in Settings.__struct_fields__)
    assert settings.entry_point is EntryPoint.TORCH_COMPILE
    assert settings.memory_budget == 0.5
    assert settings.seed == 7


def test_decisions_of_several_nodes_and_regions() -> None:
    settings = settings_of(parse("--save", "mm", "--recompute", "tanh", "--save", "1:mm", "--recompute", "0:add"))
    assert settings.decisions == {
        "mm": Decision.SAVE,
        "1:mm": Decision.SAVE,
        "tanh": Decision.RECOMPUTE,
        "add": Decision.RECOMPUTE,
    }


def test_a_node_cannot_be_saved_and_recomputed() -> None:
    with pytest.raises(CommandError, match="mm cannot be both saved and recomputed"):
        settings_of(parse("--save", "mm", "--recompute", "0:mm"))


@pytest.mark.parametrize("text", ["", "a b", "x:mm", "1:", "aten.mm"])
def test_what_cannot_be_a_node_is_wrong_usage(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("--save", text)
    assert "no name of a node" in capsys.readouterr().err


def test_a_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert source_of("model.py") == str(tmp_path / "model.py")


@pytest.mark.parametrize("name", ["package.module:name", "module:net.layers"])
def test_a_module_name_stays(name: str) -> None:
    assert source_of(name) == name


@pytest.mark.parametrize("text", ["no_such.py", "no/such", "model.pt", "a b", "package.module"])
def test_a_path_to_nothing_is_wrong_usage(text: str) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        source_of(text)
