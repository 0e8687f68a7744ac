"""Files of sweeps: nothing is lost, nothing is counted twice, nothing of others is touched."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import battlecalc as bc
from battlecalc.sweeping.store import Store
from tests.fresh import ROOT

BATTLE = bc.Battle("great-war", "land", "6 inf, 2 art", "5 inf")
GRID: dict[str, Any] = {
    "attacker.infantry": range(4),
    "attacker.retreat": ["never", "units <= 2 or round >= 4"],
    "territory": [0.0, 2.5],
}
SIMULATED = {"method": "monte-carlo", "trials": 2000, "seed": 7}
ENDINGS = pytest.mark.parametrize("ending", ["csv", "jsonl"])


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Battles are worked out one by one; the list grows by one for each."""
    from battlecalc.sweeping import rows, runner

    worked: list[int] = []

    def answer(battle: Any, variables: Any, way: Any, points: Any, **more: Any) -> Any:
        worked.extend([1] * len(points))
        return rows.answer_points(battle, variables, way, points, **more)

    monkeypatch.setattr(runner, "BLOCK", 1)
    monkeypatch.setattr(runner, "answer_points", answer)
    return worked


def stopped_after(rows: int) -> Any:
    def stop(done: int, total: int) -> None:
        if done >= rows:
            raise KeyboardInterrupt

    return stop


@ENDINGS
@pytest.mark.parametrize("how", [{}, SIMULATED])
def test_an_interrupted_sweep_goes_on(
    ending: str, how: dict[str, Any], tmp_path: Path, alone: list[int]
) -> None:
    out = tmp_path / f"sweep.{ending}"
    expected = bc.sweep(BATTLE, GRID, **how)
    with pytest.raises(KeyboardInterrupt):
        bc.sweep(BATTLE, GRID, out=out, progress=stopped_after(6), **how)
    alone.clear()
    assert_frame_equal(bc.sweep(BATTLE, GRID, out=out, **how), expected)
    assert len(alone) == 16 - 6
    assert_frame_equal(bc.sweep(BATTLE, GRID, out=out, **how), expected)
    assert len(alone) == 16 - 6
    assert len(out.read_text().splitlines()) == 16 + (ending == "csv")


@ENDINGS
def test_battles_worked_out_together_go_on_as_well(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("battlecalc.sweeping.runner.BLOCK", 12)
    out, grid = tmp_path / f"sweep.{ending}", {"attacker.infantry": range(30)}
    expected = bc.sweep(BATTLE, grid)
    with pytest.raises(KeyboardInterrupt) as stopped:
        bc.sweep(BATTLE, grid, out=out, progress=stopped_after(6))
    assert stopped.value.done == 12
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:-3]))
    assert bc.sweep(BATTLE, grid, out=out).equals(expected), "to the last bit, whatever was missing"
    assert len(out.read_text().splitlines()) == 30 + (ending == "csv")


@ENDINGS
def test_a_torn_line_is_worked_out_again(ending: str, tmp_path: Path, alone: list[int]) -> None:
    out = tmp_path / f"sweep.{ending}"
    expected = bc.sweep(BATTLE, GRID, out=out)
    whole = out.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    alone.clear()
    for cut in (1, 7, last - 1):
        out.write_bytes(whole[:-cut])
        assert_frame_equal(bc.sweep(BATTLE, GRID, out=out), expected)
        assert len(alone) == 1
        alone.clear()
    out.write_bytes(whole + b"\0" * 100)  # what a crash of the machine may leave
    assert_frame_equal(bc.sweep(BATTLE, GRID, out=out), expected)
    assert out.read_bytes() == whole and not alone


@ENDINGS
@pytest.mark.parametrize("size", [0, 5])
def test_a_file_that_was_hardly_begun(ending: str, size: int, tmp_path: Path) -> None:
    out = tmp_path / f"sweep.{ending}"
    bc.sweep(BATTLE, GRID, out=out, method="exact")
    whole = out.read_bytes()
    out.write_bytes(whole[:size])
    bc.sweep(BATTLE, GRID, out=out, method="exact")
    assert sorted(out.read_bytes().splitlines()) == sorted(whole.splitlines())


