"""Layout options for pictures that are drawn without a window, and so without a font to measure."""

from __future__ import annotations

from dataclasses import dataclass

from aotgui.layout.options import LayoutOptions
from aotgui.model.graph import Graph
from aotgui.model.wording import node_subtitle


@dataclass(frozen=True, slots=True)
class PictureOptions(LayoutOptions):
    """Boxes with room for two lines, as on the canvas.

    Attributes:
        title_character: estimated width of one character of the first line.
        subtitle_character: likewise of the second line.
    """

    node_height: float = 40.0
    min_width: float = 64.0
    max_width: float = 250.0
    title_character: float = 7.4
    subtitle_character: float = 6.1

    def node_widths(self, graph: Graph) -> list[float]:
        """Width of each node's box: what the longer of its two lines takes."""
        return [self._width(graph.title(node), node_subtitle(graph, node)) for node in range(len(graph))]

    def _width(self, title: str, subtitle: str) -> float:
        text = max(len(title) * self.title_character, len(subtitle) * self.subtitle_character)
        return min(max(text + self.padding, self.min_width), self.max_width)
