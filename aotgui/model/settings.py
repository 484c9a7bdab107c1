"""The settings of a run, declared once.

The command line, the toolbar and the settings dialog are built from ``OPTIONS``; nothing else lists them.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from aotgui.model.decision import Decision


class EntryPoint(StrEnum):
    """How a target is captured."""

    AUTO = "auto"
    AOT_FUNCTION = "aot_function"
    AOT_MODULE = "aot_module"
    MEMORY_EFFICIENT_FUSION = "memory_efficient_fusion"
    TORCH_COMPILE = "torch.compile"


class Route(StrEnum):
    """What to do when the chosen entry point cannot capture."""

    AUTO = "auto"
    DIRECT = "direct"
    DYNAMIC = "dynamic"
    COMPILE = "compile"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person chose for one run; see ``OPTIONS`` for the meaning of each field but the decisions.

    Attributes:
        entry_point: how the target is captured.
        route: what to do when that fails.
        partitioner: ``default``, ``min_cut``, or the name of a function in the user's file.
        memory_budget: 0 to 1, the activation memory that min-cut may use; 1 is torch's default.
        decompositions: ``none``, ``default``, ``core``.
        dynamic: trace with symbolic shapes.
        forward_compiler: name of a compiler.
        backward_compiler: name of a compiler; empty for the forward's.
        inference_compiler: name of a compiler; empty for the forward's.
        keep_inference_input_mutations: leave input mutations in an inference graph.
        disable_functionalization: trace without functionalization.
        seed: for random inputs, dropout and tangents.
        device: where the target runs.
        decisions: what the partitioner must do with single nodes of the joint graph, by ``decision_key``.
    """

    entry_point: EntryPoint = EntryPoint.AUTO
    route: Route = Route.AUTO
    partitioner: str = "min_cut"
    memory_budget: float = 1.0
    decompositions: str = "none"
    dynamic: bool = False
    forward_compiler: str = "nop"
    backward_compiler: str = ""
    inference_compiler: str = ""
    keep_inference_input_mutations: bool = False
    disable_functionalization: bool = False
    seed: int = 0
    device: str = "cpu"
    decisions: dict[str, Decision] = {}

    def needs_new_trace(self, other: Settings) -> bool:
        """Whether going from ``other`` to these settings needs more than compiling again."""
        if self.decisions != other.decisions:
            return True
        return any(getattr(self, option.field) != getattr(other, option.field) for option in OPTIONS if option.traces)


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One setting as people see it.

    Attributes:
        field: the attribute of ``Settings``.
        flag: the command-line option.
        title: the words beside its control.
        description: one sentence for the tooltip and ``--help``.
        choices: the values offered; empty for free input. More may come from the engine or the user's file.
        traces: whether a change needs a new trace (False: compiling again is enough).
    """

    field: str
    flag: str
    title: str
    description: str
    choices: tuple[str, ...] = ()
    traces: bool = True


COMPILER_NAMES = (
    "nop",
    "print_compile",
    "draw_graph_compile",
    "debug_nop",
    "simple_ts_compile",
    "nnc_jit",
    "ts_compile",
    "inductor",
)

PARTITIONERS = ("default", "min_cut")
"""Those of torch; any other name is a function of the script."""

OPTIONS: tuple[Option, ...] = (
    Option(
        field="entry_point",
        flag="--entry",
        title="Entry point",
        description="How the target is captured; auto takes aot_module for modules and aot_function for functions.",
        choices=tuple(EntryPoint),
    ),
    Option(
        field="route",
        flag="--route",
        title="Route",
        description="What to do when the entry point cannot capture: auto tries dynamic shapes, then torch.compile.",
        choices=tuple(Route),
    ),
    Option(
        field="partitioner",
        flag="--partitioner",
        title="Partitioner",
        description="Decides which activations are saved for backward and which are computed again.",
        choices=PARTITIONERS,
    ),
    Option(
        field="memory_budget",
        flag="--memory-budget",
        title="Memory budget",
        description="Share of activation memory that min_cut may keep, 0 to 1; less memory means more recomputation.",
    ),
    Option(
        field="decompositions",
        flag="--decompositions",
        title="Decompositions",
        description="Operators rewritten into simpler ones while tracing: none, torch's default table, or core ATen.",
        choices=("none", "default", "core"),
    ),
    Option(
        field="dynamic",
        flag="--dynamic",
        title="Dynamic shapes",
        description="Trace with symbolic sizes instead of the sizes of the example inputs.",
    ),
    Option(
        field="forward_compiler",
        flag="--compiler",
        title="Forward compiler",
        description="Turns the forward graph into something that runs.",
        choices=COMPILER_NAMES,
        traces=False,
    ),
    Option(
        field="backward_compiler",
        flag="--backward-compiler",
        title="Backward compiler",
        description="Turns the backward graph into something that runs; the forward's unless chosen.",
        choices=COMPILER_NAMES,
        traces=False,
    ),
    Option(
        field="inference_compiler",
        flag="--inference-compiler",
        title="Inference compiler",
        description="Used when nothing requires a gradient; the forward's unless chosen.",
        choices=COMPILER_NAMES,
        traces=False,
    ),
    Option(
        field="keep_inference_input_mutations",
        flag="--keep-inference-input-mutations",
        title="Keep input mutations",
        description="Leave writes to inputs inside an inference graph instead of applying them after it.",
    ),
    Option(
        field="disable_functionalization",
        flag="--disable-functionalization",
        title="No functionalization",
        description="Trace in-place operators as they are.",
    ),
    Option(
        field="seed",
        flag="--seed",
        title="Seed",
        description="Seed for random inputs, dropout and the tangents that start the backward.",
    ),
    Option(
        field="device",
        flag="--device",
        title="Device",
        description="Where the target and its inputs are put: cpu, cuda.",
    ),
)
