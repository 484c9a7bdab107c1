"""Puts together what a run sends: the capture and what the compilers made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from aotgui.engine.calling import Harness
from aotgui.engine.choices import compiler_name
from aotgui.engine.half import Compiled, Step
from aotgui.engine.tracing import RegionTrace, Trace
from aotgui.model.capture import Compilation, CompileStep, Region
from aotgui.model.graph import GraphKind


def regions_of(trace: Trace, harness: Harness) -> list[Region]:
    """The regions as data; without compilations."""
    aliases = {entry.label: entry.aliases for entry in harness.flat_inputs()}
    return [region_of(region, aliases) for region in trace.all_regions]


def region_of(region: RegionTrace, aliases: Mapping[str, tuple[str, ...]]) -> Region:
    """One region as data; ``aliases`` are other names of a parameter, by its name."""
    return Region(
        name=region.name,
        graphs=region.graphs,
        saved=region.saved,
        inputs=region.inputs(aliases),
        symbols=region.symbols,
        cut=region.partition.cut if region.partition else None,
        policies_used=region.partition.policies_used if region.partition else {},
        decided=region.partition.decided if region.partition else {},
        storage_bytes=region.storages.sizes,
    )


def compilations_of(trace: Trace) -> list[list[Compilation]]:
    """What the compilers made, one list a region; its halves are compiled."""
    return [
        [
            compilation_of(compiler_name(trace.settings, kind), kind, half.compiled)
            for kind, half in region.halves.items()
            if half.compiled is not None
        ]
        for region in trace.all_regions
    ]


def compilation_of(compiler: str, kind: GraphKind, compiled: Compiled) -> Compilation:
    """What a compiler made of a half, as it is shown; nothing but the problem where it refused."""
    if compiled.problem is not None:
        return Compilation(compiler=compiler, graph=kind, seconds=compiled.seconds, problem=compiled.problem)
    return Compilation(
        compiler=compiler,
        graph=kind,
        seconds=compiled.seconds,
        artifact=compiled.artifact,
        language=compiled.language,
        exportable=compiled.script is not None,
        warnings=list(compiled.warnings),
        steps=list(_steps(compiled.steps)),
    )


def _steps(steps: Sequence[Step]) -> Iterator[CompileStep]:
    before = ""
    for step in steps:
        text = step.show()
        changed = text if text != before else ""
        before = text
        yield CompileStep(name=step.name, seconds=step.seconds, text=changed, language=step.language)


def source_texts(regions: Sequence[Region], script: str = "") -> dict[str, str]:
    """The text of the script and of every file that a node's provenance names, as far as they can be read.

    Args:
        regions: their graphs name the files.
        script: comes first, where there is one; the others follow by the number of distinct lines that nodes come from.
    """
    frames = {frame for region in regions for graph in region.graphs.values() for frame in graph.frame_table}
    lines = Counter(frame.file for frame in frames)
    files = dict.fromkeys([script, *(file for file, _ in lines.most_common())])
    texts = {}
    for file in files:
        try:
            texts[file] = Path(file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return texts
