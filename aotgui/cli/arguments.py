"""Arguments that several commands share, built from the one table of settings."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec

from aotgui.cli.outcome import CommandError, ExitStatus, say_error
from aotgui.model.decision import Decision, decision_key, key_parts
from aotgui.model.settings import OPTIONS, Option, Settings

_FREE_CHOICES: Final = (
    "partitioner",
    "decompositions",
    "forward_compiler",
    "backward_compiler",
    "inference_compiler",
)
"""Settings whose listed choices may be joined by functions (for decompositions a dict) of the user's file.

A name that no function can have is wrong usage; one that SRC could define is looked for there, and is a fault of
SRC if it is missing.
"""
_DECISIONS: Final = {Decision.SAVE: "save for the backward", Decision.RECOMPUTE: "compute again in the backward"}
_MODULE_NAME: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d][\w.]*")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in its first line and how to use the command after it."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with the status for wrong usage."""
        say_error(f"{self.prog}: {message}.", self.format_usage() + f"See {self.prog} --help.")
        raise SystemExit(ExitStatus.USAGE)


def add_source(parser: argparse.ArgumentParser) -> None:
    """What a command works on, and how it is found and limited."""
    parser.add_argument(
        "source",
        metavar="SRC",
        help="a script, package.module:name, a model file, or a capture to read",
    )
    group = parser.add_argument_group("source")
    group.add_argument("--target", default="", metavar="NAME", help="function or module in SRC to capture")
    group.add_argument(
        "--input", default="", metavar="SPEC", help="inputs instead of example_inputs: 'randn 4x16; mask=ones 4 bool'"
    )
    group.add_argument("--region", type=_natural, default=0, metavar="N", help="graph region, counted from 0")
    group.add_argument("--trust", action="store_true", help="run or unpickle SRC although nobody has trusted it yet")
    group.add_argument("--timeout", type=_seconds, default=None, metavar="SECONDS", help="give up after this time")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """One option for each setting of a run."""
    group = parser.add_argument_group("settings")
    for option in OPTIONS:
        _add_option(group, option)
    for decision, words in _DECISIONS.items():
        group.add_argument(
            f"--{decision}",
            dest=f"decided_{decision}",
            action="append",
            default=[],
            type=_node,
            metavar="NODE",
            help=f"{words} NODE of the joint graph, or REGION:NODE; may be given several times",
        )


def _add_option(group: argparse._ArgumentGroup, option: Option) -> None:
    default = getattr(Settings(), option.field)
    if isinstance(default, bool):
        group.add_argument(option.flag, dest=option.field, action="store_true", help=option.description)
        return
    strict = bool(option.choices) and option.field not in _FREE_CHOICES
    group.add_argument(
        option.flag,
        dest=option.field,
        default=default,
        type=str if strict else _CONVERTERS.get(option.field, type(default)),
        choices=[str(choice) for choice in option.choices] if strict else None,
        metavar=option.flag.rpartition("-")[2].upper(),
        help=" ".join(_help_parts(option, default)),
    )


def _help_parts(option: Option, default: object) -> Iterator[str]:
    yield option.description
    if option.choices:
        own = "dict" if option.field == "decompositions" else "function"
        or_own = f", or a {own} in SRC" if option.field in _FREE_CHOICES else ""
        yield f"One of {', '.join(option.choices)}{or_own}."
    if default != "":
        yield f"Default: {default}."


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings that the options say.

    Raises:
        CommandError: a node is to be saved and to be recomputed.
    """
    chosen = {option.field: getattr(arguments, option.field) for option in OPTIONS}
    return msgspec.convert({**chosen, "decisions": _decisions(arguments)}, Settings)


def _decisions(arguments: argparse.Namespace) -> dict[str, Decision]:
    found: dict[str, Decision] = {}
    for decision in Decision:
        for key in getattr(arguments, f"decided_{decision}"):
            if found.setdefault(key, decision) is not decision:
                raise CommandError(f"{key} cannot be both saved and recomputed.", ExitStatus.USAGE)
    return found


def source_of(text: str) -> str:
    """The source as the engine wants it: an absolute path, or ``package.module:name`` as it is.

    Raises:
        CommandError: it is a path, and there is no such file.
    """
    path = Path(text)
    if path.is_dir():
        raise CommandError(f"{text} is a folder, not a script.", ExitStatus.USAGE)
    if path.exists():
        return str(path.absolute())
    if _MODULE_NAME.fullmatch(text):
        return text
    raise CommandError(f"There is no file {text}.", ExitStatus.USAGE)


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 on")
    return int(text)


def _seconds(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is no positive number of seconds")
    return value


def _node(text: str) -> str:
    region, node = key_parts(text)
    if not node.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is no name of a node: NODE, or REGION:NODE")
    return decision_key(region, node)


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def _partitioner(text: str) -> str:
    if text.isidentifier():
        return text
    choices = next(option.choices for option in OPTIONS if option.field == "partitioner")
    meant = difflib.get_close_matches(text, choices, n=1)
    advice = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(choices)}, or a function in SRC"
    raise argparse.ArgumentTypeError(f"no function can be called {text!r}; {advice}")


_CONVERTERS: Final[dict[str, Callable[[str], Any]]] = {"memory_budget": _share, "partitioner": _partitioner}
