"""Heat maps and histograms of every kind of value, against plain formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from aotgui.engine import value_pictures, values
from aotgui.engine.value_files import save_value
from aotgui.engine.value_pictures import histogram_of, plane_of
from aotgui.model.graph import GraphKind
from aotgui.model.values import Histogram, ValuePlane
from aotgui.protocol.messages import ReadHistogram, ReadPlane, ValueFormat


def plane(value, **fields) -> ValuePlane:
    return plane_of(value, ReadPlane(request=1, session=1, graph=GraphKind.FORWARD, node=7, **fields))


def histogram(value, **fields) -> Histogram:
    return histogram_of(value, ReadHistogram(request=1, session=1, graph=GraphKind.FORWARD, node=7, **fields))


def numbers(picture: ValuePlane) -> np.ndarray:
    return np.frombuffer(picture.data, "<f4").reshape(picture.rows, picture.columns)


def test_two_dimensions_of_many():
    tensor = torch.randn(2, 3, 4, 5)
    assert np.array_equal(numbers(plane(tensor, index=(1, 2))), tensor[1, 2].numpy())
    turned = plane(tensor, row_dim=3, column_dim=0, index=(0, 1, 2, 0))
    assert np.array_equal(numbers(turned), tensor[:, 1, 2, :].T.numpy())
    assert (turned.row_dim, turned.column_dim, turned.shape) == (3, 0, (2, 3, 4, 5))
    assert plane(tensor, row_dim=3, column_dim=3).row_dim != 3


@pytest.mark.parametrize(("value", "shape"), [(torch.tensor(3.0), (1, 1)), (torch.arange(5), (1, 5))])
def test_fewer_dimensions_are_one_row(value, shape):
    picture = plane(value)
    assert (picture.rows, picture.columns, picture.row_dim) == (*shape, -1)
    assert numbers(picture).ravel().tolist() == value.reshape(-1).tolist()


@pytest.mark.parametrize("strip", [1 << 21, 64])
def test_large_planes_keep_what_stands_out(monkeypatch, strip):
    monkeypatch.setattr(value_pictures, "STRIP_ELEMENTS", strip)
    tensor = torch.zeros(100, 90)
    tensor[37, 55], tensor[99, 89], tensor[0, 0], tensor[50, 1] = -8.0, 3.0, math.nan, math.inf
    picture = plane(tensor, max_rows=10, max_columns=8)
    shown = numbers(picture)
    assert (picture.block_rows, picture.block_columns, shown.shape) == (10, 12, (10, 8))
    assert (shown[3, 4], shown[9, 7], shown[5, 0]) == (-8.0, 3.0, math.inf)
    assert math.isnan(shown[0, 0])
    assert (picture.minimum, picture.maximum) == (-8.0, 3.0)
    assert np.count_nonzero(np.nan_to_num(shown, nan=1.0)) == 4


@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.float8_e5m2, torch.float64, torch.int64, torch.bool, torch.uint8], ids=str
)
def test_every_real_type(dtype):
    tensor = torch.tensor([[0, 1], [1, 0]], dtype=torch.float32).to(dtype)
    assert numbers(plane(tensor)).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert histogram(tensor, bins=2).counts == [2, 2]


def test_what_has_no_picture_says_so():
    assert plane(torch.empty(0, 3)).text == histogram(torch.empty(0, 3)).text == "no elements"
    assert plane(None).text == histogram(None).text == "None"
    assert "there is no item 3" in plane((torch.ones(1),), item=3).text
    assert "meta" in plane(torch.ones(3, device="meta")).text
    assert plane(torch.tensor([3 + 4j])).maximum == 5.0
    assert histogram(torch.tensor([3 + 4j])).text == "complex numbers have no order"
    assert histogram(torch.tensor([math.nan])).text == "no finite numbers"
    assert histogram(torch.zeros(3), log=True).text == "no finite numbers other than zero"


def test_histogram_counts_each_finite_element_once(monkeypatch):
    monkeypatch.setattr(values, "PIECE_ELEMENTS", 100)
    tensor = torch.randn(8, 10, 12)
    tensor[0, 0, :3] = torch.tensor([math.nan, math.inf, 0.0])
    found = histogram(tensor.transpose(0, 2), bins=16)
    finite = tensor[torch.isfinite(tensor)].double().numpy()
    counts, edges = np.histogram(finite, bins=16)
    assert np.allclose(found.edges, edges)
    assert sum(found.counts) == finite.size
    assert np.abs(np.array(found.counts) - counts).sum() <= 2  # one at an edge may fall on the other side
    assert (found.nans, found.infs, found.zeros, found.negatives) == (1, 1, 1, int((finite < 0).sum()))


def test_histogram_of_logarithms():
    found = histogram(torch.tensor([0.0, -1.0, 10.0, 100.0, 1000.0]), bins=3, log=True)
    assert found.edges == pytest.approx([0, 1, 2, 3])
    assert (found.counts, found.zeros, found.negatives) == ([1, 1, 2], 1, 1)


def test_histogram_of_equal_and_of_repeated_elements():
    assert sum(histogram(torch.full((5,), 3.0), bins=4).counts) == 5
    assert sum(histogram(torch.zeros(5), bins=4).counts) == 5
    assert sum(histogram(torch.zeros(1).expand(10**9), bins=4).counts) == 10**9


def test_files_of_types_that_numpy_lacks(tmp_path):
    value = torch.tensor([1.5, -2.0]).bfloat16()
    detail = save_value(value, str(tmp_path / "v.npy"), ValueFormat.NPY, 0)
    assert "as float32" in detail
    assert np.load(tmp_path / "v.npy").tolist() == [1.5, -2.0]
    save_value((value, None), str(tmp_path / "v.pt"), ValueFormat.PT, -1)
    loaded = torch.load(tmp_path / "v.pt")
    assert torch.equal(loaded[0], value)
    assert loaded[1] is None


def test_a_view_is_written_without_the_rest(tmp_path):
    save_value(torch.zeros(100_000)[:10], str(tmp_path / "v.pt"), ValueFormat.PT, 0)
    assert (tmp_path / "v.pt").stat().st_size < 10_000
