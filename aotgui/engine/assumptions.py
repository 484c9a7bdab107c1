"""What a trace takes for granted about a call, and how another call differs from it.

``aot_function`` has no guards: a call with another shape, another ``training`` flag, another Python number or another
``requires_grad`` silently runs the first trace.
"""

from __future__ import annotations

import torch

from aotgui.engine.calling import Harness


def assumptions_of(harness: Harness) -> dict[str, str]:
    """Everything that a trace bakes in, by name, as text that a person can compare."""
    facts = {}
    for entry in harness.flat_inputs():
        if isinstance(entry.value, torch.Tensor):
            facts[f"shape of {entry.label}"] = str(tuple(entry.value.shape))
            facts[f"dtype of {entry.label}"] = str(entry.value.dtype).removeprefix("torch.")
            facts[f"requires_grad of {entry.label}"] = str(entry.value.requires_grad)
        else:
            facts[f"value of {entry.label}"] = repr(entry.value)[:80]
    for prefix, module in harness.modules:
        for path, child in module.named_modules():
            name = f"{prefix}{path}".removesuffix(".") or harness.target.name
            facts[f"training flag of {name}"] = str(child.training)
    return facts


def differences(traced: dict[str, str], called: dict[str, str]) -> list[str]:
    """Sentences about what differs, shortest names first: ``shape of args[0] is (6, 3), traced with (5, 3)``."""
    found: list[tuple[int, str]] = []
    for name in dict.fromkeys([*traced, *called]):
        before, now = traced.get(name, "absent"), called.get(name, "absent")
        if before != now:
            found.append((len(name), f"{name} is {now}, traced with {before}"))
    return [sentence for _, sentence in sorted(found, key=lambda pair: pair[0])]
