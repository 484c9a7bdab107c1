"""Statistics and windows of every kind of value, against plain formulas."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from aotgui.engine import values
from aotgui.engine.value_slices import slice_of
from aotgui.engine.values import stats_of, value_text
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import ReadValue

REAL_TYPES = [
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.int64,
    torch.int8,
    torch.uint8,
    torch.uint16,
    torch.uint64,
    torch.bool,
]


def ask(**fields) -> ReadValue:
    return ReadValue(request=1, session=1, graph=GraphKind.FORWARD, node=7, **fields)


def assert_equals_formulas(tensor: torch.Tensor) -> None:
    stats = stats_of(3, tensor, 1.5)
    numbers = tensor.to(torch.float64).flatten()
    finite = numbers[numbers.isfinite()]
    assert (stats.node, stats.ms) == (3, 1.5)
    assert stats.zeros == int((numbers == 0).sum())
    assert stats.nans == int(numbers.isnan().sum())
    assert stats.infs == int(numbers.isinf().sum())
    assert stats.minimum == finite.min().item()
    assert stats.maximum == finite.max().item()
    assert stats.mean == pytest.approx(finite.mean().item(), rel=1e-12, abs=1e-12)
    assert stats.std == pytest.approx(finite.std(correction=0).item(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("dtype", REAL_TYPES, ids=str)
def test_real_types(dtype):
    numbers = torch.tensor([0, 1, 1, 0, 3, 2, 1], dtype=torch.float32)
    stats = stats_of(0, numbers.to(dtype))
    assert stats.tensor.dtype == str(dtype).removeprefix("torch.")
    assert_equals_formulas(numbers.to(dtype))


def test_nonfinite_elements_are_counted_and_left_out():
    tensor = torch.tensor([math.nan, 1.0, math.inf, -math.inf, 0.0, math.nan, 5.0])
    stats = stats_of(0, tensor)
    assert (stats.nans, stats.infs, stats.zeros) == (2, 2, 1)
    assert (stats.minimum, stats.maximum, stats.mean) == (0.0, 5.0, 2.0)
    assert not stats.is_finite
    assert_equals_formulas(tensor)


def test_nothing_finite():
    stats = stats_of(0, torch.full((3,), math.nan))
    assert (stats.minimum, stats.maximum, stats.mean, stats.std) == (None, None, None, None)
    assert stats.nans == 3


def test_large_offset_keeps_its_deviation():
    """float32 sums would give a deviation of zero or worse."""
    assert_equals_formulas(1e6 + torch.arange(100_000, dtype=torch.float32) % 7)


def test_scalar_and_empty():
    assert stats_of(0, torch.tensor(2.5)).mean == 2.5
    empty = stats_of(0, torch.empty(0, 3))
    assert (empty.minimum, empty.mean, empty.zeros) == (None, None, 0)
    assert empty.tensor.shape == (0, 3)


@pytest.mark.parametrize(
    "layout",
    [
        lambda t: t,
        lambda t: t.transpose(0, 2),
        lambda t: t[:, ::2],
        lambda t: t[:, :, 1:],
        lambda t: t.permute(1, 2, 0)[..., None].expand(-1, -1, -1, 5),
    ],
    ids=["contiguous", "transposed", "strided", "offset", "expanded"],
)
def test_pieces_cover_the_tensor_once(layout, monkeypatch):
    monkeypatch.setattr(values, "PIECE_ELEMENTS", 100)
    tensor = torch.randn(8, 10, 12)
    tensor[1, 2, 3], tensor[4, 5, 6], tensor[7, 8, 9] = math.nan, math.inf, 0.0
    assert_equals_formulas(layout(tensor))


def test_pieces_are_views(monkeypatch):
    """A huge value is never copied as a whole."""
    monkeypatch.setattr(values, "PIECE_ELEMENTS", 100)
    for tensor in (torch.randn(8, 10, 12), torch.randn(8, 10, 12).transpose(0, 2), torch.randn(8, 10, 12)[:, ::2]):
        pieces = list(values._pieces(tensor))
        assert sum(piece.numel() for piece in pieces) == tensor.numel()
        assert all(piece.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() for piece in pieces)
        assert max(piece.numel() for piece in pieces) <= 100


def test_expanded_value_is_read_once():
    stats = stats_of(0, torch.zeros(1).expand(10**12))
    assert (stats.zeros, stats.mean) == (10**12, 0.0)


def test_complex_has_no_order():
    stats = stats_of(0, torch.tensor([0j, 1 + 2j, complex(math.nan, 1), complex(1, math.inf)]))
    assert (stats.minimum, stats.mean) == (None, None)
    assert (stats.zeros, stats.nans, stats.infs) == (1, 1, 1)


def test_sparse_says_what_it_counted():
    stats = stats_of(0, torch.tensor([[0.0, 2.0], [0.0, 4.0]]).to_sparse())
    assert (stats.mean, stats.text) == (3.0, "statistics of the 2 stored values only")


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta", "ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: torch.ones(3, device="meta"), "a meta tensor holds no numbers"),
        (lambda: torch.eye(3).to_sparse_csr(), "numbers of the layout sparse_csr are not shown"),
        (lambda: torch.nested.nested_tensor([torch.ones(2)]), "a nested tensor, into which is not looked"),
    ],
    ids=["meta", "csr", "nested"],
)
def test_what_cannot_be_read_is_said(make, text):
    stats = stats_of(0, make())
    assert stats.minimum is None
    assert stats.text == text
    assert slice_of(make(), ask()).text == text


def test_no_kernel_for_the_type_is_said():
    stats = stats_of(0, torch.zeros(4, dtype=torch.float4_e2m1fn_x2))
    assert stats.text.startswith("no statistics: ")
    assert slice_of(torch.zeros(4, dtype=torch.float4_e2m1fn_x2), ask()).text.startswith("cannot be shown: ")


def test_what_is_no_tensor():
    assert stats_of(0, 7).text == "7"
    assert stats_of(0, None).tensor.dtype == "NoneType"
    assert stats_of(0, math.inf).infs == 1
    assert len(stats_of(0, "x" * 1000).text) == 200


def test_tuple_counts_nonfinite_items():
    stats = stats_of(0, (torch.ones(2), torch.tensor([math.nan]), None))
    assert (stats.nans, stats.text) == (1, "(float32[2], float32[1], None)")


def test_parameter_is_read():
    assert stats_of(0, nn.Parameter(torch.ones(2))).mean == 1.0


def test_window_of_a_matrix():
    matrix = torch.arange(100 * 50).reshape(100, 50)
    window = slice_of(matrix, ask(row=90, column=40))
    assert (window.node, window.shape, window.row, window.column) == (7, (100, 50), 90, 40)
    assert window.rows == matrix[90:, 40:].tolist()
    assert [len(window.rows), len(slice_of(matrix, ask()).rows), len(slice_of(matrix, ask()).rows[0])] == [10, 64, 32]


def test_window_position_is_kept_inside():
    window = slice_of(torch.zeros(4, 3, 2), ask(index=(9,), row=99, column=-5))
    assert (window.index, window.row, window.column) == ((3,), 2, 0)


def test_window_of_leading_dimensions():
    tensor = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    assert slice_of(tensor, ask(index=(1, 2))).rows == tensor[1, 2].tolist()
    assert slice_of(tensor, ask()).rows == tensor[0, 0].tolist()


def test_window_of_vector_scalar_and_item():
    assert slice_of(torch.tensor([1, 2, 3]), ask()).rows == [[1, 2, 3]]
    assert slice_of(torch.tensor(4), ask()).rows == [[4]]
    assert slice_of((torch.tensor(4), torch.tensor(True)), ask(item=1)).rows == [[True]]
    assert slice_of((torch.tensor(4),), ask(item=3)).text == "there is no item 3 among 1"


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        (torch.tensor([1.5]).to(torch.float8_e4m3fn), [[1.5]]),
        (torch.tensor([2**63], dtype=torch.uint64), [[2**63]]),
        (torch.tensor([1 - 2j]).conj(), [["1+2j"]]),
    ],
    ids=["float8", "uint64", "complex"],
)
def test_window_of_odd_types(value, rows):
    assert slice_of(value, ask()).rows == rows


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.tensor(0.1), "0.1"),
        (torch.tensor([0.1, 2.0]), "float32[2] [0.1, 2.0]"),
        (torch.tensor(0.1, dtype=torch.float64), "0.1"),
        (torch.tensor(True), "True"),
        (torch.tensor([1.5]).to(torch.float8_e4m3fn), "float8_e4m3fn[1] [1.5]"),
        (torch.tensor([math.nan, 1.0] * 8), "float32[16], 1 to 1, 8 NaN, 0 Inf"),
        (torch.ones(3, device="meta"), "float32[3]: a meta tensor holds no numbers"),
        ((torch.ones(2), None), "(float32[2], None)"),
        (7, "7"),
    ],
)
def test_values_in_a_few_words(value, text):
    assert value_text(value) == text


def test_window_of_what_has_no_elements():
    window = slice_of(torch.empty(0, 3), ask())
    assert (window.text, window.shape) == ("no elements", (0, 3))
    assert slice_of(None, ask()).text == "None"
