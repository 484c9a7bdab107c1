"""Graphs to lay out: captured ones from ``data``, and made-up ones of any size."""

from __future__ import annotations

import gzip
import random
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from aotgui.model.graph import Fate, Graph, GraphKind, Op, Role, Side

_DATA = Path(__file__).parent / "data"

REAL_GRAPHS = tuple(sorted(path.name.removesuffix(".msgpack.gz") for path in _DATA.glob("*.msgpack.gz")))


def real_graph(name: str) -> Graph:
    """A captured graph, for example ``block.joint``."""
    with gzip.open(_DATA / f"{name}.msgpack.gz") as file:
        return msgspec.msgpack.decode(file.read(), type=Graph)


@dataclass
class GraphBuilder:
    """Collects nodes one by one; ``add`` returns the new node's index."""

    kind: GraphKind = GraphKind.JOINT
    names: list[str] = field(default_factory=list)
    ops: list[int] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)
    sides: list[int] = field(default_factory=list)
    fates: list[int] = field(default_factory=list)
    seq_nrs: list[int] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    inputs: list[list[int]] = field(default_factory=list)

    def add(
        self,
        *inputs: int,
        name: str = "",
        role: Role = Role.OPERATOR,
        side: Side = Side.FORWARD,
        fate: Fate | None = None,
        seq_nr: int = -1,
        module: str = "",
    ) -> int:
        index = len(self.names)
        self.names.append(f"{name or 'node'}_{index}")
        self.ops.append(int(Op.CALL_FUNCTION if role is Role.OPERATOR else Op.PLACEHOLDER))
        self.roles.append(int(role))
        self.sides.append(int(side))
        self.fates.append(int(fate if fate is not None else (Fate.BACKWARD_ONLY if side else Fate.FORWARD_ONLY)))
        self.seq_nrs.append(seq_nr)
        self.modules.append(module)
        self.inputs.append(list(dict.fromkeys(inputs)))
        return index

    def build(self) -> Graph:
        strings = ["aten.op.default", *dict.fromkeys(path for path in self.modules if path)]
        numbers = {path: number for number, path in enumerate(strings)}
        count = len(self.names)
        return Graph(
            kind=self.kind,
            strings=strings,
            names=self.names,
            ops=self.ops,
            targets=[0] * count,
            roles=self.roles,
            sides=self.sides,
            fates=self.fates,
            seq_nrs=self.seq_nrs,
            origins=list(range(count)) if self.kind is GraphKind.JOINT else [-1] * count,
            labels=[-1] * count,
            modules=[numbers[path] if path else -1 for path in self.modules],
            stacks=[-1] * count,
            values=[[] for _ in range(count)],
            arguments=[[] for _ in range(count)],
            edge_sources=[source for inputs in self.inputs for source in inputs],
            edge_targets=[target for target, inputs in enumerate(self.inputs) for _ in inputs],
        )


def random_joint(choose: random.Random, operators: int) -> Graph:
    """A joint graph of random structure: shared constants, long edges, odd and missing sequence numbers."""
    builder = GraphBuilder()
    forward = [builder.add(name="primals", role=Role.PARAMETER) for _ in range(choose.randint(1, 4))]
    seq_nrs = []
    for number in range(operators):
        if choose.random() < 0.2:
            forward.append(builder.add(name="weight", role=Role.PARAMETER))
        recent = forward[-4:] if choose.random() < 0.8 else forward
        seq_nr = number if choose.random() < 0.8 else choose.choice((-1, max(number - 1, 0)))
        seq_nrs.append(seq_nr)
        forward.append(builder.add(*choose.choices(recent, k=choose.randint(0, 3)), seq_nr=seq_nr))
    backward = [builder.add(name="tangents", role=Role.TANGENT, side=Side.BACKWARD)]
    for seq_nr in reversed(seq_nrs):
        for _ in range(choose.randint(0, 3)):
            wrong = choose.random() < 0.1
            backward.append(
                builder.add(
                    *choose.choices(backward[-3:], k=choose.randint(0, 2)),
                    *choose.choices(forward, k=choose.randint(0, 1)),
                    side=Side.BACKWARD,
                    seq_nr=choose.choice(seq_nrs) if wrong else seq_nr,
                )
            )
    return builder.build()


def random_single(choose: random.Random, operators: int, kind: GraphKind) -> Graph:
    """A forward, backward or inference graph of random structure; a backward one recomputes some nodes."""
    builder = GraphBuilder(kind)
    nodes: list[int] = []
    for _ in range(operators):
        recent = nodes[-5:] if choose.random() < 0.8 else nodes
        inputs = choose.choices(recent, k=choose.randint(0, 3)) if recent else []
        fates = (Fate.RECOMPUTED, Fate.BACKWARD_ONLY) if kind is GraphKind.BACKWARD else (Fate.SAVED, Fate.FORWARD_ONLY)
        role = Role.OPERATOR if inputs else choose.choice((Role.PARAMETER, Role.INPUT, Role.OPERATOR))
        nodes.append(builder.add(*inputs, role=role, fate=choose.choice(fates)))
    return builder.build()


def transformer_joint(blocks: int) -> Graph:
    """A joint graph like that of a transformer: about 46 nodes a block, one mask shared by all of them."""
    builder = GraphBuilder()
    mask = builder.add(name="mask", role=Role.BUFFER)
    value = builder.add(name="tokens", role=Role.INPUT)
    tape: list[list[tuple[int, int, int]]] = []
    seq_nr = 0
    for block in range(blocks):
        steps: list[tuple[int, int, int]] = []
        residual = value
        for layer in range(6):
            module = f"layers.{block}.linear_{layer}"
            weight = builder.add(name="weight", role=Role.PARAMETER, module=module)
            turned = builder.add(weight, name="t", seq_nr=seq_nr, module=module)
            joined = (residual,) if layer in (2, 5) else (mask,) if layer == 1 else ()
            value = builder.add(value, turned, *joined, name="addmm", seq_nr=seq_nr + 1, module=module)
            steps.append((seq_nr, turned, value))
            seq_nr += 2
        tape.append(steps)
    gradient = builder.add(name="tangents", role=Role.TANGENT, side=Side.BACKWARD)
    for block in range(blocks - 1, -1, -1):
        skip = gradient
        for number, turned, saved in reversed(tape[block]):
            module = f"layers.{block}.linear_{number // 2 % 6}"
            back = {"side": Side.BACKWARD, "module": module}
            flipped = builder.add(gradient, name="t", seq_nr=number + 1, **back)
            product = builder.add(flipped, saved, name="mm", seq_nr=number + 1, **back)
            builder.add(product, name="t", seq_nr=number, **back)
            gradient = builder.add(gradient, turned, name="mm", seq_nr=number + 1, **back)
        gradient = builder.add(gradient, skip, mask, name="add", side=Side.BACKWARD, module=f"layers.{block}")
    return builder.build()
