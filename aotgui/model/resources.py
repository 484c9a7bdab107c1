"""Where the files shipped with the program are."""

from __future__ import annotations

from pathlib import Path

import aotgui


def resource_path(*parts: str) -> Path:
    """A file of ``resources/``: inside the package when installed, beside it in a checkout."""
    package = Path(aotgui.__file__).parent
    shipped = package / "_resources"
    root = shipped if shipped.is_dir() else package.parent / "resources"
    return root.joinpath(*parts)
