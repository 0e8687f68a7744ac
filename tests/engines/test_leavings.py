"""Fire may wait until somebody has left: as long as he may leave, nobody calls it a stalemate."""

from __future__ import annotations

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


def rules(right: str, one_step: bool = False, **decision: Any) -> Ruleset:
    """Foot fire at each other once the attacker has neither submarines nor horses; these may leave."""
    fire: Table = {
        "fire": [
            {"side": "attacker", "who": ["foot"], "when": {"own_lacks": ["sub", "horse"]}},
            {"side": "defender", "who": ["foot"], "when": {"enemy_lacks": ["sub", "horse"]}},
        ]
    }
    asked = {"decide": [{"side": "attacker", "right": right, "leaves": ["sub", "horse"], **decision}]}
    steps = {"fire": fire | asked} if one_step else {"fire": fire, "leave": asked}
    takes = {side: list(UNITS) for side in ("attacker", "defender")}
    stage = {"repeat": "rounds", "steps": steps}
    table: Table = {"holders": ["foot"], "units": UNITS}
    table["sequences"] = {"land": {"takes": takes, "stages": {"battle": stage}}}
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
