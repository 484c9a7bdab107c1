"""Inductor as a compiler of one half."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from importlib import import_module
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._guards import detect_fake_mode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.traceback import preserve_node_meta
from torch.utils import _pytree as pytree

from aotgui.engine.compiler import CompileFailed, Compiler, as_flat_call
from aotgui.engine.errors import error_text, one_line
from aotgui.engine.half import Compiled
from aotgui.protocol.messages import CompilerOption


class InductorCompiler(Compiler):
    """Torch's default compiler: fused C++ loops on CPUs."""

    name = "inductor"
    description = "The default compiler of torch.compile: fused loops in C++ or Triton."
    needs = "a C++ compiler on CPUs, Triton on GPUs"
    options = (
        CompilerOption(name="max_autotune", description="Try several kernels and keep the fastest.", default="false"),
        CompilerOption(name="epilogue_fusion", description="Fuse what follows a matrix product.", default="true"),
        CompilerOption(name="cpp.simdlen", description="Bits of a vector: 0 for none, 256, 512.", default="none"),
        CompilerOption(name="*", description="Any other setting of torch._inductor.config."),
    )

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self._config = dict(config or {})

    def with_options(self, chosen: Mapping[str, str]) -> Compiler:
        """With settings of Inductor.

        Raises:
            CompileFailed: Inductor has no such setting, or it takes another type.
        """
        if not chosen:
            return self
        import torch._inductor.config as inductor_config

        known = inductor_config.get_config_copy()
        return InductorCompiler({name: _setting(known, name, text) for name, text in chosen.items()})

    def unavailable(self) -> str:
        """A sentence where there is no C++ compiler that runs."""
        from torch._inductor.cpp_builder import get_cpp_compiler
        from torch._inductor.exc import InvalidCxxCompiler

        try:
            get_cpp_compiler()
        except InvalidCxxCompiler:
            return "it needs a C++ compiler, and neither g++ nor clang++ was found"
        return ""

    def script_source(self) -> str:
        """Inductor's own entry for a graph."""
        config = {"force_disable_caches": True, "fallback_random": True, **self._config}
        return (
            "def compile_graph(module, inputs):\n"
            "    import torch._inductor\n\n"
            f"    return torch._inductor.compile(module, inputs, {config!r})"
        )

    def prepare(self) -> None:
        """Imports Inductor, which takes as long as the rest of torch."""
        import_module("torch._inductor.compile_fx")

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Compiles; the artifact is the generated Python with its kernels.

        Raises:
            CompileFailed: Inductor refuses the graph.
        """
        from torch._inductor.compile_fx import compile_fx_inner
        from torch._inductor.graph import GraphLowering

        sources: list[str] = []
        try:
            # The cache would skip the code generation whose text is shown. Eager's random numbers, because only they
            # can be compared with eager, and because Inductor's own need a pass over the joint graph.
            with (
                torch._inductor.config.patch({"force_disable_caches": True, "fallback_random": True, **self._config}),
                mock.patch.object(GraphLowering, "save_output_code", sources.append),
            ):
                code = compile_fx_inner(_decomposed(module, example_inputs), example_inputs)
        except Exception as error:
            message = f"Inductor cannot compile the graph: {one_line(error)}"
            raise CompileFailed(message, details=error_text(error)) from error
        return Compiled(as_flat_call(code), show=lambda: "\n".join(sources))


def _setting(known: Mapping[str, Any], name: str, text: str) -> Any:
    """A setting from its text: true, false, none or a number where it reads like one."""
    if name not in known:
        raise CompileFailed(f"inductor has no setting {name}; see torch._inductor.config")
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def _decomposed(module: fx.GraphModule, example_inputs: list[Any]) -> fx.GraphModule:
    """Rewrites the graph into the operators that Inductor lowers.

    Views become reshapes, as in Inductor itself: what an operator is rewritten into may have other strides than the
    operator. Each output gets the strides with which it was traced, because the other half was traced for them.
    """
    from torch._inductor.decomposition import select_decomp_table

    for view in (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default):
        for node in module.graph.find_nodes(op="call_function", target=view):
            node.target = torch.ops.aten.reshape.default
    module.recompile()
    traced = [node.meta.get("val") if isinstance(node, fx.Node) else None for node in _outputs(module)]

    def with_strides(*args: Any) -> tuple[Any, ...]:
        outputs = pytree.tree_leaves(fx.Interpreter(module).run(*args))
        return tuple(_with_strides(output, value) for output, value in zip(outputs, traced, strict=True))

    mode = detect_fake_mode(example_inputs)
    # The kernels then tell in a comment which nodes they were fused from.
    with mode or nullcontext(), torch.no_grad(), preserve_node_meta():
        lowered = make_fx(with_strides, select_decomp_table(), tracing_mode="real")(*example_inputs)
    output = lowered.graph.output_node()
    # Inductor may change the strides of every output that is not listed here.
    output.meta["user_visible_output_idxs"] = [
        i for i, node in enumerate(_outputs(lowered)) if isinstance(node, fx.Node)
    ]
    return lowered


def _outputs(module: fx.GraphModule) -> list[Any]:
    leaves: list[Any] = pytree.tree_leaves(module.graph.output_node().args[0])
    return leaves


def _with_strides(output: Any, traced: Any) -> Any:
    if not isinstance(traced, torch.Tensor) or output.stride() == traced.stride():
        return output
    return torch.ops.prims.inductor_force_stride_order.default(output, traced.stride())
