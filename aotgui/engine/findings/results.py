"""Results that are not what eager gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch

from aotgui.engine.findings.evidence import Evidence, FindingCheck, place_of, placeholders
from aotgui.engine.interpreter import CheckedInterpreter, NodeMismatchError
from aotgui.model.capture import CheckStatus, Comparison, Finding, Severity
from aotgui.model.graph import GraphKind, OutputKind

NAMED: Final = 3
"""How many results one finding names."""


class GradientOrOutputDiffers(FindingCheck):
    """A result that differs from eager beyond the bound."""

    id = "differs-from-eager"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at the judgement."""
        for item in evidence.check.outputs:
            if item.status is CheckStatus.MISMATCH:
                yield self.finding(
                    Severity.ERROR, f"{item.name} differs from eager{_how(item)}.", region=evidence.first
                )
        for item in evidence.check.gradients:
            if item.status is CheckStatus.MISMATCH:
                yield self.finding(
                    Severity.ERROR,
                    f"The gradient of {item.name} differs from eager{_how(item)}.",
                    region=evidence.first,
                )


def _how(item: Comparison) -> str:
    if item.note:
        return f": {item.note}"
    eager = f", eager's own error is {item.eager_error:.2g}" if item.eager_error is not None else ""
    return f" by {item.max_error:.2g}{eager}" if item.max_error is not None else ""


class NonfiniteResult(FindingCheck):
    """NaN or Inf that eager gives too: such a result matches, and is still not what anybody wants."""

    id = "nonfinite-result"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at eager's outputs and gradients."""
        outputs = [name for name, value in evidence.eager.outputs.items() if _has_nonfinite(value)]
        gradients = [name for name, value in evidence.eager.gradients.items() if _has_nonfinite(value)]
        names = [*outputs, *(f"the gradient of {name}" for name in gradients)]
        if names:
            more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
            yield self.finding(
                Severity.WARNING,
                f"NaN or Inf in eager already: {', '.join(names[:NAMED])}{more}.",
                "Run to NaN or Inf in the debugger, or aotgui step --until nonfinite, stops where it is made.",
                region=evidence.first,
            )


def _has_nonfinite(value: object) -> bool:
    """Whether a plain tensor of floating point numbers holds NaN or Inf."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter) or not isinstance(value, torch.Tensor):
        return False
    is_number = value.is_floating_point() or value.is_complex()
    if not is_number or value.is_meta or value.layout is not torch.strided:
        return False
    # Operators on numbers of 8 bits are few.
    return not bool((value.float() if value.element_size() == 1 else value).isfinite().all())


class OutputKindDiffers(FindingCheck):
    """An output whose aliasing or ``requires_grad`` is not eager's."""

    id = "output-kind-differs"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Compares what can be told of the outputs beside their numbers."""
        for name, expected in evidence.eager.kinds.items():
            actual = evidence.compiled.kinds.get(name)
            if actual is None:
                continue
            if expected.requires_grad != actual.requires_grad:
                where = "in eager only" if expected.requires_grad else "when compiled only, not in eager"
                yield self.finding(Severity.WARNING, f"{name} requires a gradient {where}.", region=evidence.first)
            if lost := set(expected.shares) - set(actual.shares):
                yield self.finding(
                    Severity.WARNING,
                    f"{name} shares memory with {', '.join(sorted(lost))} in eager, but is a copy when compiled.",
                    "Do not rely on writing through one of them.",
                    region=evidence.first,
                )


class NotAsTraced(FindingCheck):
    """An operator that gives another dtype, shape or stride than was traced, so that compiled code may read amiss."""

    id = "not-as-traced"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Runs each half once more, comparing every value with its trace, up to the first that differs."""
        for region_index, half in evidence.halves():
            if half.recorded is None:
                continue
            try:
                with torch.no_grad(), torch.random.fork_rng(devices=[]):
                    CheckedInterpreter(half.module).run(*half.fresh_args())
            except NodeMismatchError as mismatch:
                index = half.graph.index_of.get(mismatch.node.name, -1)
                place = place_of(region_index, half.graph, index) if index >= 0 else {"region": region_index}
                yield self.finding(
                    Severity.WARNING,
                    f"A value is not as traced: {mismatch.message}.",
                    "A compiler that trusts the trace may compute something else; make the input contiguous before it.",
                    **place,
                )
            except Exception:
                continue  # what fails when it runs is reported by the run itself


class DtypeOfGradient(FindingCheck):
    """A gradient of another dtype than what it is the gradient of."""

    id = "gradient-dtype"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Compares the gradients in the joint graphs with their inputs."""
        for region_index, region in evidence.numbered():
            joint = region.graphs.get(GraphKind.JOINT)
            if joint is None:
                continue
            dtypes = {joint.label(i): info.dtype for i in placeholders(joint) for info in joint.tensors(i)}
            for output in joint.outputs:
                of = output.label.removeprefix("gradient of ")
                if output.kind is OutputKind.GRADIENT and output.node >= 0 and of in dtypes:
                    info = next(iter(joint.tensors(output.node)), None)
                    if info is not None and info.is_tensor and info.dtype != dtypes[of]:
                        yield self.finding(
                            Severity.WARNING,
                            f"The gradient of {of} is {info.dtype}, but {of} is {dtypes[of]}.",
                            **place_of(region_index, joint, output.node),
                        )
