"""One ordinary round of fire of all units, as the contract's `hits` asks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.naive import great_war
from tests.naive.axis_values import fire_of
from tests.naive.dice import Dice, Hits, pool
from tests.naive.forces import freeze
from tests.naive.process import Fire, Question, State
from tests.naive.questions import Force, modes


def ordinary_dice(
    ruleset: str,
    units: Force,
    side: int,
    technologies: Iterable[str] = (),
) -> Dice:
    """All dice of one ordinary round, no once-only steps, the enemy's flags neutral."""
    both = (frozenset(technologies), frozenset(technologies))
    q = Question(ruleset, "land", technologies=both)
    fire: Fire
    if ruleset == "great-war":
        q.adjacent = (units.get("adjacent_rail_gun", 0),) * 2
        force = freeze({unit: n for unit, n in units.items() if unit not in ("gas", "adjacent_rail_gun")})
        forces = (force, ()) if side == 0 else ((), force)
        fire = great_war.shots(q, State(forces, round=1), side, great_war.EVERYTHING)
    else:
        fire = fire_of(q, side, freeze(units))
    return fire.get("any", {})


def hits(
    ruleset: str,
    units: Force,
    side: str,
    *,
    dice: str | Mapping[str, str] = "standard",
    technologies: Iterable[str] = (),
) -> Hits:
    """Distribution of the hits of one round of fire of the attacker or the defender."""
    number = ("attacker", "defender").index(side)
    return pool(ordinary_dice(ruleset, units, number, technologies), modes(dice)["battle"])
