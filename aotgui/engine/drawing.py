"""``draw_graph_compile``: the graph as Graphviz draws it.

Torch's own function of this name needs pydot, which few have, and loses shapes. The drawing is written here as DOT
text; a picture of it is made by Graphviz's ``dot``, within a time limit, because that takes minutes for a thousand
nodes.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from torch import fx

from aotgui.engine.compiler import CompileFailed, Compiler, as_flat_call
from aotgui.engine.graphs import target_text, tensor_info
from aotgui.engine.half import Compiled
from aotgui.protocol.messages import CompilerOption

DOT_SECONDS: Final = 60.0
_TEXT_SUFFIXES: Final = (".dot", ".gv")
_PICTURE_SUFFIXES: Final = (".svg", ".png", ".pdf")


class DrawGraphCompile(Compiler):
    """Draws the graph and runs it as it is."""

    name = "draw_graph_compile"
    description = "Prints the generated code, draws the graph with Graphviz, then runs the graph as it is."
    changes_graph = False
    needs = "Graphviz's dot, for pictures"
    options = (
        CompilerOption(name="file", description="Where to draw to: .dot, .svg, .png or .pdf; nowhere if left out."),
    )

    def __init__(self, file: str = "") -> None:
        self._file = file

    def configured(self, chosen: Mapping[str, str]) -> Compiler:
        """With a file to draw to.

        Raises:
            CompileFailed: its ending names no format.
        """
        suffix = Path(chosen["file"]).suffix.lower()
        if suffix not in _TEXT_SUFFIXES + _PICTURE_SUFFIXES:
            raise CompileFailed(f"{self.name} draws to {', '.join(_TEXT_SUFFIXES + _PICTURE_SUFFIXES)}, not {suffix}")
        return DrawGraphCompile(chosen["file"])

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Prints, draws and returns the module itself; the artifact is the drawing as DOT.

        Raises:
            CompileFailed: it cannot be drawn.
        """
        print(module.code)  # noqa: T201 # what this compiler is for
        if self._file:
            self._draw(Path(self._file).expanduser(), dot_text(module))
        return Compiled(as_flat_call(module), show=lambda: dot_text(module), language="dot")

    def _draw(self, path: Path, text: str) -> None:
        try:
            if path.suffix.lower() in _TEXT_SUFFIXES:
                path.write_text(text)
            else:
                path.write_bytes(self._picture(text, path.suffix.lower().removeprefix(".")))
        except OSError as error:
            raise CompileFailed(f"Cannot write {path}: {(error.strerror or str(error)).lower()}") from error

    def _picture(self, text: str, form: str) -> bytes:
        dot = shutil.which("dot")
        if dot is None:
            raise CompileFailed(f"{self.name} needs Graphviz's dot for a picture, and there is none")
        try:
            done = subprocess.run(
                [dot, f"-T{form}"], input=text.encode(), capture_output=True, check=True, timeout=DOT_SECONDS
            )
        except subprocess.TimeoutExpired:
            message = f"Graphviz did not finish in {DOT_SECONDS:g} s; export the graph as SVG instead"
            raise CompileFailed(message) from None
        except subprocess.CalledProcessError as error:
            details = error.stderr.decode(errors="replace")
            raise CompileFailed(
                f"Graphviz cannot draw the graph (status {error.returncode})", details=details
            ) from None
        return done.stdout


def dot_text(module: fx.GraphModule) -> str:
    """The graph in Graphviz's language: one box a node, with operator and shape."""
    import graphviz

    drawing = graphviz.Digraph("graph", node_attr={"shape": "box", "fontname": "monospace"})
    for node in module.graph.nodes:
        value = node.meta.get("val")
        shape = str(tensor_info(value)) if value is not None and not isinstance(value, tuple | list) else ""
        lines = [node.name, "" if node.op == "output" else target_text(node), shape]
        drawing.node(node.name, graphviz.escape("\n".join(filter(None, lines))))
        for source in node.all_input_nodes:
            drawing.edge(source.name, node.name)
    return str(drawing.source)
