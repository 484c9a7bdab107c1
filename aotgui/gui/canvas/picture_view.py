"""A widget that shows a retained picture of a graph, and paints what is missing of it in slices between events.

Painting uses local data only and never waits: a view that moves shows what there is, stretched where the scale
changed, and becomes crisp when there is time. Where one looks and what the hands do is in ``graph_view``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QWidget

from aotgui.gui.canvas import hover_card
from aotgui.gui.canvas.buffer import TileBuffer
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.colouring import MEASURED, Colouring, ColourMode
from aotgui.gui.canvas.measures import Measure
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.overlay import Marks
from aotgui.gui.canvas.picture import Picture
from aotgui.gui.canvas.raster import Frame
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import CanvasTheme, theme_for

SLICE_S: Final = 0.010
"""Aim of a slice; a tile more may take it to 16 ms."""
CRISP_DELAY_MS: Final = 60
"""How long the scale must rest before a large picture is painted anew."""
MESSAGE_PX: Final = 15


class PictureView(QWidget):
    """Shows a graph as it looks from one place, or a message.

    Signals:
        appearance_changed: graph, colours or theme changed.
        dimming_changed: other nodes are faded or hidden.
    """

    appearance_changed = Signal()
    dimming_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = Picture(theme_for(self.palette()))
        self._message = ""
        self._selected_nodes: list[int] = []
        self._camera = Camera()
        self._crisp_timer = QTimer(self)
        self._crisp_timer.setSingleShot(True)
        self._crisp_timer.timeout.connect(self._on_crisp_timeout)

    # --- What is shown ----------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        """What is shown, or None."""
        return self._picture.scene

    @property
    def theme(self) -> CanvasTheme:
        """The colours in use."""
        return self._picture.theme

    @property
    def colouring(self) -> Colouring | None:
        """The fills in use, or None without a graph."""
        return self._picture.colouring

    @property
    def colour_mode(self) -> ColourMode:
        """What the fills say."""
        return self._picture.mode

    @property
    def marks(self) -> Marks:
        """What the overlay shows. Do not change."""
        return self._picture.marks

    @property
    def states(self) -> NodeStates:
        """What is drawn on the boxes; indexes are items. Do not change."""
        return self._picture.states

    @property
    def buffer(self) -> TileBuffer:
        """The retained picture."""
        return self._picture.buffer

    @property
    def message(self) -> str:
        """What is said instead of a graph."""
        return self._message

    def show_message(self, text: str) -> None:
        """Says something in the middle of the view instead of a graph; an empty text shows the graph again."""
        self._message = text
        self.update()

    def set_colour_mode(self, mode: ColourMode) -> None:
        """Other fills."""
        if mode is not self._picture.mode:
            self._picture.set_mode(mode)
            self._changed_appearance()

    def set_selection(self, nodes: Iterable[int]) -> None:
        """Marks nodes as selected, the current one first; a screen reader gets its sentence."""
        self._selected_nodes = list(nodes)
        selected = self.marks.selected = self._picture.items(self._selected_nodes)
        spoken = hover_card.sentence(self.scene, selected[0]) if self.scene is not None and selected else ""
        self.setAccessibleDescription(spoken)
        self.update()

    @property
    def selected_nodes(self) -> list[int]:
        """The selected nodes, those inside of groups included, the current one first."""
        return self._selected_nodes

    def set_step_marker(self, node: int | None) -> None:
        """Where the debugger stands."""
        self.marks.stepping = self.scene.item_of(node) if self.scene is not None and node is not None else -1
        self.update()

    def set_path(self, nodes: Iterable[int], *, is_path: bool) -> None:
        """Marks nodes together; of a path, in its order, also the way from each to the next."""
        self.marks.path, self.marks.is_path = self._picture.items(nodes), is_path
        self.update()

    def set_executed(self, nodes: Iterable[int] | NDArray[np.bool_]) -> None:
        """The nodes that ran, as indexes or as a mask."""
        self._picture.set_executed(np.flatnonzero(nodes).tolist() if isinstance(nodes, np.ndarray) else nodes)
        self._changed_states()

    def add_executed(self, nodes: list[int], nonfinite: Iterable[int] = ()) -> None:
        """More nodes ran, some with NaN or Inf in their value; only their boxes are painted again."""
        self._picture.add_executed(nodes, nonfinite)
        self._changed_states()

    def measure(self, measure: Measure, nodes: Sequence[int], values: Sequence[float]) -> None:
        """The debugger knows numbers of nodes, one each, for the colour modes that show them."""
        self._picture.measure(measure, nodes, values)
        if MEASURED.get(self.colour_mode) is measure:
            self._changed_appearance()

    def forget_measures(self) -> None:
        """The debugger's numbers are void."""
        self._picture.forget_measures()
        if self.colour_mode in MEASURED:
            self._changed_appearance()

    def set_breakpoints(self, nodes: Iterable[int]) -> None:
        """The nodes that stepping stops before."""
        self._picture.set_breakpoints(nodes)
        self._changed_picture()

    def set_changed(self, nodes: Iterable[int]) -> None:
        """The nodes whose value a what-if changed."""
        self._picture.set_changed(nodes)
        self._changed_picture()

    def set_nonfinite(self, nodes: Iterable[int]) -> None:
        """The nodes whose value holds NaN or Inf."""
        self._picture.set_nonfinite(nodes)
        self._changed_picture()

    def dim(self, mask: NDArray[np.bool_] | None) -> None:
        """Fades nodes: bool (nodes,), True for faded, or None for none. A group fades when all inside it do."""
        self._picture.set_dimmed(mask)
        self._changed_picture()
        self.dimming_changed.emit()

    def conceal(self, mask: NDArray[np.bool_] | None) -> None:
        """Hides nodes with their edges: bool (nodes,), True for hidden, or None for none."""
        self._picture.set_hidden(mask)
        self._changed_picture()
        self.dimming_changed.emit()

    def show_band(self, band: QRectF | None) -> None:
        """A rubber band in view pixels, or None."""
        ratio = self.devicePixelRatioF()
        self.marks.band = QRectF(band.topLeft() * ratio, band.size() * ratio) if band is not None else None
        self.update()

    def overview(self, width: int, height: int) -> QImage:
        """The whole graph in a picture of a size in pixels, width and height scaled apart."""
        return self._picture.overview(width, height)

    # --- Painting ---------------------------------------------------------------------------------------------

    @property
    def camera(self) -> Camera:
        """Scale and position."""
        return self._camera

    def frame(self) -> Frame:
        """The camera in device pixels."""
        ratio = self.devicePixelRatioF()
        scale = self._camera.scale * ratio
        return Frame(scale, round(self._camera.left * scale), round(self._camera.top * scale), ratio)

    @property
    def is_crisp(self) -> bool:
        """Whether what is shown is painted at its own scale and up to date."""
        return self.buffer.is_crisp(self.frame(), self._device_size())

    @property
    def is_painting(self) -> bool:
        """Whether slices of painting are still to come, those of the margin included."""
        return self._crisp_timer.isActive()

    def _device_size(self) -> QSize:
        ratio = self.devicePixelRatioF()
        return QSize(round(self.width() * ratio), round(self.height() * ratio))

    def _changed_picture(self) -> None:
        self._schedule(0)
        self.update()

    def _changed_states(self) -> None:
        self._changed_picture()
        if self.colour_mode is ColourMode.EXECUTED:
            self.appearance_changed.emit()

    def _changed_appearance(self) -> None:
        self._changed_picture()
        self.appearance_changed.emit()

    def _schedule(self, delay_ms: int) -> None:
        """The next slice of painting; a zoom under way postpones it."""
        if delay_ms or not self._crisp_timer.isActive():
            self._crisp_timer.start(delay_ms)

    def paint_slice(self) -> bool:
        """Paints a slice of what is missing; whether all is done, the margin included."""
        return self.buffer.advance(self.frame(), self._device_size(), SLICE_S)

    def _on_crisp_timeout(self) -> None:
        if not self.isVisible():
            return
        was_crisp = self.is_crisp
        if not self.paint_slice():
            self._crisp_timer.start(0)
        if not was_crisp:
            self.update()

    def _paint_message(self, painter: QPainter) -> None:
        font = QFont(self.font())
        font.setPixelSize(MESSAGE_PX)
        painter.setFont(font)
        painter.setPen(QColor(self.theme.muted_text))
        room = QRectF(self.rect()).adjusted(40, 40, -40, -40)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._message)

    # --- Qt ---------------------------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        """Follows light and dark."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and (theme := theme_for(self.palette())) is not self.theme:
            self._picture.set_theme(theme)
            self._changed_appearance()