@ENDINGS
def test_a_wider_sweep_takes_what_is_there(ending: str, tmp_path: Path, alone: list[int]) -> None:
    out = tmp_path / f"sweep.{ending}"
    bc.sweep(BATTLE, {"attacker.infantry": range(3)}, out=out, **SIMULATED)
    alone.clear()
    wide = bc.sweep(BATTLE, {"attacker.infantry": range(5)}, out=out, **SIMULATED)
    assert len(alone) == 2
    assert_frame_equal(wide, bc.sweep(BATTLE, {"attacker.infantry": range(5)}, **SIMULATED))


@ENDINGS
def test_a_drawn_seed_is_that_of_the_file(ending: str, tmp_path: Path) -> None:
    out = tmp_path / f"sweep.{ending}"
    unseeded = {"method": "monte-carlo", "trials": 2000}
    with pytest.raises(KeyboardInterrupt):
        bc.sweep(BATTLE, GRID, out=out, progress=stopped_after(6), **unseeded)
    table = bc.sweep(BATTLE, GRID, out=out, **unseeded)
    marks = set(re.findall(r"\b[0-9a-f]{12} ([0-9]+)\b", out.read_text()))
    assert len(marks) == 1
    seed = int(marks.pop())
    assert_frame_equal(table, bc.sweep(BATTLE, GRID, seed=seed, **unseeded))


