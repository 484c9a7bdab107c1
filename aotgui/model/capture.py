"""Everything that one run of the pipeline produced."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

import msgspec

from aotgui.model.cut_network import CutNetwork
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, GraphKind, TensorInfo
from aotgui.model.settings import Settings


class Severity(StrEnum):
    """How bad a problem is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Stage(StrEnum):
    """The stages of the pipeline in their order."""

    LOAD = "load"
    EAGER = "eager"
    TRACE = "trace"
    PARTITION = "partition"
    COMPILE_FORWARD = "compile_forward"
    COMPILE_BACKWARD = "compile_backward"
    RUN = "run"
    CHECK = "check"

    @property
    def label(self) -> str:
        """What the stage does, for a progress line."""
        return _STAGE_LABELS[self]


_STAGE_LABELS = {
    Stage.LOAD: "Loading the script",
    Stage.EAGER: "Running eager for reference",
    Stage.TRACE: "Tracing the joint graph",
    Stage.PARTITION: "Partitioning",
    Stage.COMPILE_FORWARD: "Compiling forward",
    Stage.COMPILE_BACKWARD: "Compiling backward",
    Stage.RUN: "Running",
    Stage.CHECK: "Checking against eager",
}


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence about something that went wrong or deserves attention.

    Attributes:
        severity: how bad it is.
        stage: stage of the pipeline, or another word for where it happened (``step``, ``export``, ``engine``).
        message: one sentence: what failed, for what, and what to do.
        file: absolute path of the user's file to blame, or empty.
        line: 1-based, 0 where unknown.
        node: name of the node to blame, or empty.
        graph: the graph that holds ``node``, or None.
        details: the original error text or traceback, shown on demand.
        path: names of the nodes of ``graph`` that are to blame together, in order (the conflict of a partition that
            cannot be had); may be empty.
    """

    severity: Severity
    stage: str
    message: str
    file: str = ""
    line: int = 0
    node: str = ""
    graph: GraphKind | None = None
    details: str = ""
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        """``message (file:line)`` on one line."""
        place = f" ({self.file}:{self.line})" if self.line else f" ({self.file})" if self.file else ""
        return f"{self.message}{place}"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a capture that a person should know before trusting it.

    Attributes:
        id: of the check that found it, stable, for filters and scripts (``random-op-in-both-graphs``).
        severity: error where results are wrong, warning where they may be, info where it explains.
        message: what was found.
        advice: what to do about it; may be empty.
        region: index of the region, -1 where none is meant.
        graph: the graph that holds ``node``, or None.
        node: name of the node, or empty.
        file: the user's file, or empty.
        line: 1-based, 0 where unknown.
    """

    id: str
    severity: Severity
    message: str
    advice: str = ""
    region: int = -1
    graph: GraphKind | None = None
    node: str = ""
    file: str = ""
    line: int = 0


class SavedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that the forward passes to the backward.

    Attributes:
        name: of the node in the forward graph.
        label: human name where it has one.
        tensor: its shape, dtype, strides, device.
        size_bytes: bytes of the tensor.
        storage_bytes: bytes that it adds to the total: 0 where an earlier saved value shares the storage.
        role: ``activation``, ``parameter``, ``buffer``, ``input``, ``symbolic size`` or ``other``.
        source: ``file:line`` of the user's line that computes it, or empty.
        module: module path, or empty.
        reason: why it is saved, in words, or empty where torch gives none.
    """

    name: str
    label: str = ""
    tensor: TensorInfo
    size_bytes: int
    storage_bytes: int
    role: str
    source: str = ""
    module: str = ""
    reason: str = ""


class InputEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One flat input of the captured function.

    Attributes:
        position: flat position.
        placeholder: node name in the joint graph, or empty.
        label: ``layers.0.weight``, ``args[0]``, ``kwargs['mask']``.
        role: parameter, buffer, input.
        tensor: shape and type.
        mutated: whether the target writes to it.
        aliases: other names of the same tensor (tied weights).
    """

    position: int
    placeholder: str
    label: str
    role: str
    tensor: TensorInfo
    mutated: bool = False
    aliases: tuple[str, ...] = ()


class CompileStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a compiler, and what the graph looked like after it.

    Attributes:
        name: what it does: ``freeze``, ``optimize for inference``.
        seconds: how long it took.
        text: the graph after it; empty where it changed nothing.
        language: of the text, a Pygments alias.
    """

    name: str
    seconds: float
    text: str = ""
    language: str = "text"


class Compilation(msgspec.Struct, frozen=True, kw_only=True):
    """What a compiler made of one half.

    Attributes:
        compiler: its name.
        graph: forward, backward or inference.
        seconds: how long it took.
        artifact: readable text of what came out (TorchScript IR, FX code), or empty.
        language: of the text, a Pygments alias (``python``, ``text``).
        exportable: whether a ScriptModule can be saved.
        warnings: what the compiler warned of, each once.
        steps: what it did, in order, where that can be told.
        problem: why the compiler refused the graph, which then ran uncompiled; its node is the one to blame. Or None.
    """

    compiler: str
    graph: GraphKind
    seconds: float
    artifact: str = ""
    language: str = "text"
    exportable: bool = False
    warnings: list[str] = []
    steps: list[CompileStep] = []
    problem: Problem | None = None


class Region(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One joint/forward/backward triple, or one inference graph.

    Attributes:
        name: ``region 0``, or Dynamo's name for it.
        graphs: the graphs that exist, by kind.
        saved: what forward passes to backward, in order.
        inputs: the flat inputs.
        compilations: what the compilers made of the halves.
        symbols: symbolic sizes, each with its value in the traced call.
        cut: the min-cut network that decided what is saved; None where the partitioner solved none or torch shows none.
        policies_used: checkpoint policies that the partitioner changed or added, by name of the joint graph's node;
            those that tracing noted stand in the graph's ``policies``.
        decided: what the run's decisions told the partitioner, by name of the joint graph's node.
        storage_bytes: size of each storage that the ``storages`` of forward, backward and inference graph index.
    """

    name: str
    graphs: dict[GraphKind, Graph]
    saved: list[SavedValue] = []
    inputs: list[InputEntry] = []
    compilations: list[Compilation] = []
    symbols: dict[str, int] = {}
    cut: CutNetwork | None = None
    policies_used: dict[str, str] = {}
    decided: dict[str, Decision] = {}
    storage_bytes: list[int] = []

    @property
    def is_training(self) -> bool:
        """Whether there is a backward."""
        return GraphKind.INFERENCE not in self.graphs

    @property
    def main_graph(self) -> Graph | None:
        """The joint graph, or the inference graph of a region without gradients."""
        return self.graphs.get(GraphKind.JOINT) or self.graphs.get(GraphKind.INFERENCE)

    @property
    def saved_bytes(self) -> int:
        """Bytes of the distinct storages passed to backward."""
        return sum(value.storage_bytes for value in self.saved)

    @cached_property
    def _copies(self) -> dict[int, dict[GraphKind, list[int]]]:
        copies: dict[int, dict[GraphKind, list[int]]] = {}
        for kind, graph in self.graphs.items():
            for index, origin in enumerate(graph.origins):
                if origin >= 0:
                    copies.setdefault(origin, {}).setdefault(kind, []).append(index)
        return copies

    def counterparts(self, kind: GraphKind, index: int) -> dict[GraphKind, list[int]]:
        """The same node in every graph of the region, itself included: graph kind to node indexes."""
        origin = self.graphs[kind].origins[index]
        return self._copies[origin] if origin >= 0 else {kind: [index]}

    def activation_bytes(self, kind: GraphKind) -> dict[int, int]:
        """For each node of a graph that is a saved activation the bytes that saving it adds.

        Of a storage that several of them share the first has all and the others nothing, so that sums are right.
        """
        forward = self.graphs.get(GraphKind.FORWARD)
        if forward is None:
            return {}
        found: dict[int, int] = {}
        for value in self.saved:
            index = forward.index_of.get(value.name)
            if index is not None and value.role == "activation":
                for copy in self.counterparts(GraphKind.FORWARD, index).get(kind, ()):
                    found[copy] = value.storage_bytes
        return found

    def build_tables(self) -> None:
        """Builds what views look nodes up in: 0.1 s for 18,000 nodes, on whatever thread has the time."""
        _ = self._copies
        for graph in self.graphs.values():
            graph.build_tables()

    def with_changes(self, **changes: object) -> Region:
        """The region with other fields but equal graphs, and with the tables that were built for them."""
        region = msgspec.structs.replace(self, **changes)
        region.__dict__.update(self.__dict__)
        return region

    def saved_bytes_of(self, *roles: str) -> int:
        """Bytes of the distinct storages of some roles, for example ``activation``."""
        return sum(value.storage_bytes for value in self.saved if value.role in roles)

    def names_with(self, fate: Fate) -> list[str]:
        """Names of the joint graph's nodes with a fate."""
        graph = self.main_graph
        if graph is None:
            return []
        return [name for name, value in zip(graph.names, graph.fates, strict=True) if value == fate]


