import math

import pytest

from aotgui.model.text import (
    bytes_text,
    count_text,
    exact_bytes_text,
    number_text,
    percent_text,
    place_text,
    seconds_text,
    shape_text,
)


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (100 * 1024, "100 KiB"),
        (1024**2 - 1, "1024 KiB"),
        (1024**2, "1.0 MiB"),
        (3 * 1024**3, "3.0 GiB"),
        (5000 * 1024**4, "5000 TiB"),
    ],
)
def test_bytes_are_said_in_binary_units(size_bytes, text):
    assert bytes_text(size_bytes) == text


def test_exact_bytes_are_added_where_they_say_more():
    assert exact_bytes_text(1) == "1 byte"
    assert exact_bytes_text(32768) == "32.0 KiB (32,768 bytes)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (0.0, "0"),
        (-1.5, "-1.5"),
        (1.23456e-7, "1.235e-07"),
        (math.nan, "NaN"),
        (math.inf, "Inf"),
        (-math.inf, "-Inf"),
    ],
)
def test_numbers_are_short(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00004, "0.04 ms"), (0.0034, "3.4 ms"), (0.84, "840 ms"), (1.234, "1.23 s"), (125, "2 min 5 s")],
)
def test_times_are_short(seconds, text):
    assert seconds_text(seconds) == text


def test_counts_agree_with_their_noun():
    assert [count_text(n, "node") for n in (0, 1, 7228)] == ["0 nodes", "1 node", "7,228 nodes"]
    assert count_text(2, "class", "classes") == "2 classes"


def test_shares_places_and_shapes():
    assert [percent_text(*pair) for pair in ((1, 2), (1, 200), (1, 9000), (0, 9), (0, 0))] == [
        "50 %",
        "0.5 %",
        "< 0.1 %",
        "0.0 %",
        "—",
    ]
    assert [place_text("/home/ada/model.py", 3), place_text("/home/ada/model.py")] == ["model.py:3", "model.py"]
    assert [shape_text((4, "s0")), shape_text(())] == ["[4, s0]", "scalar"]
