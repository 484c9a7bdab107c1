"""Short names of dtypes, the same wherever a person types one."""

from __future__ import annotations

from typing import Final

DTYPE_ALIASES: Final = {
    "float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64", "short": "int16",
    "bf16": "bfloat16", "f64": "float64", "f32": "float32", "f16": "float16", "fp64": "float64", "fp32": "float32",
    "fp16": "float16", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "b8": "bool",
    "c64": "complex64", "c128": "complex128",
}  # fmt: skip


def dtype_name(text: str) -> str:
    """``bfloat16`` for ``bf16`` or ``torch.bfloat16``; what is no alias stays as it is."""
    bare = text.removeprefix("torch.")
    return DTYPE_ALIASES.get(bare, bare)
