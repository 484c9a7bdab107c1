"""``aotgui [FILE]``: the window. Qt is imported here and only here, when it is asked for."""

from __future__ import annotations

import argparse
import gc
import os
import sys

from aotgui.cli.arguments import add_settings, settings_of, source_of
from aotgui.cli.outcome import CommandError, ExitStatus
from aotgui.model.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("source", metavar="FILE", nargs="?", help="a script, model or capture, or package.module:name")
    parser.add_argument("--trust", action="store_true", help="run or unpickle FILE although nobody has trusted it yet")
    add_settings(parser)


def show(arguments: argparse.Namespace) -> ExitStatus:
    """Opens the window and stays until it is closed.

    Raises:
        CommandError: there is no such file, no screen, or a system library is missing.
    """
    source = source_of(arguments.source) if arguments.source else ""
    _require_screen()
    # To look for garbage among modules while they are imported costs 15 ms and finds none; the window collects later.
    gc.disable()
    try:
        from aotgui.gui.app.application import run
    except ImportError as error:
        raise CommandError(
            "The window cannot be opened because Qt cannot be loaded on this system.",
            details=f"{error}\nOn Debian: sudo apt-get install libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1",
        ) from error
    settings = settings_of(arguments)
    # Without an option the window takes the settings that the file had last.
    return ExitStatus(run(source or None, settings if settings != Settings() else None, trusted=arguments.trust))


def _require_screen() -> None:
    """Qt ends the process where there is no screen; a sentence is kinder."""
    if sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        return
    raise CommandError(
        "There is no screen to open the window on: neither DISPLAY nor WAYLAND_DISPLAY is set.",
        details="The commands report, export, check and step need none; see aotgui --help.",
    )
