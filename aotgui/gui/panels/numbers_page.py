"""The numbers of a value, a window at a time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from aotgui.gui.panels.look import MARGIN, SPACING, code_font
from aotgui.gui.panels.slice_controls import SliceControls
from aotgui.gui.panels.slice_model import SliceModel
from aotgui.gui.panels.value_page import ValuePage, ValueRef
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.values import ValueSlice


class NumbersPage(ValuePage):
    """A table of numbers with a colour behind each.

    Signals:
        read_requested: (graph, node, item, index of the outer dimensions, first row, first column, depth) is wanted;
            the answer comes as ``Session.value_read``.
        shape_known: the value has this shape.

    Attributes:
        controls: which window of the value.
        view: the numbers.
        model: the same as a model.
    """

    read_requested = Signal(object, int, int, object, int, int, int)
    shape_known = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controls = SliceControls()
        self.model = SliceModel(self)
        self.view = QTableView()
        self._set_up_view()
        self.add_content(self.view)
        self.controls.setContentsMargins(MARGIN, 0, MARGIN, 0)
        self._column.addWidget(self.controls)
        self._column.addWidget(self._stack, 1)
        self.controls.window_changed.connect(self.ask)
        session.value_read.connect(self._on_value_read)

    def reset(self) -> None:
        """Starts at the first element."""
        self.controls.set_shape(())

    def request(self, ref: ValueRef) -> None:
        """Asks for the window that the controls say."""
        place = self.controls.place
        self.read_requested.emit(ref.kind, ref.node, ref.item, place.index, place.row, place.column, ref.inside)

    def _set_up_view(self) -> None:
        self.view.setModel(self.model)
        self.view.setFont(code_font())
        self.view.setWordWrap(False)
        self.view.setFrameShape(QTableView.Shape.NoFrame)
        self.view.setTabKeyNavigation(False)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setAccessibleName("Numbers")
        metrics = self.view.fontMetrics()
        rows, columns = self.view.verticalHeader(), self.view.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(metrics.height() + SPACING)
        columns.setDefaultSectionSize(metrics.horizontalAdvance("-1.2345e-05") + 2 * SPACING)
        columns.setHighlightSections(False)
        rows.setHighlightSections(False)

    def _on_value_read(self, kind: GraphKind, value: ValueSlice) -> None:
        if not self.is_of(kind, value.node, value.item):
            return
        if value.shape != self.controls.shape:
            self.controls.set_shape(value.shape)
        self.shape_known.emit(value.shape)
        self.model.show_slice(value, self.palette())
        if value.text or not value.rows:
            self.say(value.text or "Nothing to show.")
        else:
            self.controls.show_extent(value)
            self.show_content()

    def changeEvent(self, event: QEvent) -> None:
        """The heat colours follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.model.show_slice(self.model.slice, self.palette())
