"""Frames of sweeps: the numbers of each battle alone, on whatever the battles are worked out."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import battlecalc as bc

BATTLE = bc.Battle("great-war", "land", "6 inf, 2 art", "5 inf", territory=2)
GRID = {"attacker.infantry": range(5), "defender.artillery": (0, 2)}
SIMULATED = {"method": "monte-carlo", "trials": 5000, "seed": 7}


def test_rows_are_the_odds_of_each_battle() -> None:
    table = bc.sweep(BATTLE, GRID)
    assert list(table.columns) == [
        *GRID,
        *bc.OUTCOMES,
        "captures",
        "attacker.value_lost",
        "defender.value_lost",
        "swing",
        "expected_gain",
        "expected_rounds",
        "standard_error",
        "method",
        "trials",
        "seed",
        "error",
    ]
    assert [tuple(row) for row in table[list(GRID)].itertuples(index=False)] == [
        (infantry, artillery) for infantry in range(5) for artillery in (0, 2)
    ]
    for row in table.to_dict("records"):
        attacker = f"{row['attacker.infantry']} inf, 2 art"
        odds = bc.solve(BATTLE.replace(attacker=attacker, defender=f"5 inf, {row['defender.artillery']} art"))
        document = odds.to_dict()
        expected = odds.outcomes | {
            "captures": odds.captures,
            "attacker.value_lost": document["attacker"]["expected_value_lost"],
            "defender.value_lost": document["defender"]["expected_value_lost"],
            "swing": document["swing"]["mean"],
            "expected_gain": odds.expected_gain("attacker"),
            "expected_rounds": document["expected_rounds"],
        }
        assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-12)
        assert (row["method"], row["standard_error"]) == ("exact", 0.0)
    assert table["trials"].isna().all() and table["seed"].isna().all() and table["error"].isna().all()


def test_a_simulated_row_can_be_had_again() -> None:
    table = bc.sweep(BATTLE, {"attacker.infantry": [4, 5]}, **SIMULATED)
    row = table.loc[1]
    odds = bc.simulate(BATTLE.replace(attacker="5 inf, 2 art"), trials=5000, seed=int(row["seed"]))
    assert row["attacker_wins"] == odds.outcomes["attacker_wins"]
    assert row["standard_error"] == odds.standard_error("attacker_wins") > 0
    assert table["seed"].nunique() == 2


def test_numbers_do_not_depend_on_the_rest_of_the_sweep() -> None:
    whole = bc.sweep(BATTLE, GRID, **SIMULATED)
    part = bc.sweep(BATTLE, {"defender.artillery": [2], "attacker.infantry": [3, 1]}, **SIMULATED)
    for row in part.to_dict("records"):
        same = whole[
            (whole["attacker.infantry"] == row["attacker.infantry"]) & (whole["defender.artillery"] == 2)
        ]
        assert same["attacker_wins"].item() == row["attacker_wins"]
        assert same["seed"].item() == row["seed"]


def test_another_seed_gives_other_numbers() -> None:
    one, other = (bc.sweep(BATTLE, GRID, **SIMULATED | {"seed": seed}) for seed in (7, 8))
    assert (one["attacker_wins"] != other["attacker_wins"]).all()


class Backwards(Executor):
    """Works everything out when the first result is waited for, the last one submitted first."""

    def __init__(self) -> None:
        self.work: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.work.append((future, fn, args))
        if len(self.work) == self.size:
            for waiting, function, given in reversed(self.work):
                waiting.set_result(function(*given))
        return future

    size = 10


@pytest.mark.parametrize("how", [{}, SIMULATED])
def test_order_of_work_does_not_matter(how: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("battlecalc.sweeping.runner.BLOCK", 1)
    assert_frame_equal(bc.sweep(BATTLE, GRID, executor=Backwards(), **how), bc.sweep(BATTLE, GRID, **how))


def test_threads_and_processes_give_the_same_numbers() -> None:
    expected = bc.sweep(BATTLE, GRID, **SIMULATED)
    with ThreadPoolExecutor(1) as one:
        assert_frame_equal(bc.sweep(BATTLE, GRID, executor=one, **SIMULATED), expected)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        assert_frame_equal(bc.sweep(BATTLE, GRID, executor=processes, **SIMULATED), expected)


def test_together_and_one_by_one_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = {
        "attacker.infantry": range(1, 6),
        "defender.infantry": range(4),
        "attacker.retreat": ["never", "units <= 2", "best"],
        "rounds": [None, 3],
        "ruleset": ["great-war", "aa-1942-2e"],
    }
    together = bc.sweep(BATTLE, grid)
    monkeypatch.setattr("battlecalc.sweeping.runner.BLOCK", 1)
    assert_frame_equal(together, bc.sweep(BATTLE, grid), rtol=0, atol=1e-12)


def test_combinations_without_a_battle_say_why() -> None:
    table = bc.sweep(bc.Battle("great-war", "land", "1 inf", "1 inf"), {"attacker.infantry": [0, 1]})
    assert table["attacker_wins"].isna().tolist() == [True, False]
    assert table["error"][0].startswith("attacker: ")
    assert table["error"].isna().tolist() == [False, True]


def test_what_does_not_fit_exactly_says_why() -> None:
    table = bc.sweep(BATTLE, {"attacker.infantry": [1, 50]}, method="exact", max_states=200)
    assert table["error"].isna().tolist() == [True, False]
    assert "pairs of states" in table["error"][1]
    auto = bc.sweep(BATTLE, {"attacker.infantry": [1, 50]}, max_states=200, trials=1000, seed=1)
    assert auto["method"].tolist() == ["exact", "monte-carlo"]
    assert auto["trials"].tolist() == [pd.NA, 1000]


def test_a_chained_landing_tells_its_chance_to_go_ahead() -> None:
    sea = {"sea_attacker": "1 dd", "sea_defender": "1 sub"}
    landing = bc.Battle("aa-1942-2e", "invasion", "2 inf, 1 trn", "1 inf", **sea)
    table = bc.sweep(landing, {"sea_defender.destroyer": [1, 2]})
    odds = bc.solve(landing.replace(sea_defender="1 sub, 2 dd"))
    assert table["landing"].iloc[1] == odds.landing


def test_progress_counts_battles() -> None:
    seen: list[tuple[int, int]] = []
    bc.sweep(BATTLE, GRID, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 10) and seen[-1] == (10, 10)
    assert seen == sorted(seen)


def test_ctrl_c_tells_how_far_it_got(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("battlecalc.sweeping.runner.BLOCK", 1)

    def stop(done: int, total: int) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        bc.sweep(BATTLE, GRID, progress=stop)
    assert (stopped.value.done, stopped.value.total) == (3, 10)


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"method": "guess"}, "^unknown method 'guess'; known: monte-carlo, exact, auto"),
        ({"trials": 0}, "^trials is a whole number from 1 "),
        ({"seed": -1}, "^seed is a whole number from 0"),
        ({"out": "sweep.txt"}, r"^a sweep is kept in a file that ends in .csv or .jsonl, not 'sweep.txt'"),
        (
            {"executor": Backwards(), "dask": "local"},
            "^a sweep runs on an executor or on a Dask cluster, not on both",
        ),
    ],
)
def test_unclear_runs(how: dict[str, Any], text: str) -> None:
    with pytest.raises(bc.BattlecalcError, match=text):
        bc.sweep(BATTLE, GRID, **how)


def test_a_sweep_can_be_drawn() -> None:
    ax = bc.plot_sweep(bc.sweep(BATTLE, GRID, **SIMULATED))
    assert ax.get_title(loc="left").startswith("0 to 4 infantry, 2 artillery  v  5 infantry")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("attacker's infantry", "defender's artillery")
