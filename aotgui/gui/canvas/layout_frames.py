"""What the window and its layout process say to each other: msgpack documents whose arrays travel as bytes.

The window sends ``Wanted`` and perhaps ``Dropped``; each ``Wanted`` is answered by one ``Arranged`` or ``Refused``.
A graph is sent once. Groups come as columns: a large graph has thousands, and the window's interpreter must not
be busy with unpacking them one by one.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.arranging import Arrangement, MeasuredOptions, Request
from aotgui.gui.canvas.module_bands import Band
from aotgui.layout.nesting import Nesting
from aotgui.layout.result import Group, Layout
from aotgui.model.graph import Graph

_ARRAYS = tuple(name for name in Layout.__dataclass_fields__ if name not in ("groups", "bounds"))
_Scalar = TypeVar("_Scalar", bound=np.generic)


class Array(msgspec.Struct, frozen=True, array_like=True):
    """A numpy array.

    Attributes:
        dtype: numpy's name of it.
        shape: lengths of the axes.
        data: the elements in C order.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, values: NDArray[_Scalar]) -> Array:
        """An array as bytes."""
        return cls(values.dtype.str, values.shape, values.tobytes())

    def numpy(self) -> NDArray[np.generic]:
        """The array, read only."""
        return np.frombuffer(self.data, np.dtype(self.dtype)).reshape(self.shape)


class Groups(msgspec.Struct, frozen=True):
    """All groups of a graph as columns; see ``Group``. ``nodes`` are those of all, one group after the other."""

    paths: list[str]
    titles: list[str]
    parents: list[int]
    sides: list[int]
    blocks: list[int]
    differs: list[bool]
    lengths: list[int]
    nodes: Array

    @classmethod
    def of(cls, groups: tuple[Group, ...]) -> Groups:
        """Groups as columns."""
        nodes = np.concatenate([np.empty(0, np.int32), *(group.nodes for group in groups)])
        return cls(
            paths=[group.path for group in groups],
            titles=[group.title for group in groups],
            parents=[group.parent for group in groups],
            sides=[group.side for group in groups],
            blocks=[group.blocks for group in groups],
            differs=[group.differs for group in groups],
            lengths=[len(group.nodes) for group in groups],
            nodes=Array.of(nodes),
        )

    def groups(self) -> tuple[Group, ...]:
        """The groups; their nodes are views of one array."""
        nodes = self.nodes.numpy().astype(np.int32, copy=False)
        ends = np.cumsum(self.lengths).tolist()
        columns = (self.paths, self.titles, self.parents, self.sides, self.blocks, self.differs, self.lengths, ends)
        return tuple(
            Group(path, title, parent, nodes[end - length : end], side, blocks, differs)
            for path, title, parent, side, blocks, differs, length, end in zip(*columns, strict=True)
        )


class Nested(msgspec.Struct, frozen=True):
    """What does not change while modules are opened and closed: see ``Nesting`` and ``Arrangement``."""

    paths: list[str]
    parents: list[int]
    blocks: list[int]
    by_line: bool
    node_paths: Array
    sides: Array
    widths: Array
    groups: Groups

    @classmethod
    def of(cls, arrangement: Arrangement) -> Nested:
        """The lasting part of an arrangement."""
        nesting = arrangement.nesting
        return cls(
            paths=nesting.paths,
            parents=nesting.parents,
            blocks=nesting.blocks,
            by_line=nesting.by_line,
            node_paths=Array.of(nesting.node_paths),
            sides=Array.of(nesting.sides),
            widths=Array.of(np.asarray(arrangement.widths, np.float64)),
            groups=Groups.of(arrangement.groups),
        )

    def nesting(self) -> Nesting:
        """The groups' tree."""
        node_paths, sides = (array.numpy().astype(np.int64, copy=False) for array in (self.node_paths, self.sides))
        return Nesting(self.paths, self.parents, node_paths, sides, self.blocks, self.by_line)


