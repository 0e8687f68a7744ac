"""One round of fire, no battle: how many hits to expect from a force."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from battlecalc.errors import ForceError
from battlecalc.forces import parse_force
from battlecalc.keywords import read_dice, read_mapping
from battlecalc.program.dice import hit_distribution, make_volley, shot
from battlecalc.program.volleys import serve
from battlecalc.rulesets import load_ruleset
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import read_technologies, side_name
from battlecalc.words import quote

if TYPE_CHECKING:
    import pandas as pd

    from battlecalc.rulesets import Ruleset

_VALUES = ("attack", "defence")


def hits(
    ruleset: str | os.PathLike[str] | Ruleset,
    force: str | Mapping[str, int],
    side: str = "attacker",
    *,
    dice: str | Mapping[str, str] = "standard",
    technologies: str | Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    changes: Mapping[str, Any] | None = None,
) -> pd.Series[float]:
    """Hits of one ordinary round of fire of all units, once each; land and sea units may mix.

    No once-only steps (gas), no first-round bonus, nothing that the enemy's presence changes.

    Parameters
    ----------
    side : {"attacker", "defender"}
    dice, options, changes : see `battlecalc.Battle`
    technologies : names of the side's technologies

    Returns
    -------
    Series
        Index: number of hits, from 0 to the most possible; values: probabilities.

    Examples
    --------
    >>> hits("aa-1942", "3 inf, 1 art").round(4).tolist()
    [0.3086, 0.4321, 0.213, 0.0432, 0.0031]
    """
    import pandas as pd

    chances = hit_chances(
        ruleset, force, side, dice=dice, technologies=technologies, options=options, changes=changes
    )
    return pd.Series(chances, index=pd.RangeIndex(len(chances), name="hits"), name="probability")


def hit_chances(
    ruleset: str | os.PathLike[str] | Ruleset,
    force: str | Mapping[str, int],
    side: str = "attacker",
    *,
    dice: str | Mapping[str, str] = "standard",
    technologies: str | Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    changes: Mapping[str, Any] | None = None,
) -> list[float]:
    """Probabilities that `hits` returns, without the half second that it takes to load pandas.

    >>> [round(chance, 4) for chance in hit_chances("aa-1942", "2 inf")]
    [0.6944, 0.2778, 0.0278]
    """
    rules, number, known = _read(ruleset, side, technologies, options, changes)
    mine = rules.for_side(SIDES[number], known)
    counts = parse_force(force, rules)
    if not counts:
        raise ForceError(f"no units in {quote(force)}: write a force such as '3 inf, 1 art'")
    modifiers = [
        m
        for m in mine.modifiers
        if m.side in ("both", side)
        and m.when.advantage is None
        and (m.when.rounds is None or m.when.rounds[1] is None)
        and (m.when.technology is None or m.when.technology in known)
    ]
    value = _VALUES[number]
    for name in counts:
        if mine.units[name].only not in (None, side):
            raise ForceError(f"{name} cannot be the {side}'s in {rules.id}, so it has no fire to count")
    shots: dict[tuple[int, int], int] = {}
    for name, values in serve(
        counts, modifiers, {u: mine.units[u].values.get(value, 0) for u in counts}
    ).items():
        unit = mine.units[name]
        if not _fires_in_every_round(rules, number, name):
            continue
        if unit.fires_with and not any(counts.get(keeper) for keeper in unit.fires_with):
            continue
        for one, n in values:
            key = shot(one, rules.sides, unit.rolls[number])
            shots[key] = shots.get(key, 0) + n * unit.dice[number]
    low_luck = dict(read_dice(dice))["battle"] == "low-luck"
    first, chances = hit_distribution(make_volley(shots), low_luck)
    return [0.0] * first + [float(chance) for chance in chances]


def assumed_in_fire(
    ruleset: str | os.PathLike[str] | Ruleset,
    force: str | Mapping[str, int],
    side: str = "attacker",
    *,
    technologies: str | Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    changes: Mapping[str, Any] | None = None,
) -> list[str]:
    """Names of the assumed values that `hits` used.

    >>> assumed_in_fire("great-war", "3 inf, 1 art")
    ['artillery.attack']
    """
    rules, number, known = _read(ruleset, side, technologies, options, changes)
    mine = rules.for_side(SIDES[number], known)
    fields = (_VALUES[number], "dice", "rolls")
    counts = [unit for unit in parse_force(force, rules) if _fires_in_every_round(rules, number, unit)]
    return [f"{unit}.{name}" for unit in counts for name in fields if name in mine.units[unit].assumed]


def _fires_in_every_round(rules: Ruleset, side: int, unit: str) -> bool:
    """Whether a unit fires in more than the first rounds of a battle of some sequence."""
    spans = (
        (step.when.rounds, group.when.rounds)
        for sequence in rules.sequences.values()
        for stage in sequence.stages
        if stage.repeat == "rounds"
        for step in stage.steps
        for group in step.fire
        if group.side == SIDES[side] and unit in group.who
    )
    return any(all(span is None or span[1] is None for span in both) for both in spans)


def _read(
    ruleset: str | os.PathLike[str] | Ruleset,
    side: str,
    technologies: str | Iterable[str],
    options: Mapping[str, Any] | None,
    changes: Mapping[str, Any] | None,
) -> tuple[Ruleset, int, frozenset[str]]:
    """Rules, number of the side and its technologies."""
    rules = load_ruleset(ruleset).resolve(read_mapping(options, "options"), read_mapping(changes, "changes"))
    return rules, SIDES.index(side_name(side)), frozenset(read_technologies(technologies, rules))
