"""Folders that appear whole or not at all, and replace nothing but what an earlier export wrote."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from aotgui.engine.artifacts import run_python
from aotgui.engine.errors import fault
from aotgui.engine.unfinished import settling, unfinished

MANIFEST: Final = "manifest.json"
_MARK: Final = "aotgui"


@contextmanager
def whole_folder(path: str) -> Iterator[Path]:
    """A new folder to fill, which takes its place when the block ends well.

    Args:
        path: of the folder.

    Raises:
        UserError: there is something else at this place, or the folder cannot be written; the old one is untouched.
    """
    target = Path(path).expanduser().resolve()
    if not _may_replace(target):
        message = f"{path} holds other files, so it is left alone; choose a new folder or one that an export wrote."
        raise fault("export", message)
    try:
        temporary = _folder_beside(target, ".tmp")
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with unfinished(temporary):
            yield temporary
            _make_readable(temporary)
            _swap(temporary, target)
    except OSError as error:
        raise _unwritable(path, error) from error


def manifest_text(form: str, facts: dict[str, Any]) -> str:
    """The manifest of an export, which also marks its folder as one that may be replaced."""
    return json.dumps({"writer": _MARK, "format": form, "version": 1, **facts}, indent=2) + "\n"


def run_in(folder: Path, script: str) -> None:
    """Runs a script of the folder as a person would.

    Raises:
        UserError: it fails.
    """
    status, output, errors = run_python([script], folder)
    if status:
        said = next((line.strip() for line in reversed((output + errors).splitlines()) if line.strip()), "")
        message = f"{script} fails when plain Python runs it: {said or f'exit status {status}'}"
        raise fault("export", message, details=errors or output)


def _may_replace(target: Path) -> bool:
    if not target.exists():
        return True
    if not target.is_dir():
        return False
    entries = [entry.name for entry in target.iterdir()]
    if not entries:
        return True
    try:
        manifest = json.loads((target / MANIFEST).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("writer") == _MARK


def _swap(new: Path, target: Path) -> None:
    """Puts the new folder in place; what was there is removed only then, and comes back if that fails."""
    with settling, unfinished(_folder_beside(target, ".old")) as aside:
        old = aside / "old"
        try:
            new.stat()  # it is gone where the engine ends
            if target.exists():
                target.rename(old)
            new.rename(target)
        except BaseException:  # also where the person stops it between the two
            if old.exists() and not target.exists():
                old.rename(target)
            raise


def _folder_beside(target: Path, suffix: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=suffix, dir=target.parent))


def _make_readable(folder: Path) -> None:
    """``mkdtemp`` lets nobody else read."""
    with contextlib.suppress(OSError):
        folder.chmod(0o755)


def _unwritable(path: str, error: OSError) -> Exception:
    reason = (error.strerror or str(error)).lower()
    return fault("export", f"Cannot write {path}: {reason}.")