class CheckStatus(StrEnum):
    """Whether the compiled function equals eager."""

    MATCH = "match"
    MISMATCH = "mismatch"
    NOT_RUN = "not_run"


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One output or gradient against eager.

    Attributes:
        name: ``out[0]``, ``layers.0.weight``.
        status: whether it matches.
        max_error: largest absolute difference to the reference; None where it cannot be computed.
        eager_error: eager's own largest difference to the float64 reference; None without a reference.
        note: a sentence where more is to be said (``None in eager, zeros here``), or empty.
    """

    name: str
    status: CheckStatus
    max_error: float | None = None
    eager_error: float | None = None
    note: str = ""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """The compiled function against eager, judged by a float64 reference where one can be had.

    Attributes:
        status: match only if every output and gradient matches.
        outputs: one entry an output.
        gradients: one entry a parameter or input that requires a gradient.
        max_error: the largest error of all, None where nothing was compared.
        eager_error: eager's own largest error.
        note: how it was judged, or why not.
    """

    status: CheckStatus = CheckStatus.NOT_RUN
    outputs: list[Comparison] = []
    gradients: list[Comparison] = []
    max_error: float | None = None
    eager_error: float | None = None
    note: str = ""

    @property
    def entries(self) -> list[tuple[str, Comparison]]:
        """Outputs, then gradients, each with its kind: ``output`` or ``gradient``."""
        return [("output", entry) for entry in self.outputs] + [("gradient", entry) for entry in self.gradients]

    @property
    def differing(self) -> list[str]:
        """Names of the outputs and gradients that do not match."""
        return [entry.name for _, entry in self.entries if entry.status is CheckStatus.MISMATCH]


class StageTime(msgspec.Struct, frozen=True, kw_only=True):
    """How long a stage took.

    Attributes:
        stage: which.
        seconds: wall time.
        nodes: how many graph nodes it dealt with, 0 where that means nothing.
    """

    stage: Stage
    seconds: float
    nodes: int = 0


class Capture(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one run of the pipeline produced.

    Attributes:
        source: what was opened: an absolute path or ``package.module:name``.
        target: name of the function or module in it.
        torch: version of torch.
        settings: as used, with ``auto`` resolved.
        route: ``direct``, ``dynamic`` or ``compile``: which one captured; ``recorded`` where a script compiled.
        regions: what was captured, in the order of capture.
        check: compiled against eager.
        problems: in the order in which they were found.
        findings: what the checks over the capture found, worst first.
        stages: in the order in which they ran.
        sources: text of each file that a node's provenance names and that could be read.
    """

    source: str
    target: str
    torch: str
    settings: Settings
    route: str = "direct"
    regions: list[Region] = []
    check: Check = msgspec.field(default_factory=Check)
    problems: list[Problem] = []
    findings: list[Finding] = []
    stages: list[StageTime] = []
    sources: dict[str, str] = {}

    @property
    def failed(self) -> bool:
        """Whether the user's code, graph or check failed."""
        return self.check.status is CheckStatus.MISMATCH or any(
            problem.severity is Severity.ERROR for problem in self.problems
        )

    def sentence_of(self, finding: Finding) -> str:
        """The finding's message; with more than one region it begins with the name of its own."""
        named = len(self.regions) > 1 and 0 <= finding.region < len(self.regions)
        return f"{self.regions[finding.region].name}: {finding.message}" if named else finding.message
