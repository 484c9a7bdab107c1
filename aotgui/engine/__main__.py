"""Starts an engine: ``python -m aotgui.engine``, or ``aotgui-engine``."""

from __future__ import annotations

import faulthandler
import logging
import os

from aotgui.engine.channel import Channel
from aotgui.engine.exit_note import note_exits


def main() -> int:
    """Serves the window or command on the other end of stdin and stdout."""
    channel = Channel.from_standard_streams()
    faulthandler.enable()
    end = os._exit
    note_exits()
    # Imported only now: torch takes seconds and may print, and what it prints must not get into the frames.
    from aotgui.engine.server import Server

    if "TORCH_LOGS" not in os.environ:
        _quiet_torch()
    Server(channel).serve()
    channel.close()
    # The user's threads and exit handlers must not keep the engine alive.
    end(0)


def _quiet_torch() -> None:
    """Leave out what torch logs and what reaches the person as a problem, with its place, anyway."""
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # errors that it raises next
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)  # graph breaks


if __name__ == "__main__":
    main()
