"""The commands, and how each failure becomes an exit status and one sentence."""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from aotgui import __version__
from aotgui.cli import compare, diff, export, record, report, step, window
from aotgui.cli.arguments import Parser
from aotgui.cli.outcome import CommandError, ExitStatus, say_error
from aotgui.export.files import ExportError


class Command(NamedTuple):
    """One command: its sentence in ``--help``, its arguments, what it does, and what it works on."""

    summary: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], ExitStatus]
    operands: str = "SRC"


COMMANDS: Final = {
    "window": Command("open the window; the word may be left out: aotgui [FILE]", window.add_arguments, window.show),
    "report": Command("say what is captured, saved and recomputed", report.add_report_arguments, report.report),
    "capture": Command("write a capture to a file, or record a whole script", record.add_arguments, record.record),
    "export": Command("write a graph to a file", export.add_arguments, export.export),
    "check": Command("compare outputs and gradients with eager", report.add_arguments, report.check),
    "step": Command("execute a graph node by node, one line each", step.add_arguments, step.step),
    "compare": Command("compare compilers and partitioners, find a culprit", compare.add_arguments, compare.compare),
    "diff": Command("say what differs between two captures or scripts", diff.add_arguments, diff.diff, "SRC OTHER"),
}
_EPILOG: Final = """\
exit status:
  0  fine
  1  the script, its graph or the check failed, and the report says where
  2  wrong usage
  3  the engine process died (a crash in native code, exit() in the script)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and gives its exit status."""
    words, script_words = _split(list(sys.argv[1:] if argv is None else argv))
    if not words or (words[0] not in COMMANDS and words[0] not in ("-h", "--help", "--version")):
        if _is_command_word(words):
            say_error(_unknown_command(words[0]), "See aotgui --help.")
            return ExitStatus.USAGE
        words.insert(0, "window")
    arguments = _parser().parse_args(words, argparse.Namespace(**{record.SCRIPT_ARGUMENTS: script_words}))
    try:
        status = int(arguments.run(arguments))
        sys.stdout.flush()
        return status
    except CommandError as error:
        say_error(str(error), error.details)
        return error.status
    except ExportError as error:
        say_error(str(error))
        return ExitStatus.FAILED
    except KeyboardInterrupt:
        say_error("Interrupted.")
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough (`aotgui step ... | head`).
        _forget_output()
        return ExitStatus.FINE
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _forget_output()
        say_error("Cannot write to standard output: no space left on device.")
        return ExitStatus.FAILED


def _forget_output() -> None:
    """Python would complain once more of what it could not write while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_command_word(words: list[str]) -> bool:
    """Whether the first word can only be meant as a command: more follow it, and it is no file."""
    return len(words) > 1 and words[0].isidentifier() and not words[1].startswith("-") and not Path(words[0]).exists()


def _unknown_command(word: str) -> str:
    close = difflib.get_close_matches(word, COMMANDS, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(COMMANDS)}."
    return f"There is no command {word}; {hint}"


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own words, and after ``capture ... --`` those of the script that is recorded."""
    if words[:1] != ["capture"] or "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="aotgui",
        usage="aotgui [FILE]\n       aotgui COMMAND SRC [options]",
        description="A desktop debugger for PyTorch's AOT Autograd. Without a command it opens the window.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"aotgui {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, prog="aotgui")
    for name, command in COMMANDS.items():
        usage = "aotgui [FILE] [options]" if name == "window" else f"aotgui {name} {command.operands} [options]"
        sub = commands.add_parser(name, usage=usage, help=command.summary, description=_sentence(command.summary))
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."
