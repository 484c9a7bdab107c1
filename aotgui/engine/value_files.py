"""Writing one value to a file that NumPy or torch reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import torch
from torch.utils import _pytree as pytree

from aotgui.engine.artifacts import mode_of, temporary_beside
from aotgui.engine.errors import fault, one_line
from aotgui.engine.values import tensor_of
from aotgui.protocol.messages import ValueFormat

_NUMPY_LACKS: Final = frozenset({torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.complex32})


def save_value(value: Any, path: str, form: ValueFormat, item: int) -> str:
    """Writes a value; the file appears whole or not at all.

    Args:
        value: what a node returned.
        path: where to.
        form: of the file.
        item: which item of a tuple; -1 for all of it.

    Returns:
        A sentence about what is in the file.

    Raises:
        UserError: there is nothing to write, or it cannot be written.
    """
    content = _content(value, form, item)
    try:
        write, detail = _writer(content, form)
        _write(Path(path).expanduser().resolve(), write)
    except OSError as error:
        raise fault("step", f"Cannot write {path}: {(error.strerror or str(error)).lower()}.") from error
    except (RuntimeError, TypeError, NotImplementedError) as error:
        raise fault("step", f"This value cannot be written: {one_line(error, 160)}") from error
    return detail


def _content(value: Any, form: ValueFormat, item: int) -> Any:
    if item < 0 and isinstance(value, tuple | list):
        if form is ValueFormat.NPY:
            raise fault("step", "A .npy file holds one tensor: choose an item of the tuple, or a .pt file.")
        return value
    tensor = tensor_of(value, max(item, 0))
    if not isinstance(tensor, torch.Tensor):
        raise fault("step", f"There is no tensor to write: {tensor}.")
    return tensor


def _writer(content: Any, form: ValueFormat) -> tuple[Callable[[BinaryIO], None], str]:
    if form is ValueFormat.PT:
        plain = pytree.tree_map_only(torch.Tensor, _alone, content)
        return lambda stream: torch.save(plain, stream), f"{_text(content)}, for torch.load."
    tensor = content.detach().resolve_conj().resolve_neg().cpu()
    note = ""
    if tensor.dtype in _NUMPY_LACKS:
        wide = torch.complex64 if tensor.is_complex() else torch.float32
        tensor, note = tensor.to(wide), f" as {str(wide).removeprefix('torch.')}, because NumPy lacks the type"
    array = tensor.numpy()
    return lambda stream: np.save(stream, array, allow_pickle=False), f"{_text(content)}{note}, for numpy.load."


def _alone(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor without the rest of the storage that it views, which ``torch.save`` would write too."""
    tensor = tensor.detach()
    return tensor if tensor.untyped_storage().nbytes() == tensor.nbytes else tensor.clone()


def _text(content: Any) -> str:
    if isinstance(content, torch.Tensor):
        return f"{str(content.dtype).removeprefix('torch.')}{list(content.shape)}"
    return f"A tuple of {len(content)} values"


def _write(target: Path, write: Callable[[BinaryIO], None]) -> None:
    with temporary_beside(target) as temporary:
        with temporary.open("wb") as stream:
            write(stream)
        temporary.chmod(mode_of(target))
        temporary.replace(target)
