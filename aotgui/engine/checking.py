"""Whether a compiled target still computes what eager does.

Two float32 runs differ without anything being wrong, and a gradient that is mathematically zero is noise in eager
itself. So both runs are judged against a float64 run of the same target: a value is wrong where its error is
clearly larger than eager's own. Where no float64 run can be had (the target creates float32 tensors itself, draws
its random numbers by dtype, is a function over captured modules), the two runs are compared directly.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import msgspec
import torch
from torch.utils import _pytree as pytree

from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.errors import one_line
from aotgui.model.capture import Check, CheckStatus, Comparison

ERROR_FACTOR: Final = 10.0
"""A compiled value may be this much farther from float64 than eager is."""
ROUNDINGS: Final = 64.0
"""Error that is always allowed, in units of the dtype's epsilon times the largest value."""
FEW_ROUNDINGS: Final = 4.0
"""The same for one value of a type with fewer digits than float32."""
NO_VALUES: Final = "tensors on the meta device have shapes but no values: there is nothing to compare"
UNUSABLE_REFERENCE: Final = 0.05
"""Above this relative error of eager the float64 run computed something else (other random numbers)."""


def double_reference(harness: Harness, seed: int) -> tuple[CallResult | None, str]:
    """The target in float64, or None and the reason why there is none."""
    target = harness.target
    if target.module is None and any(True for _ in harness.captured_state()):
        return None, "compared with eager directly: the function uses modules of the script, which stay float32"
    if harness.shared_inputs():
        return None, "compared with eager directly: inputs share memory, which their float64 copies would not"
    try:
        args, kwargs = _doubles((target.args, target.kwargs))
        call = target.call if target.module is None else _double_module(target.module)
        wide = harness.of(replace(target, call=call, args=args, kwargs=kwargs))
        return wide.call(call, seed), "judged against a float64 run"
    except Exception as error:
        return None, f"compared with eager directly: no float64 run ({one_line(error, 120)})"


def _double_module(module: torch.nn.Module) -> torch.nn.Module:
    """A copy with every floating-point parameter and buffer in float64, complex ones in complex128.

    A copy, not ``functional_call``: a checkpoint runs the module again in backward, when swapped parameters are gone.
    """
    copied = copy.deepcopy(module)
    for tensor in (*copied.parameters(), *copied.buffers()):
        tensor.data = tensor.data.to(_wide(tensor.dtype))
    return copied


def _doubles(tree: Any) -> Any:
    """A tree in float64, in which a tensor that is there twice is one tensor as before."""
    made: dict[int, Any] = {}
    for leaf in pytree.tree_leaves(tree):
        if id(leaf) not in made:
            made[id(leaf)] = _double(leaf)
    return pytree.tree_map(lambda leaf: made[id(leaf)], tree)


def _double(leaf: Any) -> Any:
    if not isinstance(leaf, torch.Tensor):
        return leaf
    converted = leaf.detach().to(_wide(leaf.dtype)).requires_grad_(leaf.requires_grad)
    return converted if leaf.is_leaf else converted.clone()


def _wide(dtype: torch.dtype) -> torch.dtype:
    if dtype.is_complex:
        return torch.complex128
    return torch.float64 if dtype.is_floating_point else dtype


def compare(eager: CallResult, compiled: CallResult, reference: CallResult | None, note: str) -> Check:
    """Judges outputs, buffers, written inputs and gradients.

    Args:
        eager: what the target gave.
        compiled: what the compiled target gave.
        reference: what it gave in float64, or None.
        note: how it is judged.
    """
    if any(isinstance(value, torch.Tensor) and value.is_meta for value in eager.outputs.values()):
        return Check(status=CheckStatus.NOT_RUN, note=NO_VALUES)
    if reference is not None and not _usable(eager, reference):
        reference = None
        note = "compared with eager directly: a float64 run computes something else (it draws other random numbers?)"
    outputs = [
        *_compare_all(eager.outputs, compiled.outputs, reference.outputs if reference else None),
        *_compare_all(eager.buffers, compiled.buffers, None, " after the call"),
        *_compare_all(eager.mutated, compiled.mutated, None, " after the call"),
    ]
    gradients = _compare_all(eager.gradients, compiled.gradients, reference.gradients if reference else None)
    everything = [*outputs, *gradients]
    wrong = any(item.status is CheckStatus.MISMATCH for item in everything)
    return Check(
        status=CheckStatus.MISMATCH if wrong else CheckStatus.MATCH,
        outputs=outputs,
        gradients=gradients,
        max_error=largest(item.max_error for item in everything),
        eager_error=largest(item.eager_error for item in everything),
        note=note,
    )


