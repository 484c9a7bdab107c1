"""Makes the tensors that an input specification describes."""

from __future__ import annotations

from typing import Any

import torch

from aotgui.engine.errors import fault, one_line
from aotgui.model.capture import Stage
from aotgui.model.inputs import Fill, InputSpec, InputSpecError, ListSpec, Literal, TensorSpec, Value, parse_inputs


def inputs_of(text: str, seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments from the text of a specification.

    Args:
        text: the specification.
        seed: for random values; torch's own generator is left alone.

    Raises:
        UserError: the text cannot be read, or torch refuses to make the tensors.
    """
    try:
        spec = parse_inputs(text)
    except InputSpecError as error:
        raise fault(Stage.LOAD, str(error), details=error.details) from None
    return make_inputs(spec, seed)


def make_inputs(spec: InputSpec, seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments on the CPU.

    Raises:
        UserError: torch refuses to make a tensor, for example because memory is short.
    """
    maker = _Maker(torch.Generator().manual_seed(seed))
    try:
        values = [(argument.name, maker.value(argument.value)) for argument in spec.arguments]
    except (RuntimeError, TypeError, OverflowError) as error:
        raise fault(Stage.LOAD, f"The inputs {str(spec)!r} cannot be made: {one_line(error)}", error=error) from None
    args = tuple(value for name, value in values if not name)
    return args, {name: value for name, value in values if name}


class _Maker:
    """Makes values in their order from one generator."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator

    def value(self, spec: Value) -> Any:
        match spec:
            case Literal(value=value):
                return value
            case ListSpec(items=items, is_tuple=is_tuple):
                made = [self.value(item) for item in items]
                return tuple(made) if is_tuple else made
            case TensorSpec():
                tensor = self._tensor(spec, getattr(torch, spec.dtype) if spec.dtype else None)
                return tensor.requires_grad_() if spec.requires_grad else tensor

    def _tensor(self, spec: TensorSpec, dtype: torch.dtype | None) -> torch.Tensor:
        match spec.fill:
            case Fill.RANDN:
                return torch.randn(spec.shape, generator=self._generator, dtype=dtype, device="cpu")
            case Fill.RAND:
                return torch.rand(spec.shape, generator=self._generator, dtype=dtype, device="cpu")
            case Fill.RANDINT:
                drawn = torch.randint(spec.low, spec.high, spec.shape, generator=self._generator, device="cpu")
                return drawn.to(dtype or torch.int64)
            case Fill.ZEROS:
                return torch.zeros(spec.shape, dtype=dtype, device="cpu")
            case Fill.ONES:
                return torch.ones(spec.shape, dtype=dtype, device="cpu")
            case Fill.FULL:
                return torch.full(spec.shape, spec.value, dtype=dtype, device="cpu")
