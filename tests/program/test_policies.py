"""What conditions of policies count: read from the answers of the compiled decisions, state by state."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

import battlecalc as bc
from battlecalc.program.setting import Presence
from tests.program.bench import in_words, program_of

Units = dict[str, int]
COSTS = {name: unit.cost or 0.0 for name, unit in bc.load_ruleset("great-war").units.items()}


def agreed(battle: bc.Battle, right: str, side: int = 0) -> list[tuple[Units, bool]]:
    """Every state of a side, and whether its policy on its own units says yes there."""
    program = program_of(battle)
    decided = next(d for d in program.decisions if d.rule.rule.right == right and d.rule.side == side)
    own = program.sides[side]
    states = [in_words(own, state) for state in own.states.states]
    answers = program.answers[decided.table :][: len(states)]
    return list(zip(states, (answers != 0).tolist(), strict=True))


def count(*names: str) -> Callable[[Units], float]:
    return lambda units: sum(n for unit, n in units.items() if unit.rstrip("*") in names)


@pytest.mark.parametrize(
    ("right", "policy", "total"),
    [
        # gas is no casualty and does not count; a fort that is hurt is still there, and does not either
        ("retreat", "units <= 2", count("infantry", "artillery", "fighter")),
        ("retreat", "land <= 2", count("infantry", "artillery")),
        ("retreat", "value <= 2", lambda units: sum(COSTS[u] * n for u, n in units.items() if u != "gas")),
        ("air_retreat", "units <= 2", count("fighter")),
    ],
)
def test_what_a_condition_counts(right: str, policy: str, total: Callable[[Units], float]) -> None:
    side = bc.Side("2 infantry, 1 artillery, 3 fighter, 2 gas", **{right: policy})
    found = agreed(bc.Battle("great-war", "land", side, "2 infantry, 1 fighter"), right)
    assert len({yes for _, yes in found}) == 2
    for units, yes in found:
        assert yes == (total(units) <= 2), units


@pytest.mark.parametrize(
    ("right", "policy", "fort"),
    [("retreat", "units <= 1", True), ("retreat", "land <= 1", True), ("air_retreat", "units <= 1", False)],
)
def test_forts_do_not_count(right: str, policy: str, fort: bool) -> None:
    side = bc.Side("2 infantry, 2 fighter, 1 fort", **{right: policy})
    for units, yes in agreed(bc.Battle("great-war", "land", "2 infantry, 2 fighter", side), right, 1):
        names = {"units": ("infantry", "fighter"), "land": ("infantry",)}[policy.split()[0]]
        assert yes == (count(*(names if fort else ("fighter",)))(units) <= 1), units


HOUSE = """
schema = 1
name = "Early and late"
holders = ["foot"]

[units]
foot = { attack = 1, defence = 1, cost = 3 }
plane = { attack = 1, defence = 1, cost = 6 }

[modifiers.bonus]
side = "attacker"
to = ["foot"]
add = 2
when = WHEN

[sequences.land]
takes = { attacker = ["foot", "plane"], defender = ["foot", "plane"] }

[sequences.land.stages.sky]
repeat = "while both have"
both_have = ["plane"]
advantage = { name = "sky", has = ["plane"] }
[sequences.land.stages.sky.steps.fire]
fire = [{ side = "both", who = ["plane"], at = ["plane"] }]

[sequences.land.stages.battle]
repeat = "rounds"
[sequences.land.stages.battle.steps.fire]
fire = [{ side = "both", who = ["foot"], at = ["foot"] }]
[sequences.land.stages.battle.steps.leave]
decide = [{ side = "attacker", right = "retreat", leaves = ["foot", "plane"] }]
"""


@pytest.mark.parametrize(
    ("when", "power"),  # of foot; planes do not fire in the main battle
    [
        ("{ rounds = 1 }", 1),
        ('{ rounds = "1-3" }', 1),
        ('{ rounds = "2-" }', 3),
        ('{ advantage = "sky" }', 1),
        ('{ advantage = "sky", rounds = 1 }', 1),
    ],
)
def test_ratio_is_that_of_an_ordinary_round(when: str, power: int, tmp_path: Path) -> None:
    """Hit power without what an advantage brings or an early round; what comes to stay counts."""
    path = tmp_path / "house.toml"
    path.write_text(HOUSE.replace("WHEN", when), encoding="utf-8")
    for policy, yes in ((f"ratio < {power + 1e-6}", True), (f"ratio < {power - 1e-6}", False)):
        side = bc.Side("2 foot, 1 plane", retreat=policy)
        program = program_of(path, "land", side, "2 foot, 1 plane")
        decided = program.decisions[-1]
        assert decided.joint
        a, d, _ = program.starts[0]
        assert program.answers[decided.table + a * program.sizes[1] + d] == yes


@pytest.mark.parametrize(("policy", "may"), [("land <= 1", True), ("land <= 0", False)])
def test_only_who_has_ground_units_contests(policy: str, may: bool) -> None:
    side = bc.Side("1 infantry, 3 fighter", contest=policy)
    odds = bc.solve("great-war", "land", side, "3 infantry")
    assert (odds.outcomes["contested"] > 0.1) == may
    assert may or odds.outcomes["contested"] == 0


HOLDS: dict[str, Callable[[int, int, int], bool]] = {
    "own_has": lambda units, own, enemy: bool(units & own),
    "own_lacks": lambda units, own, enemy: not units & own,
    "enemy_has": lambda units, own, enemy: bool(units & enemy),
    "enemy_lacks": lambda units, own, enemy: not units & enemy,
    "both_have": lambda units, own, enemy: bool(units & own) and bool(units & enemy),
}


@pytest.mark.parametrize("name", HOLDS)
def test_conditions_on_who_is_in_the_battle(name: str) -> None:
    """Of several units any one is enough to have, and all must be gone to lack; bit masks of two units."""
    for units in (1, 2, 3):
        for own, enemy in product(range(4), repeat=2):
            found = Presence(**{name: units}).holds(own, enemy)
            assert bool(found) == HOLDS[name](units, own, enemy), (units, own, enemy)
    assert Presence().holds(0, 0)
