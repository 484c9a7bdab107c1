"""Says which line of a script ends the engine at once with ``os._exit``, which runs no handler and raises nothing."""

from __future__ import annotations

import faulthandler
import os
import sys
from typing import NoReturn


def note_exits() -> None:
    """From now on a call of ``os._exit`` in this process prints where it is, as the fault handler does at a crash.

    The other side reads the place from that (``protocol.crash_text``). Forked children end so as a matter of course,
    and say nothing.
    """
    end, engine = os._exit, os.getpid()

    def end_with_a_note(status: int) -> NoReturn:
        if os.getpid() == engine:
            print(f"Fatal Python error: os._exit({status})\n", file=sys.__stderr__, flush=True)
            faulthandler.dump_traceback(all_threads=False)
        end(status)

    os._exit = end_with_a_note
