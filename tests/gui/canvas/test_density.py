"""Tiny boxes add up to shares of colour."""

from __future__ import annotations

import numpy as np

from aotgui.gui.canvas import density

BLUE = 0xFF0000FF
RED = 0xFFFF0000


def picture(boxes, colours, weights=None, size=8):
    image = density.image(np.array(boxes, np.float32), np.array(colours, np.uint32), weights, size, size)
    return np.frombuffer(image.constBits(), np.uint32).reshape(size, size).copy()


def test_a_box_that_fills_pixels_shows_its_own_colour():
    pixels = picture([(2, 3, 2, 1)], [BLUE])
    assert pixels[3, 2] == pixels[3, 3] == BLUE
    assert np.count_nonzero(pixels) == 2


def test_a_lone_flat_box_is_still_seen():
    assert picture([(2, 3, 1, 0.01)], [BLUE])[3, 2] >> 24 >= 0.3 * 255


def test_two_colours_in_one_pixel_mix_by_their_shares():
    pixel = int(picture([(0, 0, 1, 1), (0, 0, 1, 1)], [BLUE, RED])[0, 0])
    assert pixel >> 24 == 255
    assert abs((pixel >> 16 & 255) - 127) <= 1
    assert abs((pixel & 255) - 127) <= 1


def test_faded_boxes_are_lighter_and_boxes_outside_do_nothing():
    pixels = picture([(0, 0, 1, 1), (50, 50, 1, 1), (-9, 2, 1, 1)], [BLUE] * 3, np.array([0.25, 1, 1]))
    assert abs(int(pixels[0, 0] >> 24) - 64) <= 1
    assert np.count_nonzero(pixels) == 1


def test_an_empty_picture():
    assert not picture([(99, 99, 1, 1)], [BLUE]).any()
