"""What counts as a leaf of an output."""

from __future__ import annotations

from torch.fx.experimental.symbolic_shapes import ShapeEnv

from aotgui.engine.leaves import flatten_output


def test_symbolic_numbers_are_leaves() -> None:
    """They have attributes, and behind these the whole shape environment, none of which is part of an output."""
    shapes = ShapeEnv()
    size, number, flag = (
        shapes.create_unbacked_symint(),
        shapes.create_unbacked_symfloat(),
        shapes.create_unbacked_symbool(),
    )
    assert flatten_output((size, number, flag)) == {"out[0]": size, "out[1]": number, "out[2]": flag}
