"""Model files: what is in one, found out without unpickling anything, and opening it once it is trusted.

``.pt`` and ``.pth`` name four different things: a pickled module, a state dict, TorchScript, and an exported
program. Only the first and the last can be captured, and opening either runs code that the file brings: pickle by
its nature, an exported program because its sample inputs and constants are pickled inside it. The pickles are
therefore read as a list of instructions (``pickletools``), which executes none of them.
"""

from __future__ import annotations

import pickletools
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO, Any, Final

import torch

from aotgui.engine.errors import UserError, fault, one_line
from aotgui.model.capture import Problem, Stage

_ZIP_MAGIC: Final = b"PK\x03\x04"
_PICKLE_MAGIC: Final = b"\x80"
_MAX_INSTRUCTIONS: Final = 5_000_000
_MAX_PICKLE_BYTES: Final = 64 * 1024 * 1024
"""A larger one is not unpacked; tensors lie beside it, so that of a big model has a megabyte."""
_LEGACY_PICKLES: Final = 4
"""A file of the old format: magic number, protocol, system, object."""
_SHOWN_NAMES: Final = 3
_WEIGHT_MODULES: Final = ("collections", "torch", "torch._utils", "torch.storage", "torch._tensor")
"""What the pickle of a state dict names: ordered dicts, tensors and storages."""


class FileKind(Enum):
    """What a model file is."""

    EXPORTED = "an exported program"
    TORCHSCRIPT = "TorchScript"
    WEIGHTS = "weights"
    PICKLE = "a pickled object"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Examined:
    """What is known of a model file without opening it.

    Attributes:
        kind: what it is.
        names: classes and functions that its pickle would import, ``module.name``, without torch's own for tensors.
    """

    kind: FileKind
    names: tuple[str, ...] = ()


class TrustNeededError(UserError):
    """A source runs code when it is opened, and nobody has said that it may.

    Attributes:
        reason: what would run, as a sentence.
    """

    def __init__(self, problem: Problem, reason: str) -> None:
        super().__init__(problem)
        self.reason = reason


def is_model_file(path: Path) -> bool:
    """Whether a file looks like one that torch saved, whatever its name."""
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_ZIP_MAGIC))
    except OSError:
        return False
    return start == _ZIP_MAGIC or start[:1] == _PICKLE_MAGIC


def open_model_file(path: Path, trusted: bool) -> dict[str, Any]:
    """The names that a model file stands for: ``model``, and ``example_inputs`` where it brings them.

    Args:
        path: the file.
        trusted: whether it may run code.

    Raises:
        TrustNeededError: it would run code and is not trusted.
        UserError: it holds no model that can be captured, or cannot be opened.
    """
    examined = examine(path)
    match examined.kind:
        case FileKind.TORCHSCRIPT:
            raise _refused(
                path,
                f"{path.name} is TorchScript: compiled already, with nothing left that AOT Autograd could trace. "
                "Open the script that builds the model instead.",
            )
        case FileKind.WEIGHTS:
            raise _refused(
                path,
                f"{path.name} holds weights and no model. "
                "Open a script that builds the model and loads them with load_state_dict.",
            )
        case FileKind.UNKNOWN:
            raise _refused(path, f"{path.name} is no model that torch saved.")
    if not trusted:
        reason = _reason(path, examined)
        message = f"{reason} If you trust it, say so (--trust)."
        raise TrustNeededError(_refused(path, message).problem, reason)
    return _exported(path) if examined.kind is FileKind.EXPORTED else _unpickled(path)


