"""Compares the regions that a program compiled itself with eager, and looks for findings in them.

Nothing is computed by the program's own steps: a training step changes what the next one starts from. Instead the
first call of each region is made again, three times, with copies of its arguments and with its random numbers:

1. the code as it was before it was compiled: the program's Python for ``aot_function`` and ``aot_module``, Dynamo's
   graph run operator by operator for ``torch.compile``;
2. what the program compiled it to;
3. the code in float64, as the judge of both (``checking``).

Gradients start from the same seeded tangents each time. A region that cannot be compared says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.checking import compare, double_reference, largest
from aotgui.engine.dynamo_code import DynamoCode
from aotgui.engine.eager import Eager, repeated_effects, run_eager
from aotgui.engine.errors import UserError, one_line
from aotgui.engine.findings import Evidence, findings_of, sorted_findings
from aotgui.engine.half import RandomState
from aotgui.engine.observing import changed, plain_state
from aotgui.engine.region_call import RegionCall
from aotgui.engine.region_harness import RegionHarness
from aotgui.engine.targets import Target
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Check, CheckStatus, Comparison, Finding

_SEED: Final = 0
"""For tangents; random numbers continue from those of the recorded call."""
_REASONS_SHOWN: Final = 3


@dataclass
class Verdict:
    """What is known of recorded regions.

    Attributes:
        check: compiled against eager, all regions together.
        findings: worst first.
    """

    check: Check = field(default_factory=Check)
    findings: list[Finding] = field(default_factory=list)


class NotComparableError(Exception):
    """A region cannot be compared with eager; the text says why."""


def judge_regions(regions: Sequence[RegionTrace], namespace: Mapping[str, Any]) -> Verdict:
    """Compares every region with eager, and collects the findings.

    Args:
        regions: as recorded.
        namespace: of the program's ``__main__``: ``__file__``, and plain values that its code may change.
    """
    checks: list[tuple[str, Check]] = []
    findings: dict[Finding, None] = {}
    judged: set[int] = set()
    for index, region in enumerate(regions):
        call = region.call
        if call is not None and id(call) in judged:
            continue  # a backend made several regions of one graph
        try:
            if call is None:
                raise NotComparableError("what it was called with is not known")
            judged.add(id(call))
            parts = [other for other in regions if other.call is call]
            evidence = _evidence(parts, call, index, namespace)
        except NotComparableError as error:
            checks.append((region.name, Check(note=str(error))))
        except Exception as error:  # in a user's own process, nothing of this may end the program
            checks.append((region.name, Check(note=f"the comparison itself failed ({one_line(error, 160)})")))
        else:
            checks.append((region.name, evidence.check))
            findings.update(dict.fromkeys(findings_of(evidence)))
    return Verdict(joined(checks), sorted_findings(findings))


def not_judged(regions: Sequence[RegionTrace], reason: str) -> Verdict:
    """The verdict where nothing may be run."""
    return Verdict(joined([(region.name, Check(note=reason)) for region in regions]))


def _evidence(regions: Sequence[RegionTrace], call: RegionCall, first: int, namespace: Mapping[str, Any]) -> Evidence:
    """Makes the call again.

    Raises:
        NotComparableError: it cannot be made, or says nothing.
    """
    if call.args is None:
        raise NotComparableError(call.reason)
    if isinstance(call.eager, DynamoCode) and call.eager.communicates:
        raise NotComparableError("it exchanges data with other processes, which do not take part again")
    source = str(namespace.get("__file__") or "")
    harness = RegionHarness(call, Target(source, regions[0].name, call.eager, call.args, {}, namespace))
    eager = _eager(harness, call)
    compiled, effects, end = _compiled(harness, call)
    check = compare(eager.result, compiled, *double_reference(harness, _SEED))
    if check.status is CheckStatus.MISMATCH and end != _random_end(harness, call):
        raise NotComparableError(
            "compiled, it draws its random numbers in another way than eager does (Inductor draws as eager does with "
            "torch._inductor.config.fallback_random = True)"
        )
    lost = set(eager.effects) - set(effects)
    return Evidence(
        harness=harness,
        regions=regions,
        is_direct=call.is_direct,
        eager=eager.result,
        compiled=compiled,
        check=check,
        uses=eager.uses,
        lost_effects=repeated_effects(harness, _SEED) & lost if lost else frozenset(),
        first=first,
    )


def _eager(harness: Harness, call: RegionCall) -> Eager:
    try:
        if call.is_direct:
            return run_eager(harness, _SEED)
        return Eager(harness.call(call.eager, _SEED), (), ())
    except UserError as error:
        raise NotComparableError(error.problem.message) from error
    except Exception as error:
        raise NotComparableError(f"its code cannot be run again in eager ({one_line(error, 160)})") from error


def _compiled(harness: Harness, call: RegionCall) -> tuple[CallResult, tuple[str, ...], bytes]:
    """What the compiled code gives, the Python values that it changes, and where its random numbers end."""
    before = plain_state(harness.target, harness.modules)
    try:
        result, end = _with_random_end(harness, call.compiled)
    except Exception as error:
        raise NotComparableError(f"what was compiled cannot be run again ({one_line(error, 160)})") from error
    return result, tuple(changed(before, plain_state(harness.target, harness.modules))), end


def _random_end(harness: Harness, call: RegionCall) -> bytes:
    return _with_random_end(harness, call.eager)[1]


def _with_random_end(harness: Harness, function: Callable[..., Any]) -> tuple[CallResult, bytes]:
    """What a call gives, and the state of the generators when its forward is over."""
    ends: list[bytes] = []

    def noted(*args: Any) -> Any:
        result = function(*args)
        state = RandomState.now()
        ends.append(b"".join(part.numpy().tobytes() for part in (state.cpu, *state.cuda)))
        return result

    return harness.call(noted, _SEED), ends[0]


def joined(checks: Sequence[tuple[str, Check]]) -> Check:
    """The checks of several regions, each with its name, as one.

    It matches only where every region was compared and matches. With more than one region, names begin with theirs.
    """
    if len(checks) > 1:
        checks = [(name, _named(name, check)) for name, check in checks]
    known = [(name, check) for name, check in checks if check.status is not CheckStatus.NOT_RUN]
    missing = [(name, check.note) for name, check in checks if check.status is CheckStatus.NOT_RUN]
    statuses = {check.status for _, check in checks}
    worst = (CheckStatus.MISMATCH, CheckStatus.NOT_RUN, CheckStatus.MATCH)
    return Check(
        status=next((status for status in worst if status in statuses), CheckStatus.NOT_RUN),
        outputs=[entry for _, check in checks for entry in check.outputs],
        gradients=[entry for _, check in checks for entry in check.gradients],
        max_error=largest(check.max_error for _, check in known),
        eager_error=largest(check.eager_error for _, check in known),
        note="; ".join([*_reasons(missing), *_manners(known)]),
    )


def _named(region: str, check: Check) -> Check:
    """The check with the region's name before every name; one that was not run as a row that says why."""
    if check.status is CheckStatus.NOT_RUN:
        row = Comparison(name=region, status=CheckStatus.NOT_RUN, note=check.note)
        return msgspec.structs.replace(check, outputs=[row])
    outputs, gradients = (
        [msgspec.structs.replace(entry, name=f"{region}: {entry.name}") for entry in entries]
        for entries in (check.outputs, check.gradients)
    )
    return msgspec.structs.replace(check, outputs=outputs, gradients=gradients)


def _reasons(missing: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, reason in missing[:_REASONS_SHOWN]:
        yield f"{name} was not compared with eager: {reason}"
    if len(missing) > _REASONS_SHOWN:
        yield f"nor were {len(missing) - _REASONS_SHOWN} more regions"


def _manners(known: Sequence[tuple[str, Check]]) -> Iterator[str]:
    """How the regions were compared: the usual way first, others with the regions that it was another for."""
    if not known:
        return
    yield "the first call of each region was made again" if len(known) > 1 else "its first call was made again"
    regions: dict[str, list[str]] = {}
    for name, check in known:
        regions.setdefault(check.note, []).append(name)
    usual, *others = sorted(regions, key=lambda note: -len(regions[note]))
    yield usual
    for note in others:
        yield f"{', '.join(regions[note][:_REASONS_SHOWN])}: {note}"
