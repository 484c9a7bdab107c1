"""The session model: what is open, what runs, what is selected, where the debugger stands.

Every view takes the session in its constructor, listens to its signals, reads its attributes and keeps no copy.
Nothing here talks to a process: ``Controller`` turns what a person wants into requests and events into calls of
the ``set_*`` and ``add_*`` methods below, and so do tests.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from aotgui.gui.session.breakpoints import Breakpoints
from aotgui.gui.session.compiler_trials import CompilerTrials
from aotgui.gui.session.debug_state import DebugState
from aotgui.gui.session.partitions import Partitions
from aotgui.gui.session.spotlight import Spotlight
from aotgui.gui.session.state import (
    NO_ENGINE,
    RUN_AGAIN,
    Progress,
    RecordingOptions,
    RunState,
    Selection,
    SteppingState,
    TargetChoice,
)
from aotgui.model.capture import Capture, Problem, Region
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.settings import Settings
from aotgui.model.values import ValueSlice, ValueStats
from aotgui.protocol.messages import CompilerInfo, RunStatus, TargetsFound

__all__ = [
    "Progress",
    "RecordingOptions",
    "RunState",
    "Selection",
    "Session",
    "SteppingState",
    "TargetChoice",
]


class Session(QObject):
    """The truth that every view shows.

    Attributes:
        breakpoints: where stepping stops.
        debug: what the debugger told beyond where it stands and the values.
        spotlight: nodes that a person asked to see.
        partitions: what is known of other partitions of the region shown.
        trials: what is known of other compilers for what is open.

    Signals:
        source_changed: ``source`` is another file.
        settings_changed: ``settings`` changed.
        choice_changed: ``choice`` changed.
        offer_changed: ``offer`` changed.
        recording_changed: ``recording`` changed.
        progress_changed: ``progress`` changed.
        capture_changed: ``capture`` or ``region_index`` changed: other graphs.
        result_changed: check, compilations or stage times of the same graphs changed.
        run_status_changed: ``run_status`` changed.
        problems_changed: ``problems`` changed.
        selection_changed: ``selection`` changed.
        reveal_requested: (graph, node) should be brought into view.
        graph_shown_changed: ``graph_shown`` changed.
        stepping_changed: ``stepping`` changed.
        values_changed: (graph, nodes) were executed; with an empty list everything is void.
        value_read: a ``ValueSlice`` of ``graph`` arrived.
        compilers_changed: ``compilers`` changed.
        console_text: the script or the engine printed this.
        console_section: what is printed from now on belongs to this run.
    """

    source_changed = Signal()
    settings_changed = Signal()
    choice_changed = Signal()
    offer_changed = Signal()
    recording_changed = Signal()
    progress_changed = Signal()
    capture_changed = Signal()
    result_changed = Signal()
    run_status_changed = Signal()
    problems_changed = Signal()
    selection_changed = Signal()
    reveal_requested = Signal(object, int)
    graph_shown_changed = Signal()
    stepping_changed = Signal()
    values_changed = Signal(object, object)
    value_read = Signal(object, object)
    compilers_changed = Signal()
    console_text = Signal(str)
    console_section = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = ""
        self._is_stored = False
        self._shown_source = ""
        self._is_outdated = False
        self._settings = Settings()
        self._choice = TargetChoice()
        self._offer: TargetsFound | None = None
        self._recording: RecordingOptions | None = None
        self._progress = Progress()
        self._run_status: RunStatus | None = None
        self._capture: Capture | None = None
        self._region_index = 0
        self._problems: tuple[Problem, ...] = ()
        self._selection = Selection()
        self._graph_shown = GraphKind.JOINT
        self._stepping = SteppingState()
        self._values: dict[GraphKind, dict[int, ValueStats]] = {}
        self.breakpoints = Breakpoints(self)
        self.debug = DebugState(self)
        self._compilers: tuple[CompilerInfo, ...] = ()
        self.spotlight = Spotlight(self)
        self.partitions = Partitions(self)
        self.trials = CompilerTrials(self)

    @property
    def source(self) -> str:
        """What is open: a path or ``package.module:name``; empty for nothing."""
        return self._source

    @property
    def is_stored(self) -> bool:
        """Whether what is open is a capture file: everything can be looked at, and no engine can run it."""
        return self._is_stored

    def set_source(self, source: str, *, is_stored: bool = False) -> None:
        """Another source is open; the capture of the former one stays until the new one has its own."""
        if source != self._source or is_stored != self._is_stored:
            is_other, self._source = source != self._source, source
            self._is_stored = is_stored
            if is_other:
                self.breakpoints.set_points(())
            self.source_changed.emit()

    @property
    def settings(self) -> Settings:
        """The settings for the next run."""
        return self._settings

    def set_settings(self, settings: Settings) -> None:
        """Other settings for the next run."""
        if settings != self._settings:
            self._settings = settings
            self.settings_changed.emit()

    @property
    def choice(self) -> TargetChoice:
        """What the next run captures of the source."""
        return self._choice

    def set_choice(self, choice: TargetChoice) -> None:
        """Another target or other inputs for the next run."""
        if choice != self._choice:
            self._choice = choice
            self.choice_changed.emit()

    @property
    def offer(self) -> TargetsFound | None:
        """What the source offers, where the newest run could not go on without a choice."""
        return self._offer

    def set_offer(self, offer: TargetsFound | None) -> None:
        """The engine asks what to capture, or a new run began."""
        if offer != self._offer:
            self._offer = offer
            self.offer_changed.emit()

    @property
    def recording(self) -> RecordingOptions | None:
        """How the source is recorded, or None where a target in it is captured."""
        return self._recording

    def set_recording(self, recording: RecordingOptions | None) -> None:
        """The source is to be recorded, or to be captured."""
        if recording != self._recording:
            self._recording = recording
            self.recording_changed.emit()

    @property
    def progress(self) -> Progress:
        """What the engine does and how far it is."""
        return self._progress

    def set_progress(self, progress: Progress) -> None:
        """The engine does something else."""
        if progress != self._progress:
            self._progress = progress
            self.progress_changed.emit()

    @property
    def engine_obstacle(self) -> str:
        """Why no engine can answer about the graphs shown, in one sentence; empty where one can, or soon will."""
        if self._is_stored:
            return NO_ENGINE
        progress = self._progress
        return RUN_AGAIN if self.region is not None and progress.is_lost and not progress.is_running else ""

    @property
    def run_status(self) -> RunStatus | None:
        """How the newest run of this source ended; None while it runs and before the first."""
        return self._run_status

    def set_run_status(self, status: RunStatus | None) -> None:
        """A run began (None) or ended."""
        self._is_outdated = self._is_outdated or status is None
        if status != self._run_status:
            self._run_status = status
            self.run_status_changed.emit()

    @property
    def capture(self) -> Capture | None:
        """The newest capture that has graphs."""
        return self._capture

    def set_capture(self, capture: Capture | None) -> None:
        """New graphs; what was selected, executed or stopped in the former ones is void."""
        self._capture = capture
        self._shown_source = self._source
        self._is_outdated = False
        self._region_index = 0
        self._clear_graph_state()
        self.capture_changed.emit()
        self._emit_graph_state()

    def update_result(self, capture: Capture) -> None:
        """The same graphs with another check, other compilations or stage times."""
        self._capture = capture
        self._shown_source = self._source
        self._is_outdated = False
        self.result_changed.emit()

    @property
    def shows_source(self) -> bool:
        """Whether the capture is one of what is open, and not of what was open before."""
        return self._capture is not None and self._shown_source == self._source

    @property
    def is_outdated(self) -> bool:
        """Whether the newest run gave no capture, so that the one shown is of a run before, with other settings."""
        return self._is_outdated

    @property
    def region_index(self) -> int:
        """Which region of the capture is shown."""
        return self._region_index

    def set_region_index(self, index: int) -> None:
        """Show another region."""
        if index != self._region_index and self._capture and 0 <= index < len(self._capture.regions):
            self._region_index = index
            self._clear_graph_state()
            self.capture_changed.emit()
            self._emit_graph_state()

    @property
    def region(self) -> Region | None:
        """The region shown."""
        if self._capture is None or not self._capture.regions:
            return None
        return self._capture.regions[self._region_index]

    def graph(self, kind: GraphKind | None) -> Graph | None:
        """A graph of the region shown."""
        return self.region.graphs.get(kind) if self.region and kind else None

    def graph_inside(self, kind: GraphKind, inside: int) -> Graph | None:
        """The n-th of the nested graphs that the debugger stands in; with 0 the graph around them."""
        graph = self.graph(kind)
        for frame in self.debug.stop.frames[:inside]:
            graph = graph.subgraphs.get(frame.subgraph) if graph else None
        return graph

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the person should know about the last run and since."""
        return self._problems

    def set_problems(self, problems: Iterable[Problem]) -> None:
        """A run's problems replace the former ones."""
        self._problems = tuple(problems)
        self.problems_changed.emit()

    def add_problem(self, problem: Problem) -> None:
        """One more problem."""
        self.set_problems((*self._problems, problem))

    @property
    def selection(self) -> Selection:
        """What is selected."""
        return self._selection

    def select(self, graph: GraphKind | None, nodes: Iterable[int], *, reveal: bool = False) -> None:
        """Select nodes of a graph, the current one first; ``reveal`` also brings it into view."""
        selection = Selection(graph, tuple(nodes)) if graph else Selection()
        self.debug.set_inner(None)
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit()
        if reveal and selection.nodes:
            self.reveal_requested.emit(graph, selection.current)

    def reveal(self, graph: GraphKind, node: int) -> None:
        """Bring a node into view without selecting it."""
        self.reveal_requested.emit(graph, node)

    def selected_in(self, kind: GraphKind) -> list[int]:
        """The selected nodes as they appear in some graph of the region, the current one first."""
        return self.copies_in(kind, self._selection.graph, self._selection.nodes)

    def copies_in(self, kind: GraphKind, graph: GraphKind | None, nodes: Iterable[int]) -> list[int]:
        """Nodes of one graph of the region as they appear in another, in the same order."""
        region = self.region
        if region is None or graph is None or graph not in region.graphs:
            return []
        if graph is kind:
            return list(nodes)
        found: dict[int, None] = {}
        for node in nodes:
            found.update(dict.fromkeys(region.counterparts(graph, node).get(kind, ())))
        return list(found)

    @property
    def graph_shown(self) -> GraphKind:
        """The graph of the tab in front."""
        return self._graph_shown

    def show_graph(self, kind: GraphKind) -> None:
        """Bring a graph's tab to the front."""
        if kind is not self._graph_shown:
            self._graph_shown = kind
            self.graph_shown_changed.emit()

    @property
    def stepping(self) -> SteppingState:
        """Where the debugger stands."""
        return self._stepping

    def set_stepping(self, stepping: SteppingState) -> None:
        """The debugger stands elsewhere."""
        if stepping != self._stepping:
            self._stepping = stepping
            self.stepping_changed.emit()

    def values(self, kind: GraphKind) -> dict[int, ValueStats]:
        """Values of the executed nodes of a graph, by node index, in the order of execution. Do not change."""
        return self._values.get(kind, {})

    def add_values(self, executed: dict[GraphKind, list[ValueStats]]) -> None:
        """Nodes were executed."""
        for kind, values in executed.items():
            if values:
                self._values.setdefault(kind, {}).update((value.node, value) for value in values)
                self.values_changed.emit(kind, [value.node for value in values])

    def void_values(self, kind: GraphKind, first: int) -> None:
        """What was executed of a graph from a node on is void."""
        kept = {node: value for node, value in self.values(kind).items() if node < first}
        if len(kept) < len(self.values(kind)):
            self._values[kind] = kept
            self.values_changed.emit(kind, [])

    def clear_values(self) -> None:
        """Everything executed is void."""
        kinds, self._values = list(self._values), {}
        for kind in kinds:
            self.values_changed.emit(kind, [])

    def add_slice(self, kind: GraphKind, value: ValueSlice) -> None:
        """A slice that a view asked for arrived; it is shown, not kept."""
        self.value_read.emit(kind, value)

    @property
    def compilers(self) -> tuple[CompilerInfo, ...]:
        """The compilers that the engine knows; empty until it said hello."""
        return self._compilers

    def set_compilers(self, compilers: Iterable[CompilerInfo]) -> None:
        """The engine said which compilers it knows."""
        self._compilers = tuple(compilers)
        self.compilers_changed.emit()

    def add_console_text(self, text: str) -> None:
        """Something was printed."""
        self.console_text.emit(text)

    def begin_console_section(self, title: str) -> None:
        """What is printed from now on belongs to another run."""
        self.console_section.emit(title)

    def _clear_graph_state(self) -> None:
        self._selection = Selection()
        self._stepping = SteppingState()
        self._values = {}

    def _emit_graph_state(self) -> None:
        self.debug.clear()
        self.spotlight.clear()
        self.selection_changed.emit()
        self.stepping_changed.emit()
        for kind in GraphKind:
            self.values_changed.emit(kind, [])
