"""Further calls of a script, and what ``aot_function`` would have made of them.

A script may define ``more_inputs``, a list of positional inputs for further calls, and ``before_call(i)``, which runs
before the ``i``-th of them (it may call ``model.eval()``). ``aot_function`` has no guards and would run the first
trace every time. Here a call that differs from what was traced is captured again and checked against eager.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from aotgui.engine.assumptions import assumptions_of, differences
from aotgui.engine.calling import Harness
from aotgui.engine.checking import compare
from aotgui.engine.errors import one_line
from aotgui.engine.observing import changed, plain_state, plain_values_restored
from aotgui.engine.tracing import Trace
from aotgui.model.capture import CheckStatus, Finding, Severity
from aotgui.model.settings import Route

_ID = "stale-trace"


@dataclass(frozen=True)
class LaterCalls:
    """The further calls of one run.

    Attributes:
        harness: the target with its first inputs.
        trace: how it was captured.
        seed: of the run.
        trace_again: makes a fresh trace of the same route for another harness.
    """

    harness: Harness
    trace: Trace
    seed: int
    trace_again: Callable[[Harness], Trace]

    def find(self) -> Iterator[Finding]:
        """Runs the further calls and says which ones the first trace does not fit."""
        self.trace.later.clear()
        with plain_values_restored(self.harness.target, self.harness.modules):
            yield from self._find()
        self.harness.restore()

    def _find(self) -> Iterator[Finding]:
        traced = assumptions_of(self.harness)
        constants = _Constants(self.harness)
        for index, inputs in enumerate(self.harness.target.namespace.get("more_inputs") or (), start=1):
            constants.before_call(index)
            args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
            later = Harness(replace(self.harness.target, args=args))
            changed = self._unfit([*constants.differences(), *differences(traced, assumptions_of(later))])
            if changed:
                yield self._captured_again(index + 1, later, changed)
            elif (verdict := self._verdict(later, self.trace)) != _MATCHES:
                yield _finding(Severity.ERROR, f"Call {index + 1} runs the same trace, and {verdict}.")

    def _unfit(self, changed: list[str]) -> list[str]:
        """The differences that the trace does not allow for: symbolic sizes vary, and Dynamo has guards."""
        if self.trace.route is Route.COMPILE:
            return []
        if self.trace.route is Route.DYNAMIC or self.trace.settings.dynamic:
            return [difference for difference in changed if not difference.startswith("shape of ")]
        return changed

    def _captured_again(self, number: int, later: Harness, changed: list[str]) -> Finding:
        trace = self.trace_again(later)
        verdict = self._verdict(later, trace)
        for region in trace.regions:
            region.name = f"call {number}, {region.name}"
        self.trace.later.extend(trace.regions)
        shown = "; ".join(changed[:3]) + (f"; and {len(changed) - 3} more" if len(changed) > 3 else "")
        return _finding(
            Severity.WARNING if verdict == _MATCHES else Severity.ERROR,
            f"Call {number} does not fit the trace: {shown}. aot_function would have run the old trace; "
            f"captured again, and {verdict}.",
        )

    def _verdict(self, later: Harness, trace: Trace) -> str:
        try:
            eager = later.call(later.target.call, self.seed)
            check = compare(eager, later.call(trace.function, self.seed), None, "")
        except Exception as error:
            return f"it fails: {one_line(error)}"
        if check.status is CheckStatus.MATCH:
            return _MATCHES
        wrong = check.differing
        return f"{', '.join(wrong[:3])} differ from eager"


class _Constants:
    """Plain values that the script itself changes before a further call: the trace has those of the first one."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._traced: dict[str, str] = {}
        self._now: dict[str, str] = {}

    def before_call(self, index: int) -> None:
        """Lets the script prepare for a call."""
        prepare = self._harness.target.namespace.get("before_call")
        if not callable(prepare):
            return
        before = self._state()
        prepare(index)
        after = self._state()
        for name in changed(before, after):
            self._traced.setdefault(name, before.get(name, "absent"))
            self._now[name] = after[name]

    def differences(self) -> list[str]:
        """Sentences about values that are others than when it was traced."""
        return [
            f"{name} is {now}, traced with {self._traced[name]}"
            for name, now in self._now.items()
            if now != self._traced[name] and not name.endswith(".training")
        ]

    def _state(self) -> dict[str, str]:
        return plain_state(self._harness.target, self._harness.modules)


_MATCHES = "the call matches eager"


def _finding(severity: Severity, message: str) -> Finding:
    advice = "Trace again when shapes, flags or numbers change, use dynamic shapes, or use torch.compile, which guards."
    return Finding(id=_ID, severity=severity, message=message, advice=advice)
