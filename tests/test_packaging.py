"""What is shipped: the wheel holds the resources, and the code finds them there."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from aotgui import __version__
from aotgui.model.resources import resource_path

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_holds_code_types_and_resources(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    examples = {f"aotgui/_resources/examples/{path.name}" for path in (ROOT / "resources/examples").glob("*.py")}
    assert len(examples) >= 5
    assert examples <= names
    assert {"aotgui/cli/__init__.py", "aotgui/py.typed", "aotgui/__main__.py"} <= names
    assert not any(name.startswith(("tests/", "resources/")) for name in names)
    assert wheel.name.startswith(f"aotgui-{__version__}-")


def test_an_installed_package_finds_its_resources(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "from aotgui.model.resources import resource_path; print(resource_path('examples', 'mlp.py'))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    found = Path(done.stdout.strip())
    assert found == tmp_path / "aotgui" / "_resources" / "examples" / "mlp.py"
    assert found.is_file()


def test_a_checkout_finds_its_resources() -> None:
    assert resource_path("examples", "mlp.py") == ROOT / "resources" / "examples" / "mlp.py"
