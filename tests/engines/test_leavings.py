"""Fire may wait until somebody has left: as long as he may leave, nobody calls it a stalemate."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import battlecalc as bc
from battlecalc.rulesets import Ruleset
from tests.engines.chisquare import RARE
from tests.hard.random_rules import Table, make_ruleset

TRIALS = 20_000
UNITS: Table = {
    "foot": {"attack": 2, "defence": 3, "cost": 3},
    "sub": {"attack": 2, "defence": 2, "cost": 6},
    "horse": {"attack": 2, "defence": 2, "cost": 6},
}


def rules(
    right: str,
    one_step: bool = False,
    waiting: tuple[str, ...] = ("attacker", "defender"),
    lacks: tuple[str, ...] = ("sub", "horse"),
    who: str = "foot",
    **decision: Any,
) -> Ruleset:
    """Foot (or `who` of the one side) fire at each other once that has neither submarines nor horses.

    These may leave.
    """
    asked: Table = {"side": "attacker", "right": right, "leaves": ["sub", "horse"], **decision}
    fire: Table = {"fire": []}
    for side in waiting:
        when = {"own_lacks" if side == asked["side"] else "enemy_lacks": [*lacks]}
        fire["fire"].append({"side": side, "who": [who if side == asked["side"] else "foot"], "when": when})
    steps = {"fire": fire, "leave": {"decide": [asked]}}
    if one_step:  # beside and before rights that nobody uses
        unused = [{"side": side, "right": "contest"} for side in ("attacker", "defender")]
        steps = {"fire": fire | {"decide": [asked, unused[0]]}, "quiet": {"decide": [unused[1]]}}
    takes = {side: list(UNITS) for side in ("attacker", "defender")}
    stage = {"repeat": "rounds", "steps": steps}
    table: Table = {"holders": ["foot"], "units": UNITS}
    land = {"takes": takes, "overland": ["horse"], "stages": {"battle": stage}}
    table["sequences"] = {"land": land}
    return make_ruleset(table)


def by_both(ruleset: Ruleset, force: str, **asked: Any) -> tuple[bc.Odds, bc.Odds]:
    question = (ruleset, "land", bc.Side(force, **asked), "2 foot")
    return bc.solve(*question), bc.simulate(*question, trials=TRIALS, seed=1, threads=1)


@pytest.mark.parametrize("one_step", [False, True])
@pytest.mark.parametrize(
    ("right", "policy", "decision"),
    [
        ("submerge", "always", {}),
        ("submerge", "round >= 4", {}),
        ("submerge", "best", {}),
        ("submerge", "best", {"each": True}),
        ("air_retreat", "round >= 1", {}),
        ("air_retreat", "round == 2", {}),
        ("retreat", "round >= 1", {}),
        ("air_retreat", "round >= 1", {"when": {"rounds": 1}}),
        ("air_retreat", "round >= 1", {"when": {"rounds": 3}}),
    ],
)
def test_the_battle_begins_when_they_have_left(
    right: str, policy: str, decision: Table, one_step: bool
) -> None:
    """From then on it is the battle of those who stay."""
    ruleset = rules(right, one_step, **decision)
    alone = bc.solve(ruleset, "land", "3 foot", "2 foot")
    assert 0 < alone.outcomes["attacker_wins"] < 1
    asked = {right: policy, "objective": "win"}
    exact, counted = by_both(ruleset, "3 foot, 1 sub, 2 horse", **asked)
    for outcome, chance in alone.outcomes.items():
        assert exact.outcomes[outcome] == pytest.approx(chance, abs=1e-12)
        assert abs(counted.outcomes[outcome] - chance) < RARE / TRIALS**0.5
    for odds in (exact, counted):
        left = odds.expected_survivors("attacker")
        assert (left["sub"], left["horse"]) == pytest.approx((1, 2))
    fought, plain = (odds.rounds().tolist()[:20] for odds in (exact, alone))  # told to the last 1e-12
    assert fought == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize(
    ("right", "policy", "decision"),
    [
        ("submerge", "never", {}),
        ("submerge", "round >= 3 and round <= 2", {}),
        ("air_retreat", "round >= 3", {"when": {"rounds": "1-2"}}),
        ("air_retreat", "round >= 1", {"when": {"enemy_has": ["horse"]}}),
        ("air_retreat", "round >= 1", {"leaves": ["horse"]}),
    ],
)
def test_a_stalemate_where_they_stay(right: str, policy: str, decision: Table) -> None:
    for odds in by_both(rules(right, **decision), "3 foot, 1 sub", **{right: policy}):
        assert odds.outcomes["stalemate"] == 1
        assert odds.expected_survivors("attacker") == {"foot": 3, "sub": 1}


@pytest.mark.parametrize(("policy", "outcome"), [("never", "stalemate"), ("round >= 2", "unresolved")])
def test_no_limit_of_rounds_cuts_off_what_nobody_waits_for(policy: str, outcome: str) -> None:
    ruleset = rules("submerge")
    assert (
        bc.solve(ruleset, "land", bc.Side("1 foot, 1 sub", submerge=policy), "1 foot", rounds=1).outcomes[
            outcome
        ]
        == 1
    )


@pytest.mark.parametrize("foot", [2, 3])
def test_defenders_leave_as_attackers_do(foot: int) -> None:
    ruleset = rules("submerge", side="defender")
    alone = bc.solve(ruleset, "land", "2 foot", f"{foot} foot")
    question = (ruleset, "land", "2 foot", bc.Side(f"{foot} foot, 1 sub, 2 horse", submerge="always"))
    for odds in (bc.solve(question[0], *question[1:]), bc.simulate(*question, trials=TRIALS, seed=1)):
        for outcome, chance in alone.outcomes.items():
            assert abs(odds.outcomes[outcome] - chance) < RARE / TRIALS**0.5
        assert odds.expected_survivors("defender")["sub"] == pytest.approx(1)


@pytest.mark.parametrize("enemies", ["horse", "sub"])
def test_the_right_may_depend_on_the_enemy(enemies: str) -> None:
    """Only he has what the right asks for, or he has something else."""
    ruleset = rules("submerge", lacks=("sub",), leaves=["sub"], when={"enemy_has": ["horse"]})
    for fight in (bc.solve, partial(bc.simulate, trials=TRIALS, seed=1)):
        odds = fight(ruleset, "land", bc.Side("3 foot, 1 sub", submerge="always"), f"2 foot, 1 {enemies}")
        assert odds.outcomes["stalemate"] == (enemies == "sub")


def test_those_who_came_by_land_leave_without_the_others() -> None:
    """Horses stay that came by sea, and are what the fire waits for."""
    ruleset = rules("submerge", lacks=("horse",), leaves=["sub"], leaves_overland=["horse"])
    by_land = bc.Side("3 foot, 1 sub", submerge="always")
    by_sea = bc.Side("3 foot, 1 sub, 1 horse", submerge="always")
    alone = bc.solve(ruleset, "land", "3 foot", "2 foot")
    for overland, chances in ("1 horse", alone.outcomes), (None, {"stalemate": 1}):
        odds = bc.solve(ruleset, "land", by_land if overland else by_sea, "2 foot", overland=overland)
        for outcome, chance in chances.items():
            assert odds.outcomes[outcome] == pytest.approx(chance, abs=1e-12)


def test_those_who_came_by_sea_stay_and_fight() -> None:
    ruleset = rules("submerge", lacks=("sub",), who="horse", leaves=["sub"], leaves_overland=["horse"])
    alone = bc.solve(ruleset, "land", "3 horse", "2 foot")
    for odds in by_both(ruleset, "3 horse, 1 sub", submerge="always"):
        assert odds.outcomes["attacker_wins"] == pytest.approx(alone.outcomes["attacker_wins"], abs=0.02)


@pytest.mark.parametrize("waiting", ["attacker", "defender"])
def test_the_fire_of_one_side_alone_may_wait(waiting: str) -> None:
    """Who cannot fire loses, though it is the attacker whose units leave."""
    for odds in by_both(rules("submerge", waiting=(waiting,)), "3 foot, 1 sub, 2 horse", submerge="always"):
        assert odds.outcomes[f"{waiting}_wins"] == 1
        left = odds.expected_survivors("attacker")
        assert left == {"foot": 3 if waiting == "attacker" else 0, "sub": 1, "horse": 2}


def test_some_of_those_who_may_leave_are_enough() -> None:
    """If all left there would be nobody to fire; the best is that the submarine goes alone."""
    ruleset = rules("submerge", lacks=("sub",), who="horse", each=True)
    alone = bc.solve(ruleset, "land", "3 horse", "2 foot")
    for odds in by_both(ruleset, "3 horse, 1 sub", submerge="best", objective="win"):
        assert odds.outcomes["attacker_wins"] == pytest.approx(alone.outcomes["attacker_wins"], abs=0.02)
        assert odds.expected_survivors("attacker")["sub"] == 1


def test_who_has_left_is_not_counted_by_conditions() -> None:
    """One destroyer is in the battle, two submarines are under water."""
    asked = {"submerge": "always", "retreat": "units <= 0"}
    odds = bc.solve("aa-1942", "naval", bc.Side("2 submarine, 1 destroyer", **asked), "1 battleship")
    assert odds.outcomes["attacker_retreats"] == 0
    asked["retreat"] = "units <= 1"
    odds = bc.solve("aa-1942", "naval", bc.Side("2 submarine, 1 destroyer", **asked), "1 battleship")
    assert odds.outcomes["attacker_retreats"] > 0


@pytest.mark.parametrize(
    ("ruleset", "side", "enemy", "first"),
    [
        ("aa-1942", "attacker", "battleship", 1),  # asked before a round is fought
        ("aa-1942", "defender", "battleship", 1),
        ("aa-revised", "attacker", "battleship", 2),  # asked after it
        ("aa-revised", "defender", "battleship", 2),
        ("great-war", "defender", "dreadnought", 1),  # asked before submarines and other ships fire
    ],
)
@pytest.mark.parametrize("later", [0, 1])
def test_who_submerges_in_a_round_has_fought_those_before(
    ruleset: str, side: str, enemy: str, first: int, later: int
) -> None:
    """As many submarines are left as if the battle had been stopped after so many rounds."""

    def left(**asked: Any) -> float:
        forces = {"attacker": {enemy: 2}, "defender": {enemy: 2}, side: bc.Side("3 submarine", **asked)}
        rounds = None if asked else first + later - 1
        odds = bc.solve(ruleset, "naval", forces["attacker"], forces["defender"], rounds=rounds)
        return odds.expected_survivors(side)["submarine"]

    assert left(submerge=f"round >= {first + later}") == pytest.approx(left(), abs=1e-12)


@pytest.mark.parametrize("one_step", [False, True])
@pytest.mark.parametrize("rounds", [1, 2])
def test_who_submerges_after_the_fire_of_a_step_thinks_of_the_next_round(rounds: int, one_step: bool) -> None:
    ruleset = rules("submerge", one_step, lacks=("horse",))

    def left(limit: int | None, policy: str) -> float:
        side = bc.Side("1 foot, 3 sub", submerge=policy, loss_order="sub, foot")
        return bc.solve(ruleset, "land", side, "2 foot", rounds=limit).expected_survivors("attacker")["sub"]

    assert left(None, f"round >= {rounds + 1}") == pytest.approx(left(rounds, "never"), abs=1e-12)
