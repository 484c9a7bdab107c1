"""aotgui: a desktop debugger for PyTorch's AOT Autograd."""

from typing import Final

__version__: Final = "0.1.0"
