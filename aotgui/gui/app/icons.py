"""Icons of Material Design, drawn from a font in the colour of the text.

qtawesome takes 0.14 s to import and load its fonts, as much as the window itself, so icons are set once the window is
on the screen.
"""

from __future__ import annotations

from PySide6.QtGui import QIcon, QPalette


def font_icon(name: str, palette: QPalette, role: QPalette.ColorRole = QPalette.ColorRole.ButtonText) -> QIcon:
    """An icon in a palette's colours.

    Args:
        name: without the font's prefix: ``play``, ``folder-open-outline``.
        palette: where its colours come from.
        role: which of them.
    """
    import qtawesome  # the import costs as much as the window: see above

    icon: QIcon = qtawesome.icon(
        f"mdi6.{name}",
        color=palette.color(QPalette.ColorGroup.Active, role),
        color_disabled=palette.color(QPalette.ColorGroup.Disabled, role),
    )
    return icon
