"""What identifies the state of a source: where it is and what is in it."""

from __future__ import annotations

from pathlib import Path

import msgspec


class SourceKey(msgspec.Struct, frozen=True):
    """A source as it was at some moment; equal keys mean that an engine may keep what it loaded.

    Attributes:
        source: absolute path, or ``package.module:name``.
        mtime_ns: modification time of the file, 0 where there is none.
        size_bytes: size of the file, 0 where there is none.
    """

    source: str
    mtime_ns: int = 0
    size_bytes: int = 0

    @classmethod
    def of(cls, source: str) -> SourceKey:
        """The key of a source as it is now."""
        try:
            status = Path(source).stat()
        except (OSError, ValueError):
            return cls(source)
        return cls(source, status.st_mtime_ns, status.st_size)


def normal_source(source: str) -> str:
    """An absolute path for what names a file, anything else (``package.module:name``) as it is."""
    path = Path(source).expanduser()
    looks_like_a_file = path.suffix in {".py", ".pt", ".pth", ".pt2", ".aotcap"} or "/" in source or path.exists()
    return str(path.absolute()) if source and looks_like_a_file else source
