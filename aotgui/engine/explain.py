"""What an error of torch means, in a sentence that says what to try.

The table is searched by class name and text because torch's error classes are private and move. An error that is
not in it is shown as it is, with the user's line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from aotgui.engine.errors import is_ours, one_line


class _Known(NamedTuple):
    """An error that users cause.

    Attributes:
        kinds: names of exception classes, empty for any.
        pattern: searched in the text.
        sentence: may use the pattern's groups by name.
    """

    kinds: tuple[str, ...]
    pattern: str
    sentence: str


_KNOWN: Final = (
    _Known(
        ("DataDependentOutputException",),
        r"(?P<op>[\w.]+)",
        "The value of a tensor decides what Python does here ({op}): a trace ahead of time has no values. "
        "Use torch.where or torch.cond, or torch.compile, which breaks the graph here.",
    ),
    _Known(
        ("GuardOnDataDependentSymNode", "UserError"),
        r"(?:Could not guard on|Could not extract specialized integer from) data-dependent expression",
        "The value of a tensor decides a size or a branch here, which a trace ahead of time cannot know. "
        "Use torch.where or torch.cond, or torch._check to state what holds.",
    ),
    _Known(
        ("DynamicOutputShapeException",),
        r"(?P<op>[\w.]+)",
        "The shape of the result depends on the data here ({op}): trace with dynamic shapes, or use torch.compile.",
    ),
    _Known(
        (),
        r"Trying to backward through (?P<op>[\w.:]+) but no autograd formula was registered",
        "The custom operator {op} has no backward: register one with torch.library.register_autograd.",
    ),
    _Known(
        (),
        r"does not currently support double backward",
        "A graph of AOT Autograd can be differentiated once: compute the inner gradient inside the target instead.",
    ),
    _Known(
        (),
        r"a (?:view of a )?leaf Variable that requires grad is being used in an in-place operation",
        "The target writes in place to an input that requires a gradient: copy it first, or write under no_grad.",
    ),
    _Known(
        (),
        r"Please convert all Tensors to FakeTensors first",
        "The target uses a tensor that is not among its inputs: a parameter or tensor that it captured by closure. "
        "Pass it as an argument, or make the module itself the target.",
    ),
    _Known(
        (),
        r"one of the variables needed for gradient computation has been modified by an inplace operation",
        "A value that the backward needs is overwritten by an in-place operation in the target.",
    ),
    _Known(
        ("UncapturedHigherOrderOpError",),
        r"",
        "This higher-order operator (cond, while_loop, scan, ...) has to be captured as a whole by torch.compile.",
    ),
    _Known(
        (),
        r"incorrect out shape after application of ViewMeta sequence",
        "An output is a view of an input that shares memory with another input; AOT Autograd cannot rebuild such a "
        "view when one of them is written to.",
    ),
    _Known(
        (),
        r"expected all tensors_saved_with_vc_check to be Tensors",
        "A layer saves None for its backward, which AOT Autograd refuses.",
    ),
    _Known(
        (),
        r"self\.shape_env must not be None",
        "The target uses a tensor whose size depends on its data (a nested tensor): use dynamic shapes or "
        "torch.compile.",
    ),
    _Known(
        (),
        r"does not support tracing",
        "The target uses a kind of tensor that AOT Autograd cannot trace directly: use torch.compile.",
    ),
    _Known(
        (),
        r"(?:Found|found) a graph (?:input|output).*?type|unsupported (?:output|input) type|"
        r"Expected all (?:inputs|outputs) to be",
        "AOT Autograd takes and returns tensors and numbers only; something else is among the inputs or outputs.",
    ),
    _Known(
        (),
        r"the derivative for '(?P<op>[^']+)' is not implemented",
        "The operator {op} has no derivative: call it on a detached tensor (x.detach()).",
    ),
    _Known(
        (),
        r"all __torch_dispatch__ handlers returned NotImplemented",
        "A tensor subclass takes part that cannot run beside AOT Autograd's own tensors. It takes subclasses that "
        "define __torch_dispatch__ and __tensor_flatten__, not those with __torch_function__ alone: pass plain tensors "
        "(x.as_subclass(torch.Tensor)).",
    ),
    _Known(
        (),
        r"[Ww]hen use_reentrant=True|Checkpointing is not compatible with \.grad\(\)",
        "Reentrant checkpointing cannot be traced here: pass use_reentrant=False to torch.utils.checkpoint.",
    ),
)


def explain(error: BaseException) -> str:
    """One sentence about an error: what it means and what to try, or its own first line."""
    if meaning := meaning_of(error):
        return meaning
    inner = deepest(error)
    return f"aotgui itself failed: {one_line(inner)}" if is_ours(inner) else one_line(inner)


def meaning_of(error: BaseException) -> str:
    """What a known error means and what to try; empty for any other."""
    for cause in causes(error):
        kind, text = type(cause).__name__, str(cause)
        for known in _KNOWN:
            match = re.search(known.pattern, text) if not known.kinds or kind in known.kinds else None
            if match:
                return known.sentence.format(**match.groupdict())
    return ""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, outermost first, each once."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def deepest(error: BaseException) -> BaseException:
    """What torch.compile wraps: the error that the backend raised, otherwise the error itself."""
    for cause in causes(error):
        inner = getattr(cause, "inner_exception", None)
        if isinstance(inner, BaseException):
            return deepest(inner)
    return error
