"""Rules that nobody printed: hypothesis draws a whole ruleset file from the schema, and forces for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import assume, reject
from hypothesis import strategies as st

import battlecalc as bc
from battlecalc.errors import ForceError, RulesetError
from battlecalc.rulesets import Ruleset
from battlecalc.rulesets.merging import Source, patched

Table = dict[str, Any]
Draw = Any  # what @st.composite hands in
SIDES = ("attacker", "defender")
UNITS = ("foot", "gun", "horse", "plane")
IN_ROUNDS = st.fixed_dictionaries({"rounds": st.sampled_from((1, "1-2", "2-"))})
MOST = {1: 6, 2: 5, 3: 4, 4: 3}  # units of one kind, by how many kinds there are


def make_ruleset(table: Table) -> Ruleset:
    """Read a table as if it stood in a file, with every option and technology tried."""
    rules = Ruleset(patched(Source({}, (), "random.toml"), table, "random.toml"), ("random.toml", ()))
    rules.check()
    return rules


def _maybe(draw: Draw, table: Table, key: str, values: st.SearchStrategy[Any], one_in: int = 4) -> None:
    """Give a key a value now and then."""
    if draw(st.integers(1, one_in)) == 1:
        table[key] = draw(values)


def _sets(names: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)


@st.composite
def units(draw: Draw, sides: int, names: tuple[str, ...]) -> Table:
    """Draw one unit's table."""
    pips = st.integers(0, sides)
    table: Table = {"attack": draw(pips), "defence": draw(pips), "special": draw(pips)}
    both = st.fixed_dictionaries({"attacker": st.integers(1, 2), "defender": st.integers(1, 2)})
    _maybe(draw, table, "cost", st.sampled_from((0, 1, 2.5, 10)), 2)
    _maybe(draw, table, "hits", st.integers(1, 3) | both, 3)
    _maybe(draw, table, "dice", st.integers(0, 3) | both)
    _maybe(draw, table, "rolls", st.integers(1, 2) | both)
    _maybe(draw, table, "only", st.sampled_from(SIDES), 10)
    _maybe(draw, table, "never_lost", st.just(True), 12)
    _maybe(draw, table, "keeps_alive", st.just(False), 8)
    _maybe(draw, table, "last", st.just(True), 6)
    _maybe(draw, table, "captured", st.just(True), 8)
    _maybe(draw, table, "absorbs", st.just(True), 10)
    _maybe(draw, table, "fires_with", _sets(names), 8)
    alone = st.sampled_from(("withdraws", "destroyed", "stays"))
    _maybe(draw, table, "alone", st.dictionaries(st.sampled_from(SIDES), alone), 8)
    return table


@st.composite
def conditions(draw: Draw, names: tuple[str, ...], once: bool) -> Table:
    """Draw a condition of a group, step or decision."""
    table: Table = {}
    if not once:
        _maybe(draw, table, "rounds", st.sampled_from((1, 2, "1-2", "2-", "3-")), 2)
    for key in ("own_has", "own_lacks", "enemy_has", "enemy_lacks", "both_have"):
        _maybe(draw, table, key, _sets(names), 4)
    _maybe(draw, table, "option", st.just("mud"), 8)
    return table


@st.composite
def stages(draw: Draw, takes: Mapping[str, Sequence[str]], names: tuple[str, ...], repeat: str) -> Table:
    """Draw one stage; every unit fires in at most one of its steps."""
    steps: Table = {}
    share = {side: {u: draw(st.integers(0, 3)) for u in takes[side]} for side in SIDES}
    for number in range(draw(st.integers(1, 3))):
        fire = []
        for side, other in zip(SIDES, SIDES[::-1], strict=True):
            firing = [u for u, step in share[side].items() if step in (number, 3 if number == 0 else -1)]
            cut = draw(st.integers(0, len(firing)))
            halves = (who for who in (firing[:cut], firing[cut:]) if who)
            fire += [draw(_groups(names, takes[other], side, who, repeat == "once")) for who in halves]
        step: Table = {"fire": fire} if fire else {}
        if repeat != "once" or draw(st.booleans()):
            _maybe(draw, step, "decide", st.lists(decisions(names), min_size=1, max_size=2), 3)
        if not step:
            continue
        _maybe(draw, step, "victims", st.just("fire"), 4)
        if "victims" not in step and draw(st.integers(1, 8)) == 1:
            step |= {"victims": "fire if", "victims_need": draw(_sets(names))}
        if repeat != "once":
            _maybe(draw, step, "when", IN_ROUNDS, 6)
        steps[f"step {number}"] = step
    if not steps:
        steps["all"] = {"fire": [{"side": "both", "who": ["all"]}]}
    table: Table = {"repeat": repeat, "steps": steps}
    _maybe(draw, table, "when", st.just({"option": "mud"}), 10)
    if repeat == "while both have":
        table["both_have"] = draw(_sets(names))
    if repeat == "rounds":
        _maybe(draw, table, "limit", st.integers(1, 4), 5)
        if "limit" in table:
            table["then"] = draw(st.sampled_from(("contested", "unresolved", "stalemate")))
    elif draw(st.integers(1, 4)) == 1:
        table["advantage"] = {"name": "height", "has": draw(_sets(names))}
    return table


