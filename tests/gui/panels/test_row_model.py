import random

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from aotgui.gui.panels.row_model import Column, RowModel

COLUMNS = (
    Column("Name", lambda row: row[0]),
    Column("Size", lambda row: "" if row[1] is None else f"{row[1]:,}", key=lambda row: row[1], numeric=True),
)
ROWS = [("mm", 2000), ("relu", None), ("add", 10), ("Mul", 300)]
DOWN = Qt.SortOrder.DescendingOrder


@pytest.fixture
def model(qapp, qtmodeltester):
    model = RowModel(COLUMNS)
    model.set_rows(ROWS)
    yield model
    qtmodeltester.check(model)


def names(model):
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_numbers_sort_as_numbers_and_missing_ones_come_last(model):
    model.sort(1)
    assert names(model) == ["add", "Mul", "mm", "relu"]
    model.sort(1, DOWN)
    assert names(model) == ["mm", "Mul", "add", "relu"]


def test_texts_sort_without_regard_to_case(model):
    model.sort(0, DOWN)
    assert names(model) == ["relu", "Mul", "mm", "add"]


def test_no_sort_restores_the_order_of_arrival(model):
    model.sort(1)
    model.sort(-1)
    assert names(model) == ["mm", "relu", "add", "Mul"]


def test_filter_wants_every_word_in_any_cell(model):
    model.set_filter("m 00")
    assert names(model) == ["mm", "Mul"]
    model.set_filter("")
    assert len(names(model)) == 4


def test_rows_that_arrive_are_sorted_and_filtered(model):
    model.sort(1, DOWN)
    model.set_filter("m")
    model.append_rows([("matmul", 500), ("view", 900)])
    assert names(model) == ["mm", "matmul", "Mul"]
    model.set_filter("")
    assert "view" in names(model)


def test_a_persistent_index_follows_its_row(model):
    kept = QPersistentModelIndex(model.index(0, 0))
    model.sort(0)
    assert (kept.data(), kept.row()) == ("mm", 1)
    model.append_rows([("a", 1)])
    assert (kept.data(), kept.row()) == ("mm", 2)


def test_7000_rows_sort_and_grow(qapp):
    numbers = list(range(7000))
    random.Random(0).shuffle(numbers)
    model = RowModel(COLUMNS)
    model.sort(1)
    for first in range(0, 7000, 100):
        model.append_rows([(f"mm_{number}", number) for number in numbers[first : first + 100]])
    assert [row[1] for row in model.shown] == list(range(7000))


def test_numbers_stand_on_the_right(model):
    right = Qt.AlignmentFlag.AlignRight.value
    role = Qt.ItemDataRole.TextAlignmentRole
    assert not model.index(0, 0).data(role) & right
    assert model.index(0, 1).data(role) & right
    assert model.headerData(1, Qt.Orientation.Horizontal, role) & right


def test_a_filter_looks_through_the_given_text_alone(qapp):
    model = RowModel(COLUMNS, search_text=lambda row: row[0])
    model.set_rows(ROWS)
    model.set_filter("m")
    assert names(model) == ["mm", "Mul"]
    model.set_filter("mu")
    assert names(model) == ["Mul"]
    model.set_filter("10")
    assert names(model) == []
    model.set_filter("m u")
    assert names(model) == ["Mul"]
