"""Checks over a finished capture: what a person should know before trusting it.

Each check is a small class with an id and a ``find`` that yields findings; ``CHECKS`` lists them. A check looks at
the evidence of this run only, never at names of files or models.
"""

from __future__ import annotations

from collections.abc import Iterable

from aotgui.engine.findings.evidence import Evidence, FindingCheck
from aotgui.engine.findings.features import DroppedFeature, OnceDifferentiable, SideEffects
from aotgui.engine.findings.inputs import (
    CapturedParameters,
    FrozenParameters,
    SharedMemory,
    SpecialisedNumbers,
    TensorConstant,
    WrittenInputs,
)
from aotgui.engine.findings.randomness import RandomOperatorTwice, RandomOperatorUnused
from aotgui.engine.findings.results import (
    DtypeOfGradient,
    GradientOrOutputDiffers,
    NonfiniteResult,
    NotAsTraced,
    OutputKindDiffers,
)
from aotgui.model.capture import Finding, Severity

__all__ = ["CHECKS", "Evidence", "FindingCheck", "findings_of", "sorted_findings"]

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}

CHECKS: tuple[FindingCheck, ...] = (
    RandomOperatorTwice(),
    RandomOperatorUnused(),
    GradientOrOutputDiffers(),
    NonfiniteResult(),
    OutputKindDiffers(),
    NotAsTraced(),
    DroppedFeature(),
    SideEffects(),
    OnceDifferentiable(),
    DtypeOfGradient(),
    CapturedParameters(),
    FrozenParameters(),
    WrittenInputs(),
    SharedMemory(),
    SpecialisedNumbers(),
    TensorConstant(),
)


def findings_of(evidence: Evidence) -> list[Finding]:
    """The findings of all checks, worst first."""
    return sorted_findings([finding for check in CHECKS for finding in check.find(evidence)])


def sorted_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Worst first, otherwise as found."""
    return sorted(findings, key=lambda finding: _RANK[finding.severity])
