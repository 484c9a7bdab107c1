"""The inspector's page of one node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from aotgui.gui.panels.inspector_links import Link, Part, frame_link, more_link, node_link, node_links, separated
from aotgui.gui.panels.inspector_page import Page, Row, Section
from aotgui.gui.panels.inspector_why import why_rows
from aotgui.gui.session.session import Session
from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Node, Op, Output, Role, Side, TensorInfo, user_frame
from aotgui.model.text import bytes_text, count_text, exact_bytes_text, number_text, shape_text
from aotgui.model.values import ValueStats

FATE_SENTENCES: Final = {
    Fate.SAVED: "Computed in forward and passed to backward.",
    Fate.RECOMPUTED: "Runs in forward and again in backward instead of being saved.",
    Fate.FORWARD_ONLY: "Runs in forward; backward does not need it.",
    Fate.BACKWARD_ONLY: "Traced in backward and runs there.",
    Fate.MOVED: "Traced in forward, but runs only in backward, where it is needed.",
    Fate.ELIMINATED: "In neither half: the partitioner removed it because nothing needs it or another node equals it.",
}
GIVEN_SENTENCES: Final = {
    Fate.SAVED: "Given to forward and passed on to backward.",
    Fate.FORWARD_ONLY: "Given to forward; backward does not need it.",
    Fate.BACKWARD_ONLY: "Given to backward.",
}
"""Of placeholders, which do not run."""
POLICY_MEANINGS: Final = {
    "MUST_SAVE": "checkpointing keeps it for backward",
    "PREFER_SAVE": "checkpointing would rather keep it, the partitioner may decide otherwise",
    "MUST_RECOMPUTE": "checkpointing has it run again in backward",
    "PREFER_RECOMPUTE": "checkpointing would rather have it run again, the partitioner may decide otherwise",
}
"""Of ``torch.utils.checkpoint.CheckpointPolicy``."""
_REFERENCE: Final = re.compile(r"%(\w+)")


class NodePage:
    """Builds the page of one node."""

    def __init__(self, session: Session, graph: Graph, index: int, opened: frozenset[str]) -> None:
        region = session.region
        assert region is not None
        self.session, self.region, self.graph, self.opened = session, region, graph, opened
        self.node: Node = graph.node(index)

    def build(self) -> Page:
        """The page; sections without rows are left out."""
        node = self.node
        is_split = self.region.is_training
        sections = (
            Section("Value", self._value_rows()),
            Section("Executed", self._executed_rows()),
            Section("Why", self._why_rows()),
            Section("Operator", self._operator_rows()),
            Section("Graph", self._graph_rows()),
            Section("Source", self._source_rows()),
        )
        return Page(
            node.title,
            _subtitle(node),
            node.side if is_split else None,
            node.fate if is_split else None,
            self._sentence() if is_split else "",
            tuple(section for section in sections if section.rows),
        )

    def _sentence(self) -> str:
        sentence = FATE_SENTENCES[self.node.fate]
        is_given = self.node.op is Op.PLACEHOLDER and self.node.role is not Role.SAVED_VALUE
        return GIVEN_SENTENCES.get(self.node.fate, sentence) if is_given else sentence

    def _value_rows(self) -> tuple[Row, ...]:
        values = self.node.values
        if len(values) == 1:
            return _tensor_rows(values[0])
        return tuple(
            Row(f"Item {place}", (f"{value} {bytes_text(value.size_bytes)}",)) for place, value in enumerate(values)
        )

    def _executed_rows(self) -> tuple[Row, ...]:
        for kind, indexes in self.region.counterparts(self.graph.kind, self.node.index).items():
            for index in indexes:
                stats = self.session.values(kind).get(index)
                if stats:
                    return _stats_rows(stats, kind, self.node.values)
        return ()

    def _operator_rows(self) -> tuple[Row, ...]:
        node = self.node
        rows = []
        if node.op is not Op.PLACEHOLDER:
            rows.append(Row("Target", (node.target,), is_code=True))
        if node.schema:
            rows.append(Row("Schema", (node.schema,), is_code=True))
        rows += [Row(name, self._with_links(text), is_code=True) for name, text in node.arguments]
        return tuple(rows)

    def _with_links(self, text: str) -> tuple[Part, ...]:
        parts: list[Part] = []
        for place, piece in enumerate(_REFERENCE.split(text)):
            index = self.graph.index_of.get(piece) if place % 2 else None
            plain = f"%{piece}" if place % 2 else piece
            parts.append(plain if index is None else node_link(self.graph, index, piece))
        return tuple(part for part in parts if part)

    def _graph_rows(self) -> tuple[Row, ...]:
        node, rows = self.node, []
        if node.label:
            rows.append(Row("Node", (node.name,), is_code=True))
        rows.append(self._nodes_row("Inputs", node.inputs))
        rows.append(self._nodes_row("Users", node.users))
        rows.append(Row("Returned", separated(_returned_text(node, output) for output in node.outputs)))
        rows.append(Row("Policy", (_policy_text(node.policy),) if node.policy else ()))
        rows += self._other_graph_rows()
        rows += self._partner_rows()
        return tuple(row for row in rows if row.parts)

    def _nodes_row(self, label: str, nodes: Sequence[int]) -> Row:
        key = label.lower()
        return Row(label, node_links(self.graph, nodes, key, opened=key in self.opened) or ("none",))

    def _why_rows(self) -> tuple[Row, ...]:
        main = self.region.main_graph
        if main is None:
            return ()
        own = self.graph.origins[self.node.index]
        return why_rows(self.session, self.region, own, lambda index: self._nearest_link(main, index))

    def _other_graph_rows(self) -> list[Row]:
        copies = self.region.counterparts(self.graph.kind, self.node.index)
        graphs = self.region.graphs
        return [
            Row(f"In {kind}", separated(node_link(graphs[kind], index) for index in indexes))
            for kind, indexes in copies.items()
            if kind is not self.graph.kind
        ]

    def _partner_rows(self) -> list[Row]:
        """Nodes that autograd made for one call: the forward one and its backward ones."""
        main, seq_nr = self.region.main_graph, self.node.seq_nr
        if main is None or seq_nr < 0:
            return []
        own = self.graph.origins[self.node.index]
        partners = [index for index, number in enumerate(main.seq_nrs) if number == seq_nr and index != own]
        rows = [Row("Sequence", (str(seq_nr),))]
        for side, label in ((Side.FORWARD, "Forward of"), (Side.BACKWARD, "Backward by")):
            links = [self._nearest_link(main, index) for index in partners if main.sides[index] == side]
            rows.append(Row(label if side is not self.node.side else "Same call", separated(links)))
        return rows

    def _nearest_link(self, main: Graph, index: int) -> Link:
        """To the node in the graph at hand, else in the half that has it, else in the joint graph."""
        copies = self.region.counterparts(main.kind, index)
        kind = self.graph.kind if self.graph.kind in copies else next(reversed(copies), main.kind)
        return node_link(self.region.graphs[kind], copies[kind][0] if kind in copies else index)

    def _source_rows(self) -> tuple[Row, ...]:
        node, rows = self.node, []
        if node.module:
            rows.append(Row("Module", (node.module,), is_code=True))
            rows.append(Row("Class", tuple(filter(None, [self.graph.module_types.get(node.module, "")])), is_code=True))
        frame = user_frame(node.stack)
        if frame:
            rows.append(Row("Line", (frame_link(frame),)))
            rows.append(Row("Code", tuple(filter(None, [self._code_line(frame)])), is_code=True))
        if len(node.stack) > 1:
            rows += self._stack_rows()
        return tuple(row for row in rows if row.parts)

    def _code_line(self, frame: Frame) -> str:
        capture = self.session.capture
        lines = capture.sources.get(frame.file, "").split("\n") if capture else []
        return lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""

    def _stack_rows(self) -> list[Row]:
        """Innermost first; frames of libraries only when asked for."""
        frames = list(reversed(self.node.stack))
        hidden = 0 if "stack" in self.opened else sum(not frame.is_user for frame in frames)
        shown = [frame for frame in frames if frame.is_user or not hidden]
        rows = [
            Row("Stack" if place == 0 else "", (frame_link(frame), f" in {frame.function}"))
            for place, frame in enumerate(shown)
        ]
        if hidden:
            rows.append(Row("" if rows else "Stack", (more_link("stack", count_text(hidden, "library frame")),)))
        return rows


def _policy_text(policy: str) -> str:
    """The checkpoint policy as torch names it, and what that means."""
    meaning = POLICY_MEANINGS.get(policy)
    return f"{policy}: {meaning}" if meaning else policy


def _returned_text(node: Node, output: Output) -> str:
    kind, label = output.kind.label, output.label
    if not label or label in (node.name, node.label, kind):
        return kind
    return label if label.startswith(kind) else f"{kind} {label}"


def _subtitle(node: Node) -> str:
    if node.op is Op.CALL_FUNCTION:
        return node.target
    return node.role.label if node.role is not Role.OPERATOR else node.op.name.lower().replace("_", " ")


def _tensor_rows(value: TensorInfo) -> tuple[Row, ...]:
    if not value.is_tensor:
        return (Row("Type", (value.dtype,), is_code=True),)
    rows = [
        Row("Shape", (shape_text(value.shape),), is_code=True),
        Row("Dtype", (value.dtype,), is_code=True),
        Row("Strides", (f"({', '.join(map(str, value.strides))})",) if value.strides else (), is_code=True),
        Row("Device", (value.device,), is_code=True),
        Row("Bytes", (exact_bytes_text(value.size_bytes),)),
        Row("Gradient", ("required",) if value.requires_grad else ()),
    ]
    return tuple(row for row in rows if row.parts)


def _stats_rows(stats: ValueStats, kind: GraphKind, traced: Sequence[TensorInfo]) -> tuple[Row, ...]:
    rows = [Row("Graph", (kind.value,))]
    if stats.text:
        rows.append(Row("Value", (stats.text,), is_code=True))
    if stats.tensor.is_tensor:
        rows.append(Row("Range", (f"{number_text(stats.minimum)} to {number_text(stats.maximum)}",)))
        rows.append(Row("Mean", (f"{number_text(stats.mean)}, std {number_text(stats.std)}",)))
        rows.append(Row("Zeros", (f"{stats.zeros:,}",)))
        rows.append(Row("NaN", (f"{stats.nans:,}",), is_alarm=stats.nans > 0))
        rows.append(Row("Inf", (f"{stats.infs:,}",), is_alarm=stats.infs > 0))
        if len(traced) == 1 and str(traced[0]) != str(stats.tensor):
            rows.append(Row("Computed", (f"{stats.tensor}, traced as {traced[0]}",), is_code=True))
    rows.append(Row("Time", (f"{number_text(stats.ms, 3)} ms",)))
    return tuple(rows)
