"""The six published battles; small random ones from a seed, and every kind of policy of a sequence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import battlecalc as bc
from battlecalc.errors import BattlecalcError
from battlecalc.rulesets.schema import SIDES
from tests.engines.twin import as_battle
from tests.naive.cases import REFERENCE
from tests.naive.tables import TABLES

Call = dict[str, Any]

SEQUENCES = ("land", "naval", "invasion")
PAIRS = [(ruleset, sequence) for ruleset in bc.ruleset_ids() for sequence in SEQUENCES]
# these change prices, and by them the default order of loss: the twin knows none
UNTOLD = {"improved_shipyards", "industrial_technology"}
WORDS = {
    "retreat": (
        "round >= 2",
        "units <= 2",
        "land <= 1",
        "value <= 8",
        "units <= 1 and round >= 2 or value < 6",
    ),
    "contest": ("round >= 1", "units <= 2"),
    "air_retreat": ("round >= 1", "units <= 1"),
    "submerge": ("always", "round >= 2", "units <= 2"),
}


@cache
def six(name: str) -> bc.Battle:
    """One of the six battles with published odds."""
    asked, orders = REFERENCE["battles"][name], REFERENCE["loss_orders"]
    at_sea = asked["sequence"] == "naval"
    sides = [
        bc.Side(asked[side], loss_order=orders["sea" if at_sea else f"land_{order}"])
        for side, order in (("attacker", "attack"), ("defender", "defence"))
    ]
    return bc.Battle("aa-1942-2e", asked["sequence"], *sides)


def policy_kinds(ruleset: str, sequence: str) -> dict[str, Call]:
    """Every kind of policy and limit that the sequence knows, as what it adds to a call."""
    kinds: dict[str, Call] = {
        "to the end": {},
        "two rounds": {"rounds": 2},
        "opening only": {"rounds": 0},
        "low luck": {"dice": "low-luck"},
    }
    rights = {
        (decision.right, SIDES.index(decision.side))
        for stage in bc.load_ruleset(ruleset).sequences[sequence].stages
        for step in stage.steps
        for decision in step.decide
    }
    for right, side in sorted(rights):
        words = WORDS[right]
        if right == "retreat" and sequence == "land":
            words += ("ratio < 1",)  # the twin knows the ratio on land only
        for word in words:
            pair: list[str | None] = [None, None]
            pair[side] = word
            name = f"{SIDES[side]}: {right} {word}"
            kinds[name] = {right: word if right == "contest" else tuple(pair)}
    return kinds


def random_calls(rng: Random, ruleset: str, sequence: str, asked: Call, count: int) -> Iterator[Call]:
    """Yield `count` neutral calls that are no error: with technologies, options, orders, damage, chains."""
    found = 0
    for _ in range(100 * count):
        call = _random_call(rng, ruleset, sequence) | asked
        if _beyond_the_twin(call):
            continue
        try:
            as_battle(call)
        except BattlecalcError:
            continue
        yield call
        found += 1
        if found == count:
            return
    raise AssertionError(f"no battle of {ruleset} {sequence} can have {asked}")


def _beyond_the_twin(call: Call) -> bool:
    """Battles that the twin reads otherwise, or says that it does not know."""
    forces = [call.get(name) or {} for name in ("attacker", "defender", "sea_attacker", "sea_defender")]
    if "ratio" in str(call.get("retreat")):  # it takes adjacent guns as seen, and knows no technologies
        return "technologies" in call or any("adjacent_rail_gun" in force for force in forces)
    if call["ruleset"] == "aa-1914":
        if (
            call.get("dice") == "low-luck"
        ):  # submarines are a pool of their own there, though all ships are alike
            return any("submarine" in force for force in forces)
        return "overland" in call and all(
            "fighter" in force for force in forces[:2]
        )  # no dogfight with overland
    return False


def _random_call(rng: Random, ruleset: str, sequence: str) -> Call:
    rules = bc.load_ruleset(ruleset)
    known = rules.sequences[sequence].takes
    forces = [_force(rng, known[side] & TABLES[ruleset].keys()) for side in (0, 1)]
    call: Call = {"ruleset": ruleset, "sequence": sequence, "attacker": forces[0], "defender": forces[1]}
    if rng.random() < 0.15:
        call["keep_land"] = (1, 0)
    if rng.random() < 0.4:
        call["technologies"] = tuple(_some(rng, sorted(set(rules.technologies) - UNTOLD), 2) for _ in SIDES)
    orders: list[list[str] | None] = [None, None]
    hurt: list[dict[str, int]] = [{}, {}]
    for side, force in enumerate(forces):
        tough = [unit for unit in force if rules.units[unit].hits[side] > 1 and not rules.units[unit].absorbs]
        if rng.random() < 0.4:
            first = rng.sample(list(force), rng.randint(1, len(force)))
            orders[side] = [unit + "*" * (unit in tough and rng.random() < 0.3) for unit in first]
        if tough and rng.random() < 0.3:
            hurt[side] = {tough[0]: 1}
    call |= {"loss_order": tuple(orders), "damaged": tuple(hurt)}
    call["options"] = _options(rng, ruleset, sequence)
    if sequence == "invasion":
        call |= _landing(rng, rules, call)
    return call


def _force(rng: Random, takes: frozenset[str], most: int = 3) -> dict[str, int]:
    units = rng.sample(sorted(takes), rng.randint(1, most))
    return {unit: rng.randint(1, 2) for unit in units}


def _some(rng: Random, names: list[str], most: int) -> tuple[str, ...]:
    return tuple(rng.sample(names, rng.randint(0, min(most, len(names)))))


def _options(rng: Random, ruleset: str, sequence: str) -> dict[str, Any]:
    if (ruleset, sequence) == ("great-war", "naval"):
        options = {
            "called_shots": rng.choice((0, 1, 1, 2)),
            "mines": rng.random() < 0.4,
            "pass_through_forts": rng.choice((0, 0, 1)),
        }
        return {name: value for name, value in options.items() if value}
    if (ruleset, sequence) == ("great-war", "land") and rng.random() < 0.3:
        return {"from_contested": True}
    return {}


def _landing(rng: Random, rules: bc.Ruleset, call: Call) -> Call:
    landing = rules.sequences["invasion"]
    more: Call = {}
    if landing.overland and rng.random() < 0.4:
        more["overland"] = {rng.choice(sorted(landing.overland)): rng.randint(1, 2)}
    if landing.before and rng.random() < 0.5:
        sea = rules.sequences[landing.before]
        more["sea_defender"] = dict.fromkeys(rng.sample(sorted(sea.takes[1] & TABLES[rules.id].keys()), 2), 1)
        more["sea_attacker"] = dict.fromkeys(_some(rng, sorted(sea.takes[0] & TABLES[rules.id].keys()), 2), 1)
        more["attacker"] = {"transport": 2} | call["attacker"]
    return more
