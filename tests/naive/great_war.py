"""The Great War on land: air superiority, the land battle, the landing of an invasion."""

from __future__ import annotations

from typing import NamedTuple

from tests.naive.dice import chance
from tests.naive.forces import Frozen, base, counts, has, merge, only
from tests.naive.process import (
    ATTACKER,
    DEFENDER,
    Chances,
    End,
    Fire,
    Question,
    Sequence,
    State,
    add_dice,
    ask,
    finish,
    then,
    volley,
    walk,
    with_away,
)
from tests.naive.tables import AIR, FOOT, GUNS, LAND, TABLES, value


def is_fort(name: str) -> bool:
    return base(name) == "fort"


def air_of(force: Frozen) -> Frozen:
    return only(force, lambda name: base(name) in AIR)


# ------------------------------------------------------------------ the end


def close(q: Question, state: State, outcome: str) -> End:
    """End the battle; forts on land are captured in an attacker's win and when the defender retreats."""
    end = finish(q, state, outcome, holders=LAND)
    if q.sequence == "naval" or outcome not in ("attacker_wins", "defender_retreats"):
        return end
    forts = only(end.defender, is_fort)
    return end._replace(
        defender=only(end.defender, lambda name: not is_fort(name)),
        captured=merge(end.captured, counts(forts).items()),
    )


def settle(q: Question, state: State) -> State | End:
    """See whether a step left a side without anything that keeps it alive; forts keep nobody alive."""
    attacker = bool(state.forces[ATTACKER] or state.aboard)
    defender = any(not is_fort(name) for name, _ in state.forces[DEFENDER])
    if attacker and defender:
        return state
    if attacker:
        return close(q, state, "attacker_wins")
    return close(q, state, "defender_wins" if defender else "mutual_destruction")


def settled(q: Question, chances: Chances) -> Chances:
    """Settle everything that one step led to."""
    return then(chances, lambda state: {settle(q, state): 1})


# ------------------------------------------------------------------ Part A


class AirBattleOver(NamedTuple):
    """End of Part A, not of the battle."""

    state: State


def air_superiority(q: Question, chances: Chances) -> Chances:
    """Fight in the air until one side has none there; then hand out superiority."""

    def air_round(state: State) -> Chances:
        mine, theirs = (air_of(force) for force in state.forces)
        if not (mine and theirs):
            superior = ATTACKER if mine else DEFENDER if theirs else None
            return {AirBattleOver(state._replace(round=0, superior=superior)): 1}
        fires = {side: air_fire(q, side, state.forces[side]) for side in (ATTACKER, DEFENDER)}
        after = volley(q, state._replace(round=q.count_air_round(state.round + 1)), fires)
        return then(after, lambda s: withdraw(q, s))

    result: Chances = {}
    for place, p in walk(q, chances, air_round).items():
        after = settle(q, place.state) if isinstance(place, AirBattleOver) else place
        result[after] = result.get(after, 0) + p
    return result


def air_fire(q: Question, side: int, force: Frozen) -> Fire:
    fire: Fire = {}
    for unit, n in counts(air_of(force)).items():
        add_dice(fire, "air", chance(value(q.ruleset, side, unit)), n)
    return fire


def withdraw(q: Question, state: State) -> Chances:
    """After a round of Part A, while both have air: the attacker may withdraw his; if not, the defender."""
    air = [air_of(force) for force in state.forces]
    if not all(air):
        return {state: 1}
    for side, outcome in ((ATTACKER, "attacker_retreats"), (DEFENDER, "defender_retreats")):
        fliers = state._replace(forces=(air[0], air[1]), aboard=())
        if ask(q.air_retreat[side], fliers, side):
            left = with_away(state, side, air[side])
            keeps = [name for name, _ in left.forces[side] if not is_fort(name)]
            if not keeps and not (side == ATTACKER and state.aboard):
                return {close(q, left, outcome): 1}  # a side of air only has retreated
            return {left: 1}
    return {state: 1}


# ------------------------------------------------------------------ Part B


def shots(q: Question, state: State, side: int, units: frozenset[str], targets: str = "any") -> Fire:
    """Dice of these unit types: two for a fort with a keeper, +1 for guns with superiority in round 1."""
    fire: Fire = {}
    here = counts(state.forces[side])
    here["adjacent_rail_gun"] = q.adjacent[side]
    for unit, n in here.items():
        if unit not in units or (unit == "fort" and not has(state.forces[side], FOOT)):
            continue
        plus = 1 if unit in GUNS and state.superior == side and state.round == 0 else 0
        dice = 2 if unit == "fort" else 1
        add_dice(fire, targets, chance(value(q.ruleset, side, unit) + plus), n * dice)
    return fire


EVERYTHING = frozenset(TABLES["great-war"])
EARLY = AIR | GUNS
FOURTH = (frozenset({"storm_troops"}), frozenset({"entrenched_infantry"}))


