"""Which line of the user's code and which module each node comes from.

On the direct path AOT Autograd gives its nodes no stack trace and no module path. Both can be had while tracing:
``recording()`` keeps ``torch.fx.traceback.current_meta`` up to date around every torch function that the user's
code calls (a ``TorchFunctionMode`` sees them all), and the tracer copies that into each node it makes. Backward
nodes are traced later, without user code on the stack; they get the provenance of the forward node with the same
autograd sequence number, and ``recording_backward`` those of Python code that runs in the backward itself.

``torch.compile`` records stack traces by itself, as text; ``parse_stack`` reads them.

Private API: ``torch.fx.traceback.current_meta``, ``torch.nn.modules.module`` global hooks. Where one is missing
nodes have no provenance, and the window says so. And ``torch._higher_order_ops.utils.setup_compilation_env``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any
from unittest import mock

import torch
import torch._higher_order_ops.utils as higher_order
import torch.fx.traceback as fx_traceback
from torch import overrides
from torch.overrides import TorchFunctionMode

from aotgui.engine.frames import Origin, innermost_visible, origin_of, visible_frames
from aotgui.model.graph import Frame

_FRAME_LINE = re.compile(r'^\s*File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.*)$', re.MULTILINE)

STACK_META = "stack_trace"
MODULE_META = "nn_module_stack"


@lru_cache(maxsize=65536)
def parse_stack(text: str) -> tuple[Frame, ...]:
    """The user's and libraries' frames of a stack trace as text, outermost first."""
    frames = []
    for match in _FRAME_LINE.finditer(text):
        origin = origin_of(match["file"])
        if origin is not Origin.HIDDEN:
            frames.append(Frame(match["file"], int(match["line"]), match["function"].strip(), origin is Origin.USER))
    return tuple(frames)


def user_frames_of(error: BaseException) -> tuple[Frame, ...]:
    """The user's and libraries' frames of an exception and of what caused it, outermost first.

    The traceback of the deepest cause with a user frame is taken: AOT wraps some errors once more.
    """
    best: tuple[Frame, ...] = ()
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        frames = []
        entry = current.__traceback__
        while entry is not None:
            code = entry.tb_frame.f_code
            origin = origin_of(code.co_filename)
            if origin is not Origin.HIDDEN:
                frames.append(Frame(code.co_filename, entry.tb_lineno, code.co_qualname, origin is Origin.USER))
            entry = entry.tb_next
        if any(frame.is_user for frame in frames) or not best:
            best = tuple(frames) or best
        current = current.__cause__ or current.__context__
    return best


@contextmanager
def recording(root: torch.nn.Module | None) -> Iterator[None]:
    """Record the user's stack and module path for every node traced inside.

    Args:
        root: the module whose submodules' paths are wanted, or None for a function.
    """
    modules, stacks = _ModuleStack(root), _StackRecorder()
    with fx_traceback.preserve_node_meta(), modules.tracking(), stacks.around_higher_order(), stacks:
        yield


@contextmanager
def recording_backward() -> Iterator[None]:
    """Record the lines of Python code that runs while a backward is traced (``autograd.Function.backward``, hooks).

    Everything that starts a backward goes through ``torch.autograd._engine_run_backward``, which is wrapped while the
    block runs; where torch has no such function, backward nodes keep the line of their forward node.
    """
    original = getattr(torch.autograd, "_engine_run_backward", None)
    if original is None:
        yield
        return

    def recorded(*args: Any, **kwargs: Any) -> Any:
        if innermost_visible(sys._getframe(1)):
            return original(*args, **kwargs)  # the target's own gradient, which is recorded already
        with _StackRecorder():
            return original(*args, **kwargs)

    with mock.patch.object(torch.autograd, "_engine_run_backward", recorded):
        yield


class _StackRecorder(TorchFunctionMode):
    """Writes the user's stack into the tracer's current metadata around each torch function."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[tuple[tuple[int, int], ...], tuple[str, list[CodeType]]] = {}

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        text = self._stack_text(sys._getframe(1))
        if not text:
            return func(*args, **(kwargs or {}))
        with _noted(text):
            return func(*args, **(kwargs or {}))

    @contextmanager
    def around_higher_order(self) -> Iterator[None]:
        """Lets ``cond``, ``map`` and their kin compile what they are given, which they do when they are called.

        Dynamo refuses a mode that reads the stack, so this one steps aside, as torch's own modes do there. What Dynamo
        traces has lines of its own; when it runs, the operator gets the line that called it. Where torch has no such
        function nothing is done: the operator cannot be traced directly then.
        """
        original = getattr(higher_order, "setup_compilation_env", None)
        if original is None or not hasattr(overrides, "_pop_mode_temporarily"):
            yield
            return

        @contextmanager
        def aside() -> Iterator[Any]:
            text = self._stack_text(sys._getframe(1))
            with _without(self), original() as backend, _noted(""):
                yield _noting(backend, text)

        with mock.patch.object(higher_order, "setup_compilation_env", aside):
            yield

    def _stack_text(self, frame: FrameType | None) -> str:
        frames = visible_frames(frame)
        # By instruction, as the line of one has to be looked up, and by identity, as code is slow to hash.
        key = tuple([(id(frame.f_code), frame.f_lasti) for frame in frames])
        known = self._texts.get(key)
        if known is None:
            known = self._texts[key] = _stack_text(frames), [frame.f_code for frame in frames]
        return known[0]


