"""What a program can set for the whole process, saved and put back, so that one run leaves nothing to the next.

A script that sets a default dtype or changes the folder does so once, while it is loaded, and relies on it whenever
its target is called. What it set is therefore taken as a part of the source, put in place for each of its runs, and
taken away after it.
"""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import torch

from aotgui.engine.half import RandomState

_KINDS = ("cpu", "cuda")


@dataclass(frozen=True)
class Ambient:
    """The state of the interpreter and of torch that is not part of any object.

    Attributes:
        folder: the working directory, empty where it was removed.
        path: ``sys.path``.
        argv: ``sys.argv``.
        environment: ``os.environ``.
        dtype: torch's default dtype.
        device: torch's default device on this thread, or None.
        grad: whether gradients are enabled on this thread.
        autocast: for each kind of device whether autocast is on, and its dtype, on this thread.
        anomaly: whether anomaly detection is on.
        deterministic: whether torch insists on deterministic algorithms, and whether it only warns.
        precision: of float32 matrix products.
        threads: number of threads of an operator.
        recursion: Python's recursion limit.
        warning_filters: those of Python's warnings.
        torch_random: of torch's generators.
        python_random: of Python's.
        numpy_random: of NumPy's, or None where it is not imported.
    """

    folder: str
    path: tuple[str, ...]
    argv: tuple[str, ...]
    environment: dict[str, str]
    dtype: torch.dtype
    device: torch.device | None
    grad: bool
    autocast: tuple[tuple[str, bool, torch.dtype], ...]
    anomaly: bool
    deterministic: tuple[bool, bool]
    precision: str
    threads: int
    recursion: int
    warning_filters: tuple[Any, ...]
    torch_random: RandomState
    python_random: Any
    numpy_random: Any

    @classmethod
    def now(cls) -> Ambient:
        """The state of this moment, on this thread."""
        numpy = sys.modules.get("numpy")
        return cls(
            folder=_folder(),
            path=tuple(sys.path),
            argv=tuple(sys.argv),
            environment=dict(os.environ),
            dtype=torch.get_default_dtype(),
            device=_default_device(),
            grad=torch.is_grad_enabled(),
            autocast=tuple((kind, torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)) for kind in _KINDS),
            anomaly=torch.is_anomaly_enabled(),
            deterministic=(
                torch.are_deterministic_algorithms_enabled(),
                torch.is_deterministic_algorithms_warn_only_enabled(),
            ),
            precision=torch.get_float32_matmul_precision(),
            threads=torch.get_num_threads(),
            recursion=sys.getrecursionlimit(),
            warning_filters=tuple(warnings.filters),
            torch_random=RandomState.now(),
            python_random=random.getstate(),
            numpy_random=numpy.random.get_state() if numpy else None,
        )

    def restore(self) -> None:
        """Puts everything back that differs, on this thread."""
        if self.folder and self.folder != _folder():
            with suppress(OSError):  # it was removed meanwhile
                os.chdir(self.folder)
        sys.path[:] = self.path
        sys.argv[:] = self.argv
        self._restore_environment()
        self._restore_python()
        self._restore_torch()
        self.torch_random.restore()
        random.setstate(self.python_random)
        if self.numpy_random is not None:
            sys.modules["numpy"].random.set_state(self.numpy_random)

    def _restore_environment(self) -> None:
        for name in os.environ.keys() - self.environment.keys():
            del os.environ[name]
        for name, value in self.environment.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    def _restore_python(self) -> None:
        if sys.getrecursionlimit() != self.recursion:
            with suppress(RecursionError):  # the stack is deeper than that by now
                sys.setrecursionlimit(self.recursion)
        if tuple(warnings.filters) != self.warning_filters:
            warnings.resetwarnings()  # also makes Python forget what it has filtered
            warnings.filters[:] = self.warning_filters  # type: ignore[index] # a list, which typeshed calls a sequence

    def _restore_torch(self) -> None:
        torch.set_default_dtype(self.dtype)
        if _default_device() != self.device:
            torch.set_default_device(self.device)
        torch.set_grad_enabled(self.grad)
        for kind, enabled, dtype in self.autocast:
            torch.set_autocast_enabled(kind, enabled)
            torch.set_autocast_dtype(kind, dtype)
        if torch.is_anomaly_enabled() != self.anomaly:
            torch.set_anomaly_enabled(self.anomaly)
        enabled, warns = self.deterministic
        torch.use_deterministic_algorithms(enabled, warn_only=warns)
        if torch.get_float32_matmul_precision() != self.precision:
            torch.set_float32_matmul_precision(self.precision)
        if torch.get_num_threads() != self.threads:
            torch.set_num_threads(self.threads)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Whatever is set for the whole process inside is put back afterwards."""
    before = Ambient.now()
    try:
        yield
    finally:
        before.restore()


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 # Path.cwd() is the same, and this may fail
    except OSError:
        return ""


def _default_device() -> torch.device | None:
    """What ``torch.set_default_device`` set on this thread; torch itself only tells where tensors would go."""
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    return getattr(context, "device", None)