def largest(errors: Iterable[float | None]) -> float | None:
    """The largest error that is known; None where none is."""
    known = [error for error in errors if error is not None]
    return max(known) if known else None


def _usable(eager: CallResult, reference: CallResult) -> bool:
    """Whether the float64 run computed the same thing: outputs and gradients are close to eager's at all."""
    gradients = _scale(wide for wide in reference.gradients.values() if wide is not None and _is_inexact(wide))
    return all(
        _is_near(value, reference.outputs.get(name), _scale_of(reference.outputs.get(name)))
        for name, value in eager.outputs.items()
    ) and all(_is_near(value, reference.gradients.get(name), gradients) for name, value in eager.gradients.items())


def _scale_of(value: Any) -> float:
    return _scale([value]) if _is_inexact(value) else 0.0


def _is_near(value: Any, wide: Any, scale: float) -> bool:
    """Whether an inexact tensor is near its float64 twin; anything else is no evidence against it."""
    if not scale or not _is_inexact(value) or not isinstance(wide, torch.Tensor) or wide.shape != value.shape:
        return True
    return (_error(value, wide) or 0.0) <= UNUSABLE_REFERENCE * scale


def _compare_all(
    eager: dict[str, Any], compiled: dict[str, Any], reference: dict[str, Any] | None, suffix: str = ""
) -> list[Comparison]:
    scale = _scale(value for value in eager.values() if _is_inexact(value))
    compared = []
    for name, expected in eager.items():
        if name not in compiled:
            note = "missing in the compiled result"
            compared.append(Comparison(name=name + suffix, status=CheckStatus.MISMATCH, note=note))
            continue
        wide = reference.get(name) if reference is not None else None
        compared.append(_compare(name + suffix, expected, compiled[name], wide, scale))
    extra = [name for name in compiled if name not in eager]
    return compared + [
        Comparison(name=name + suffix, status=CheckStatus.MISMATCH, note="not there in eager") for name in extra
    ]


def _compare(name: str, expected: Any, actual: Any, wide: Any, scale: float) -> Comparison:
    difference = _kind_difference(expected, actual)
    if difference:
        return Comparison(name=name, status=CheckStatus.MISMATCH, note=difference)
    if expected is None:
        return Comparison(name=name, status=CheckStatus.MATCH, note="None (unused), as in eager")
    if not isinstance(expected, torch.Tensor):
        same = expected == actual or expected is actual
        note = "" if same else f"{expected!r} in eager, {actual!r} here"
        return Comparison(name=name, status=CheckStatus.MATCH if same else CheckStatus.MISMATCH, note=note)
    if not _is_inexact(expected):
        error = _error(actual, expected)
        status = CheckStatus.MATCH if error == 0.0 else CheckStatus.MISMATCH
        return Comparison(name=name, status=status, max_error=error)
    return _compare_inexact(name, expected, actual, wide, scale)


def compare_value(name: str, expected: Any, actual: Any, wide: Any = None, scale: float = 0.0) -> Comparison:
    """Judges one value by itself.

    A value that is zero by cancellation is noise in every version; it may be off by the noise of what went into it.
    Types of few digits are judged more closely than whole results are, because their rounding does not add up here.

    Args:
        name: of the value.
        expected: as it should be.
        actual: as compiled.
        wide: as it should be in float64, or None; one that is far from ``expected`` computed something else.
        scale: largest magnitude of what went into it.
    """
    if not _is_inexact(expected) or not isinstance(wide, torch.Tensor) or wide.shape != expected.shape:
        return _compare(name, expected, actual, None, 0.0)
    error, size = _error(expected, wide), _scale([wide])
    if error is None:
        return _compare(name, expected, actual, None, 0.0)
    if error > UNUSABLE_REFERENCE * size:
        is_noise = error <= ROUNDINGS * _epsilon(expected.dtype) * scale or size < UNUSABLE_REFERENCE * error
        return _compare(name, expected, actual, wide if is_noise else None, scale / _NOISE_SHARE if is_noise else 0.0)
    compared = _compare(name, expected, actual, wide, 0.0)
    few = _epsilon(expected.dtype) > torch.finfo(torch.float32).eps
    allowed = ERROR_FACTOR * error + FEW_ROUNDINGS * _epsilon(expected.dtype) * size
    if few and compared.max_error is not None and compared.max_error > allowed:
        return msgspec.structs.replace(compared, status=CheckStatus.MISMATCH)
    return compared


