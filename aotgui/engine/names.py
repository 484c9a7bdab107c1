"""Human names of what goes into a captured function and comes out of it.

Private API: descriptors (``torch._functorch._aot_autograd.descriptors``) are read by class name and attribute, never
imported; one of an unknown kind keeps torch's own expression for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aotgui.model.graph import OutputKind, Role


@dataclass(frozen=True)
class Names:
    """Human names of what goes in and out of a captured function.

    Attributes:
        inputs: by flat position, as ``PlainAOTInput`` counts.
        roles: likewise.
        outputs: by flat position, as ``PlainAOTOutput`` counts.
        modules: paths of the target's modules; empty where they are not known.
    """

    inputs: Sequence[str] = ()
    roles: Sequence[Role] = ()
    outputs: Sequence[str] = ()
    modules: frozenset[str] = frozenset()

    def of_module(self, path: str) -> str:
        """A module path without what stands for the target itself.

        Dynamo's paths begin with how the compiled frame reached the module: ``L.args.0.layers.3`` becomes ``layers.3``.
        """
        known = path
        while self.modules and known and known not in self.modules:
            known = known.partition(".")[2]
        return known or path

    def of_input(self, desc: Any) -> tuple[str, Role]:
        """Name and role of an ``AOTInput``; empty and INPUT where it is of an unknown kind."""
        kind = type(desc).__name__
        if kind == "PlainAOTInput":
            if desc.idx < len(self.inputs):
                return self.inputs[desc.idx], self.roles[desc.idx]
            return f"args[{desc.idx}]", Role.INPUT
        if kind in ("ParamAOTInput", "BufferAOTInput"):
            return desc.target, Role.PARAMETER if kind == "ParamAOTInput" else Role.BUFFER
        if kind == "TangentAOTInput":
            return f"gradient of {self.of_output(desc.output)[0]}", Role.TANGENT
        if kind.startswith("Philox"):
            return desc.expr().strip("_").replace("_", " "), Role.RNG_STATE
        if kind.endswith("TokenAOTInput"):
            return desc.expr().strip("_").replace("_", " "), Role.EFFECT_TOKEN
        return self._of_derived_input(desc, kind)

    def _of_derived_input(self, desc: Any, kind: str) -> tuple[str, Role]:
        if kind == "SubclassGetAttrAOTInput":
            base, role = self.of_input(desc.base)
            return f"{base}.{desc.attr}", role
        if kind in ("SubclassSizeAOTInput", "SubclassStrideAOTInput"):
            base, _ = self.of_input(desc.base)
            return f"{base}.{'size' if 'Size' in kind else 'stride'}({desc.idx})", Role.SYMBOLIC_SIZE
        if kind == "ViewBaseAOTInput":
            base, role = self.of_input(desc.base_of)
            return f"base of {base}", role
        expr = getattr(desc, "expr", None)
        return (expr().strip("_") if callable(expr) else ""), Role.INPUT

    def of_output(self, desc: Any) -> tuple[str, OutputKind]:
        """Name and kind of an ``AOTOutput``."""
        kind = type(desc).__name__
        if kind == "PlainAOTOutput":
            known = desc.idx < len(self.outputs)
            return (self.outputs[desc.idx] if known else f"out[{desc.idx}]"), OutputKind.OUTPUT
        if kind == "GradAOTOutput":
            return f"gradient of {self.of_input(desc.grad_of)[0]}", OutputKind.GRADIENT
        if kind == "InputMutationAOTOutput":
            return f"updated {self.of_input(desc.mutated_input)[0]}", OutputKind.MUTATION
        if kind == "SubclassGetAttrAOTOutput":
            base, output_kind = self.of_output(desc.base)
            return f"{base}.{desc.attr}", output_kind
        if desc is None:
            return "None", OutputKind.OTHER
        expr = getattr(desc, "expr", None)
        return (expr().strip("_") if callable(expr) else kind), OutputKind.OTHER