class Bands(msgspec.Struct, frozen=True):
    """The bands of one level as columns: numbers of groups, tops and bottoms."""

    groups: list[int]
    tops: list[float]
    bottoms: list[float]


class Wanted(msgspec.Struct, frozen=True, tag=True):
    """The window wants a layout.

    Attributes:
        number: of the request; counts up.
        key: of the graph.
        graph: the graph itself, where its key is new.
        keep: keys of the graphs that may be asked for again; all others can go.
        expanded: see ``Request``.
        is_opening: see ``Request``.
        is_known: the window has the lasting part of this graph's arrangements.
        title_advances: see ``MeasuredOptions``.
        subtitle_advances: see ``MeasuredOptions``.
    """

    number: int
    key: int
    graph: Graph | None
    keep: list[int]
    expanded: list[str] | None
    is_opening: bool
    is_known: bool
    title_advances: list[float]
    subtitle_advances: list[float]

    def options(self) -> MeasuredOptions:
        """Sizes of the boxes."""
        return MeasuredOptions(
            title_advances=np.asarray(self.title_advances), subtitle_advances=np.asarray(self.subtitle_advances)
        )


class Dropped(msgspec.Struct, frozen=True, tag=True):
    """The window lost interest in a request, which is answered all the same.

    Attributes:
        number: of the request.
    """

    number: int


class Arranged(msgspec.Struct, frozen=True, tag=True):
    """A layout.

    Attributes:
        number: of the request.
        expanded: which groups are open, or None where the graph is flat.
        arrays: those of ``Layout`` by their names.
        bounds: see ``Layout``.
        bands: level by level.
        nested: the lasting part, unless the window has it.
    """

    number: int
    expanded: list[str] | None
    arrays: dict[str, Array]
    bounds: tuple[float, float, float, float]
    bands: list[Bands]
    nested: Nested | None

    @classmethod
    def of(cls, number: int, arrangement: Arrangement, *, is_known: bool) -> Arranged:
        """An arrangement as it travels."""
        layout, expanded = arrangement.layout, arrangement.expanded
        places = {id(group): place for place, group in enumerate(arrangement.groups)}
        return cls(
            number=number,
            expanded=None if expanded is None else sorted(expanded),
            arrays={name: Array.of(getattr(layout, name)) for name in _ARRAYS},
            bounds=layout.bounds,
            bands=[
                Bands(
                    [places[id(band.group)] for band in bands],
                    [band.top for band in bands],
                    [band.bottom for band in bands],
                )
                for bands in arrangement.bands
            ],
            nested=None if is_known else Nested.of(arrangement),
        )

    def arrangement(self, request: Request) -> Arrangement:
        """The arrangement of what was asked for.

        Raises:
            ValueError: the lasting part is missing.
        """
        nested, known = self.nested, request.known
        if nested is not None:
            nesting, groups = nested.nesting(), nested.groups.groups()
            widths: list[float] = nested.widths.numpy().tolist()
        elif known is not None:
            nesting, groups, widths = known.nesting, known.groups, known.widths
        else:
            raise ValueError("groups are missing from a layout")
        expanded = None if self.expanded is None else frozenset(self.expanded)
        arrays = {name: array.numpy() for name, array in self.arrays.items()}
        shown = () if expanded is None else groups
        layout = Layout(**arrays, groups=shown, bounds=self.bounds)  # type: ignore[arg-type] # dtypes are the sender's
        bands = [
            [
                Band(groups[group], top, bottom)
                for group, top, bottom in zip(one.groups, one.tops, one.bottoms, strict=True)
            ]
            for one in self.bands
        ]
        return Arrangement(request.graph, layout, nesting, expanded, widths, groups, bands)


class Refused(msgspec.Struct, frozen=True, tag=True):
    """No layout: it was dropped, or the graph cannot be laid out.

    Attributes:
        number: of the request.
    """

    number: int


Asked = Wanted | Dropped
Answered = Arranged | Refused