def gas_fire(q: Question, side: int) -> Fire:
    fire: Fire = {}
    if side == ATTACKER or "gas_shells" in q.technologies[side]:
        add_dice(fire, "land", chance(value(q.ruleset, side, "gas")), q.gas[side])
    return fire


def land_round(q: Question, state: State) -> Chances:
    """Fire steps 1a to 5a."""
    sides = (ATTACKER, DEFENDER)
    chances: Chances = {state: 1}
    if state.round == 0:
        chances = settled(q, then(chances, lambda s: volley(q, s, {x: gas_fire(q, x) for x in sides})))
    for step_sides, units in (
        ((ATTACKER,), (EARLY, EARLY)),
        ((DEFENDER,), (EARLY, EARLY)),
        (sides, FOURTH),
        (sides, (EVERYTHING - EARLY - FOURTH[0], EVERYTHING - EARLY - FOURTH[1])),
    ):

        def step(
            s: State, step_sides: tuple[int, ...] = step_sides, units: tuple[frozenset[str], ...] = units
        ) -> Chances:
            return volley(q, s, {side: shots(q, s, side, units[side]) for side in step_sides})

        chances = settled(q, then(chances, step))
    return next_round(q, chances)


def next_round(q: Question, chances: Chances) -> Chances:
    return then(chances, lambda s: {s._replace(round=q.count_round(s.round + 1)): 1})


def after_land_round(q: Question, state: State) -> Chances:
    """Step 6: retreat or contest, the attacker first."""
    if not q.options.get("from_contested") and ask(q.retreat[ATTACKER], state, ATTACKER):
        return {close(q, state, "attacker_retreats"): 1}
    if has(state.forces[ATTACKER], LAND) and ask(q.contest, state, ATTACKER):
        return {close(q, state, "contested"): 1}
    return defender_may_retreat(q, state)


def defender_may_retreat(q: Question, state: State) -> Chances:
    if ask(q.retreat[DEFENDER], state, DEFENDER):
        return {close(q, state, "defender_retreats"): 1}
    if state.round == q.rounds:
        return {close(q, state, "unresolved"): 1}
    return {state: 1}


def fight_on(q: Question, chances: Chances) -> Chances:
    """Stop before the first round where no round may be fought."""
    if q.rounds == 0:
        return then(chances, lambda state: {close(q, state, "unresolved"): 1})
    return chances


def before_land(q: Question, start: State) -> Chances:
    return fight_on(q, air_superiority(q, settled(q, {start: q.one})))


LAND_BATTLE = Sequence(before_land, land_round, after_land_round)


# ------------------------------------------------------------------ Invasion


def bombard(q: Question, state: State) -> Chances:
    fire: Fire = {}
    for unit, n in counts(q.ships).items():
        if unit in ("dreadnought", "cruiser"):
            add_dice(fire, "any", chance(1), n)
    return volley(q, state, {ATTACKER: fire}, "bombardment")


def land_wave(q: Question, state: State) -> State:
    """In rounds 1 and 2 each transport lands one infantry type, the best attack first."""
    places = q.transports
    ashore: dict[str, int] = {}
    aboard = dict(state.aboard)
    for unit in sorted(aboard, key=lambda unit: (-value(q.ruleset, ATTACKER, unit), unit)):
        n = aboard[unit] if places is None else min(aboard[unit], places)
        aboard[unit] -= n
        ashore[unit] = n
        places = None if places is None else places - n
    left = tuple(sorted((unit, n) for unit, n in aboard.items() if n))
    landed = merge(state.forces[ATTACKER], tuple((u, n) for u, n in ashore.items() if n))
    return state._replace(forces=(landed, state.forces[DEFENDER]), aboard=left)


def invasion_round(q: Question, state: State) -> Chances:
    """Land the wave; all defenders fire, then all that is ashore and the planes."""
    if state.round < 2:
        state = land_wave(q, state)
    chances: Chances = {state: 1}
    for side in (DEFENDER, ATTACKER):

        def step(s: State, side: int = side) -> Chances:
            return volley(q, s, {side: shots(q, s, side, EVERYTHING)})

        chances = settled(q, then(chances, step))
    return next_round(q, chances)


def after_invasion_round(q: Question, state: State) -> Chances:
    if has(state.forces[ATTACKER], FOOT) and ask(q.contest, state, ATTACKER):
        return {close(q, state, "contested"): 1}
    return defender_may_retreat(q, state)


def before_invasion(q: Question, start: State) -> Chances:
    """Planes first, then bombardment."""
    opening = air_superiority(q, settled(q, {start: q.one}))
    return fight_on(q, settled(q, then(opening, lambda state: bombard(q, state))))


INVASION = Sequence(before_invasion, invasion_round, after_invasion_round)