@st.composite
def _groups(
    draw: Draw, names: tuple[str, ...], enemies: Sequence[str], side: str, who: list[str], once: bool
) -> Table:
    group: Table = {"side": side, "who": who}
    _maybe(draw, group, "value", st.just("special") | st.integers(0, 7), 5)
    _maybe(draw, group, "at", _sets(tuple(enemies)), 3)
    _maybe(draw, group, "dice", st.sampled_from(("per target", {"kind": "capped", "each": 2})), 8)
    _maybe(draw, group, "casualties", st.sampled_from(("die", "type", "shooter")), 8)
    _maybe(draw, group, "when", conditions(names, once), 4)
    return group


@st.composite
def decisions(draw: Draw, names: tuple[str, ...]) -> Table:
    """Draw a right that a side has in a step."""
    right = draw(st.sampled_from(("retreat", "retreat", "contest", "air_retreat", "submerge")))
    table: Table = {"side": draw(st.sampled_from((*SIDES, "both"))), "right": right}
    if right != "contest":
        table["leaves"] = ["all"] if right == "retreat" else draw(_sets(names))
    _maybe(draw, table, "needs", _sets(names), 6)
    _maybe(draw, table, "when", conditions(names, True), 5)
    return table


@st.composite
def modifiers(draw: Draw, names: tuple[str, ...], advantage: bool) -> Table:
    """Draw one modifier."""
    table: Table = {
        "side": draw(st.sampled_from((*SIDES, "both"))),
        "to": draw(_sets(names)),
        "add": draw(st.sampled_from((-1, 1, 1, 2))),
    }
    _maybe(draw, table, "source", _sets(names), 2)
    if "source" in table:
        _maybe(draw, table, "per", st.integers(1, 3), 3)
    else:
        higher = st.just({"advantage": "height"})
        _maybe(draw, table, "when", IN_ROUNDS | higher if advantage else IN_ROUNDS, 2)
    return table


@st.composite
def rulesets(draw: Draw) -> Table:
    """Draw a ruleset file as a table, with one sequence ``land``."""
    sides = draw(st.sampled_from((2, 6, 6, 6, 10, 12)))
    names = UNITS[: draw(st.integers(1, 4))]
    table: Table = {
        "schema": 1,
        "sides": sides,
        "values": ["special"],
        "holders": [names[0]],
        "units": {name: draw(units(sides, names)) for name in names},
        "options": {"mud": {"kind": "flag"}},
    }
    kinds = draw(st.sampled_from(((), (), ("once",), ("while both have",), ("once", "while both have"))))
    takes = {
        side: [u for u, unit in table["units"].items() if unit.get("only", side) == side] for side in SIDES
    }
    assume(all(takes.values()))
    sequence: Table = {"takes": takes}
    if not kinds or draw(st.integers(1, 8)) > 1:
        kinds = (*kinds, "rounds")
    sequence["stages"] = {f"stage {n}": draw(stages(takes, names, kind)) for n, kind in enumerate(kinds)}
    advantage = any("advantage" in stage for stage in sequence["stages"].values())
    table["modifiers"] = {
        f"modifier {n}": draw(modifiers(names, advantage)) for n in range(draw(st.sampled_from((0, 0, 1, 2))))
    }
    if draw(st.integers(1, 6)) == 1:
        role = {"side": draw(st.sampled_from(SIDES)), "who": [draw(st.sampled_from(names))]}
        _maybe(draw, role, "never_lost", st.just(True), 3)
        role["where"] = draw(st.sampled_from(("battle", "offshore", "waiting")))
        sequence["roles"] = {"role": role}
    _maybe(draw, sequence, "last_survivor", st.sampled_from(names), 10)
    table["sequences"] = {"land": sequence}
    return table


