"""A page of texts and links, shown and kept in the colours of the theme."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QTextBrowser, QWidget

from aotgui.gui.panels.inspector_html import PageMarkup
from aotgui.gui.panels.inspector_links import LineTarget, Link, NodeTarget
from aotgui.gui.panels.inspector_page import Page
from aotgui.gui.panels.look import MARGIN
from aotgui.gui.session.session import Session


class PageBrowser(QTextBrowser):
    """Shows a page; a link to a node selects it.

    Signals:
        source_requested: (file, line) of a link should be shown.

    Attributes:
        page: what is shown, as data.
    """

    source_requested = Signal(str, int)

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.page = Page("")
        self._links: list[Link] = []
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(MARGIN)
        self.setAccessibleName(name)
        self.anchorClicked.connect(self._on_anchor_clicked)

    @property
    def links(self) -> list[Link]:
        """The links of the page, in order."""
        return self._links

    def show_page(self, page: Page) -> None:
        """Shows another page."""
        self.page = page
        markup = PageMarkup(self.palette(), self.font())
        self.setHtml(markup.render(page))
        self._links = markup.links

    def _on_anchor_clicked(self, address: QUrl) -> None:
        match self._links[int(address.toString())].target:
            case NodeTarget(kind, node):
                self._session.show_graph(kind)
                self._session.select(kind, [node], reveal=True)
            case LineTarget(file, line):
                self.source_requested.emit(file, line)

    def changeEvent(self, event: QEvent) -> None:
        """The colours follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.page.title:
            self.show_page(self.page)
