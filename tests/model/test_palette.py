"""The palette's promises: readable text, visible borders, one style a fate."""

from __future__ import annotations

import pytest

from aotgui.model.graph import Fate, Side
from aotgui.model.palette import DARK, LIGHT, Palette, palette

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def _luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@THEMES
@pytest.mark.parametrize("side", Side)
def test_text_is_readable_on_every_fill(theme: Palette, side: Side) -> None:
    assert contrast(theme.text, theme.fill(side)) >= 7


@THEMES
def test_text_is_readable_on_background_and_groups(theme: Palette) -> None:
    assert contrast(theme.text, theme.background) >= 7
    assert contrast(theme.text, theme.group) >= 7
    assert contrast(theme.muted, theme.background) >= 4.5


@THEMES
@pytest.mark.parametrize("fate", Fate)
def test_borders_and_badges_are_visible(theme: Palette, fate: Fate) -> None:
    style = theme.fate(fate)
    if not style.badge:
        assert fate in (Fate.FORWARD_ONLY, Fate.BACKWARD_ONLY)  # the fill says it
        return
    for side in Side:
        assert contrast(style.border, theme.fill(side)) >= 3
    assert contrast(style.border, theme.background) >= 3
    assert contrast(style.border, style.badge_text) >= 4


@THEMES
def test_fates_differ_without_colour(theme: Palette) -> None:
    """Forward only and backward only are told apart by the fill of their side."""
    signs = [(s.badge, s.dashed) for s in theme.fates]
    plain = [Fate.FORWARD_ONLY, Fate.BACKWARD_ONLY]
    told_by_badge = [signs[fate] for fate in Fate if fate not in plain]
    assert len(set(told_by_badge)) == len(told_by_badge)
    assert all(theme.fate(fate).badge == "" for fate in plain)
    assert len(theme.fates) == len(Fate)


def test_palette_follows_the_theme() -> None:
    assert palette(True) is DARK
    assert palette(False) is LIGHT
