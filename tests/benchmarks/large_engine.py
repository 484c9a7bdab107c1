"""The fake engine of the window's tests, with a capture of as many nodes as its first argument says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import msgspec

from aotgui.model.capture import Capture, Region
from aotgui.model.graph import Graph, GraphKind, Side
from aotgui.protocol.messages import Run

TESTS = Path(__file__).parents[1]
NODES_A_BLOCK = 43


def load(path: Path) -> ModuleType:
    """A module of the tests that is in no package; it may import what lies beside it."""
    sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"{path.stem}_of_large_engine", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def half(joint: Graph, kind: GraphKind, side: Side) -> Graph:
    """The nodes of one side as a graph of their own."""
    kept = [node for node, other in enumerate(joint.sides) if other == side]
    places = {node: place for place, node in enumerate(kept)}
    edges = zip(joint.edge_sources, joint.edge_targets, strict=True)
    inner = [(places[source], places[target]) for source, target in edges if source in places and target in places]
    names = ("names", "ops", "targets", "roles", "sides", "fates", "seq_nrs", "labels", "modules", "stacks", "values")
    columns = {name: [getattr(joint, name)[node] for node in kept] for name in (*names, "arguments")}
    return msgspec.structs.replace(
        joint,
        kind=kind,
        origins=kept,
        edge_sources=[source for source, _ in inner],
        edge_targets=[target for _, target in inner],
        **columns,
    )


def large_region(nodes: int) -> Region:
    """A joint graph of about so many nodes, and its halves."""
    joint = load(TESTS / "layout" / "graphs.py").transformer_joint(nodes // NODES_A_BLOCK)
    forward = half(joint, GraphKind.FORWARD, Side.FORWARD)
    backward = half(joint, GraphKind.BACKWARD, Side.BACKWARD)
    graphs = {GraphKind.JOINT: joint, GraphKind.FORWARD: forward, GraphKind.BACKWARD: backward}
    return Region(name="region 0", graphs=graphs)


def main() -> None:
    fake = load(TESTS / "gui" / "session" / "fake_engine.py")
    region = large_region(int(sys.argv[1]))

    def capture(request: Run) -> Capture:
        return Capture(source=request.source, target="model", torch="", settings=request.settings, regions=[region])

    fake.capture = capture
    fake.main()


if __name__ == "__main__":
    main()
