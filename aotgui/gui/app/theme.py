"""Light, dark and high contrast, following the system unless the person chooses."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from aotgui.model.resources import resource_path


class Theme(StrEnum):
    """What the person chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    HIGH_CONTRAST = "high contrast"

    @property
    def label(self) -> str:
        """The words in the menu."""
        return {"system": "Like the System", "light": "Light", "dark": "Dark", "high contrast": "High Contrast"}[self]


_SCHEMES: Final = {
    Theme.SYSTEM: Qt.ColorScheme.Unknown,
    Theme.LIGHT: Qt.ColorScheme.Light,
    Theme.DARK: Qt.ColorScheme.Dark,
    Theme.HIGH_CONTRAST: Qt.ColorScheme.Dark,
}

_Role = QPalette.ColorRole

_LIGHT: Final = {
    _Role.Window: "#f3f4f6",
    _Role.WindowText: "#1c2330",
    _Role.Base: "#ffffff",
    _Role.AlternateBase: "#f7f8fa",
    _Role.Text: "#1c2330",
    _Role.PlaceholderText: "#5b6675",
    _Role.Button: "#f8f9fb",
    _Role.ButtonText: "#1c2330",
    _Role.BrightText: "#b4002f",
    _Role.Highlight: "#0b62b0",
    _Role.HighlightedText: "#ffffff",
    _Role.Accent: "#0b62b0",
    _Role.Link: "#0b5cad",
    _Role.LinkVisited: "#6a4fa3",
    _Role.ToolTipBase: "#ffffff",
    _Role.ToolTipText: "#1c2330",
    _Role.Light: "#ffffff",
    _Role.Midlight: "#e6e9ee",
    _Role.Mid: "#cdd3dc",
    _Role.Dark: "#aab3c0",
    _Role.Shadow: "#8b95a5",
}

_DARK: Final = {
    _Role.Window: "#1d2128",
    _Role.WindowText: "#e3e8ef",
    _Role.Base: "#16191f",
    _Role.AlternateBase: "#1a1e25",
    _Role.Text: "#e3e8ef",
    _Role.PlaceholderText: "#98a3b3",
    _Role.Button: "#262c35",
    _Role.ButtonText: "#e3e8ef",
    _Role.BrightText: "#ff6b81",
    _Role.Highlight: "#2a6fb8",
    _Role.HighlightedText: "#ffffff",
    _Role.Accent: "#4c9be8",
    _Role.Link: "#7ab8f5",
    _Role.LinkVisited: "#b9a3ec",
    _Role.ToolTipBase: "#262c35",
    _Role.ToolTipText: "#e3e8ef",
    _Role.Light: "#3a424f",
    _Role.Midlight: "#2c333e",
    _Role.Mid: "#39424f",
    _Role.Dark: "#11141a",
    _Role.Shadow: "#0b0d11",
}

_HIGH_CONTRAST: Final = {
    **_DARK,
    _Role.Window: "#000000",
    _Role.WindowText: "#ffffff",
    _Role.Base: "#000000",
    _Role.AlternateBase: "#101010",
    _Role.Text: "#ffffff",
    _Role.PlaceholderText: "#d0d0d0",
    _Role.Button: "#000000",
    _Role.ButtonText: "#ffffff",
    _Role.Highlight: "#ffff00",
    _Role.HighlightedText: "#000000",
    _Role.Accent: "#ffff00",
    _Role.Link: "#66ccff",
    _Role.LinkVisited: "#d9b3ff",
    _Role.ToolTipBase: "#000000",
    _Role.Light: "#ffffff",
    _Role.Midlight: "#c0c0c0",
    _Role.Mid: "#a8a8a8",
}

_DISABLED_ROLES: Final = (_Role.WindowText, _Role.Text, _Role.ButtonText)
_CHECK_GROUND: Final = {False: "#ffffff", True: "#3a4350"}
_DISABLED: Final = {False: "#8d97a5", True: "#6b7687"}


def is_dark(palette: QPalette) -> bool:
    """Whether a palette is a dark one."""
    return palette.color(_Role.Window).lightnessF() < 0.5


def window_palette(*, dark: bool, high_contrast: bool = False) -> QPalette:
    """The colours of every widget; high contrast is a dark theme."""
    palette = QPalette()
    colours = _HIGH_CONTRAST if high_contrast else _DARK if dark else _LIGHT
    for role, colour in colours.items():
        palette.setColor(role, QColor(colour))
    for role in _DISABLED_ROLES:
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(_DISABLED[dark]))
    return palette


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Gives the application its colours; widgets learn of it by ``QEvent.PaletteChange``."""
    hints = app.styleHints()
    hints.setColorScheme(_SCHEMES[theme])
    high_contrast = theme is Theme.HIGH_CONTRAST
    dark = hints.colorScheme() is Qt.ColorScheme.Dark if theme is Theme.SYSTEM else theme is not Theme.LIGHT
    palette = window_palette(dark=dark, high_contrast=high_contrast)
    app.setPalette(palette)
    # Fusion outlines a check box darker than the window, which nobody sees in the dark: its ground has to show it.
    boxes = QPalette(palette)
    boxes.setColor(_Role.Base, QColor(_CHECK_GROUND[dark]))
    # WORKAROUND: PySide6 6.11 takes a str, although its stubs and its error messages say bytes, and refuses bytes.
    app.setPalette(boxes, "QCheckBox")  # type: ignore[arg-type] # see above
    # A style sheet resolves palette(...) when it is set, so it is set again after the palette.
    app.setStyleSheet(resource_path("themes", "aotgui.qss").read_text(encoding="utf-8"))
