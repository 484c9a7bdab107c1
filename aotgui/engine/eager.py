"""The eager reference: what the target gives without tracing, and what it does on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.errors import fault, is_ours
from aotgui.engine.explain import explain
from aotgui.engine.observing import Use, changed, plain_state, watching
from aotgui.model.capture import Stage


@dataclass(frozen=True)
class Eager:
    """The eager reference.

    Attributes:
        result: what it gave.
        uses: autograd features that it used.
        effects: names of the Python values that it changed.
    """

    result: CallResult
    uses: tuple[Use, ...]
    effects: tuple[str, ...]


def run_eager(harness: Harness, seed: int) -> Eager:
    """Calls the target as it is.

    Raises:
        UserError: it fails.
    """
    before = plain_state(harness.target, harness.modules)
    uses: dict[Use, None] = {}

    def observed(*args: Any, **kwargs: Any) -> Any:
        with watching(uses):
            return harness.target.call(*args, **kwargs)

    try:
        result = harness.call(observed, seed)
    except (KeyboardInterrupt, GeneratorExit) as error:
        raise fault(Stage.EAGER, f"{harness.target.name} raises {type(error).__name__}.", error=error) from None
    except Exception as error:
        if is_ours(error):
            raise
        message = f"{harness.target.name} fails in eager with its example inputs: {explain(error)}"
        raise fault(Stage.EAGER, message, error=error) from None
    if not result.outputs:
        message = f"{harness.target.name} returns nothing that AOT Autograd can capture: no tensor, number or None."
        raise fault(Stage.EAGER, message, file=harness.target.file)
    return Eager(result, tuple(uses), tuple(changed(before, plain_state(harness.target, harness.modules))))


def repeated_effects(harness: Harness, seed: int) -> frozenset[str]:
    """Names of the Python values that another eager call changes again: no initialisation that happens once."""
    before = plain_state(harness.target, harness.modules)
    harness.call(harness.target.call, seed)
    return frozenset(changed(before, plain_state(harness.target, harness.modules)))
