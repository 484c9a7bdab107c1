"""Well-known combinations of compiler, partitioner and decompositions, by the names that people know them under."""

from __future__ import annotations

from typing import Final

import msgspec

from aotgui.model.comparison import Candidate
from aotgui.model.settings import Settings


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """One combination.

    Attributes:
        name: as torch calls it.
        description: one line.
        candidate: what it stands for; every field but the backward compiler is set.
    """

    name: str
    description: str
    candidate: Candidate

    def applied(self, settings: Settings) -> Settings:
        """The settings with the preset's choices; the rest stays."""
        chosen = self.candidate
        return msgspec.structs.replace(
            settings,
            forward_compiler=chosen.compiler,
            backward_compiler="",
            inference_compiler="",
            partitioner=chosen.partitioner,
            decompositions=chosen.decompositions,
        )


PRESETS: Final = (
    Preset(
        name="aot_eager",
        description="The graphs as they are, run by PyTorch: default partitioner, no decompositions.",
        candidate=Candidate(compiler="nop", partitioner="default", decompositions="none"),
    ),
    Preset(
        name="aot_eager_decomp_partition",
        description="The graphs as they are after decompositions into core ATen and a min-cut partition.",
        candidate=Candidate(compiler="nop", partitioner="min_cut", decompositions="core"),
    ),
    Preset(
        name="memory_efficient_fusion",
        description="What functorch's memory_efficient_fusion does: ts_compile, min-cut, default decompositions.",
        candidate=Candidate(compiler="ts_compile", partitioner="min_cut", decompositions="default"),
    ),
)


def preset_of(name: str) -> Preset | None:
    """The preset of a name, or None."""
    return next((preset for preset in PRESETS if preset.name == name), None)
