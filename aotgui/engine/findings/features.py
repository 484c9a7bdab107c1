"""Autograd features and Python code that the graph does not contain."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from aotgui.engine.findings.evidence import Evidence, FindingCheck, script_of
from aotgui.engine.observing import Feature, Use
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import CheckStatus, Finding, Severity
from aotgui.model.text import bytes_text


class DroppedFeature(FindingCheck):
    """An autograd feature in the source that the graph does not contain."""

    id = "feature-not-in-graph"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at what eager used."""
        for use in evidence.uses:
            finding = self._of(use, evidence)
            if finding is not None:
                yield finding

    def _of(self, use: Use, evidence: Evidence) -> Finding | None:
        place = {"file": use.file, "line": use.line, "region": evidence.first}
        if use.feature is Feature.SAVED_TENSOR_HOOKS and evidence.is_direct:
            wrong = evidence.check.status is CheckStatus.MISMATCH
            return self.finding(
                Severity.ERROR if wrong else Severity.WARNING,
                f"saved_tensors_hooks at line {use.line} are not in the graph"
                + (": gradients differ from eager." if wrong else "."),
                "Capture with torch.compile, which leaves this code to eager, or move the hooks' work into the target.",
                **place,
            )
        if use.feature is Feature.SEED and evidence.is_direct:
            return self.finding(
                Severity.WARNING,
                f"torch.manual_seed at line {use.line} ran only while tracing: the compiled target draws others.",
                "Seed outside the target.",
                **place,
            )
        if use.feature is Feature.RETAIN_GRAD:
            return self.finding(
                Severity.WARNING,
                f"retain_grad at line {use.line} is lost: the intermediate is no autograd tensor once compiled, so its "
                ".grad stays None.",
                "Return the value, or add its gradient with torch.autograd.grad inside the target.",
                **place,
            )
        if use.feature is Feature.CHECKPOINT and evidence.is_direct and not _tagged_for_recompute(evidence.regions):
            return self.finding(
                Severity.WARNING,
                f"Capture by {evidence.entry_point} ignores the checkpoint at line {use.line}: the graph is the same "
                f"without it ({_saved_words(evidence.regions)} saved).",
                "Capture with torch.compile, which honours it.",
                **place,
            )
        return None


def _tagged_for_recompute(regions: Sequence[RegionTrace]) -> bool:
    return any(graph.policies for region in regions for graph in region.graphs.values())


def _saved_words(regions: Sequence[RegionTrace]) -> str:
    saved = [value for region in regions for value in region.saved]
    return f"{len(saved)} values, {bytes_text(sum(value.storage_bytes for value in saved))}"


class SideEffects(FindingCheck):
    """Python code that changed something in eager but not when the compiled target ran."""

    id = "side-effect-only-while-tracing"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Compares what changed."""
        lost = sorted(evidence.lost_effects)
        if not lost:
            return
        file, text = script_of(evidence.harness)
        lines = _lines_that_write(text, {name.rsplit(".", 1)[-1] for name in lost})
        where = f" at line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else ""
        yield self.finding(
            Severity.WARNING,
            f"Python code{where} ran only while tracing: it changes {', '.join(lost)} in every eager call, "
            "but not when the compiled target runs.",
            "Return what you need, or keep such code outside the target.",
            region=evidence.first,
            file=file if lines else "",
            line=lines[0] if lines else 0,
        )


def _lines_that_write(text: str, names: set[str]) -> list[int]:
    """Lines that assign to one of the names or call a changing method of it."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    lines = set()
    for function in functions:
        if function.name == "__init__":
            continue
        for node in (inner for inner in ast.walk(function) if isinstance(inner, ast.stmt | ast.expr)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                written = [node.func.value] if node.func.attr in _CHANGING else []
            elif isinstance(node, ast.AugAssign | ast.AnnAssign):
                written = [node.target]
            else:
                written = node.targets if isinstance(node, ast.Assign) else []
            if any(_last_name(target) in names for target in written):
                lines.add(node.lineno)
    return sorted(lines)


_CHANGING = frozenset(
    ["append", "extend", "insert", "add", "update", "pop", "remove", "clear", "setdefault", "discard"]
)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


class OnceDifferentiable(FindingCheck):
    """A script that differentiates twice."""

    id = "once-differentiable"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks for ``create_graph=True`` in the script."""
        file, text = script_of(evidence.harness)
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "create_graph" and _is_true(node.value):
                yield self.finding(
                    Severity.WARNING,
                    f"Line {node.value.lineno} differentiates twice, but a graph of AOT Autograd can be differentiated "
                    "once: a second derivative of the compiled target raises.",
                    "Compute the inner gradient inside the target, so that it is traced.",
                    file=file,
                    line=node.value.lineno,
                )


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
