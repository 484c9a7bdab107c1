"""What the settings mean for one target and one graph."""

from __future__ import annotations

import msgspec

from aotgui.engine.targets import Target
from aotgui.model.graph import GraphKind
from aotgui.model.presets import preset_of
from aotgui.model.settings import EntryPoint, Settings


def compiler_name(settings: Settings, kind: GraphKind) -> str:
    """Which compiler the settings choose for a kind of graph."""
    if kind is GraphKind.BACKWARD:
        return settings.backward_compiler or settings.forward_compiler
    if kind is GraphKind.INFERENCE:
        return settings.inference_compiler or settings.forward_compiler
    return settings.forward_compiler


def resolved_settings(settings: Settings, target: Target) -> Settings:
    """The settings with ``auto`` resolved and presets applied."""
    if preset := preset_of(settings.forward_compiler):
        settings = preset.applied(settings)
    entry = settings.entry_point
    if entry in (EntryPoint.AUTO, EntryPoint.AOT_MODULE):
        entry = EntryPoint.AOT_MODULE if target.module is not None else EntryPoint.AOT_FUNCTION
    settings = msgspec.structs.replace(settings, entry_point=entry)
    if entry is not EntryPoint.MEMORY_EFFICIENT_FUSION:
        return settings
    chosen = settings.forward_compiler
    compiler = "ts_compile" if chosen == Settings().forward_compiler else chosen
    return msgspec.structs.replace(settings, partitioner="min_cut", decompositions="default", forward_compiler=compiler)
