"""What a script defines that a setting may name: its own partitioners, decomposition tables and compilers.

Read from the text, as nothing else knows it before the script runs. A setting may name more than is found here:
functions are told by their parameters, as the guide of AOT Autograd calls them.
"""

from __future__ import annotations

import ast
from typing import Final

_MODULES: Final = ("gm", "fx_g", "fx_module", "fx_graph", "graph_module", "module", "mod", "graph")
_JOINTS: Final = ("joint", "joint_module", "joint_gm", "joint_graph")


def script_names(field: str, text: str) -> list[str]:
    """Names that the script defines for a field of ``Settings``, in their order; none where it cannot be read."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return []
    if field == "decompositions":
        return [name for node in body for name in _tables(node)]
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    if field == "partitioner":
        return [node.name for node in functions if _splits(node)]
    return [node.name for node in functions if field.endswith("_compiler") and _compiles(node)]


def _tables(node: ast.stmt) -> list[str]:
    """Names that are assigned a dict of operators, or what ``get_decompositions`` returns."""
    if isinstance(node, ast.AnnAssign):
        targets: list[ast.expr] = [node.target]
    else:
        targets = node.targets if isinstance(node, ast.Assign) else []
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    is_table = (
        any(_is_operator(key) for key in value.keys)
        if isinstance(value, ast.Dict)
        else isinstance(value, ast.Call) and ast.unparse(value.func).endswith("_decompositions")
    )
    return [target.id for target in targets if is_table and isinstance(target, ast.Name)]


def _is_operator(key: ast.expr | None) -> bool:
    text = ast.unparse(key) if key is not None else ""
    return "ops." in text or text.startswith(("aten.", "prims."))


def _splits(function: ast.FunctionDef) -> bool:
    arguments = function.args
    keywords = {argument.arg for argument in arguments.kwonlyargs}
    names = [argument.arg for argument in arguments.args]
    return "num_fwd_outputs" in {*keywords, *names} or (bool(names) and names[0] in _JOINTS)


def _compiles(function: ast.FunctionDef) -> bool:
    arguments = function.args.args
    if len(arguments) != 2 or _splits(function):
        return False
    kind = ast.unparse(arguments[0].annotation) if arguments[0].annotation else ""
    return kind.endswith("GraphModule") or arguments[0].arg in _MODULES
