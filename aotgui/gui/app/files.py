"""Choosing what to open and where to save."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QFileDialog, QWidget

SUFFIXES: Final = (".py", ".pt2", ".pt", ".pth", ".aotcap")
PYTHON_FILTER: Final = "Python file (*.py)"
OPEN_FILTER: Final = "Scripts, models and captures (*.py *.pt2 *.pt *.pth *.aotcap);;All files (*)"


def ask_open(parent: QWidget, folder: str) -> str:
    """A file that the person chose, or empty."""
    path, _filter = QFileDialog.getOpenFileName(parent, "Open a Script, Model or Capture", folder, OPEN_FILTER)
    return path


def ask_save(parent: QWidget, title: str, path: str, name_filter: str) -> str:
    """Where the person wants to save, with the suffix of the suggestion, or empty."""
    chosen, _filter = QFileDialog.getSaveFileName(parent, title, path, name_filter)
    if chosen and not Path(chosen).suffix:
        chosen += Path(path).suffix
    return chosen


def ask_folder(parent: QWidget, title: str, path: str) -> str:
    """A folder to be made, or empty: its name is asked for as that of a file is."""
    chosen, _filter = QFileDialog.getSaveFileName(parent, title, path, "Folder (*)")
    return chosen


def beside_source(source: str, ending: str) -> Path:
    """A name for what is made of a source, beside it: its own with something added.

    Args:
        source: a path or ``package.module:name``.
        ending: added to the name without its suffix: ``_repro.py``.
    """
    path = Path(source.replace(":", "."))
    return path.with_name(f"{path.stem}{ending}")


def dropped_source(data: QMimeData) -> str:
    """The first local file among what is dragged that can be opened, or empty."""
    paths = (url.toLocalFile() for url in data.urls() if url.isLocalFile())
    return next((path for path in paths if Path(path).suffix in SUFFIXES), "")
