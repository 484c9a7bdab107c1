"""The engine's end of the pipe."""

from __future__ import annotations

import io
import os

from aotgui.engine.channel import Channel
from aotgui.engine.errors import Stopped
from aotgui.engine.worker import Worker
from aotgui.model.capture import Stage
from aotgui.protocol.codec import decode_event, encode, read_frame
from aotgui.protocol.messages import Quit, StageStarted, Stop


def test_requests_come_one_by_one_and_end_with_the_stream():
    channel = Channel(io.BytesIO(encode(Stop()) + encode(Quit())), io.BytesIO())
    assert channel.receive() == Stop()
    assert channel.receive() == Quit()
    assert channel.receive() is None
    channel.close()


def test_events_are_whole_frames_in_order():
    written = io.BytesIO()
    channel = Channel(io.BytesIO(), written)
    events = [StageStarted(run=number, stage=Stage.TRACE) for number in range(50)]
    for event in events:
        channel.send(event)
    channel.close()
    stream = io.BytesIO(written.getvalue())
    assert [decode_event(read_frame(stream)) for _ in events] == events


def test_a_reader_that_is_gone_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    writer = os.fdopen(writing, "wb", buffering=0)
    channel = Channel(io.BytesIO(), writer)
    channel.send(StageStarted(run=1, stage=Stage.TRACE))
    channel.close()
    writer.close()


def test_a_worker_is_stopped_within_a_loop_and_goes_on_working():
    import threading

    running, stopped, worked = threading.Event(), threading.Event(), threading.Event()

    def endless() -> None:
        running.set()
        try:
            while True:
                pass
        except Stopped:
            stopped.set()
            raise

    worker = Worker(lambda error: None)
    worker.submit(endless)
    assert running.wait(10)
    worker.stop()
    assert stopped.wait(10)
    worker.submit(worked.set)
    assert worked.wait(10)
