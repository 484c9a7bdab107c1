"""What the window knows of a computed value: statistics and a visible slice, never the tensor itself."""

from __future__ import annotations

import msgspec

from aotgui.model.graph import TensorInfo


class ValueStats(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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


class ValuePlane(msgspec.Struct, frozen=True, kw_only=True):
    """Two dimensions of a value as a picture of bounded size.

    Attributes:
        node: index of the node.
        item: which item of a tuple.
        shape: of the whole value.
        row_dim: the dimension that runs downwards; -1 for a vector or a scalar, which are one row.
        column_dim: the dimension that runs to the right; -1 for a scalar.
        index: one index for each dimension; those of the two shown count nothing.
        rows: number of rows of the picture.
        columns: number of columns.
        block_rows: how many rows of the value one row of the picture stands for.
        block_columns: likewise for columns. A larger block shows its number of the largest magnitude; NaN first.
        data: ``rows * columns`` float32, little endian, row by row.
        minimum: of the finite numbers shown; None where there are none.
        maximum: likewise.
        text: said instead where there is nothing to show.
    """

    node: int
    item: int = 0
    shape: tuple[int, ...] = ()
    row_dim: int = -1
    column_dim: int = -1
    index: tuple[int, ...] = ()
    rows: int = 0
    columns: int = 0
    block_rows: int = 1
    block_columns: int = 1
    data: bytes = b""
    minimum: float | None = None
    maximum: float | None = None
    text: str = ""


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """How the finite elements of a value are distributed.

    Attributes:
        node: index of the node.
        item: which item of a tuple.
        log: whether ``edges`` are decimal logarithms of magnitudes (zeros are left out, signs ignored).
        edges: of the bins, one more than ``counts``, evenly spaced.
        counts: elements in each bin; the last one includes its upper edge.
        zeros: number of zeros.
        nans: number of NaN, in no bin.
        infs: number of Inf, in no bin.
        negatives: number of finite elements below zero.
        text: said instead where there is nothing to show.
    """

    node: int
    item: int = 0
    log: bool = False
    edges: list[float] = []
    counts: list[int] = []
    zeros: int = 0
    nans: int = 0
    infs: int = 0
    negatives: int = 0
    text: str = ""
