"""Both engines on the six reference battles. Times are reported, never asserted."""

from __future__ import annotations

from typing import Any

import pytest

import battlecalc as bc
from battlecalc.engines.montecarlo import Simulation
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from benchmarks import baselines
from benchmarks.battles import LAND, NAMES, WINS, forget, question, small_battles

pytest.importorskip("pytest_benchmark")
TRIALS = 200_000


def close(wins: float, name: str, trials: int) -> None:
    """Compare a share of wins with the exact one: what is fast must be right."""
    assert abs(wins / trials - WINS[name]) < 4.5 * (WINS[name] * (1 - WINS[name]) / trials) ** 0.5


def note(benchmark: Any, trials: int) -> None:
    """Keep trials per second beside the times (none are taken with --benchmark-disable)."""
    if benchmark.stats is not None:
        benchmark.extra_info["trials per second"] = trials / benchmark.stats["min"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_simulation(benchmark: Any, name: str, threads: int) -> None:
    program = make_program(fight_of(bc.Battle(*question(name))))
    Simulation(program, 1, threads).run(1)
    benchmark.group = f"simulated: {name}"
    benchmark(lambda: Simulation(program, 1, threads).run(TRIALS))
    note(benchmark, TRIALS)
    odds = bc.simulate(*question(name), trials=TRIALS, seed=1)
    close(odds.outcomes["attacker_wins"] * TRIALS, name, TRIALS)


@pytest.mark.parametrize("name", LAND)
def test_die_by_die_loop(benchmark: Any, name: str) -> None:
    baselines.dice_wins(name, 1)
    benchmark.group = f"simulated: {name}"
    wins = benchmark(lambda: baselines.dice_wins(name, TRIALS))
    note(benchmark, TRIALS)
    close(wins, name, TRIALS)


@pytest.mark.parametrize("name", LAND)
def test_numpy_arrays(benchmark: Any, name: str) -> None:
    benchmark.group = f"simulated: {name}"
    wins = benchmark.pedantic(lambda: baselines.array_wins(name, 20_000), rounds=5)
    note(benchmark, 20_000)
    close(wins, name, 20_000)


@pytest.mark.parametrize("new", [True, False], ids=["new", "again"])
@pytest.mark.parametrize("name", NAMES)
def test_exact(benchmark: Any, name: str, new: bool) -> None:
    bc.solve(*question(name))
    benchmark.group = f"exact: {name}"
    benchmark.pedantic(lambda: bc.solve(*question(name)).outcomes, setup=forget if new else None, rounds=10)
    assert bc.solve(*question(name)).outcomes["attacker_wins"] == pytest.approx(WINS[name], abs=1e-8)


def test_a_thousand_small_battles(benchmark: Any) -> None:
    benchmark.group = "exact: 1,000 battles of 6 v 6"
    battles = small_battles()
    assert len(set(battles)) == 1000
    benchmark.pedantic(
        lambda: [bc.solve(*battle).outcomes for battle in battles], setup=forget, rounds=3, warmup_rounds=1
    )
