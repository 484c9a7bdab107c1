from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from aotgui.gui.session.mailbox import Mailbox


def test_letters_of_several_threads_arrive_once_and_in_each_thread_s_order(qtbot: QtBot) -> None:
    mailbox = Mailbox()
    received: list[tuple[int, int]] = []
    where = set()
    mailbox.received.connect(received.append)
    mailbox.received.connect(lambda _letter: where.add(threading.current_thread()))

    def write(writer: int) -> None:
        for number in range(5_000):
            mailbox.put((writer, number))

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    qtbot.waitUntil(lambda: len(received) == 20_000)
    for thread in threads:
        thread.join()
    for writer in range(4):
        assert [number for owner, number in received if owner == writer] == list(range(5_000))
    assert where == {threading.main_thread()}
    mailbox.close()


def test_nothing_arrives_after_closing(qtbot: QtBot) -> None:
    mailbox, other = Mailbox(), Mailbox()
    received: list[object] = []
    mailbox.received.connect(received.append)
    mailbox.put("before")
    mailbox.close()
    mailbox.put("after")
    with qtbot.waitSignal(other.received):
        other.put("something else")
    assert received == []
    other.close()
