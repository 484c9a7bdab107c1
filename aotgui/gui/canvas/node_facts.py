"""What the debugger knows of an executed node, in one line of its card."""

from __future__ import annotations

from aotgui.model.stepping import NodeError
from aotgui.model.text import number_text
from aotgui.model.values import ValueStats


def facts_line(
    words: str, stats: ValueStats, error: NodeError | None = None, difference: NodeError | None = None
) -> str:
    """``ran in forward: -1.5 to 2, 3 NaN, 0.12 ms, error 1e-06``.

    Args:
        words: what the line begins with.
        stats: of the value.
        error: against the reference run.
        difference: to the run without the what-if.
    """
    facts = [stats.text] if stats.text and not stats.tensor.is_tensor else []
    if stats.minimum is not None:
        facts.append(f"{number_text(stats.minimum)} to {number_text(stats.maximum)}")
    facts += [f"{count:,} {name}" for count, name in ((stats.nans, "NaN"), (stats.infs, "Inf")) if count]
    facts.append(f"{number_text(stats.ms, 3)} ms")
    facts += [
        f"{name} {number_text(one.relative, 3)}"
        for name, one in (("error", error), ("difference", difference))
        if one is not None and (one.max_abs or not one.text)
    ]
    return f"{words}: {', '.join(facts)}"
