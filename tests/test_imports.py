"""Who imports what, looked at in fresh processes: the window and the commands without torch, the engine without Qt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRINT_MODULES = "; import json, sys; print(json.dumps(sorted(sys.modules)))"
IMPORT_ALL = (
    "import pkgutil, importlib, {0} as top; [importlib.import_module(m.name) "
    "for m in pkgutil.walk_packages(top.__path__, '{0}.') if not m.name.endswith('__main__')]"
)


def modules_after(code: str) -> set[str]:
    """Top-level packages loaded by a fresh process that ran ``code``."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + PRINT_MODULES],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize(
    "module",
    ["aotgui.cli", "aotgui.export.svg", "aotgui.export.dot", "aotgui.layout.engine", "aotgui.gui.canvas.layout_worker"],
)
def test_commands_and_exports_import_neither_torch_nor_qt(module: str) -> None:
    assert not modules_after(f"import {module}") & {"torch", "PySide6"}


def test_the_command_starts_without_numpy() -> None:
    """``aotgui report`` starts an engine at once; whatever is imported before delays it."""
    assert "numpy" not in modules_after("import aotgui.cli")


@pytest.mark.parametrize("code", ["import aotgui.gui.app.application", IMPORT_ALL.format("aotgui.gui")])
def test_the_window_imports_qt_and_never_torch(code: str) -> None:
    loaded = modules_after(code)
    assert "PySide6" in loaded
    assert "torch" not in loaded


def test_graphs_and_panels_wait_with_the_plots() -> None:
    """Importing pyqtgraph takes as long to import as the window to open."""
    assert "pyqtgraph" not in modules_after("import aotgui.gui.app.workspace")


def test_the_engine_imports_torch_and_never_qt() -> None:
    loaded = modules_after("import warnings; warnings.simplefilter('ignore'); " + IMPORT_ALL.format("aotgui.engine"))
    assert "torch" in loaded
    assert "PySide6" not in loaded


def test_imports_go_down_only() -> None:
    """The contracts of ``pyproject.toml``, which also ``make lint`` checks."""
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [command, "--no-cache"], capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stdout + done.stderr
