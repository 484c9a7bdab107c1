"""What a colour mode makes of the boxes: one of a few classes for each, with a fill and a word for the legend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas import measures
from aotgui.gui.canvas.group_facts import node_bytes
from aotgui.gui.canvas.measures import Measure
from aotgui.gui.canvas.scene import SHORT_DTYPES, Scene, most_frequent, short_operator
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.model.graph import Role, Side


class ColourMode(Enum):
    """What the fill of a box says; the value is the word shown to people."""

    PARTITION = "Partition and fate"
    OPERATOR = "Operator"
    DTYPE = "Dtype"
    DEVICE = "Device"
    BYTES = "Bytes"
    MODULE = "Module"
    EXECUTED = "Executed"
    TIME = "Time per node"
    ERROR = "Error against reference"
    DIFFERENCE = "Difference of a what-if"


@dataclass(frozen=True, slots=True, eq=False)
class Colouring:
    """Fills of all boxes.

    Attributes:
        fills: ``#rrggbb`` of each class.
        labels: its word.
        classes: uint8 (items,): class of each item.
        node_classes: uint8 (nodes,): class of each node.
        shows_fate: whether small boxes take the colour of their fate where it is special.
    """

    fills: tuple[str, ...]
    labels: tuple[str, ...]
    classes: NDArray[np.uint8]
    node_classes: NDArray[np.uint8]
    shows_fate: bool = False

    def counts(self) -> list[int]:
        """Number of nodes of each class."""
        return [int(count) for count in np.bincount(self.node_classes, minlength=len(self.fills))]


BYTE_STEPS: Final = (1, 1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 23, 1 << 26)
_BYTE_LABELS: Final = ("no tensor", "< 1 KiB", "< 16 KiB", "< 128 KiB", "< 1 MiB", "< 8 MiB", "< 64 MiB", "64 MiB +")


MEASURED: Final = {
    ColourMode.TIME: Measure.MS,
    ColourMode.ERROR: Measure.ERROR,
    ColourMode.DIFFERENCE: Measure.DIFFERENCE,
}
"""What the modes show that need the debugger's numbers."""


def colour(
    scene: Scene,
    mode: ColourMode,
    theme: CanvasTheme,
    executed: Collection[int] = (),
    measured: Mapping[Measure, NDArray[np.float64]] | None = None,
) -> Colouring:
    """The fills of a scene in a colour mode.

    Args:
        scene: what is coloured.
        mode: what the fills say.
        theme: the colours.
        executed: indexes of the nodes that ran.
        measured: float64 (nodes,) of what the debugger knows, NaN where it knows nothing.
    """
    match mode:
        case ColourMode.OPERATOR:
            return _by_word(scene, _operator_words(scene), theme)
        case ColourMode.DTYPE:
            return _by_word(scene, _dtype_words(scene), theme)
        case ColourMode.DEVICE:
            return _by_word(scene, _device_words(scene), theme)
        case ColourMode.MODULE:
            return _by_word(scene, _module_words(scene), theme)
        case ColourMode.BYTES:
            return _by_bytes(scene, theme)
        case ColourMode.EXECUTED:
            return _by_executed(scene, theme, executed)
        case ColourMode.TIME | ColourMode.ERROR | ColourMode.DIFFERENCE:
            return _by_measure(scene, theme, MEASURED[mode], (measured or {}).get(MEASURED[mode]))
        case _:
            return _by_side(scene, theme)


def _by_side(scene: Scene, theme: CanvasTheme) -> Colouring:
    sides = np.asarray(scene.graph.sides, np.uint8)
    labels = tuple(side.label for side in Side)
    return Colouring((theme.forward_fill, theme.backward_fill), labels, scene.sides, sides, shows_fate=True)


def _by_executed(scene: Scene, theme: CanvasTheme, executed: Collection[int]) -> Colouring:
    """A group is executed when everything in it is."""
    node_classes = np.zeros(len(scene.graph), np.uint8)
    node_classes[list(executed)] = 1
    classes = scene.per_item(node_classes, lambda inside: int(inside.min(initial=1)))
    return Colouring((theme.plain_fill, theme.categories[2]), ("not yet", "executed"), classes, node_classes)


def _by_measure(scene: Scene, theme: CanvasTheme, measure: Measure, values: NDArray[np.float64] | None) -> Colouring:
    if values is None:
        values = np.full(len(scene.graph), np.nan)
    node_classes = measures.classes(measure, values)
    shown = measures.classes(measure, measures.item_values(scene, measure, values))
    return Colouring((theme.plain_fill, *theme.ramp[1:]), measures.LABELS[measure], shown, node_classes)


def _by_bytes(scene: Scene, theme: CanvasTheme) -> Colouring:
    """A group shows its largest value."""
    node_classes = np.digitize(node_bytes(scene.graph), BYTE_STEPS).astype(np.uint8)
    classes = scene.per_item(node_classes, lambda inside: int(inside.max(initial=0)))
    return Colouring(theme.ramp, _BYTE_LABELS, classes, node_classes)


def _by_word(scene: Scene, words: Sequence[str], theme: CanvasTheme) -> Colouring:
    """The most frequent words get a colour each, the rest share the plain one; a group has that of most in it."""
    counts = Counter(words)
    counts.pop("", None)
    kept = sorted(counts, key=lambda word: (-counts[word], word))[: len(theme.categories)]
    place = {word: index + 1 for index, word in enumerate(kept)}
    node_classes = np.fromiter((place.get(word, 0) for word in words), np.uint8, len(words))
    fills = (theme.plain_fill, *theme.categories[: len(kept)])
    return Colouring(fills, ("other", *kept), scene.per_item(node_classes, most_frequent), node_classes)


def _operator_words(scene: Scene) -> list[str]:
    graph = scene.graph
    short = {target: short_operator(graph.strings[target]) for target in set(graph.targets)}
    return [
        short[target] if role == Role.OPERATOR else Role(role).label
        for target, role in zip(graph.targets, graph.roles, strict=True)
    ]


def _dtype_words(scene: Scene) -> list[str]:
    graph = scene.graph
    names = [SHORT_DTYPES.get(info.dtype, info.dtype) for info in graph.tensor_table]
    return [names[value[0]] if value else "" for value in graph.values]


def _device_words(scene: Scene) -> list[str]:
    """Of a tuple the devices of its tensors."""
    graph = scene.graph
    devices = [info.device if info.is_tensor else "" for info in graph.tensor_table]
    return [", ".join(dict.fromkeys(devices[one] for one in value if devices[one])) for value in graph.values]


def _module_words(scene: Scene) -> list[str]:
    """Module paths cut so that the graph falls into as many parts as there are colours, if it can."""
    graph = scene.graph
    paths = {index: graph.strings[index].split(".") for index in set(graph.modules) if index >= 0}
    depth = 1
    while depth < 4 and len({tuple(path[: depth + 1]) for path in paths.values()}) <= 10:
        depth += 1
    cut = {index: ".".join(path[:depth]) for index, path in paths.items()}
    return [cut.get(index, "") for index in graph.modules]
