"""The package as a user gets it: an sdist that builds the wheel, a wheel that runs away from the clone."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name.rpartition(".")[2] for name in wanted} == {"py", "toml", "typed"}
    names = set(zipfile.ZipFile(wheel).namelist())
    packed = {name for name in names if not name.startswith("battlecalc-")}
    assert packed == wanted, "something was left out, or tests or notebooks were packed"


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


def link_dependencies(wheel: Path, folder: Path) -> None:
    """Link what the wheel's metadata ask for, and nothing else that is installed here, into a folder."""
    (metadata,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA")]
    lines = zipfile.ZipFile(wheel).read(metadata).decode().splitlines()
    asked = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    assert asked
    done: set[str] = set()
    while asked:
        needed = Requirement(asked.pop())
        if needed.name in done or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        done.add(needed.name)
        found: Distribution = distribution(needed.name)
        asked += found.requires or []
        for part in {path.parts[0] for path in found.files or ()} - {"..", "__pycache__"}:
            if not (folder / part).exists():
                (folder / part).symlink_to(Path(str(found.locate_file(part))).resolve())


def test_the_wheel_answers_the_first_command_of_the_readme(wheel: Path, tmp_path: Path) -> None:
    """In an environment with the wheel and its dependencies only: no test tools, no clone, no network."""
    bare = tmp_path / ".venv"
    venv.create(bare, symlinks=True)
    (packages,) = bare.glob("lib/python*/site-packages")
    link_dependencies(wheel, packages)
    environment = {n: text for n, text in os.environ.items() if not n.startswith(("PYTHON", "NUMBA_"))}
    pip = ("-m", "pip", "--python", str(bare))
    python(*pip, "install", "--quiet", "--no-index", str(wheel), cwd=tmp_path, env=environment)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = next(line for line in readme.splitlines() if "-m venv" in line)
    words = shlex.split(first.rpartition("&& ")[2])
    assert words[0] == ".venv/bin/battlecalc"
    done = subprocess.run(
        [*words, "--seed", "7"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "compiling the simulator, once per machine ...\n")
    told = re.search(r"```text\n(.*?)```", readme, re.DOTALL)
    assert told and done.stdout.strip() == told[1].strip()


def test_ci_runs_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = [line for line in readme.splitlines() if "-m pytest" in line and "&&" in line]
    commands = [part.strip() for part in line.split("&&")]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert commands[-1] == script[-1]
    assert any('-e ".[test]"' in line for line in script)
