"""Run as a script in a fresh Python process: loads an exported file as a colleague would, and runs it.

    python -P fresh_process.py FILE CALL

``FILE`` is TorchScript, ``CALL`` a dictionary saved by torch: ``args``, ``outputs`` (flat) and ``random_state``.
The last line of stdout is a JSON object with ``largest_error`` and ``fault``, a sentence that is empty if all is well.
It imports torch and nothing else, so that what passes here needs nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import torch


def main(file: str, call_file: str) -> dict[str, Any]:
    """Loads, runs and compares.

    Raises:
        Exception: what loading or running raises.
    """
    call = torch.load(call_file, weights_only=True)
    script = torch.jit.load(file)  # type: ignore[no-untyped-call] # untyped in torch
    torch.set_rng_state(call["random_state"])
    with torch.no_grad():
        outputs = script(*call["args"])
    actual = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
    largest_error, fault = compare(actual, call["outputs"])
    return {"largest_error": largest_error, "fault": fault}


def compare(actual: Sequence[Any], expected: Sequence[Any]) -> tuple[float, str]:
    """The largest absolute difference, and a sentence about the first output that is wrong, or empty."""
    if len(actual) != len(expected):
        return 0.0, f"it returns {len(actual)} values instead of {len(expected)}"
    largest = 0.0
    for position, (got, wanted) in enumerate(zip(actual, expected, strict=True)):
        if not isinstance(got, torch.Tensor) or not isinstance(wanted, torch.Tensor):
            if type(got) is not type(wanted) or got != wanted:
                return largest, f"output {position} is {got!r} instead of {wanted!r}"
            continue
        if (got.dtype, got.shape) != (wanted.dtype, wanted.shape):
            return largest, f"output {position} is {_shape(got)} instead of {_shape(wanted)}"
        error = _difference(got, wanted)
        if error > _tolerance(wanted):
            return error, f"output {position} differs by {error:.3g}"
        largest = max(largest, error)
    return largest, ""


def _difference(got: torch.Tensor, wanted: torch.Tensor) -> float:
    """Largest absolute difference of the parts; infinite where NaN or Inf stand in other places."""
    got, wanted = _real_parts(got), _real_parts(wanted)
    finite = wanted.isfinite()
    if not torch.equal(_nonfinite_kinds(got), _nonfinite_kinds(wanted)):
        return float("inf")
    return (got[finite] - wanted[finite]).abs().max().item() if bool(finite.any()) else 0.0


def _real_parts(tensor: torch.Tensor) -> torch.Tensor:
    return (torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor).to(torch.float64)


def _nonfinite_kinds(tensor: torch.Tensor) -> torch.Tensor:
    """0 for a finite element, another number for each of NaN, Inf and -Inf."""
    return torch.where(tensor.isfinite(), 0.0, tensor).nan_to_num(nan=1.0, posinf=2.0, neginf=3.0)


def _tolerance(wanted: torch.Tensor) -> float:
    """Half of the type's digits at its largest element, because sums may be taken in another order; integers: none."""
    if not wanted.is_floating_point() and not wanted.is_complex():
        return 0.0
    finite = wanted.abs()[wanted.isfinite()]
    scale = finite.max().item() if finite.numel() else 0.0
    return float(torch.finfo(wanted.dtype).eps ** 0.5 * max(scale, 1e-6))


def _shape(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2])) + "\n")
