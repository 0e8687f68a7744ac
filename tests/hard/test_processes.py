"""Threads, processes, interruptions and disks: what a machine does to a long answer."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import battlecalc as bc
from battlecalc.engines import montecarlo, stopping
from battlecalc.engines.montecarlo import Simulation
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from tests.hard import EXAMPLES

ROOT = Path(bc.__file__).parent.parent
POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX signals and limits")
LAND = ("great-war", "land", "6 inf, 2 art, 1 fighter", "5 inf, 1 art")
NAVAL = ("aa-1942", "naval", "2 sub, 2 dd, 1 bb, 2 ftr", "2 sub, 1 dd, 1 bb, 1 ftr")
TRIALS = 200_000


def counts(battle: tuple[str, ...], seed: int = 5, threads: int | None = None) -> dict[str, float]:
    return dict(bc.simulate(*battle, trials=TRIALS, seed=seed, threads=threads).outcomes)


# ---------------------------------------------------------------------- threads and processes


def test_simulations_at_once() -> None:
    """From several threads, each of which may start some of its own."""
    asked = [
        (battle, seed, threads) for battle in (LAND, NAVAL) for seed in (5, 6) for threads in (1, 2, None)
    ]
    alone = [counts(*one) for one in asked]
    with ThreadPoolExecutor(len(asked)) as pool:
        assert list(pool.map(lambda one: counts(*one), asked)) == alone


def test_programs_are_made_by_many_threads() -> None:
    """Sides and settings are shared between battles; whoever comes second finds them whole."""

    def solved(n: int) -> float:
        battle = bc.Battle("aa-1940-2e", "naval", f"{n} sub, 2 dd, 1 ftr", "1 sub, 1 dd, 1 cv, 2 ftr")
        return bc.solve(battle).outcomes["attacker_wins"]

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(solved, [1, 2, 3] * 8))
    assert together == [solved(n) for n in (1, 2, 3)] * 8


def in_child(battle: tuple[str, ...], queue: Any) -> None:
    queue.put((counts(battle), dict(bc.solve(*battle).outcomes)))


@POSIX
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_child_processes(method: str) -> None:
    """After the parent has compiled, simulated on threads and solved."""
    here = (counts(NAVAL, threads=2), dict(bc.solve(*NAVAL).outcomes))
    context: Any = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=in_child, args=(NAVAL, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert found == here


def test_memory_of_many_threads() -> None:
    """Each thread counts in a table of its own: where tables are large, fewer threads are started."""
    program = make_program(fight_of(bc.Battle(*NAVAL)))
    once = Simulation(program, 5, 1)
    cells = once.slots * program.cells
    with patch.object(montecarlo, "_MOST_COUNTED", 3 * cells):
        few = Simulation(program, 5, 1024)
    assert few.threads == 3
    assert Simulation(program, 5, 1024).threads == 1024
    assert few.run(TRIALS).counts.tolist() == once.run(TRIALS).counts.tolist()
    assert len(few._tallies) <= 3


# what measures coverage keeps a file of its own, which is to be no part of a small disk
UNMEASURED = "unset COVERAGE_PROCESS_CONFIG COVERAGE_PROCESS_START;"

# ---------------------------------------------------------------------- compiled code on disk

SMALL = """
import battlecalc as bc
print(bc.simulate("aa-1942", "land", "3 inf", "3 inf", trials=9000, seed=1).to_json())
"""


def answers(root: Path, before: str = "", **environment: str) -> None:
    """Run a small battle in a process of its own, in a package at `root`; its answer is the one here."""
    done = subprocess.run(
        ["bash", "-c", f"{before} exec '{sys.executable}' -W error -c \"$0\"", SMALL],
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    here = bc.simulate("aa-1942", "land", "3 inf", "3 inf", trials=9000, seed=1)
    assert json.loads(done.stdout)["outcomes"] == here.outcomes


@POSIX
def test_no_place_for_compiled_code(tmp_path: Path) -> None:
    """Neither the directory asked for nor the package's nor the user's can be written: compile and answer."""
    (tmp_path / "file").touch()
    blocked = str(tmp_path / "file" / "cache")
    answers(ROOT, NUMBA_CACHE_DIR=blocked)
    shutil.copytree(
        ROOT / "battlecalc", tmp_path / "battlecalc", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "battlecalc" / "engines" / "__pycache__").touch()
    answers(tmp_path, NUMBA_CACHE_DIR=blocked, XDG_CACHE_HOME=blocked, HOME=blocked)


@POSIX
def test_no_room_for_compiled_code(tmp_path: Path) -> None:
    """The directory is there, and nothing fits in it."""
    answers(ROOT, f"{UNMEASURED} trap '' XFSZ; ulimit -f 1;", NUMBA_CACHE_DIR=str(tmp_path))


# ---------------------------------------------------------------------- Ctrl-C

BIG = "60 inf, 20 art, 10 ftr"
MIXED = "600 inf, 600 art, 600 tank"
TANKS = "300 inf, 200 art, 100 tank"
GRID = "--vary", "attacker.tank=0..90"
LONG: dict[str, tuple[str, ...]] = {
    "exact": ("land", "-r", "aa-1942", MIXED, MIXED, "--method", "exact"),
    "simulation": ("land", BIG, BIG, "-n", "1e11"),
    "sweep": ("sweep", BIG, BIG, *GRID, "--method", "monte-carlo", "-n", "3e6"),
    "sweep on threads": ("sweep", BIG, BIG, *GRID, "--method", "monte-carlo", "-n", "3e6", "--threads", "2"),
    "exact sweep": ("sweep", "-r", "aa-1942", MIXED, MIXED, *GRID, "--method", "exact"),
    "means": (
        *("sweep", "-r", "aa-1942", "2 inf", "250 inf, 50 art, 50 tank", "--method", "exact"),
        *("--vary", "attacker.tank=0..80", "--vary", "attacker.infantry=1..200"),
    ),
    "best decisions": (
        *("land", "-r", "aa-1942", TANKS, TANKS, "--method", "exact"),
        *("--attacker-retreat", "best"),
    ),
    "require": ("require", "-r", "aa-1942", "-", BIG, "--from", "inf:0..90, art:0..90, tank:0..90"),
    "advise": ("advise", "120 inf, 100 art, 50 tank, 50 ftr", "300 inf, 100 art", "--orders"),
    "waves": ("waves", "-r", "aa-1942", "--wave", MIXED, "--wave", TANKS, MIXED),
    "batch": ("batch", "-n", "1e11"),
}
USUAL = ("exact", "simulation", "sweep")


def interrupted(words: tuple[str, ...], line: str, after: float) -> tuple[int, str, float]:
    """Start a command, interrupt it, return its status, its standard error, and how long it took to end."""
    with subprocess.Popen(
        [sys.executable, "-m", "battlecalc", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        # a test run in the background may ignore SIGINT, and children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdin and process.stderr
        process.stdin.write(line.encode())
        process.stdin.flush()
        while process.poll() is None and seconds_of(process.pid) < after:
            time.sleep(0.02)
        assert process.poll() is None, process.stderr.read()
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
        return process.wait(60), said, time.monotonic() - began


def seconds_of(process: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", USUAL if EXAMPLES == 1 else LONG)
def test_ctrl_c(name: str, tmp_path: Path) -> None:
    """Exit status 130 soon after the interruption, wherever it comes; what was written is whole."""
    words, path = LONG[name], tmp_path / "rows.csv"
    if words[0] == "sweep":
        words = (*words, "--out", str(path))
    line = json.dumps({"attacker": BIG, "defender": BIG, "sequence": "land"}) + "\n"
    status, said, seconds = interrupted(words, line, 3)
    assert seconds < 8  # a second, on a machine that does nothing else; each of them would take far longer
    assert status == 130, said
    assert said.count("\n") == 1
    assert said.startswith(("interrupted", "stopped after"))
    if path.exists():
        text = path.read_text(encoding="utf-8")
        assert text == "" or text.endswith("\n")
        assert len({line.count(",") for line in text.splitlines()}) <= 1


@pytest.mark.skipif(EXAMPLES == 1, reason="minutes; tests/engines/test_compiling.py meets the worst moment")
@pytest.mark.parametrize("after", [1.0, 1.4, 1.8, 2.2, 2.6, 3.0])
@pytest.mark.parametrize("name", ["exact", "simulation", "means", "sweep", "best decisions"])
def test_ctrl_c_while_kernels_are_compiled(
    name: str, after: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine that has compiled nothing yet: wait for one kernel at most."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    status, said, seconds = interrupted(LONG[name], "", after)
    assert seconds < 20  # three, on a machine that does nothing else; all of them together would take longer
    assert status == 130, said
    said = said.removeprefix("compiling the simulator, once per machine ...\n")
    assert said.count("\n") == 1
    assert said.startswith(("interrupted", "stopped after"))


def test_a_pass_in_parts() -> None:
    """Cut anywhere, a pass gives the same numbers; what comes after the cut can be refused."""
    battle = bc.Battle("aa-1942-2e", "naval", "9 sub, 6 dd, 5 ftr, 3 bb", "9 sub, 6 dd, 5 ftr, 3 bb")
    whole = bc.solve(battle)
    with patch.object(stopping, "_FIRST_WORK", 50), patch.object(stopping, "RUN_SECONDS", 1e-5):
        cut = bc.solve(battle)
        assert cut.outcomes == whole.outcomes
        assert cut.rounds().tolist() == whole.rounds().tolist()
        kept = {
            aim: bc.solve(battle.replace(attacker=bc.Side("9 sub, 6 dd, 5 ftr, 3 bb", retreat=aim)))
            for aim in ("best", "odds < 0.3")
        }
        with pytest.raises(stopping.Stopped), stopping.stopped_by(Set()):
            bc.solve(battle)
    make_program.cache_clear()  # programs keep their decisions
    for aim, found in kept.items():
        again = bc.solve(battle.replace(attacker=bc.Side("9 sub, 6 dd, 5 ftr, 3 bb", retreat=aim)))
        assert found.outcomes == again.outcomes


class Set:
    """An event that is set."""

    def is_set(self) -> bool:
        return True


def test_means_in_parts() -> None:
    battle = bc.Battle("aa-1942", "land", "1 inf", "6 inf, 2 tank")
    grid = {"attacker.infantry": range(1, 40), "attacker.tank": range(4)}
    whole = bc.sweep(battle, grid, method="exact")
    with patch.object(stopping, "_FIRST_WORK", 50), patch.object(stopping, "RUN_SECONDS", 1e-5):
        cut = bc.sweep(battle, grid, method="exact")
    assert cut.equals(whole)


# ---------------------------------------------------------------------- disks

SWEPT = ("-r", "aa-1942", "3 inf", "3 inf", "--vary", "attacker.infantry=1..60")
ROWS = 60 * 20


def sweep(path: Path, before: str = "") -> subprocess.Popen[bytes]:
    script = f"{before} exec '{sys.executable}' -m battlecalc \"$@\" --out '{path}'"
    line = ["bash", "-c", script, "sweep", "sweep", *SWEPT, "--vary", "defender.infantry=1..20"]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT)


def rows(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()[1:]


@POSIX
def test_a_disk_that_fills_while_a_sweep_writes(tmp_path: Path) -> None:
    """One line says so; what is left is whole rows, and a second start goes on from there."""
    path = tmp_path / "grid.csv"
    with sweep(path, f"{UNMEASURED} trap '' XFSZ; ulimit -f 128;") as process:
        assert process.stderr
        said = process.stderr.read().decode()
    assert process.returncode == 2, said
    assert said.startswith(f"error: {str(path)!r}: ") and said.count("\n") == 1
    text = path.read_bytes()
    assert len(text) <= 128 * 1024
    assert text.endswith(b"\n") and text.count(b"\n") > 1
    with sweep(path) as process:
        assert process.stderr
        said = process.stderr.read().decode()
    assert process.returncode == 0, said
    assert len(rows(path)) == len(set(rows(path))) == ROWS


@POSIX
def test_two_processes_write_one_sweep(tmp_path: Path) -> None:
    """One of them writes; the other one is told so, and spoils nothing."""
    path = tmp_path / "grid.csv"
    with sweep(path) as one, sweep(path) as other:
        said = [process.stderr.read().decode() for process in (one, other) if process.stderr]
    ends = sorted(zip((one.returncode, other.returncode), said, strict=True))
    assert ends[0][0] == 0
    assert ends[1][0] in (0, 2)  # 0: it came when the first one had ended
    if ends[1][0]:
        assert "is being written by another sweep" in ends[1][1] and ends[1][1].count("\n") == 1
    assert len(rows(path)) == len(set(rows(path))) == ROWS