def examine(path: Path) -> Examined:
    """What a file is; reads it and executes nothing."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _examine_archive(archive)
        with path.open("rb") as stream:
            return _examine_legacy(stream)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return Examined(FileKind.UNKNOWN)


def _examine_archive(archive: zipfile.ZipFile) -> Examined:
    inner = [name.partition("/")[2] or name for name in archive.namelist()]
    if any(name in ("archive_format", "serialized_exported_program.json") for name in inner) or any(
        name.startswith("models/") and name.endswith(".json") for name in inner
    ):
        return Examined(FileKind.EXPORTED)
    if "constants.pkl" in inner or any(name.startswith("code/") for name in inner):
        return Examined(FileKind.TORCHSCRIPT)
    if "data.pkl" not in inner:
        return Examined(FileKind.UNKNOWN)
    pickle = archive.infolist()[inner.index("data.pkl")]
    if pickle.file_size > _MAX_PICKLE_BYTES:
        return Examined(FileKind.PICKLE, ("more than can be looked through",))
    with archive.open(pickle) as stream:
        return _examined_pickle(_imported_names(stream))


def _examine_legacy(stream: IO[bytes]) -> Examined:
    if stream.read(1) != _PICKLE_MAGIC:
        return Examined(FileKind.UNKNOWN)
    stream.seek(0)
    names: set[str] = set()
    for read in range(_LEGACY_PICKLES):
        try:
            names |= _imported_names(stream)
        except ValueError:
            if read == 0:
                raise
            break  # a plain pickle ends after the first
    return _examined_pickle(names)


def _examined_pickle(names: set[str]) -> Examined:
    foreign = sorted(name for name in names if name.rpartition(".")[0] not in _WEIGHT_MODULES)
    return Examined(FileKind.PICKLE if foreign else FileKind.WEIGHTS, tuple(foreign))


def _imported_names(stream: IO[bytes]) -> set[str]:
    """What a pickle would import, as ``module.name``.

    Raises:
        ValueError: it is no pickle.
    """
    names: set[str] = set()
    recent: list[str] = []
    for count, (opcode, argument, _) in enumerate(_instructions(stream)):
        if count > _MAX_INSTRUCTIONS:
            names.add("more")
            break
        if opcode == "GLOBAL":
            names.add(str(argument).replace(" ", "."))
        elif opcode == "STACK_GLOBAL":
            names.add(".".join(recent[-2:]) or "?")
        elif isinstance(argument, str):
            recent = [*recent[-1:], argument]
    return names


def _instructions(stream: IO[bytes]) -> Iterator[tuple[str, Any, int | None]]:
    return ((opcode.name, argument, place) for opcode, argument, place in pickletools.genops(stream))


def _reason(path: Path, examined: Examined) -> str:
    if examined.kind is FileKind.EXPORTED:
        return f"{path.name} is an exported program, which may run code when it is opened: it holds pickled inputs."
    shown = ", ".join(examined.names[:_SHOWN_NAMES])
    more = len(examined.names) - _SHOWN_NAMES
    return (
        f"{path.name} is a pickled model, which runs code when it is opened: "
        f"it imports {shown}{f' and {more} more' if more > 0 else ''}."
    )


def _exported(path: Path) -> dict[str, Any]:
    try:
        program = torch.export.load(path)
        model = program.module()
    except Exception as error:
        raise _refused(path, f"{path.name} cannot be opened: {one_line(error)}", error) from None
    args, kwargs = program.example_inputs or ((), {})
    return {"model": model, "example_inputs": tuple(args), "example_kwargs": dict(kwargs)}


def _unpickled(path: Path) -> dict[str, Any]:
    sys.path.insert(0, str(path.parent))  # where the classes it names most likely are
    try:
        found = torch.load(path, map_location="cpu", weights_only=False)
    except (AttributeError, ModuleNotFoundError) as error:
        message = f"{path.name} needs a class that is not here: {one_line(error)}. Open the script that defines it."
        raise _refused(path, message, error) from None
    except Exception as error:
        raise _refused(path, f"{path.name} cannot be opened: {one_line(error)}", error) from None
    if isinstance(found, torch.nn.Module):
        return {"model": found}
    what = f"a {type(found).__name__} with {', '.join(map(str, list(found)[:3]))}" if isinstance(found, dict) else ""
    message = f"{path.name} holds {what or f'an object of type {type(found).__name__}'}, and no module."
    raise _refused(path, message)


def _refused(path: Path, message: str, error: BaseException | None = None) -> UserError:
    return fault(Stage.LOAD, message, error=error, file=str(path))
