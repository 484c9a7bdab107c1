"""Builds every view and connects it to the session and the controller: the one place where they meet."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Final, cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from aotgui.gui.app.docks import DockSpec
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind

_RIGHT: Final = Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM: Final = Qt.DockWidgetArea.BottomDockWidgetArea

_PANELS: Final = (
    ("Inspector", "Inspector", "inspector.Inspector", _RIGHT, False, True),
    ("Inputs", "Inputs", "inputs_panel.InputsPanel", _RIGHT, False, True),
    ("Source", "Source", "source_pane.SourcePane", _RIGHT, True, True),
    ("Code", "Generated Code", "code_pane.CodePane", _RIGHT, True, True),
    ("Debugger", "Debugger", "debugger_panel.DebuggerPanel", _BOTTOM, False, True),
    ("Saved", "Saved Values", "saved_panel.SavedPanel", _BOTTOM, False, True),
    ("Problems", "Problems", "problems_panel.ProblemsPanel", _BOTTOM, False, True),
    ("Console", "Console", "console_panel.ConsolePanel", _BOTTOM, False, True),
)


def _find(module: str, name: str) -> Callable[..., QWidget] | None:
    try:
        return cast(Callable[..., QWidget], getattr(importlib.import_module(module), name))
    except (ImportError, AttributeError):
        return None


def build_pane(session: Session, kind: GraphKind) -> QWidget:
    """The canvas of a graph."""
    pane = _find("aotgui.gui.canvas.pane", "CanvasPane")
    return pane(session, kind) if pane else QWidget()


class Views(QObject):
    """The panels in their docks."""

    def __init__(self, session: Session, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._controller = controller
        self.dock_specs: list[DockSpec] = []
        for name, title, path, area, is_below, is_shown in _PANELS:
            module, class_name = path.split(".")
            panel = _find(f"aotgui.gui.panels.{module}", class_name)
            if panel:
                self.dock_specs.append(DockSpec(name, title, panel(session), area, is_below, is_shown))
