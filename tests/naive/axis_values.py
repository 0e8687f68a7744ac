"""Axis & Allies: the value of every die, with support, technologies and editions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from tests.naive.dice import best_of_two, chance
from tests.naive.forces import Frozen, counts
from tests.naive.process import ATTACKER, DEFENDER, Fire, Question, add_dice
from tests.naive.tables import V2, value


def attack_values(q: Question, force: Frozen, superior: int | None) -> list[tuple[str, int, int]]:
    """List (unit, value, number) of an attacking force: support raises some units of a type, not others."""
    here = counts(force)
    ruleset, techs = q.ruleset, q.technologies[ATTACKER]
    infantry, mech = here.get("infantry", 0), here.get("mech_infantry", 0)
    artillery, tanks = here.get("artillery", 0), here.get("tank", 0)
    support = artillery * (2 if "advanced_artillery" in techs else 1)
    raised: dict[str, int] = {}
    if ruleset == "aa-1914":
        raised["infantry"] = min(support, infantry)
        raised["tank"] = min(support - raised["infantry"], tanks)
        if superior == ATTACKER:
            raised["artillery"] = artillery
    else:
        served = min(mech, tanks) if "improved_mechanized_infantry" in techs else 0
        raised["infantry"] = min(support, infantry)
        raised["mech_infantry"] = served + min(support - raised["infantry"], mech - served)
        raised["tactical_bomber"] = min(here.get("tactical_bomber", 0), here.get("fighter", 0) + tanks)
    result = []
    for unit, n in here.items():
        printed = value(ruleset, ATTACKER, unit)
        if unit == "submarine" and "super_submarines" in techs:
            printed = 3
        if unit == "fighter" and "jet_fighters" in techs:
            printed = 4
        up = raised.get(unit, 0)
        result += [(unit, printed + 1, up), (unit, printed, n - up)]
    return [entry for entry in result if entry[2]]


def defence_values(q: Question, force: Frozen, superior: int | None) -> list[tuple[str, int, int]]:
    """List (unit, value, number) of a defending force."""
    techs = q.technologies[DEFENDER]
    result = []
    for unit, n in counts(force).items():
        printed = value(q.ruleset, DEFENDER, unit)
        if unit == "fighter" and "jet_power" in techs:
            printed = 5
        if unit == "submarine" and "super_submarines" in techs and q.ruleset == "aa-revised-lhtr":
            printed = 3
        if unit == "artillery" and q.ruleset == "aa-1914" and superior == DEFENDER:
            printed += 1
        result.append((unit, printed, n))
    return result


def bomber_dice(q: Question, printed: int) -> tuple[Fraction, int]:
    """Chance of one die and number of dice of an attacking heavy bomber."""
    if q.ruleset == "aa-classic":
        return chance(printed), 3
    if q.ruleset == "aa-revised":
        return chance(printed), 2
    if q.ruleset == "aa-anniversary" and q.options.get("heavy_bombers", "sum") == "sum":
        return chance(printed), 2
    return best_of_two(printed), 1


def values(q: Question, side: int, force: Frozen, superior: int | None) -> list[tuple[str, int, int]]:
    """List (unit, value, number) of one side."""
    return (attack_values, defence_values)[side](q, force, superior)


def fire_of(
    q: Question,
    side: int,
    force: Frozen,
    units: Iterable[str] | None = None,
    targets: str = "any",
    superior: int | None = None,
    fire: Fire | None = None,
) -> Fire:
    """Dice of these unit types of a force (None: of all), added to what else this side fires."""
    result: Fire = {} if fire is None else fire
    for unit, printed, n in values(q, side, force, superior):
        if units is not None and unit not in units:
            continue
        one, dice = chance(printed), 1
        if side == ATTACKER and unit == "bomber" and "heavy_bombers" in q.technologies[ATTACKER]:
            one, dice = bomber_dice(q, printed)
        add_dice(result, targets, one, n * dice)
    return result


def bombardment_values(q: Question) -> list[int]:
    """Values of the ships that bombard, highest first, before any limit."""
    shots = {"battleship": 4}
    if q.ruleset in ("aa-anniversary", "aa-1942", "aa-1942-2e", "aa-1940-2e"):
        shots["cruiser"] = 3
    if q.ruleset in V2 and "combined_bombardment" in q.technologies[ATTACKER]:
        shots["destroyer"] = 3
    if q.ruleset == "aa-1941":
        shots = {}
    found = [shots[unit] for unit, n in counts(q.ships).items() if unit in shots for _ in range(n)]
    return sorted(found, reverse=True)
