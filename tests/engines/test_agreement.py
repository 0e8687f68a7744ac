"""Simulation against exact solution: whole tables by chi-square, rounds, intervals, standard errors."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt
from random import Random
from typing import Any

import pytest

import battlecalc as bc
from battlecalc.engines.ends import meanings
from tests.engines.battles import PAIRS, policy_kinds, random_calls
from tests.engines.chisquare import RARE, assert_same, statistic, threshold
from tests.engines.twin import as_battle
from tests.program.bench import program_of

TRIALS = 20_000
LAND = ("great-war", "land", "6 infantry, 2 artillery, 2 fighter", "5 infantry, 1 artillery, 1 fighter")
NAVAL = ("aa-1942-2e", "naval", "2 submarine, 1 destroyer, 1 fighter", "2 submarine, 1 cruiser")
ONCE = ("aa-1914", "land", "3 infantry, 1 artillery, 2 fighter", "2 infantry, 1 tank, 1 fighter")
SINGLE = ("aa-1942", "land", "3 infantry, 1 tank", "3 infantry")  # one step a round, for ever
WAVES = ("great-war", "invasion", "4 infantry, 2 transport, 1 fighter", "2 infantry, 1 artillery")


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_every_policy_kind_by_chi_square(ruleset: str, sequence: str) -> None:
    rng = Random(f"agreement {ruleset} {sequence}")
    for seed, asked in enumerate(policy_kinds(ruleset, sequence).values()):
        (call,) = random_calls(rng, ruleset, sequence, asked | {"sea_defender": None}, count=1)
        battle = as_battle(call)
        assert_same(bc.simulate(battle, trials=TRIALS, seed=seed), bc.solve(battle))


SEEN = [
    ("aa-1942", "land", "3 infantry, 1 tank", "3 infantry", {"retreat": "odds < 40%"}, {}),
    ("aa-1942", "land", "3 infantry, 1 tank", "3 infantry", {"retreat": "best"}, {}),
    ("aa-1942", "land", "3 infantry, 1 tank", "3 infantry", {"retreat": "ratio < 1 and odds < 0.5"}, {}),
    (
        "aa-1942-2e",
        "naval",
        "2 submarine, 1 fighter",
        "1 cruiser, 1 submarine",
        {"submerge": "best"},
        {"submerge": "best"},
    ),
    (
        "great-war",
        "land",
        "3 infantry, 1 fighter",
        "2 infantry, 1 fighter",
        {"retreat": "best"},
        {"retreat": "best"},
    ),
    (
        "great-war",
        "land",
        "2 infantry, 2 fighter",
        "3 infantry, 2 fighter",
        {"air_retreat": "odds < 40%"},
        {},
    ),
    (
        "great-war",
        "invasion",
        "4 infantry, 2 transport",
        "2 infantry",
        {"contest": "odds < 30%"},
        {"retreat": "best"},
    ),
]


@pytest.mark.parametrize(("ruleset", "sequence", "attacker", "defender", "own", "other"), SEEN)
def test_policies_that_look_ahead(
    ruleset: str, sequence: str, attacker: str, defender: str, own: dict[str, str], other: dict[str, str]
) -> None:
    battle = bc.Battle(ruleset, sequence, bc.Side(attacker, **own), bc.Side(defender, **other))
    exact = bc.solve(battle)
    assert_same(bc.simulate(battle, trials=TRIALS, seed=9), exact)
    to_the_end = bc.solve(ruleset, sequence, attacker, defender)
    assert exact.outcomes != to_the_end.outcomes  # the policy is not one that never says yes


@pytest.mark.parametrize("ruleset", ["aa-1942", "aa-1942-2e", "aa-anniversary"])
def test_submarines_that_cannot_win_all_dive_at_once(ruleset: str) -> None:
    """Each is asked for by itself; who does not go with the others is fired at for another round."""
    ships, boats = "2 cruiser, 1 battleship", bc.Side("3 submarine", submerge="best")
    battle = bc.Battle(ruleset, "naval", boats, ships)
    for odds in (bc.solve(battle), bc.simulate(battle, trials=TRIALS, seed=1)):
        assert odds.outcomes["defender_wins"] == pytest.approx(1, abs=1e-12)
        assert odds.expected_losses("attacker")["submarine"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("side", ["attacker", "defender"])
def test_transports_behind_submarines_out_of_reach(side: str) -> None:
    """Planes cannot hit the submarine, nor it them: transports sink, and nothing more can happen."""
    fleets = ("1 submarine, 2 transport", "1 fighter")
    battle = ("aa-1942-2e", "naval", *(fleets if side == "attacker" else fleets[::-1]))
    for odds in (bc.solve(*battle), bc.simulate(*battle, trials=100, seed=1)):
        assert odds.outcomes["stalemate"] == pytest.approx(1, abs=1e-12)
        other = "defender" if side == "attacker" else "attacker"
        assert odds.expected_survivors(side) == pytest.approx({"submarine": 1, "transport": 0}, abs=1e-12)
        assert odds.expected_survivors(other) == pytest.approx({"fighter": 1}, abs=1e-12)


def test_the_statistic_would_see_a_wrong_table() -> None:
    battle = bc.Battle(*LAND)
    other = battle.replace(attacker="6 infantry, 2 artillery, 1 fighter, 1 zeppelin")
    exact, simulated = bc.solve(battle), bc.simulate(battle, trials=TRIALS, seed=1)
    assert_same(simulated, exact)
    slightly_off = bc.solve(battle.replace(changes={"infantry.attack": 2}))
    with pytest.raises(AssertionError):
        assert_same(simulated, slightly_off)
    with pytest.raises(AssertionError):
        assert_same(bc.simulate(other, trials=TRIALS, seed=1), exact)


@pytest.mark.parametrize("degrees", [2, 10, 100, 1000])
def test_threshold_is_passed_once_in_a_million_times(degrees: int) -> None:
    """With an even number of degrees of freedom the tail of chi-square is a sum of Poisson terms."""
    half = threshold(degrees) / 2
    tail = sum(exp(k * log(half) - half - lgamma(k + 1)) for k in range(degrees // 2))
    assert 1e-7 < tail < 1e-6


def test_statistic() -> None:
    assert statistic({"a": 60, "b": 40}, {"a": 0.5, "b": 0.5}) == (4.0, 1)


CHAINS: list[tuple[Any, ...]] = [
    (
        ("aa-1942", "invasion", "2 infantry, 2 tank, 2 transport, 1 battleship", "3 infantry"),
        {"sea_attacker": "1 destroyer", "sea_defender": "1 destroyer, 1 submarine"},
    ),
    (
        ("great-war", "invasion", "3 infantry, 2 transport, 1 cruiser", "1 cavalry"),
        {"sea_attacker": "1 submarine", "sea_defender": "1 cruiser"},
    ),
    (
        ("aa-1914", "invasion", "2 infantry, 1 battleship, 1 transport", "1 infantry"),
        {"sea_attacker": "1 cruiser", "sea_defender": "1 cruiser, 1 submarine"},
    ),
]


@pytest.mark.parametrize(("battle", "sea"), CHAINS)
def test_chained_landings(battle: tuple[str, ...], sea: dict[str, str]) -> None:
    """Landings are fought in shares of the trials: no plain counts, so every number by its standard error."""
    exact = bc.solve(*battle, **sea)
    simulated = bc.simulate(*battle, trials=100_000, seed=6, **sea)

    def close(found: float, expected: float, what: str, error: float) -> None:
        assert abs(found - expected) <= RARE * error + 1e-12, (what, found, expected, error)

    assert simulated.landing is not None and exact.landing is not None
    close(simulated.landing, exact.landing, "landing", sqrt(exact.landing * (1 - exact.landing) / 100_000))
    for name, chance in exact.outcomes.items():
        close(simulated.outcomes[name], chance, name, sqrt(chance * (1 - chance) / 100_000))
    close(simulated.captures, exact.captures, "captures", simulated.standard_error("captures"))
    for side in ("attacker", "defender"):
        for unit, mean in exact.expected_survivors(side).items():
            error = simulated.standard_error(f"{side}.{unit}")
            close(simulated.expected_survivors(side)[unit], mean, unit, error)
    assert simulated.stages is not None and exact.stages is not None
    for stage, odds in exact.stages.items():
        for name, chance in odds.outcomes.items():
            fought = 100_000 if stage == "naval" else 100_000 * exact.landing
            found = simulated.stages[stage].outcomes[name]
            close(found, chance, f"{stage} {name}", sqrt(chance * (1 - chance) / fought))


@pytest.mark.parametrize("battle", [LAND, NAVAL, ONCE, SINGLE, WAVES])
def test_rounds(battle: tuple[str, ...]) -> None:
    exact, simulated = bc.solve(*battle), bc.simulate(*battle, trials=TRIALS, seed=8)
    chances = exact.rounds().to_dict()
    counts = {number: round(share * TRIALS) for number, share in simulated.rounds().items()}
    total, degrees = statistic(counts, chances)
    assert total <= threshold(max(degrees, 1))


@pytest.mark.parametrize("limit", [{}, {"rounds": 2}])
@pytest.mark.parametrize("battle", [LAND, NAVAL, ONCE, SINGLE, WAVES])
def test_by_round(battle: tuple[str, ...], limit: dict[str, int]) -> None:
    exact = bc.solve(*battle, **limit)
    simulated = bc.simulate(*battle, trials=TRIALS, seed=8, **limit)
    one, other = simulated.by_round(), exact.by_round()
    rows = min(len(one), len(other))
    assert rows > 1
    one, other = one.iloc[:rows], other.iloc[:rows]
    assert list(one.columns) == list(other.columns)
    program = program_of(exact.battle)
    most = {
        f"{side}.{unit}": count
        for side, meaning in zip(("attacker", "defender"), meanings(program), strict=True)
        for unit, count in zip(meaning.units, meaning.start.tolist(), strict=True)
    }
    for column in one.columns:
        widest = most.get(column, 1) / 2  # no spread between 0 and n is wider
        assert (one[column] - other[column]).abs().max() <= RARE * widest / sqrt(TRIALS), column
    for odds in (exact, simulated):  # a contested end is an end, a battle cut short is not over
        assert odds.by_round().over.iloc[-1] == pytest.approx(1 - odds.outcomes["unresolved"], abs=1e-9)


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_by_round_has_a_row_for_every_number_of_rounds(ruleset: str, sequence: str) -> None:
    """Whatever the limit, both engines show the same rows, and what they show agrees."""
    rng = Random(f"by round {ruleset} {sequence}")
    (call,) = random_calls(rng, ruleset, sequence, {}, count=1)
    for limit in range(4):
        battle = as_battle(call).replace(rounds=limit)
        exact, simulated = bc.solve(battle), bc.simulate(battle, trials=TRIALS, seed=limit)
        one, other = simulated.by_round(), exact.by_round()
        assert list(one.columns) == list(other.columns)
        assert list(one.index) == list(other.index) == list(range(exact.rounds().index.max() + 1))
        for column in one.columns:
            widest = max(1, one[column].max()) / 2
            assert (one[column] - other[column]).abs().max() <= RARE * widest / sqrt(TRIALS), column
        for odds in (exact, simulated):
            last = odds.by_round().iloc[-1]
            assert last.over == pytest.approx(1 - odds.outcomes["unresolved"], abs=1e-9)
            for side in ("attacker", "defender"):
                for unit, mean in odds.expected_survivors(side).items():
                    assert last[f"{side}.{unit}"] >= mean - 1e-9  # those without a defence are still there


# ------------------------------------------------------------------ what errors and intervals promise

MEANS = ("swing", "rounds", "attacker.infantry", "attacker.value_lost", "defender.artillery")


def test_intervals_cover_and_errors_fit() -> None:
    """Of 400 small simulations about 95 % have the truth in their interval; errors are as large as told."""
    runs = [bc.simulate(*LAND, trials=1000, seed=seed, threads=1) for seed in range(400)]
    exact = bc.solve(*LAND)
    truth = {name: _figure(exact, name) for name in ("attacker_wins", "defender_wins", "captures", *MEANS)}
    for name in ("attacker_wins", "defender_wins"):
        covered = sum(low <= truth[name] <= high for low, high in (run.interval(name) for run in runs))
        assert 0.92 <= covered / len(runs) <= 0.98, name
        covered = sum(low <= truth[name] <= high for low, high in (run.interval(name, 0.5) for run in runs))
        assert 0.4 <= covered / len(runs) <= 0.6, name
    for name in ("attacker_wins", "captures", *MEANS):
        scores = [(_figure(run, name) - truth[name]) / run.standard_error(name) for run in runs]
        assert abs(sum(scores) / len(scores)) < 4 / sqrt(len(scores)), name
        assert 0.8 < sum(score**2 for score in scores) / len(scores) < 1.25, name


def _figure(odds: bc.Odds, name: str) -> float:
    """Return the number whose standard error goes by this name."""
    if name in odds.outcomes:
        return odds.outcomes[name]
    if name == "captures":
        return odds.captures
    side, _, what = name.partition(".")
    if what and what != "value_lost":
        return odds.expected_survivors(side)[what]
    series = {"swing": odds.swing, "rounds": odds.rounds}.get(name, lambda: odds.value_lost(side))()
    return float((series.index * series).sum())


def test_exact_answers_have_no_error() -> None:
    odds = bc.solve(*LAND)
    for name in (*odds.outcomes, "captures", *MEANS):
        assert odds.standard_error(name) == 0
    assert odds.interval("attacker_wins") == (odds.outcomes["attacker_wins"],) * 2
