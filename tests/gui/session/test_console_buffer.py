from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aotgui.gui.session.console_buffer import ConsoleBuffer


def test_everything_is_kept_while_it_fits() -> None:
    buffer = ConsoleBuffer(head_bytes=8, tail_bytes=8)
    assert buffer.put(b"hello ")
    assert not buffer.put(b"world")
    assert buffer.take() == "hello world"
    assert buffer.take() == ""


def test_the_middle_of_a_flood_is_left_out_and_counted() -> None:
    buffer = ConsoleBuffer(head_bytes=4, tail_bytes=4)
    buffer.put(b"head")
    for _ in range(1000):
        buffer.put(b"x" * 1024)
    buffer.put(b"tail")
    assert buffer.take() == "head\n[… 1000.0 KB of output not shown …]\ntail"


def test_a_gigabyte_takes_no_more_memory_than_its_ends() -> None:
    buffer = ConsoleBuffer(head_bytes=10, tail_bytes=10)
    chunk = b"y" * (1024 * 1024)
    for _ in range(1024):
        buffer.put(chunk)
    text = buffer.take()
    assert text.startswith("y" * 10)
    assert "1024.0 MB of output not shown" in text
    assert len(text) < 100


def test_a_character_split_over_two_takes_is_whole() -> None:
    buffer = ConsoleBuffer()
    first, second = "é".encode()[:1], "é".encode()[1:]
    buffer.put(first)
    assert buffer.take() == ""
    buffer.put(second)
    assert buffer.take() == "é"


@given(st.lists(st.text(max_size=40), max_size=30))
def test_text_that_fits_arrives_unchanged_however_it_is_cut(parts: list[str]) -> None:
    buffer = ConsoleBuffer(head_bytes=10_000, tail_bytes=10)
    shown = ""
    for part in parts:
        data = part.encode(errors="surrogatepass")
        for byte in data:
            buffer.put(bytes([byte]))
        shown += buffer.take()
    assert shown.encode(errors="surrogatepass") == "".join(parts).encode(errors="surrogatepass")


@given(st.lists(st.binary(max_size=50), max_size=50), st.integers(1, 20), st.integers(1, 20))
def test_no_flood_is_kept_longer_than_its_two_ends(chunks: list[bytes], head: int, tail: int) -> None:
    buffer = ConsoleBuffer(head_bytes=head, tail_bytes=tail)
    for chunk in chunks:
        buffer.put(chunk)
    total = sum(map(len, chunks))
    text = buffer.take()
    assert ("not shown" in text) == (total > head + tail)
    assert len(text) <= head + tail + 60
