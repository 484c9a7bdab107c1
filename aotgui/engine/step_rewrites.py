"""What if: replaces values of an execution, and takes that back."""

from __future__ import annotations

from aotgui.engine.expressions import ExpressionError
from aotgui.engine.step_edits import ReplacementError, replaced
from aotgui.engine.step_execution import Execution
from aotgui.engine.step_stop import Stop
from aotgui.model.stepping import Edit
from aotgui.protocol.messages import ReplaceValue, RestoreValue, StopReason


def rewrite(execution: Execution, request: ReplaceValue | RestoreValue) -> Stop:
    """Replaces a value or takes that back, and stands right after its node.

    What cannot be done is said in the stop's note, and nothing changes.
    """
    return _replace(execution, request) if isinstance(request, ReplaceValue) else _restore(execution, request)


def _replace(execution: Execution, request: ReplaceValue) -> Stop:
    timeline = execution.timeline
    try:
        value = timeline.seen(request.graph, request.node, request.node + 1)
        replaced(value, request.replacement, request.item, timeline.lookup)
    except LookupError:
        return Stop(StopReason.EDITED, note="This node has not been executed yet, so there is no value to replace.")
    except (ExpressionError, ReplacementError) as error:
        return Stop(StopReason.EDITED, note=str(error))
    if not execution.edits:
        execution.comparisons.begin_edits(timeline)
    name = timeline.cursors[request.graph].plans[request.node].node.name
    execution.edits.put(Edit(graph=request.graph, node=name, item=request.item, replacement=request.replacement))
    return execution.again_from(request.graph, request.node)


def _restore(execution: Execution, request: RestoreValue) -> Stop:
    timeline, halves = execution.timeline, execution.halves
    name = halves[request.graph].graph.names[request.node] if request.graph is not None else ""
    gone = execution.edits.take_back(request.graph, name)
    if not gone:
        return Stop(StopReason.EDITED, note="No value is replaced here.")
    if not execution.edits:
        execution.comparisons.end_edits()
    places = [(edit.graph, halves[edit.graph].graph.index_of[edit.node]) for edit in gone if edit.graph in halves]
    done = [at for at in places if at[0] in timeline.cursors and timeline.cursors[at[0]].has(at[1])]
    timeline.install_edits()
    if not done:
        return Stop(StopReason.EDITED)
    order = list(timeline.cursors)
    return execution.again_from(*min(done, key=lambda at: (order.index(at[0]), at[1])))