@contextmanager
def _noted(text: str) -> Iterator[None]:
    """Nodes that are traced inside get this stack; with an empty text none."""
    meta = fx_traceback.current_meta
    before = meta.get(STACK_META)
    meta[STACK_META] = text
    try:
        yield
    finally:
        if before is None:
            meta.pop(STACK_META, None)
        else:
            meta[STACK_META] = before


def _noting(backend: Callable[..., Callable[..., Any]], text: str) -> Callable[..., Callable[..., Any]]:
    """A backend of ``torch.compile`` whose results note a stack while they run."""

    def compiled(module: torch.fx.GraphModule, inputs: Any, **options: Any) -> Callable[..., Any]:
        run = backend(module, inputs, **options)

        def noted(*args: Any, **kwargs: Any) -> Any:
            with _noted(text):
                return run(*args, **kwargs)

        return noted

    return compiled


@contextmanager
def _without(mode: TorchFunctionMode) -> Iterator[None]:
    """A mode is off, if it is the innermost one."""
    modes = overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call] # torch gives it no types
    if not modes or modes[-1] is not mode:
        yield
        return
    with overrides._pop_mode_temporarily():
        yield


def _stack_text(frames: Sequence[FrameType]) -> str:
    """A stack as Python writes it, from the outermost frame to the innermost, which comes first in ``frames``."""
    return "".join(
        f'  File "{frame.f_code.co_filename}", line {frame.f_lineno}, in {frame.f_code.co_qualname}\n'
        for frame in reversed(frames)
    )


class _ModuleStack:
    """Keeps ``nn_module_stack`` of the tracer's current metadata: the path of the module that runs."""

    def __init__(self, root: torch.nn.Module | None) -> None:
        self._paths = {} if root is None else {id(module): name for name, module in root.named_modules()}
        self._stack: list[dict[str, tuple[str, type]]] = []

    @contextmanager
    def tracking(self) -> Iterator[None]:
        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

        enter = register_module_forward_pre_hook(self._on_enter)
        leave = register_module_forward_hook(self._on_leave, always_call=True)
        try:
            yield
        finally:
            enter.remove()
            leave.remove()
            fx_traceback.current_meta.pop(MODULE_META, None)

    def _on_enter(self, module: torch.nn.Module, _args: object) -> None:
        path = self._paths.get(id(module))
        inherited = self._stack[-1] if self._stack else {}
        entered = {**inherited, path: (path, type(module))} if path else dict(inherited)
        self._stack.append(entered)
        fx_traceback.current_meta[MODULE_META] = entered

    def _on_leave(self, _module: torch.nn.Module, _args: object, _output: object) -> None:
        if self._stack:
            self._stack.pop()
        if self._stack:
            fx_traceback.current_meta[MODULE_META] = self._stack[-1]
        else:
            fx_traceback.current_meta.pop(MODULE_META, None)


_DYNAMO_ATTRIBUTE = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]|\[(?:'|\")?([^'\"\]]*)(?:'|\")?\]")


def module_of(node_meta: dict[str, Any]) -> tuple[str, str]:
    """Path and class name of the innermost module that a node was traced in; empty where there is none.

    Dynamo writes ``L['self']._modules['layers']._modules['0']``; this gives ``layers.0`` for either route.
    """
    stack = node_meta.get(MODULE_META) or node_meta.get("fwd_nn_module_stack")
    if not stack:
        return "", ""
    path, kind = next(reversed(stack.values()))
    name = kind.__name__ if isinstance(kind, type) else str(kind).rsplit(".", 1)[-1]
    return plain_path(path), name


@lru_cache(maxsize=65536)
def plain_path(source: str) -> str:
    """A module, parameter or buffer path as a user would write it, from Dynamo's source expression."""
    for prefix in ("L['self']", 'L["self"]', "L['fn']", "L['model']", "G["):
        if source.startswith(prefix):
            source = source[len(prefix) :]
            break
    text = _DYNAMO_ATTRIBUTE.sub(lambda match: f".{match[1] or match[2]}", source)
    return text.strip(".")
