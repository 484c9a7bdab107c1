"""What the graph takes, keeps and shares."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from aotgui.engine.findings.evidence import Evidence, FindingCheck, place_of, placeholders
from aotgui.engine.writes import writes_of
from aotgui.model.capture import Finding, Severity
from aotgui.model.graph import GraphKind, Role


class SharedMemory(FindingCheck):
    """Inputs and outputs that share memory: what is written to one shows in the other."""

    id = "shared-memory"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Says which outputs are views."""
        for name, facts in evidence.eager.kinds.items():
            if facts.shares:
                yield self.finding(
                    Severity.INFO, f"{name} shares memory with {', '.join(facts.shares)}.", region=evidence.first
                )
        for sentence in evidence.harness.shared_inputs():
            yield self.finding(Severity.INFO, sentence, region=evidence.first)


class TensorConstant(FindingCheck):
    """A tensor baked into the graph."""

    id = "tensor-constant"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at the constants of the graphs that a person sees first."""
        for region_index, half in evidence.halves():
            if half.kind is GraphKind.BACKWARD:
                continue
            for index, node in enumerate(half.nodes):
                value = getattr(half.module, str(node.target), None) if node.op == "get_attr" else None
                if isinstance(value, torch.Tensor):
                    yield self.finding(
                        Severity.INFO,
                        f"{node.target} is a constant of the graph{_constant_text(value)}: another value needs a new "
                        "trace.",
                        **place_of(region_index, half.graph, index),
                    )


def _constant_text(value: torch.Tensor) -> str:
    if type(value) is not torch.Tensor or value.numel() > 16:
        return f" of shape {tuple(value.shape)}"
    return f" = {value.tolist()}"


class CapturedParameters(FindingCheck):
    """Parameters that a function uses without taking them as arguments."""

    id = "captured-parameters"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks for parameters of the script's modules among a function's graph inputs."""
        if evidence.harness.target.module is not None:
            return
        own = {name for name, _ in evidence.harness.captured_state()}
        used = {
            graph.label(i)
            for region in evidence.regions
            for graph in region.graphs.values()
            for i in placeholders(graph)
        }
        if names := sorted(own & used):
            yield self.finding(
                Severity.INFO,
                f"{evidence.harness.target.name} uses {len(names)} parameters that it does not take as arguments: "
                f"{', '.join(names)}.",
                "They became inputs of the graph; aot_function itself would refuse them.",
            )


class FrozenParameters(FindingCheck):
    """Parameters that require no gradient."""

    id = "frozen-parameters"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at what the target takes."""
        entries = (entry for entry in evidence.harness.flat_inputs() if entry.role is Role.PARAMETER)
        frozen = [entry.label for entry in entries if not entry.value.requires_grad]
        if frozen:
            shown = ", ".join(frozen[:6]) + (" …" if len(frozen) > 6 else "")
            yield self.finding(
                Severity.INFO,
                f"{len(frozen)} parameters are frozen (requires_grad=False), their gradient is None: {shown}.",
                region=evidence.first,
            )


class WrittenInputs(FindingCheck):
    """Inputs and buffers that the target writes to."""

    id = "written-input"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Says what the graph's additional outputs are for."""
        for region_index, region in evidence.numbered():
            graph = region.graphs.get(GraphKind.JOINT) or region.graphs.get(GraphKind.INFERENCE)
            if graph is None:
                continue
            writes = writes_of(graph)
            under = " (under no_grad)" if GraphKind.INFERENCE in region.graphs else ""
            for names, how in zip(writes, _HOW_WRITTEN, strict=True):
                if names:
                    yield self.finding(
                        Severity.INFO,
                        f"The target writes back to {', '.join(names)}{under}: {how.format(count=len(names))}.",
                        region=region_index,
                    )


_HOW_WRITTEN = (
    "{count} more outputs of the graph carry the new values",
    "the graph itself copies the new values into {count} of its inputs",
)


class SpecialisedNumbers(FindingCheck):
    """Python numbers that the trace treats as constants."""

    id = "specialised-number"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at the inputs that are no tensors."""
        for entry in evidence.harness.flat_inputs():
            if isinstance(entry.value, (bool, int, float)) and entry.role is Role.INPUT:
                yield self.finding(
                    Severity.INFO,
                    f"{entry.label} is the Python number {entry.value!r}: the graph is specialised to it.",
                    "Pass a tensor to keep it variable.",
                    region=evidence.first,
                )
