"""What a view shows, without the widget: scene, colours, states of nodes, marks, and the retained picture of it all.

Each change says by itself which part of the retained picture is void. Marks (selection, hover, step marker) lie
above it and void nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from aotgui.gui.canvas.buffer import TileBuffer
from aotgui.gui.canvas.captions import Caption
from aotgui.gui.canvas.colouring import MEASURED, Colouring, ColourMode, colour
from aotgui.gui.canvas.measures import Measure
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.overlay import Marks, Overlay
from aotgui.gui.canvas.painter import ScenePainter
from aotgui.gui.canvas.raster import Frame
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import CanvasTheme


class Picture:
    """One graph as it looks now.

    Attributes:
        buffer: the retained picture.
        marks: what lies above it; indexes are items.
        states: what is drawn on the boxes; indexes are items.
    """

    def __init__(self, theme: CanvasTheme) -> None:
        self.buffer = TileBuffer()
        self.marks = Marks()
        self._theme = theme
        self._mode = ColourMode.PARTITION
        self._scene: Scene | None = None
        self.states = NodeStates()
        self._executed: set[int] = set()
        self._measured: dict[Measure, NDArray[np.float64]] = {}
        self._colouring: Colouring | None = None
        self._painter: ScenePainter | None = None
        self._overlay: Overlay | None = None

    @property
    def scene(self) -> Scene | None:
        """What is shown, or None."""
        return self._scene

    @property
    def theme(self) -> CanvasTheme:
        """The colours in use."""
        return self._theme

    @property
    def mode(self) -> ColourMode:
        """What the fills say."""
        return self._mode

    @property
    def colouring(self) -> Colouring | None:
        """The fills, or None without a graph."""
        return self._colouring

    def set_scene(self, scene: Scene | None) -> None:
        """Another graph; states and marks of the former one go."""
        self._scene = scene
        self.states, self.marks, self._executed, self._measured = NodeStates(), Marks(), set(), {}
        self._rebuild()

    def set_theme(self, theme: CanvasTheme) -> None:
        """Other colours."""
        self._theme = theme
        self._rebuild()

    def set_mode(self, mode: ColourMode) -> None:
        """Other fills."""
        self._mode = mode
        self._recolour()

    def set_executed(self, nodes: Iterable[int]) -> None:
        """The nodes that ran."""
        self._executed = set(nodes)
        former, self.states.executed = self.states.executed, self._executed_items(self._executed)
        self._invalidate(former ^ self.states.executed)
        if self._mode is ColourMode.EXECUTED:
            self._recolour()

    def add_executed(self, nodes: list[int], nonfinite: Iterable[int]) -> None:
        """More nodes ran, some with NaN or Inf in their value."""
        self._executed.update(nodes)
        new = self._executed_items(nodes) - self.states.executed
        self.states.executed |= new
        self._invalidate(new)
        self._add(self.states.nonfinite, nonfinite)
        if self._mode is ColourMode.EXECUTED and self._scene is not None:
            self._recolour(self._scene.boxes[self.items(nodes)])

    def measure(self, measure: Measure, nodes: Sequence[int], values: Sequence[float]) -> None:
        """The debugger knows numbers of nodes, one each; what it knew of them before is replaced."""
        if self._scene is None or not nodes:
            return
        if measure not in self._measured:
            self._measured[measure] = np.full(len(self._scene.graph), np.nan)
        self._measured[measure][list(nodes)] = values
        if MEASURED.get(self._mode) is measure:
            self._recolour(self._scene.boxes[self.items(nodes)])

    def forget_measures(self) -> None:
        """The debugger's numbers are void."""
        self._measured = {}
        if self._mode in MEASURED:
            self._recolour()

    def set_breakpoints(self, nodes: Iterable[int]) -> None:
        """The nodes that stepping stops before."""
        self.states.breakpoints = self._change(self.states.breakpoints, nodes)

    def set_changed(self, nodes: Iterable[int]) -> None:
        """The nodes whose value a what-if changed."""
        self.states.changed = self._change(self.states.changed, nodes)

    def set_nonfinite(self, nodes: Iterable[int]) -> None:
        """The nodes whose value holds NaN or Inf."""
        self.states.nonfinite = self._change(self.states.nonfinite, nodes)

    def set_dimmed(self, mask: NDArray[np.bool_] | None) -> None:
        """Bool (nodes,): True for faded ones. A group fades when all inside it do."""
        if self._scene is None:
            return
        dimmed = None
        if mask is not None:
            dimmed = np.ones(len(self._scene), np.bool_)
            dimmed[self._scene.layout.node_items[~mask]] = False
        self.states.dimmed = dimmed
        self.buffer.invalidate()

    def set_hidden(self, mask: NDArray[np.bool_] | None) -> None:
        """Bool (nodes,): True for nodes that are not drawn. A group is hidden when all inside it is."""
        if self._scene is None:
            return
        self.states.hidden, self.states.hidden_frames = None, frozenset()
        if mask is not None and mask.any():
            layout = self._scene.layout
            hidden = np.ones(len(self._scene), np.bool_)
            hidden[layout.node_items[~mask]] = False
            self.states.hidden = hidden
            groups = enumerate(layout.frame_groups.tolist())
            self.states.hidden_frames = frozenset(
                frame for frame, group in groups if mask[layout.groups[group].nodes].all()
            )
        self.buffer.invalidate()

    def items(self, nodes: Iterable[int]) -> list[int]:
        """The items that show some nodes, in their order, each once."""
        scene = self._scene
        if scene is None:
            return []
        wanted = np.fromiter(nodes, np.int64)
        shown = scene.layout.node_items[wanted[(wanted >= 0) & (wanted < len(scene.layout.node_items))]]
        return list(dict.fromkeys(shown[shown >= 0].tolist()))

    def paint(self, painter: QPainter, frame: Frame, size: QSize) -> None:
        """Copies the retained picture and paints the marks; the painter's unit is the device pixel."""
        self.buffer.draw(painter, frame, size)
        if self._overlay is not None:
            self._overlay.paint(painter, frame, QRectF(0, 0, size.width(), size.height()), self.marks)

    def caption_at(self, x: float, y: float, zoom: float) -> Caption | None:
        """The caption of a cut edge under a scene point."""
        return self._painter.caption_at(x, y, zoom) if self._painter is not None else None

    def overview(self, width: int, height: int) -> QImage:
        """The whole graph in a picture of a size in pixels, width and height scaled apart."""
        return self._painter.overview(width, height) if self._painter is not None else QImage()

    def _executed_items(self, nodes: Iterable[int]) -> set[int]:
        """The items that show some nodes and nothing that did not run."""
        scene = self._scene
        if scene is None:
            return set()
        items = set(self.items(nodes))
        groups = [item for item in items if scene.group_of(item) >= 0]
        return items - {item for item in groups if not self._executed.issuperset(scene.nodes_of([item]))}

    def _invalidate(self, items: set[int]) -> None:
        if self._scene is not None and items:
            self.buffer.invalidate(self._scene.boxes[sorted(items)])

    def _change(self, former: set[int], nodes: Iterable[int]) -> set[int]:
        items = set(self.items(nodes))
        self._invalidate(items ^ former)
        return items

    def _add(self, states: set[int], nodes: Iterable[int]) -> None:
        new = set(self.items(nodes)) - states
        states |= new
        self._invalidate(new)

    def _rebuild(self) -> None:
        self._painter, self._overlay, self._colouring = None, None, None
        if self._scene is not None:
            self._colouring = colour(self._scene, self._mode, self._theme, self._executed, self._measured)
            # The painter sees states through a reference: what changes them only has to void tiles.
            self._painter = ScenePainter(self._scene, self._colouring, self._theme, self.states)
            self._overlay = Overlay(self._scene, self._theme, self._painter)
        self.buffer.set_painter(self._painter)

    def _recolour(self, boxes: NDArray[np.float32] | None = None) -> None:
        if self._scene is not None and self._painter is not None:
            self._colouring = colour(self._scene, self._mode, self._theme, self._executed, self._measured)
            self._painter.set_colouring(self._colouring)
            self.buffer.invalidate(boxes)
