"""Dice of which there are as many as targets: they follow who is still there to roll them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import battlecalc as bc
from battlecalc.errors import StateSpaceError
from battlecalc.rulesets import Ruleset
from tests.engines.chisquare import RARE
from tests.hard.random_rules import Table, make_ruleset

TRIALS = 20_000
UNITS: Table = {
    "foot": {"attack": 1, "defence": 1},
    "gun": {"attack": 5, "defence": 5},
    "horse": {"attack": 2, "defence": 2, "rolls": 2},
    "crew": {"attack": 0, "defence": 0},
}


def rules(
    *steps: list[Table], units: Mapping[str, Table] = UNITS, roles: Table | None = None, **top: Any
) -> Ruleset:
    """Rules of one round with these steps of fire."""
    takes = {side: list(units) for side in ("attacker", "defender")}
    stage = {
        "repeat": "rounds",
        "limit": 1,
        "then": "stalemate",
        "steps": {f"step {n}": {"fire": fire} for n, fire in enumerate(steps)},
    }
    table: Table = {"holders": ["foot"], "units": dict(units)}
    table["sequences"] = {"land": {"takes": takes, "stages": {"battle": stage}, "roles": roles or {}}}
    return make_ruleset(table | top)


def group(side: str, *who: str, **more: Any) -> Table:
    return {"side": side, "who": list(who), **more}


def lost(chances: list[int], most: int) -> Fraction:
    """Mean losses of `most` units to dice that hit on so many of six faces each."""
    mean = Fraction(0)
    for hits in product((0, 1), repeat=len(chances)):
        p = Fraction(1)
        for hit, n in zip(hits, chances, strict=True):
            p *= Fraction(n if hit else 6 - n, 6)
        mean += p * min(sum(hits), most)
    return mean


def assert_losses(
    ruleset: Ruleset, attacker: str, defender: str | bc.Side, expected: Fraction, **asked: Any
) -> None:
    """Both engines find these mean losses of the attacker's foot."""
    exact = bc.solve(ruleset, "land", attacker, defender, **asked)
    assert exact.expected_losses("attacker")["foot"] == pytest.approx(float(expected), abs=1e-12)
    simulated = bc.simulate(ruleset, "land", attacker, defender, trials=TRIALS, seed=1, threads=1, **asked)
    most = int(attacker.split()[0])
    assert abs(simulated.expected_losses("attacker")["foot"] - float(expected)) < RARE * most / TRIALS**0.5


SHOT_FIRST = [group("attacker", "foot", value=6, at=["gun"])]


@pytest.mark.parametrize(
    ("dice", "attacker", "defender", "chances"),
    [
        ("per target", "1 foot", "1 gun, 1 foot", [1]),
        ("per target", "1 foot", "2 gun, 1 foot", [5]),
        ("per target", "2 foot", "3 gun, 1 foot", [5, 5]),
        ("per target", "2 foot", "2 gun, 1 foot", [1, 1]),
        ({"kind": "capped", "each": 1}, "1 foot", "1 gun, 1 foot", [1]),
        ({"kind": "capped", "each": 1}, "3 foot", "4 gun, 1 foot", [5, 1]),
        ({"kind": "capped", "each": 2}, "3 foot", "4 gun, 1 foot", [5, 5, 1]),
        ({"kind": "capped", "each": 2}, "3 foot", "3 gun, 2 foot", [1, 1, 1]),
        ({"kind": "capped", "each": 1}, "3 foot", "3 gun, 2 crew", []),
    ],
)
def test_values_are_of_those_left(dice: object, attacker: str, defender: str, chances: list[int]) -> None:
    """The best dice come first; a gun shot in the step before rolls none, its crew hits nothing."""
    ruleset = rules(SHOT_FIRST, [group("defender", "gun", "foot", "crew", dice=dice)])
    assert_losses(ruleset, attacker, defender, lost(chances, int(attacker[0])))


@pytest.mark.parametrize(
    ("foot", "horses", "best"),
    [
        (3, "1 horse", Fraction(20, 36)),  # two dice of which the better counts, at 2
        (4, "1 horse", Fraction(4, 6)),
        (4, "9 horse", Fraction(4, 6)),
    ],
)
def test_the_best_chance_counts_not_the_best_value(foot: int, horses: str, best: Fraction) -> None:
    units = {**UNITS, "foot": {"attack": 1, "defence": foot}}
    ruleset = rules([group("defender", "foot", "horse", dice="per target")], units=units)
    assert_losses(ruleset, "1 foot", f"1 foot, {horses}", best)
    several = rules([group("defender", "foot", "horse", dice={"kind": "capped", "each": 1})], units=units)
    assert_losses(several, "1 foot", f"5 foot, {horses}", best)


