"""What a ratio of hits counts: the dice of one ordinary round, of those who are there to roll them."""

from __future__ import annotations

import pytest

import battlecalc as bc
from battlecalc.rulesets import Ruleset
from tests.hard.random_rules import Table, make_ruleset


def rules(crew: tuple[str, ...] = (), **gun: object) -> Ruleset:
    """Foot fire in every round; guns, which are as good, as the step `gun` says."""
    units: Table = {
        "foot": {"attack": 1, "defence": 1},
        "gun": {"attack": 1, "defence": 1, "keeps_alive": False, **({"fires_with": [*crew]} if crew else {})},
        "crew": {"attack": 0, "defence": 0},
    }
    fire = [{"side": "both", "who": ["gun"], "at": ["crew"], **gun.pop("group", {})}]  # type: ignore[dict-item]
    foot = {"fire": [{"side": "both", "who": ["foot"]}]}
    asked = {"decide": [{"side": "attacker", "right": "retreat", "leaves": ["all"]}]}
    repeat = gun.pop("repeat", "rounds")
    guns: Table = {"fire": fire, **gun}
    stages: Table = {"battle": {"repeat": "rounds", "steps": {"foot": foot, "ask": asked}}}
    if repeat == "rounds":
        stages["battle"]["steps"] = {"guns": guns, **stages["battle"]["steps"]}
    else:
        stages = {"before": {"repeat": repeat, "steps": {"guns": guns}}, **stages}
    takes = {side: list(units) for side in ("attacker", "defender")}
    return make_ruleset(
        {"holders": ["foot"], "units": units, "sequences": {"land": {"takes": takes, "stages": stages}}}
    )


@pytest.mark.parametrize(
    ("ruleset", "guns_count"),
    [
        (rules(), True),
        (rules(repeat="once"), False),  # before the battle
        (rules(when={"rounds": 1}), False),  # once in it
        (rules(when={"rounds": "1-2"}), False),
        (rules(when={"rounds": "1-"}), True),
        (rules(group={"value": 3}), False),  # with a value of its own
        (rules(crew=("crew",)), False),  # without their crew
        (rules(crew=("foot",)), True),
    ],
)
def test_guns_in_a_ratio(ruleset: Ruleset, guns_count: bool) -> None:
    """One foot and two guns against two foot: less than they without the guns, more with them."""
    side = bc.Side("1 foot, 2 gun", retreat="ratio < 1")
    odds = bc.solve(ruleset, "land", side, "2 foot", rounds=1)
    assert guns_count == (odds.outcomes["attacker_retreats"] == 0)
    if not guns_count:
        assert odds.outcomes["attacker_retreats"] > 0.5
