"""Where the debugger stands, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aotgui.gui.panels.breakpoint_words import place_words
from aotgui.gui.panels.cause_page import range_text
from aotgui.gui.session.debug_state import Stop
from aotgui.gui.session.session import Session, SteppingState
from aotgui.model.breakpoint import BreakpointHit
from aotgui.model.graph import Graph
from aotgui.model.stepping import NestedFrame
from aotgui.model.text import bytes_text, count_text
from aotgui.protocol.messages import StopReason

_REASONS: Final = {
    StopReason.ENTRY: "at the start",
    StopReason.STEP: "after a step",
    StopReason.BREAKPOINT: "breakpoint",
    StopReason.REACHED: "the node to run to",
    StopReason.PAUSED: "paused",
    StopReason.NONFINITE: "NaN or Inf was computed",
    StopReason.MISMATCH: "a value differs from what was traced",
    StopReason.EDITED: "a value was replaced or restored",
    StopReason.ERROR: "an operator failed",
}


def panel_text(session: Session) -> str:
    """What the debugger's panel says: where it stands, or what one can do."""
    if session.region is None:
        return "Open and run a script, then step through its graphs node by node."
    if obstacle := session.engine_obstacle:
        return obstacle
    stepping = session.stepping
    if not stepping.active:
        return "Step through a graph node by node and look at every value."
    return status_text(stepping, session.graph(stepping.graph), session.debug.stop)


def status_text(stepping: SteppingState, graph: Graph | None, stop: Stop | None = None) -> str:
    """Where the debugger stands, in one sentence.

    Args:
        stepping: its state.
        graph: the graph being executed, or None where there is none.
        stop: more about where it stands.
    """
    if not stepping.active or graph is None:
        return "Not stepping."
    total = len(graph)
    if stepping.running:
        return f"Running in {graph.kind} ({stepping.node:,} of {total:,} nodes done)."
    if stepping.node >= total and stepping.reason in (StopReason.FINISHED, None):
        return f"Finished {graph.kind}: {count_text(total, 'node')} executed."
    reason = _REASONS.get(stepping.reason, "") if stepping.reason else ""
    if stepping.reason is StopReason.EDITED and stop and stop.note:
        reason = ""  # nothing was replaced: the note says why
    return f"{_place(stepping, graph, stop)}{': ' + reason if reason else ''}."


def _place(stepping: SteppingState, graph: Graph, stop: Stop | None) -> str:
    total = len(graph)
    if stop and stop.frames:
        return f"Stopped {_inner_place(graph, stop.frames)}, inside {graph.names[stepping.node]}"
    after = next((hit.node for hit in stop.hits if hit.after and hit.graph is graph.kind), -1) if stop else -1
    if after >= 0:
        return f"Stopped after {graph.names[after]} in {graph.kind} ({after + 1:,} of {total:,})"
    if stepping.node >= total:
        return f"Stopped at the end of {graph.kind}"
    return f"Stopped before {graph.names[stepping.node]} in {graph.kind} ({stepping.node + 1:,} of {total:,})"


def _inner_place(graph: Graph, frames: Sequence[NestedFrame]) -> str:
    """``before sin in true_graph_0``; without the node where the graph is not known."""
    inner, last = _inner_graph(graph, frames), frames[-1]
    inside = " in ".join(frame.subgraph for frame in reversed(frames))
    if inner is None:
        return f"in {inside}"
    return f"before {inner.names[last.node]} in {inside}" if last.node < len(inner) else f"at the end of {inside}"


def _inner_graph(graph: Graph | None, frames: Sequence[NestedFrame]) -> Graph | None:
    """The innermost of nested graphs, or None where it is not known."""
    for frame in frames:
        graph = graph.subgraphs.get(frame.subgraph) if graph else None
    return graph


def stop_lines(session: Session) -> list[str]:
    """What more there is to say of the stop: which breakpoints, what could not be done, what is known beyond it."""
    stop, stepping = session.debug.stop, session.stepping
    if not stepping.active or stepping.running:
        return []
    lines = [_hit_text(session, hit) for hit in stop.hits] + _inside_lines(session)
    known = stop.frontier.get(stepping.graph, 0) if stepping.graph else 0
    if known > stepping.node >= 0:
        later = known - stepping.node
        stay = "stays" if later == 1 else "stay"
        lines.append(f"You are back in time: {count_text(later, 'later node')} {stay} known.")
    if session.debug.edits:
        lines.append(f"{count_text(len(session.debug.edits), 'value')} replaced; marked with \u0394 what that changes.")
    return [*lines, stop.note] if stop.note else lines


def _inside_lines(session: Session) -> list[str]:
    """The last value of a nested graph: those tables are of the graph around it."""
    frames = session.debug.stop.frames
    graph = _inner_graph(session.graph(session.stepping.graph), frames)
    executed = frames[-1].executed[-1:] if frames else []
    return [f"{graph.names[stats.node]} gave {range_text(stats)}." for stats in executed if graph]


def memory_text(session: Session) -> str:
    """How much is kept for going back."""
    stop = session.debug.stop
    if not session.stepping.active or not (stop.kept_bytes or stop.dropped):
        return ""
    kept = f"{bytes_text(stop.kept_bytes)} kept for going back"
    return f"{kept}, {count_text(stop.dropped, 'value')} would be computed again" if stop.dropped else kept


def _hit_text(session: Session, hit: BreakpointHit) -> str:
    point, text = session.breakpoints.named(hit.id), hit.text
    words = place_words(point) if point else ""
    if hit.failed and point and point.condition:
        text = f"the condition failed, {text}"
    elif point and point.condition and not text:
        text = point.condition
    return f"{words}: {text}" if words and text else words or text or "A breakpoint that was removed meanwhile."
