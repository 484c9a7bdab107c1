"""How a person looked at a graph, to be found again after a re-run or a restart."""

from __future__ import annotations

import msgspec


class ViewState(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of one view.

    Attributes:
        scale: logical pixels for one scene unit; 0 where nobody looked yet.
        left: scene x at the view's left border.
        top: scene y at the view's top border.
        nodes: how many nodes the graph had; scale and position count only for as many.
        is_flat: whether the graph was shown without groups.
        expanded: paths of the open groups.
        colour_mode: name of the colour mode.
    """

    scale: float = 0.0
    left: float = 0.0
    top: float = 0.0
    nodes: int = 0
    is_flat: bool = False
    expanded: tuple[str, ...] = ()
    colour_mode: str = ""