def largest_magnitude(values: Iterable[Any]) -> float:
    """Largest finite magnitude of the floating-point tensors among values."""
    return _scale(value for value in values if _is_inexact(value))


def _compare_inexact(
    name: str, expected: torch.Tensor, actual: torch.Tensor, wide: torch.Tensor | None, scale: float
) -> Comparison:
    has_reference = isinstance(wide, torch.Tensor) and wide.shape == expected.shape
    judge = wide if has_reference and wide is not None else expected
    error, eager_error = _error(actual, judge), _error(expected, judge) if has_reference else None
    if has_reference and error is None and eager_error is None:  # both overflow where float64 does not
        alone = _compare_inexact(name, expected, actual, None, scale)
        return msgspec.structs.replace(alone, note=alone.note or "NaN or Inf in eager where float64 has none")
    if error is None:
        return Comparison(
            name=name,
            status=CheckStatus.MISMATCH,
            eager_error=eager_error,
            note="NaN or Inf in other places than eager",
        )
    allowed = ERROR_FACTOR * (eager_error or 0.0) + ROUNDINGS * _epsilon(expected.dtype) * max(
        _scale([judge]), _NOISE_SHARE * scale
    )
    status = CheckStatus.MATCH if error <= allowed else CheckStatus.MISMATCH
    return Comparison(name=name, status=status, max_error=error, eager_error=eager_error)


_NOISE_SHARE: Final = 1 / 64
"""Rounding noise of the largest value may show up in one that is zero by cancellation, this much of it."""


def _kind_difference(expected: Any, actual: Any) -> str:
    """How two values differ in kind, in words; empty where they do not."""
    if (expected is None) != (actual is None):
        if expected is None:
            zeros = isinstance(actual, torch.Tensor) and not bool(actual.count_nonzero())
            return "None in eager, zeros here" if zeros else "None in eager, a value here"
        return "a value in eager, None here"
    if isinstance(expected, torch.Tensor) != isinstance(actual, torch.Tensor):
        return f"{type(expected).__name__} in eager, {type(actual).__name__} here"
    if not isinstance(expected, torch.Tensor):
        return ""
    if expected.shape != actual.shape:
        return f"shape {tuple(expected.shape)} in eager, {tuple(actual.shape)} here"
    if expected.dtype != actual.dtype:
        return f"{expected.dtype} in eager, {actual.dtype} here".replace("torch.", "")
    return ""


def _is_inexact(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.dtype.is_floating_point or value.dtype.is_complex)


def _epsilon(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """Dense and wide enough that a difference is exact."""
    dense = tensor.to_dense() if tensor.layout is not torch.strided else tensor
    return dense.detach().to(_wide(dense.dtype) if _is_inexact(dense) else torch.float64)


def _scale(tensors: Iterable[torch.Tensor]) -> float:
    """Largest finite magnitude."""
    largest = 0.0
    for tensor in tensors:
        magnitude = _plain(tensor).abs() if not tensor.is_nested else torch.empty(0)
        finite = magnitude[magnitude.isfinite()]
        if finite.numel():
            largest = max(largest, float(finite.max()))
    return largest


def _error(actual: torch.Tensor, judge: torch.Tensor) -> float | None:
    """Largest absolute difference; None where NaN or Inf stand in other places."""
    if actual.is_nested or judge.is_nested:
        pairs = zip(actual.unbind(), judge.unbind(), strict=True)
        return largest(_error(one, other) for one, other in pairs)
    first, second = _plain(actual), _plain(judge)
    finite = first.isfinite()
    if not torch.equal(finite, second.isfinite()):
        return None
    if not torch.equal(first[~finite].nan_to_num(), second[~finite].nan_to_num()):
        return None
    difference = (first[finite] - second[finite]).abs()
    return float(difference.max()) if difference.numel() else 0.0
