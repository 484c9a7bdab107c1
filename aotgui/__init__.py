"""aotgui: a desktop debugger for PyTorch's AOT Autograd.

The Python interface (``capture``, ``captures``, ``Settings``, ...) is in ``aotgui.api``. It is imported when it is
first used: the window and the commands run without torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from aotgui.api import CaptureError, CaptureResult, Settings, capture, captures, clear_captures

__all__ = [
    "CaptureError",
    "CaptureResult",
    "Settings",
    "__version__",
    "capture",
    "captures",
    "clear_captures",
]

__version__: Final = "0.1.0"


def __getattr__(name: str) -> Any:  # noqa: ANN401 # whatever the interface has under this name
    if name in __all__:
        return getattr(import_module("aotgui.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
