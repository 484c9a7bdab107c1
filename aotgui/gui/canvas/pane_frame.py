"""A graph with what stands around it: modules at its left, overview, legend, lines above and below.

What belongs to a session is added by ``canvas_pane``.
"""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from aotgui.gui.canvas.arranging import Arrange
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.dimming import Dimming, Reason
from aotgui.gui.canvas.fold_control import FoldControl
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.hidden_bar import HiddenBar
from aotgui.gui.canvas.legend import Legend
from aotgui.gui.canvas.minimap import Minimap
from aotgui.gui.canvas.module_ruler import ModuleRuler
from aotgui.gui.canvas.pane_bar import PaneBar
from aotgui.gui.canvas.pane_header import PaneHeader
from aotgui.gui.canvas.selecting import Selecting
from aotgui.model.graph import GraphKind


class PaneFrame(QWidget):
    """The view of one graph and its controls, put in their places and connected to each other.

    Attributes:
        view: the graph.
        folds: which modules are open.
        minimap: the overview.
        ruler: the modules at the left.
        header: the line above.
    """

    def __init__(self, kind: GraphKind, work: Arrange, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = GraphView(self)
        self.view.setAccessibleName(f"{kind.value.capitalize()} graph")
        self.folds = FoldControl(self.view, work)
        self.minimap = Minimap(self.view)
        self.ruler = ModuleRuler(self.view, self)
        self.header = PaneHeader(self.folds, self)
        self._dimming = Dimming(self.view)
        self._selecting = Selecting(self.view, self._dimming)
        self._hidden_bar = HiddenBar(self.view, self._dimming)
        self._bar = PaneBar(self.view, self)
        self._column = QVBoxLayout(self)
        self._arrange()
        self._connect_parts()

    @property
    def is_laying_out(self) -> bool:
        """Whether a layout is at work."""
        return self.folds.is_running

    @property
    def selecting(self) -> Selecting:
        """Acts on the selected nodes."""
        return self._selecting

    @property
    def legend(self) -> Legend:
        """What the colours mean."""
        return self._bar.legend

    @property
    def colour_box(self) -> QComboBox:
        """Chooses what the colours say."""
        return self._bar.colour_box

    def set_colour_mode(self, mode: ColourMode) -> None:
        """What the fills say."""
        self._bar.set_colour_mode(mode)

    def close_background(self) -> None:
        """Gives up a layout at work; to be called before the window goes."""
        self.folds.close()

    def _settle(self) -> None:
        """Gives the view the size that what stands around it leaves: it would move when it got that later."""
        self._column.activate()

    def add_bar(self, bar: QWidget) -> None:
        """Puts a line right below the header."""
        self._column.insertWidget(1, bar)

    def _arrange(self) -> None:
        column = self._column
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self._hidden_bar)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.ruler)
        row.addWidget(self.view, 1)
        column.addLayout(row, 1)
        column.addWidget(self._bar)

    def _connect_parts(self) -> None:
        self.legend.filter_changed.connect(lambda faded: self._dimming.set(Reason.LEGEND, faded))
        self.legend.hiding_changed.connect(lambda hidden: self._dimming.set(Reason.LEGEND_HIDES, hidden))
        self._selecting.shown_again.connect(self.legend.show_hidden)
        self._hidden_bar.show_all_requested.connect(self._selecting.show_all)
        self._bar.overview_toggled.connect(self.minimap.set_wanted)
