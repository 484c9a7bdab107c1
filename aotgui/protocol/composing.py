"""One capture from the events of a run: the graphs come first, the check and what was compiled with the end."""

from __future__ import annotations

import msgspec

from aotgui.model.capture import Capture
from aotgui.protocol.messages import CaptureReady, Record, Run, RunEnded


def composed(request: Run | Record, ready: CaptureReady | None, ended: RunEnded, torch: str) -> Capture:
    """The capture of a run that is over.

    Args:
        request: what was asked for.
        ready: the last graphs that were sent, or None where there are none.
        ended: the end.
        torch: version of torch.
    """
    capture = (
        ready.capture if ready else Capture(source=request.source, target="", torch=torch, settings=ended.settings)
    )
    regions = [
        msgspec.structs.replace(region, compilations=compilations)
        for region, compilations in zip(capture.regions, ended.compilations, strict=False)
    ]
    asked = request.target if isinstance(request, Run) else ""
    return msgspec.structs.replace(
        capture,
        target=ended.target or capture.target or asked,
        settings=ended.settings,
        regions=regions + capture.regions[len(regions) :],
        check=ended.check,
        problems=ended.problems,
        findings=ended.findings,
        stages=ended.stages,
    )
