"""The dock that says everything about the selected node."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPoint, QUrl, Signal
from PySide6.QtGui import QAction, QColor, QFont, QGuiApplication, QTextDocument, QTextOption
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from aotgui.gui.panels.inspector_html import BADGES, STRUT, PageMarkup
from aotgui.gui.panels.inspector_links import LineTarget, Link, MoreTarget, NetworkTarget, NodeTarget, SpotTarget
from aotgui.gui.panels.inspector_page import Page
from aotgui.gui.panels.inspector_pages import page_for
from aotgui.gui.panels.look import MARGIN, graph_palette, pill
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind


class _Browser(QTextBrowser):
    def createMimeDataFromSelection(self) -> QMimeData:
        """The selected text without what is there only for its height."""
        data = super().createMimeDataFromSelection()
        plain = QMimeData()
        plain.setText(data.text().replace(STRUT, ""))
        return plain


class Inspector(QWidget):
    """The selected node, or a summary of several, or of the region where none is selected.

    Links are walked with Tab and followed with Enter.

    Signals:
        source_requested: (file, line) should be shown.
        network_requested: the min-cut network around the selected node should be shown.

    Attributes:
        session: the truth.
        browser: what is shown.
        page: the same as data.
    """

    source_requested = Signal(str, int)
    network_requested = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.browser = _Browser()
        self.page = Page("")
        self._opened: frozenset[str] = frozenset()
        self._links: list[Link] = []
        self._set_up_browser()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.browser)
        session.selection_changed.connect(self._on_selection_changed)
        session.capture_changed.connect(self._on_selection_changed)
        session.values_changed.connect(self._on_values_changed)
        session.partitions.entries_changed.connect(self._show_page)
        session.partitions.decisions_changed.connect(self._show_page)
        self._show_page()

    @property
    def links(self) -> list[Link]:
        """The links shown, in order."""
        return self._links

    def follow(self, link: Link) -> None:
        """Do what a link says."""
        match link.target:
            case NodeTarget(graph, node):
                self.session.select(graph, [node], reveal=True)
            case LineTarget(file, line):
                self.source_requested.emit(file, line)
            case SpotTarget(spot):
                self.session.show_graph(spot.graph)
                self.session.spotlight.show(spot)
            case NetworkTarget(node):
                self.session.select(GraphKind.JOINT, [node])
                self.network_requested.emit()
            case MoreTarget(key):
                self._opened |= {key}
                self._show_page()

    def copy(self) -> None:
        """Put everything shown on the clipboard as plain text."""
        QGuiApplication.clipboard().setText(self.page.text)

    def _set_up_browser(self) -> None:
        self.browser.setOpenLinks(False)
        self.browser.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.browser.document().setDocumentMargin(MARGIN + 4)
        self.browser.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.browser.setAccessibleName("Inspector")
        self.browser.anchorClicked.connect(self._on_anchor_clicked)
        self.browser.customContextMenuRequested.connect(self._on_context_menu_requested)
        self.browser.setContextMenuPolicy(self.browser.contextMenuPolicy().CustomContextMenu)

    def _on_anchor_clicked(self, url: QUrl) -> None:
        self.follow(self._links[int(url.toString())])

    def _on_context_menu_requested(self, place: QPoint) -> None:
        menu = self.browser.createStandardContextMenu(place)
        copy = QAction("Copy Everything", menu)
        copy.triggered.connect(self.copy)
        menu.addSeparator()
        menu.addAction(copy)
        menu.exec(self.browser.mapToGlobal(place))
        menu.deleteLater()

    def _on_selection_changed(self) -> None:
        self._opened = frozenset()
        self._show_page()
        self.browser.verticalScrollBar().setValue(0)

    def _on_values_changed(self, kind: GraphKind, nodes: list[int]) -> None:
        if not nodes or any(node in nodes for node in self.session.selected_in(kind)):
            self._show_page()

    def _show_page(self) -> None:
        page = page_for(self.session, self._opened)
        if page == self.page:
            return
        self.page = page
        self._render()

    def _render(self) -> None:
        markup = PageMarkup(self.palette(), self.font())
        text = markup.render(self.page)
        self._links = markup.links
        bar = self.browser.verticalScrollBar()
        place = bar.value()
        self._paint_badges()
        self.browser.setHtml(text)
        bar.setValue(place)

    def _paint_badges(self) -> None:
        colors, font = graph_palette(self), QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        side, fate = self.page.side, self.page.fate
        image = QTextDocument.ResourceType.ImageResource.value
        if side is not None:
            picture = pill(side.label, font, QColor(colors.fill(side)), QColor(colors.text))
            self.browser.document().addResource(image, QUrl(BADGES[0]), picture)
        if fate is not None:
            style = colors.fate(fate)
            words = f"{style.badge}  {fate.label}" if style.badge else fate.label
            picture = pill(words, font, QColor(style.border), QColor(style.badge_text))
            self.browser.document().addResource(image, QUrl(BADGES[1]), picture)

    def changeEvent(self, event: QEvent) -> None:
        """Another theme or font: the markup has colours and sizes in it."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._render()
