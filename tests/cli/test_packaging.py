"""The package as a user gets it: an sdist that builds the wheel, a wheel that runs away from the clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def python(*args: str, **kwargs: object) -> str:
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True, **kwargs)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and from it the wheel, with what is installed."""
    place = tmp_path_factory.mktemp("build")
    source = place / "source"
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
    shutil.copytree(ROOT, source, ignore=unwanted)
    python("-m", "build", "--no-isolation", "--outdir", str(place / "dist"), str(source))
    assert len(list((place / "dist").glob("battlecalc-*.tar.gz"))) == 1
    (built,) = (place / "dist").glob("battlecalc-*.whl")
    return built


def test_the_wheel_holds_every_module_and_data_file(wheel: Path) -> None:
    package = ROOT / "battlecalc"
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in package.rglob("*")
        if path.suffix in {".py", ".toml", ".typed"} or path.name == "py.typed"
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    assert wanted <= names
    assert all(name.startswith("battlecalc") for name in names), "tests or notebooks were packed"


def test_the_wheel_runs_from_a_bare_directory(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    python("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel))
    environment = {**os.environ, "PYTHONPATH": str(target)}
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    said = python("-m", "battlecalc", "--version", cwd=tmp_path, env=environment)
    assert said.split() == ["battlecalc", version]
    (script,) = [path for path in (target / "bin").iterdir() if path.name == "battlecalc"]
    assert python(str(script), "--version", cwd=tmp_path, env=environment) == said
    where = python("-c", "import battlecalc; print(battlecalc.__file__)", cwd=tmp_path, env=environment)
    assert Path(where.strip()).is_relative_to(target)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = [line for line in readme.splitlines() if "-m pytest" in line and "&&" in line]
    commands = [part.strip() for part in line.split("&&")]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert commands[-1] == script[-1]
    assert any('-e ".[test]"' in line for line in script)
