"""The only place that builds and wires objects: application, main window, actions, theme."""

from aotgui.gui.app.application import run

__all__ = ["run"]
