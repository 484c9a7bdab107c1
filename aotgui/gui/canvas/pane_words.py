"""What a pane says where it has no graph to show."""

from __future__ import annotations

from typing import Final

from aotgui.gui.session.session import RunState, Session
from aotgui.model.graph import GraphKind

MISSING: Final = {
    GraphKind.JOINT: "Nothing requires a gradient here, so there is no joint graph.",
    GraphKind.FORWARD: "Nothing requires a gradient here, so there is no forward graph.",
    GraphKind.BACKWARD: "Nothing requires a gradient here, so there is no backward graph.",
    GraphKind.INFERENCE: "This region has a backward, so there is no inference graph.",
}


def empty_message(session: Session, kind: GraphKind) -> str:
    """Why there is no graph of a kind, or what is being done about it."""
    if session.region is not None:
        return MISSING[kind]
    if session.progress.state is RunState.RUNNING and session.progress.stage is not None:
        return f"{session.progress.stage.label}\u2026"
    if session.progress.state is RunState.RUNNING:
        return "Capturing\u2026"
    return "There is no graph to show." if session.source else "Open a Python script to see its graphs."