def test_modifiers_hold_for_them() -> None:
    support = {"support": {"side": "defender", "to": ["foot"], "source": ["crew"], "add": 2}}
    ruleset = rules([group("defender", "foot", dice="per target")], modifiers=support)
    assert_losses(ruleset, "2 foot", "2 foot, 1 crew", lost([3, 3], 2))
    assert_losses(ruleset, "2 foot", "2 foot", lost([1, 1], 2))


def test_who_helps_need_not_fire() -> None:
    """The crew is shot in the step before: foot fire by themselves."""
    support = {"support": {"side": "defender", "to": ["foot"], "source": ["crew"], "add": 2}}
    steps = [group("attacker", "foot", value=6, at=["crew"])], [group("defender", "foot")]
    for crew, chances in (1, [1, 1]), (2, [3, 1]):
        order = bc.Side(f"2 foot, {crew} crew", loss_order="crew, foot")
        ruleset = rules(*steps, modifiers=support)
        assert_losses(ruleset, "1 foot", order, lost(chances, 1))


@pytest.mark.parametrize("value", ["special", "gun.special", "foot.special"])
def test_who_lacks_a_value_hits_nothing(value: str) -> None:
    units = {**UNITS, "gun": {"attack": 5, "defence": 5, "special": 4}}
    ruleset = rules([group("defender", "foot", "gun", value=value)], units=units, values=["special"])
    dice = {"special": [4], "gun.special": [4, 4, 4], "foot.special": []}[value]
    assert_losses(ruleset, "3 foot", "2 foot, 1 gun", lost(dice, 3))


def test_low_luck() -> None:
    ruleset = rules(SHOT_FIRST, [group("defender", "gun", "foot", dice={"kind": "capped", "each": 1})])
    assert_losses(ruleset, "3 foot", "4 gun, 1 foot", Fraction(1), dice="low-luck")


def test_a_unit_without_its_keeper_rolls_nothing() -> None:
    units = {**UNITS, "gun": {"attack": 5, "defence": 5, "fires_with": ["crew"]}}
    ruleset = rules([group("defender", "gun", "foot", dice="per target")], units=units)
    assert_losses(ruleset, "1 foot", "1 gun, 1 foot", Fraction(1, 6))
    assert_losses(ruleset, "1 foot", "1 gun, 1 foot, 1 crew", Fraction(5, 6))


def test_guns_that_stand_off() -> None:
    roles = {"guns": {"side": "defender", "who": ["gun"], "where": "offshore"}}
    dice = {"kind": "capped", "each": 1}
    ruleset = rules([group("defender", "gun", where="offshore", dice=dice)], roles=roles)
    assert_losses(ruleset, "3 foot", "2 gun, 1 foot", Fraction(10, 6))


@pytest.mark.parametrize("first", ["foot", "gun"])
def test_beside_dice_of_their_own(first: str) -> None:
    """Groups of both kinds in one step at the same targets: both roll, whichever is named first."""
    groups = [group("defender", "foot", dice="per target"), group("defender", "gun")]
    ruleset = rules(groups if first == "foot" else groups[::-1])
    assert_losses(ruleset, "3 foot", "2 gun, 1 foot", lost([1, 1, 1, 5, 5], 3))


def test_a_die_of_each_unit_beside_hits_at_others() -> None:
    """Foot are hit by their dice of the first group, horses by the second, though targets overlap."""
    ruleset = rules(
        [
            group("defender", "foot", dice="per target", at=["foot", "gun"], casualties="die"),
            group("defender", "gun", at=["horse", "gun"]),
        ]
    )
    assert_losses(ruleset, "3 foot, 1 horse", "1 foot, 1 gun", lost([1, 1, 1], 3))
    odds = bc.solve(ruleset, "land", "3 foot, 2 horse, 1 gun", "1 foot, 1 gun")
    assert odds.expected_losses("attacker")["foot"] == pytest.approx(0.5)
    assert sum(odds.expected_losses("attacker").values()) == pytest.approx(3 / 6 + 1 / 6 + 5 / 6)


def test_what_cannot_be_assigned_together_is_refused() -> None:
    """Three masks that overlap crosswise, and dice of a unit's own among them."""
    ruleset = rules(
        [
            group("defender", "foot", dice="per target", at=["foot"], casualties="die"),
            group("defender", "gun", at=["foot", "horse"]),
            group("defender", "horse", at=["horse", "gun"]),
        ]
    )
    with pytest.raises(StateSpaceError, match=r"^step 'step 0' has hits that .*: give them steps of their"):
        bc.solve(ruleset, "land", "2 foot, 1 horse, 1 gun", "1 foot, 1 gun, 1 horse")
