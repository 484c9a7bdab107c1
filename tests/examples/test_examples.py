"""The shipped examples: described in one sentence, captured, compiled and right."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from aotgui.model.resources import resource_path

EXAMPLES = sorted(resource_path("examples").glob("*.py"), key=lambda path: path.name)
NAMES = [path.stem for path in EXAMPLES]


def test_the_promised_examples_are_there() -> None:
    assert {"mlp", "transformer_block", "conv_batchnorm", "cos_cos", "dropout"} <= set(NAMES)


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_each_has_one_sentence_and_the_names_by_convention(path: Path) -> None:
    tree = ast.parse(path.read_text())
    sentence = ast.get_docstring(tree) or ""
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert sentence.count(". ") == 0
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    defined = {target.id for target in targets if isinstance(target, ast.Name)}
    defined |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert "example_inputs" in defined
    assert len(defined & {"model", "fn"}) == 1


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_each_is_captured_compiled_and_matches_eager(path: Path) -> None:
    command = [sys.executable, "-m", "aotgui", "check", str(path), "--compiler", "ts_compile", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["check"]["status"] == "match"
    assert document["check"]["gradients"]
    assert [problem for problem in document["problems"] if problem["severity"] == "error"] == []
