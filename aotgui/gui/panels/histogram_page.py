"""How the elements of a value are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel
from aotgui.gui.panels.value_page import ValuePage, ValueRef
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.text import count_text
from aotgui.model.values import Histogram

if TYPE_CHECKING:
    from aotgui.gui.panels.histogram_plot import HistogramPlot


class HistogramPage(ValuePage):
    """A histogram; on request over the logarithm of magnitudes.

    Signals:
        histogram_requested: (graph, node, item, whether logarithmic, depth) is wanted; the answer comes as
            ``DebugState.histogram_read``.

    Attributes:
        log: whether the logarithm of magnitudes is shown.
        facts: zeros, NaN and the like, which are in no bar.
    """

    histogram_requested = Signal(object, int, int, bool, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.log, self.facts = QCheckBox("Logarithm of magnitudes"), MutedLabel()
        self.log.setToolTip("Show how large the numbers are, without their signs: zeros are left out")
        self._plot: HistogramPlot | None = None
        self._content = QWidget()
        self._inside = QVBoxLayout(self._content)
        self._inside.setContentsMargins(0, 0, 0, 0)
        self.add_content(self._content)
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        row.setSpacing(SPACING)
        row.addWidget(self.log)
        row.addWidget(self.facts, 1)
        self._column.addLayout(row)
        self._column.addWidget(self._stack, 1)
        self.log.toggled.connect(self.ask)
        session.debug.histogram_read.connect(self._on_histogram_read)

    @property
    def plot(self) -> HistogramPlot:
        """The bars; pyqtgraph is imported when they are first needed."""
        if self._plot is None:
            from aotgui.gui.panels.histogram_plot import HistogramPlot  # the import takes 0.4 s

            self._plot = HistogramPlot()
            self._inside.addWidget(self._plot)
        return self._plot

    def reset(self) -> None:
        """Nothing is known of another value yet."""
        self.facts.setText("")

    def request(self, ref: ValueRef) -> None:
        """Asks for the distribution."""
        self.histogram_requested.emit(ref.kind, ref.node, ref.item, self.log.isChecked(), ref.inside)

    def _on_histogram_read(self, kind: GraphKind, histogram: Histogram) -> None:
        if not self.is_of(kind, histogram.node, histogram.item) or histogram.log != self.log.isChecked():
            return
        self.facts.setText(facts_text(histogram))
        if histogram.text or not histogram.counts:
            self.say(histogram.text or "There is no finite element to count.")
        else:
            self.plot.show_histogram(histogram)
            self.show_content()


def facts_text(histogram: Histogram) -> str:
    """What is in no bar: ``3 zeros, 2 NaN, 1 Inf; 40 negative``."""
    outside = [
        words
        for count, words in (
            (histogram.zeros, count_text(histogram.zeros, "zero")),
            (histogram.nans, f"{histogram.nans:,} NaN"),
            (histogram.infs, f"{histogram.infs:,} Inf"),
            (histogram.negatives, f"{histogram.negatives:,} negative"),
        )
        if count
    ]
    return ", ".join(outside)
