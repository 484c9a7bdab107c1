"""The ``aotgui`` command. Nothing here imports torch, and Qt only where a window or a bitmap is asked for."""

from aotgui.cli.command_line import main

__all__ = ["main"]
