"""Starts an engine: ``python -m aotgui.engine``, or ``aotgui-engine``."""

from __future__ import annotations

import faulthandler
import logging
import os

from aotgui.engine.channel import Channel


def main() -> int:
    """Serves the window or command on the other end of stdin and stdout."""
    channel = Channel.from_standard_streams()
    faulthandler.enable()
    # Imported only now: torch takes seconds and may print, and what it prints must not get into the frames.
    from aotgui.engine.server import Server

    # torch logs an error here before it raises it; what is raised reaches the person as a problem, with its place.
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)
    Server(channel).serve()
    channel.close()
    # The user's threads and exit handlers must not keep the engine alive.
    os._exit(0)


if __name__ == "__main__":
    main()
