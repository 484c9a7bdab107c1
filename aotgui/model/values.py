"""What the window knows of a computed value: statistics and a visible slice, never the tensor itself."""

from __future__ import annotations

import msgspec

from aotgui.model.graph import TensorInfo


class ValueStats(msgspec.Struct, frozen=True, kw_only=True):
    """Statistics of one executed node's value, computed once in the engine.

    Attributes:
        node: index of the node in its graph.
        tensor: shape, dtype, strides and device as computed (not as traced).
        ms: milliseconds that the node took.
        minimum: of the finite elements; None where there are none or the type has no order.
        maximum: likewise.
        mean: of the finite elements.
        std: of the finite elements, population.
        zeros: number of zeros.
        nans: number of NaN.
        infs: number of Inf, either sign.
        text: the value of something that is no tensor, short.
    """

    node: int
    tensor: TensorInfo
    ms: float = 0.0
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    zeros: int = 0
    nans: int = 0
    infs: int = 0
    text: str = ""

    @property
    def is_finite(self) -> bool:
        """Whether there is neither NaN nor Inf."""
        return not self.nans and not self.infs


class ValueSlice(msgspec.Struct, frozen=True, kw_only=True):
    """A two-dimensional window into a value.

    Attributes:
        node: index of the node.
        item: which item of a tuple.
        shape: of the whole value.
        index: one index for each dimension but the last two.
        row: first row shown.
        column: first column shown.
        rows: numbers, row by row; texts for types that are no real numbers.
        text: said instead of numbers where there is nothing to show.
    """

    node: int
    item: int = 0
    shape: tuple[int, ...] = ()
    index: tuple[int, ...] = ()
    row: int = 0
    column: int = 0
    rows: list[list[float | int | bool | str]] = []
    text: str = ""
