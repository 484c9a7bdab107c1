"""``aotgui report --where``."""

from __future__ import annotations

import json
from collections.abc import Callable

from .conftest import Aotgui


def test_the_nodes_that_a_search_finds_are_in_the_report(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("report", example("mlp.py"), "--json", "--where", "role:parameter name:primals")
    assert done.returncode == 0, done.stderr
    nodes = json.loads(done.stdout)["nodes"]
    assert [node["label"] for node in nodes] == ["hidden.weight", "hidden.bias", "classify.weight", "classify.bias"]
    assert {node["role"] for node in nodes} == {"parameter"}


def test_a_mistake_is_told_with_its_place_before_anything_runs(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    done = aotgui("report", script("raise SystemExit(5)"), "--where", "op:mm fate:svd")
    assert done.returncode == 2
    first, *rest = done.stderr.splitlines()
    assert "at character 12: there is no fate 'svd'" in first
    assert rest == ["op:mm fate:svd", " " * 11 + "^"]


def test_a_region_that_is_not_there(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("report", example("cos_cos.py"), "--where", "cos", "--region", "7")
    assert done.returncode == 2
    assert done.stderr.startswith("There is no region 7")