@st.composite
def policies(draw: Draw) -> str:
    """Draw when a right is used."""
    variable = draw(st.sampled_from(("round", "units", "value", "ratio")))
    comparison = draw(st.sampled_from(("<", "<=", ">", ">=", "==")))
    return f"{variable} {comparison} {draw(st.integers(0, 4))}"


@st.composite
def forces(draw: Draw, table: Table, side: str) -> dict[str, int]:
    """Draw counts of a few units that the side may have."""
    names = table["sequences"]["land"]["takes"][side]
    counts = {name: draw(st.integers(0, MOST[len(table["units"])])) for name in names}
    return {name: count for name, count in counts.items() if count} or {names[0]: 1}


def rights(rules: Ruleset, side: str) -> list[str]:
    """Rights of a side."""
    stages = rules.sequences["land"].stages
    decided = [d for stage in stages for step in stage.steps for d in step.decide if d.side == side]
    return sorted({d.right for d in decided})


@st.composite
def battles(draw: Draw) -> bc.Battle:
    """Draw a battle under random rules."""
    table = draw(rulesets())
    try:
        rules = make_ruleset(table)
    except RulesetError:  # such as a group that names nobody who can be there
        reject()
    sides = []
    for side in SIDES:
        asked: Table = {}
        for right in rights(rules, side):
            if right != "submerge":
                _maybe(draw, asked, right, policies(), 2)
        if draw(st.integers(1, 3)) == 1:
            order = draw(st.lists(st.sampled_from(tuple(table["units"])), max_size=3, unique=True))
            asked["loss_order"] = order
        sides.append(bc.Side(draw(forces(table, side)), **asked))
    keywords: Table = {}
    _maybe(draw, keywords, "rounds", st.integers(0, 3), 6)
    _maybe(draw, keywords, "dice", st.just("low-luck"), 6)
    _maybe(draw, keywords, "options", st.just({"mud": True}), 4)
    try:
        return bc.Battle(rules, "land", sides[0], sides[1], **keywords)
    except ForceError:  # such as an attacker that can do nothing
        reject()


@st.composite
def even_rulesets(draw: Draw, simple: bool = False) -> Ruleset:
    """Draw rules that are the same for both sides: simultaneous steps, equal values.

    Parameters
    ----------
    simple : bool
        One step in which everybody fires at anybody: nothing that another unit could spoil.
    """
    sides = draw(st.sampled_from((6, 8, 12)))
    names = UNITS[: draw(st.integers(1, 3))]
    table: Table = {"schema": 1, "sides": sides, "holders": list(names), "units": {}}
    table["options"] = {"mud": {"kind": "flag"}}
    for name in names:
        value = draw(st.integers(0, sides))
        unit: Table = {"attack": value, "defence": value, "cost": draw(st.integers(0, 9))}
        _maybe(draw, unit, "hits", st.integers(1, 3))
        _maybe(draw, unit, "dice", st.integers(1, 2))
        _maybe(draw, unit, "rolls", st.integers(1, 2))
        _maybe(draw, unit, "last", st.just(True), 6)
        table["units"][name] = unit
    modifier: Table = {"side": "both", "to": [draw(st.sampled_from(names))], "add": draw(st.integers(1, 3))}
    _maybe(draw, modifier, "source", _sets(names), 2)
    table["modifiers"] = {"modifier": modifier} if draw(st.booleans()) else {}
    steps: Table = {"all": {"fire": [{"side": "both", "who": ["all"]}]}}
    if not simple:
        cut = draw(st.integers(0, len(names) - 1))
        first: Table = {"side": "both", "who": list(names[cut:])}
        _maybe(draw, first, "at", _sets(names), 3)
        _maybe(draw, first, "when", conditions(names, False), 3)
        steps = {"first": {"fire": [first]}}
        _maybe(draw, steps["first"], "victims", st.just("fire"), 3)
        if cut:
            steps["second"] = {"fire": [{"side": "both", "who": list(names[:cut])}]}
    takes = {side: list(names) for side in SIDES}
    stage = {"repeat": "rounds", "steps": steps}
    table["sequences"] = {"land": {"takes": takes, "stages": {"battle": stage}}}
    return make_ruleset(table)


def counts(names: Sequence[str], most: int) -> st.SearchStrategy[dict[str, int]]:
    """Draw a force of these units that is not empty."""
    force = st.fixed_dictionaries({name: st.integers(0, most) for name in names})
    return force.map(lambda one: {name: n for name, n in one.items() if n}).filter(bool)
