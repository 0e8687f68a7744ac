"""What holds under any rules: chances sum to 1, nobody appears or vanishes, both engines say the same."""

from __future__ import annotations

from math import sqrt
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

import battlecalc as bc
from battlecalc.engines import exact
from battlecalc.engines.montecarlo import Simulation
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from battlecalc.rulesets import Ruleset
from tests.engines.chisquare import RARE, cells_of, statistic, threshold
from tests.engines.ways import compiled, equal, plain
from tests.hard import EXAMPLES
from tests.hard.random_rules import MOST, SIDES, battles, counts, even_rulesets

TRIALS = 20_000


def often(examples: int) -> Any:
    """Return the settings of a test with so many examples, or as many times more as are asked for."""
    return settings(
        derandomize=True,
        deadline=None,
        max_examples=examples * EXAMPLES,
        phases=[Phase.generate],  # shrinking a whole ruleset takes minutes
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def assert_conserved(odds: bc.Odds) -> None:
    """Every unit is a survivor, destroyed, or captured: in the means and in every end state."""
    captured = odds.captured()
    for side in SIDES:
        left, lost = odds.expected_survivors(side), odds.expected_losses(side)
        start = dict(getattr(odds.battle, side).counts)
        assert left.keys() == lost.keys() <= start.keys()
        for unit, number in left.items():
            taken = captured.get(unit, 0.0) if side == "defender" else 0.0
            assert min(number, lost[unit], taken) > -1e-12
            assert number + lost[unit] + taken == pytest.approx(start[unit], abs=1e-9)
    table = odds.outcome_table()
    assert table["probability"].sum() == pytest.approx(1, abs=1e-12)
    assert (table["probability"] > 0).all()
    for side in SIDES:
        for unit, number in getattr(odds.battle, side).counts:
            names = [n for n in table.columns if n.split(" (")[0].rstrip("*") == f"{side}.{unit}"]
            assert (table[names].sum(axis=1) <= number).all()
            assert (table[names] >= 0).all().all()


@often(80)
@given(battles())
def test_nobody_appears_or_vanishes(battle: bc.Battle) -> None:
    odds = bc.solve(battle)
    assert sum(odds.outcomes.values()) == pytest.approx(1, abs=1e-12)
    assert min(odds.outcomes.values()) >= 0
    assert_conserved(odds)
    assert odds.rounds().sum() == pytest.approx(1, abs=1e-9)
    assert odds.rounds().min() >= 0


@often(80)
@given(battles())
def test_both_engines(battle: bc.Battle) -> None:
    """Pearson's statistic over the whole table of end states."""
    note(str(battle.ruleset._source.table))
    simulated, solved = bc.simulate(battle, trials=TRIALS, seed=1, threads=1), bc.solve(battle)
    counted, chances = cells_of(simulated), cells_of(solved)
    assert counted.keys() <= chances.keys()
    total, degrees = statistic(counted, chances)
    assert total <= threshold(max(degrees, 1)), (total, degrees)
    assert_conserved(simulated)
    _assert_same_rounds(simulated.rounds().to_dict(), solved.rounds().to_dict())
    assert solved.to_dict()["expected_rounds"] == pytest.approx(_mean(solved.rounds().to_dict()), abs=1e-9)


def _assert_same_rounds(counted: dict[int, float], chances: dict[int, float]) -> None:
    mean = _mean(chances)
    spread = sqrt(sum((number - mean) ** 2 * chance for number, chance in chances.items()))
    assert abs(_mean(counted) - mean) <= RARE * (spread + 0.01) / sqrt(TRIALS) + 1e-9


def _mean(weights: dict[int, float]) -> float:
    return sum(number * weight for number, weight in weights.items())


@often(25)
@given(battles(), st.integers(0, 2**64), st.lists(st.integers(1, 70_000), min_size=1, max_size=3))
def test_same_seed_same_counts(battle: bc.Battle, seed: int, stops: list[int]) -> None:
    """On 1, 2 and 7 threads, at once and in parts, counted in a dense table or not."""
    program = make_program(fight_of(battle))
    once = Simulation(program, seed, 1).run(max(stops))
    for threads in (2, 7):
        parts = Simulation(program, seed, threads)
        for stop in sorted(stops):
            counted = parts.run(stop)
        assert equal(counted, once)
    with patch("battlecalc.engines.montecarlo.MAX_DENSE_CELLS", 0):
        assert equal(Simulation(program, seed, 2).run(max(stops)), once)
    assert counted.counts.sum() == counted.rounds.sum() == max(stops)


@often(40)
@given(battles())
def test_plain_walker_is_the_compiled_one(battle: bc.Battle) -> None:
    program = make_program(fight_of(battle))
    ends = []
    for choose in (plain, compiled):
        with patch.object(exact, "_choose", choose):
            ends.append(exact.solve_program(program))
    assert ends[0].by_slot == pytest.approx(ends[1].by_slot, abs=1e-13)
    assert ends[0].rounds == pytest.approx(ends[1].rounds, abs=1e-9)


MIRRORED = {
    "attacker_wins": "defender_wins",
    "defender_wins": "attacker_wins",
    "mutual_destruction": "mutual_destruction",
    "stalemate": "stalemate",
}


@often(60)
@given(even_rulesets(), st.data())
def test_equal_sides_mirror(rules: Ruleset, data: st.DataObject) -> None:
    names = tuple(rules.units)
    one, other = (data.draw(counts(names, MOST[len(names)])) for _ in SIDES)
    odds, mirrored = bc.solve(rules, "land", one, other), bc.solve(rules, "land", other, one)
    for outcome, opposite in MIRRORED.items():
        assert odds.outcomes[outcome] == pytest.approx(mirrored.outcomes[opposite], abs=1e-12)
    assert odds.expected_survivors("attacker") == pytest.approx(
        mirrored.expected_survivors("defender"), abs=1e-9
    )
    same = bc.solve(rules, "land", one, one)
    assert same.outcomes["attacker_wins"] == pytest.approx(same.outcomes["defender_wins"], abs=1e-12)


@often(60)
@given(even_rulesets(simple=True), st.data())
def test_one_more_unit_never_hurts(rules: Ruleset, data: st.DataObject) -> None:
    names = tuple(rules.units)
    one, other = (data.draw(counts(names, MOST[len(names)])) for _ in SIDES)
    unit = data.draw(st.sampled_from(names))
    more = {**one, unit: one.get(unit, 0) + 1}
    few, many = (bc.solve(rules, "land", force, other).outcomes for force in (one, more))
    assert many["attacker_wins"] >= few["attacker_wins"] - 1e-12
    assert many["defender_wins"] <= few["defender_wins"] + 1e-12
    few, many = (bc.solve(rules, "land", other, force).outcomes for force in (one, more))
    assert many["defender_wins"] >= few["defender_wins"] - 1e-12
    assert many["attacker_wins"] <= few["attacker_wins"] + 1e-12
