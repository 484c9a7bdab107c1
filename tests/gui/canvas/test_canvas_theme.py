"""Every text keeps 4.5:1 against what it stands on, in every theme."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QPalette

from aotgui.gui.canvas.box_painter import SUBTITLE_OPACITY
from aotgui.gui.canvas.sprites import BADGES
from aotgui.gui.canvas.theme import DARK, HIGH_CONTRAST, LIGHT, MIN_CONTRAST, CanvasTheme, contrast, theme_for

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK, HIGH_CONTRAST], ids=lambda theme: theme.name)


def blend(over: str, under: str, opacity: float) -> str:
    a, b = QColor(over), QColor(under)
    mixed = [opacity * x + (1 - opacity) * y for x, y in zip(a.getRgbF()[:3], b.getRgbF()[:3], strict=True)]
    return QColor.fromRgbF(*mixed).name()


def fills(theme: CanvasTheme) -> list[str]:
    return [theme.forward_fill, theme.backward_fill, theme.plain_fill, *theme.categories, *theme.ramp]


@THEMES
def test_both_lines_of_every_box_are_readable(theme: CanvasTheme):
    for fill in fills(theme):
        text = theme.node_text(fill)
        assert contrast(text, fill) >= MIN_CONTRAST, fill
        assert contrast(blend(text, fill, SUBTITLE_OPACITY), fill) >= MIN_CONTRAST, fill


@THEMES
def test_captions_and_cards_are_readable(theme: CanvasTheme):
    for ground in (theme.background, theme.card_fill, theme.group_fill):
        assert contrast(theme.text, ground) >= MIN_CONTRAST
        assert contrast(theme.muted_text, ground) >= MIN_CONTRAST


@THEMES
def test_badges_are_readable(theme: CanvasTheme):
    for fate in BADGES:
        assert contrast(theme.badge_text, theme.fates[fate]) >= MIN_CONTRAST, fate
    assert contrast(theme.badge_text, theme.nonfinite) >= MIN_CONTRAST
    assert contrast(theme.background, theme.muted_text) >= MIN_CONTRAST  # the word in an output mark


@THEMES
def test_marks_stand_out_from_the_background(theme: CanvasTheme):
    """WCAG asks for 3:1 where no text is involved."""
    for colour in (theme.accent, theme.inputs, theme.users, theme.step, theme.breakpoint, theme.nonfinite):
        assert contrast(colour, theme.background) >= 3.0, colour


def test_contrast_of_black_and_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#777777") == pytest.approx(1.0)


def test_the_theme_follows_the_window_colour(qapp):
    assert theme_for(QPalette(QColor("#eeeeee"), QColor("#ffffff"))) is LIGHT
    assert theme_for(QPalette(QColor("#333333"), QColor("#202020"))) is DARK
    assert theme_for(QPalette(QColor("#000000"), QColor("#000000"))) is HIGH_CONTRAST


def test_high_contrast_is_high():
    for text in (HIGH_CONTRAST.text, HIGH_CONTRAST.muted_text):
        assert contrast(text, HIGH_CONTRAST.background) >= 7.0
    for fill in (HIGH_CONTRAST.forward_fill, HIGH_CONTRAST.backward_fill, HIGH_CONTRAST.plain_fill):
        assert contrast(HIGH_CONTRAST.node_text(fill), fill) >= 7.0
    for line in (HIGH_CONTRAST.node_border, HIGH_CONTRAST.edge, HIGH_CONTRAST.group_border):
        assert contrast(line, HIGH_CONTRAST.background) >= 7.0