def test_errors_are_kept_as_rows(tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    battle = bc.Battle("great-war", "land", "1 inf", "1 inf")
    table = bc.sweep(battle, {"attacker.infantry": [0, 1]}, out=out)
    assert_frame_equal(bc.sweep(battle, {"attacker.infantry": [0, 1]}, out=out), table)


def test_pandas_reads_what_was_written(tmp_path: Path) -> None:
    table = bc.sweep(BATTLE, GRID, out=tmp_path / "sweep.csv")
    bc.sweep(BATTLE, GRID, out=tmp_path / "sweep.jsonl")
    exact = {"attacker_wins": float}  # the reader of pandas before 3 rounds the last digit
    read = pd.read_csv(tmp_path / "sweep.csv", converters=exact)
    lines = pd.read_json(tmp_path / "sweep.jsonl", lines=True)
    for name in ("attacker.infantry", "attacker.retreat", "attacker_wins", "method"):
        wanted = sorted(table[name])
        assert sorted(read[name]) == wanted
        assert sorted(lines[name]) == (pytest.approx(wanted) if name == "attacker_wins" else wanted)


@ENDINGS
@pytest.mark.parametrize(
    ("battle", "grid", "how", "text"),
    [
        (
            BATTLE.replace(rounds=3),
            GRID,
            SIMULATED,
            "line . comes from another battle, method, number of trials",
        ),
        (
            BATTLE,
            GRID,
            SIMULATED | {"trials": 3000},
            "line . comes from another battle, method, number of trials",
        ),
        (BATTLE, GRID, SIMULATED | {"seed": 8}, "line . comes from seed 7, not 8"),
        (
            BATTLE,
            {"attacker.infantry": range(4)},
            SIMULATED,
            "(its columns are others|line 1 comes from another)",
        ),
    ],
)
def test_the_file_of_another_sweep(
    ending: str, battle: bc.Battle, grid: Any, how: Any, text: str, tmp_path: Path
) -> None:
    out = tmp_path / f"sweep.{ending}"
    bc.sweep(BATTLE, GRID, out=out, **SIMULATED)
    before = out.read_bytes()
    with pytest.raises(
        bc.BattleError, match=f"holds something other than this sweep: {text}.*; choose another file"
    ):
        bc.sweep(battle, grid, out=out, **how)
    assert out.read_bytes() == before


@ENDINGS
@pytest.mark.parametrize(
    "content", [b"my notes", b"my notes\n", b'{"a": 1}\n', b"sweep,a\n1,2\n", b"\xff\xfe\n", b"\0\0"]
)
def test_the_file_of_somebody_else(ending: str, content: bytes, tmp_path: Path) -> None:
    out = tmp_path / f"sweep.{ending}"
    out.write_bytes(content)
    with pytest.raises(
        bc.BattleError, match=r"^'.*' holds something other than this sweep: .*; choose another file$"
    ):
        bc.sweep(BATTLE, GRID, out=out)
    assert out.read_bytes() == content


@pytest.mark.parametrize(
    ("ending", "change"),
    [
        ("csv", lambda line: line[:-1] + b',"\n'),  # a quotation that does not end
        ("csv", lambda line: re.sub(rb"([0-9a-f]{12}) ", rb"\1 x", line)),  # no seed
        ("jsonl", lambda line: re.sub(rb"([0-9a-f]{12}) ", rb"\1 x", line)),
        ("jsonl", lambda line: b"[" * 100_000 + b"\n"),
    ],
)
def test_a_line_that_somebody_spoilt(ending: str, change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    out = tmp_path / f"sweep.{ending}"
    unseeded = {"method": "monte-carlo", "trials": 2000}
    bc.sweep(BATTLE, GRID, out=out, **unseeded)
    *lines, last = out.read_bytes().splitlines(keepends=True)
    content = b"".join((*lines, change(last)))
    out.write_bytes(content)
    with pytest.raises(bc.BattleError, match=f"line {len(lines) + 1} is no row of a sweep; choose another"):
        bc.sweep(BATTLE, GRID, out=out, **unseeded)
    assert out.read_bytes() == content


def test_two_sweeps_do_not_share_a_file(tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    with (
        Store(out, ["a"], 1, "mark", None),
        pytest.raises(
            bc.BattleError, match=r"^'.*sweep.csv' is being written by another sweep: wait for it, or"
        ),
    ):
        bc.sweep(BATTLE, GRID, out=out)
    bc.sweep(BATTLE, GRID, out=out)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        bc.sweep(BATTLE, GRID, out=tmp_path / "nowhere" / "sweep.csv")


@ENDINGS
@pytest.mark.usefixtures("alone")
def test_a_full_disk_loses_nothing(ending: str, tmp_path: Path) -> None:
    out = tmp_path / f"sweep.{ending}"
    expected = bc.sweep(BATTLE, GRID, out=out)
    whole = out.read_bytes()
    out.unlink()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) // 2, hard))
    try:
        with pytest.raises(OSError, match="what was written before is kept") as full:
            bc.sweep(BATTLE, GRID, out=out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert full.value.filename == str(out)
    assert out.read_bytes().endswith(b"\n")
    assert 5 < len(out.read_bytes().splitlines()) < 10
    assert_frame_equal(bc.sweep(BATTLE, GRID, out=out), expected)


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    out = tmp_path / "sweep.jsonl"
    command = [sys.executable, "-m", "battlecalc", "sweep", "6 inf, 2 art", "5 inf", "--out", str(out)]
    command += [
        "--vary",
        "attacker.infantry=0..30",
        "--vary",
        "defender.artillery=0..9",
        "--method",
        "monte-carlo",
    ]
    command += ["--trials", "1e6", "--seed", "3", "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT) as process:
        deadline = time.monotonic() + 60
        while not (out.exists() and out.read_bytes().count(b"\n") > 4):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    kept = [json.loads(line) for line in out.read_bytes().split(b"\n")[:-1]]
    assert 4 < len(kept) < 310
    grid = {"attacker.infantry": range(3), "defender.artillery": range(10)}
    how = {"method": "monte-carlo", "trials": 1_000_000, "seed": 3}
    bc.sweep(BATTLE, {name: list(values)[:2] for name, values in grid.items()}, out=out, **how)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[: len(kept)] == kept
    assert len({(row["attacker.infantry"], row["defender.artillery"]) for row in rows}) == len(rows)
