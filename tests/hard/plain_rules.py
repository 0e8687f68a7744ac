"""Random rules for battles that are mostly plain: fought side by side (`battlecalc.engines.beats`)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import reject
from hypothesis import strategies as st

import battlecalc as bc
from battlecalc.errors import ForceError, RulesetError
from tests.hard.random_rules import (
    IN_ROUNDS,
    SIDES,
    UNITS,
    Draw,
    Table,
    decisions,
    forces,
    make_ruleset,
    modifiers,
    policies,
    rights,
)

KINDS = ((), (), ("once",), ("while both have",), ("once", "while both have"), ("while both have", "once"))
AHEAD = st.sampled_from(("odds < 40%", "odds >= 0.6", "best"))
LIMITS = {"limit": st.integers(1, 4), "then": st.sampled_from(("contested", "unresolved", "stalemate"))}


def chance(draw: Draw, one_in: int) -> bool:
    return bool(draw(st.integers(1, one_in)) == 1)


def some(draw: Draw, names: Sequence[str]) -> list[str]:
    return list(draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)))


@st.composite
def plain_stages(draw: Draw, names: tuple[str, ...], repeat: str) -> Table:
    """Draw a stage; a side fires as one group, or its hits are sorted; somebody may leave afterwards."""
    steps: Table = {}
    count = draw(st.sampled_from((1, 1, 2)))
    turn = {name: draw(st.integers(0, count - 1)) for name in names}
    for number in range(count):
        who = [name for name in names if turn[name] == number]
        if not who:
            continue
        fire: list[Table] = [{"side": side, "who": who} for side in SIDES]
        if repeat == "once":
            fire = fire[draw(st.integers(0, 1)) :]
            if chance(draw, 2):  # dice by targets: plain in the one state before the battle
                fire[0]["dice"] = "per target"
                fire[0]["at"] = some(draw, names)
        for group in tuple(fire):
            if "dice" not in group and len(who) > 1 and chance(draw, 2):
                group |= {"who": who[:1], "at": some(draw, names)}
                fire.append({"side": group["side"], "who": who[1:]})
        step: Table = {"fire": fire}
        if chance(draw, 4):
            step["victims"] = "fire"
        if repeat != "once" and chance(draw, 8):
            step["when"] = draw(IN_ROUNDS)
        if chance(draw, 3 if repeat == "rounds" else 12):
            step["decide"] = draw(st.lists(decisions(names), min_size=1, max_size=2))
            for decision in step["decide"]:
                if decision["right"] in ("submerge", "air_retreat"):
                    decision["each"] = chance(draw, 2)
        steps[f"step {number}"] = step
    table: Table = {"repeat": repeat, "steps": steps or {"all": {"fire": [{"side": "both", "who": ["all"]}]}}}
    if repeat == "while both have":
        table["both_have"] = some(draw, names)[:1]
    elif repeat == "rounds" and chance(draw, 4):
        table |= {key: draw(value) for key, value in LIMITS.items()}
    if repeat != "rounds" and chance(draw, 2):
        table["advantage"] = {"name": "height", "has": some(draw, names)}
    return table


@st.composite
def plain_battles(draw: Draw) -> bc.Battle:
    """Draw a battle that is likely to be plain, with up to 5 rounds where they are limited."""
    sides = draw(st.sampled_from((2, 6, 6, 12)))
    names = UNITS[: draw(st.integers(1, 3))]
    table: Table = {"schema": 1, "sides": sides, "holders": [names[0]], "units": {}}
    for name in names:
        values = st.integers(min(1, draw(st.integers(0, 4))), sides)  # seldom nothing
        unit = {"attack": draw(values), "defence": draw(values), "cost": draw(st.integers(1, 9))}
        unit["hits"] = draw(st.sampled_from((1, 1, 1, 2, 3)))
        unit["dice"] = draw(st.sampled_from((1, 1, 2)))
        table["units"][name] = unit
    kinds = (*draw(st.sampled_from(KINDS)), "rounds")
    stages = {f"stage {n}": draw(plain_stages(names, kind)) for n, kind in enumerate(kinds)}
    takes = {side: list(names) for side in SIDES}
    table["sequences"] = {"land": {"takes": takes, "stages": stages}}
    advantage = any("advantage" in stage for stage in stages.values())
    table["modifiers"] = {
        f"modifier {n}": draw(modifiers(names, advantage)) for n in range(draw(st.sampled_from((0, 1, 2))))
    }
    keywords: Table = {"rounds": draw(st.integers(1, 5))} if chance(draw, 3) else {}
    if chance(draw, 5):
        keywords["dice"] = "low-luck"
    try:
        rules = make_ruleset(table)
        sides = []
        for side in SIDES:
            asked = {right: draw(policies() | AHEAD) for right in rights(rules, side) if chance(draw, 2)}
            sides.append(bc.Side(draw(forces(table, side)), **asked))
        return bc.Battle(rules, "land", *sides, **keywords)
    except (RulesetError, ForceError):  # such as an attacker that can do nothing
        reject()
