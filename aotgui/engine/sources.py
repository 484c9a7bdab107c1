"""Opening what a person names: a script, ``package.module:name``, or a model file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aotgui.engine.ambient import Ambient
from aotgui.engine.errors import fault, one_line
from aotgui.engine.frames import Origin, origin_of
from aotgui.engine.model_files import is_model_file, open_model_file
from aotgui.model.capture import Stage

SCRIPT_ENDINGS: Final = (".py", ".pyw")


@dataclass(frozen=True)
class Source:
    """What was opened.

    Attributes:
        text: as given: a path or ``package.module:name``.
        namespace: the names that it defines.
        wanted: the name after the colon, or empty.
        ambient: what it set for the whole process.
        modules: names of the user's own modules that were imported with it.
        files: its file and those of these modules.
        mark: fingerprint of the files when it was opened.
    """

    text: str
    namespace: Mapping[str, Any]
    wanted: str
    ambient: Ambient
    modules: tuple[str, ...]
    files: tuple[str, ...]
    mark: str

    @property
    def title(self) -> str:
        """How it is called in a sentence."""
        return Path(self.text).name if self.file else self.text

    @property
    def file(self) -> str:
        """Path of the file, or empty for a package."""
        return self.text if Path(self.text).exists() else ""

    @property
    def is_current(self) -> bool:
        """Whether no file of it has changed since."""
        return fingerprint(*self.files) == self.mark


def fingerprint(*files: str) -> str:
    """Changes when one of the files does; a file that is not there counts as empty."""
    digest = hashlib.sha256()
    for file in files:
        try:
            digest.update(Path(file).read_bytes())
        except OSError:
            digest.update(b"none")
    return digest.hexdigest()


class Shelf:
    """Holds the source that is open. A source is opened again where one of its files has changed."""

    def __init__(self) -> None:
        self._source: Source | None = None

    def source(self, text: str, trusted: bool = False) -> Source:
        """A source, with what it set for the process in place; arguments and errors are those of ``open_source``."""
        source = self._source
        if source is not None and source.text == text and source.is_current:
            source.ambient.restore()
            return source
        self._forget()
        self._source = open_source(text, trusted)
        return self._source

    def _forget(self) -> None:
        """Lets the user's own modules be imported anew: they may have changed, or belong to another folder."""
        for name in self._source.modules if self._source else ():
            sys.modules.pop(name, None)
        self._source = None


def open_source(text: str, trusted: bool = False) -> Source:
    """Run, import or unpickle a source.

    Args:
        text: path of a script or model file, or ``package.module:name``.
        trusted: whether a model file may run code. A script is trusted by whoever names it.

    Raises:
        TrustNeededError: a model file would run code, and nobody has said that it may.
        UserError: the source cannot be read, is neither Python nor a model, or fails while it runs.
    """
    before = set(sys.modules)
    namespace, wanted = _namespace_of(text, trusted)
    modules = {name: file for name in set(sys.modules) - before if (file := _user_file(sys.modules[name]))}
    files = tuple(sorted({*modules.values(), text} if Path(text).is_file() else modules.values()))
    return Source(text, namespace, wanted, Ambient.now(), tuple(modules), files, fingerprint(*files))


def _namespace_of(text: str, trusted: bool) -> tuple[Mapping[str, Any], str]:
    path = Path(text)
    if path.suffix.lower() not in SCRIPT_ENDINGS and path.is_file() and is_model_file(path):
        return open_model_file(path, trusted), ""
    if path.suffix.lower() in SCRIPT_ENDINGS or path.exists():
        return _run_script(path), ""
    package, separator, name = text.partition(":")
    if all(part.isidentifier() for part in package.split(".")) and (separator or _is_package(package)):
        return _import_module(package), name
    raise fault(Stage.LOAD, f"There is no file {text}.")


def _user_file(module: types.ModuleType) -> str:
    """The file of a module of the user's own Python code, or empty."""
    file = getattr(module, "__file__", None) or ""
    return file if file.endswith(SCRIPT_ENDINGS) and origin_of(file) is Origin.USER else ""


def read_script(path: Path) -> types.CodeType:
    """The code of a script.

    Raises:
        UserError: it cannot be read, or is no Python.
    """
    text = _read(path)
    try:
        return compile(text, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        reason = getattr(error, "msg", str(error))
        raise fault(Stage.LOAD, f"{path.name} is not valid Python: {reason}.", file=str(path), line=line) from None


def execute(run: Callable[[], Any], title: str, file: str) -> Any:
    """Run the user's module code; whatever it raises becomes a sentence with its line.

    Raises:
        UserError: it raised, or called ``sys.exit``.
    """
    try:
        return run()
    except SystemExit as error:
        message = f"{title} called sys.exit({error.code!r}) while it was loaded, so no target could be taken from it."
        raise fault(Stage.LOAD, message, error=error, file=file if not error.__traceback__ else "") from None
    except Exception as error:
        raise fault(Stage.LOAD, f"{title} fails while it is loaded: {one_line(error)}", error=error) from None


def _run_script(path: Path) -> Mapping[str, Any]:
    code = read_script(path)
    # Under a name of its own in sys.modules: dataclasses and pickle look their module up there.
    module = types.ModuleType(f"aotgui_target_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    execute(lambda: exec(code, module.__dict__), path.name, str(path))
    return module.__dict__


def _read(path: Path) -> bytes:
    if path.is_dir():
        raise fault(Stage.LOAD, f"{path} is a folder; open a Python script in it.")
    if path.suffix.lower() not in SCRIPT_ENDINGS:
        what = "no capture of aotgui" if path.suffix == ".aotcap" else "no Python script and no model"
        message = f"{path.name} is {what}: aotgui opens .py files, what torch saves, and its own captures."
        raise fault(Stage.LOAD, message, file=str(path))
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise fault(Stage.LOAD, f"There is no file {path}.") from None
    except OSError as error:
        raise fault(Stage.LOAD, f"{path} cannot be read: {error.strerror}.", file=str(path)) from None


def _is_package(package: str) -> bool:
    """Whether there is a package of this name: ``torch.nn`` may as well be a file that is missing."""
    sys.path.insert(0, str(Path.cwd()))
    return importlib.util.find_spec(package.partition(".")[0]) is not None


def _import_module(package: str) -> Mapping[str, Any]:
    sys.path.insert(0, str(Path.cwd()))
    module: types.ModuleType = execute(lambda: importlib.import_module(package), package, "")
    return module.__dict__
