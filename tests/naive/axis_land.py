"""Axis & Allies on land and from the sea: AA fire, bombardment, rounds, retreats."""

from __future__ import annotations

from tests.naive.axis_values import bombardment_values, fire_of
from tests.naive.dice import chance
from tests.naive.forces import OVERLAND, Frozen, base, counts, has, merge, only
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
    die_by_die,
    finish,
    lost,
    then,
    volley,
    walk,
    with_away,
    with_force,
)
from tests.naive.tables import AIR, LAND, V2, V3

BOTH = (ATTACKER, DEFENDER)


def air_of(force: Frozen) -> Frozen:
    return only(force, lambda name: base(name) in AIR)


def is_aaa(name: str) -> bool:
    return base(name) == "aa_gun"


def close(q: Question, state: State, outcome: str) -> End:
    """End the battle; the hits that 1914's tanks absorbed mend."""
    mended = merge(*(((name.replace("tank*", "tank"), n),) for name, n in state.forces[ATTACKER]))
    return finish(q, with_force(state, ATTACKER, mended), outcome, holders=LAND)


def settle(q: Question, state: State) -> State | End:
    """See whether a side is out; 1942.2's and 1940's AAA are destroyed when nothing else is left."""
    attacker, defender = state.forces
    if not attacker:
        return close(q, state, "defender_wins" if defender else "mutual_destruction")
    if state.strip[DEFENDER] or any(not is_aaa(name) for name, _ in defender):
        return state
    return close(q, with_force(state, DEFENDER, ()), "attacker_wins")


def settled(q: Question, chances: Chances) -> Chances:
    return then(chances, lambda state: {settle(q, state): 1})


# ------------------------------------------------------------------ opening fire


def aa_fire(q: Question, state: State) -> Chances:
    """AA guns fire once, at planes only."""
    planes = counts(air_of(state.forces[ATTACKER]))
    guns = counts(state.forces[DEFENDER]).get("aa_gun", 0)
    old_guns = counts(q.captives).get("aa_gun", 0)
    one = chance(2 if "radar" in q.technologies[DEFENDER] else 1)
    number = sum(planes.values())
    if guns:  # three shots each, at most one a plane; the attacker picks the planes
        fire: Fire = {}
        add_dice(fire, "air", one, min(3 * guns, number))
        after = volley(q, state, {DEFENDER: fire}, "aa")
    elif old_guns and q.ruleset == "aa-classic":  # one gun, one die a plane; the attacker picks
        fire = {}
        add_dice(fire, "air", one, number)
        after = volley(q, state, {DEFENDER: fire}, "aa")
    elif old_guns:  # one gun, one die a plane, rolled type by type
        dice = {name: (one, n) for name, n in air_of(state.forces[ATTACKER])}
        after = die_by_die(q, state, ATTACKER, "aa", dice)
    else:
        return {state: 1}
    return then(after, lambda s: shot_down(q, state, s))


def shot_down(q: Question, before: State, after: State) -> Chances:
    """Paratroopers die with their bombers (empty ones are lost first); a force shot down has lost."""
    if drops_paratroopers(q, before):
        here = counts(before.forces[ATTACKER])
        downed = counts(lost(before.forces[ATTACKER], after.forces[ATTACKER])).get("bomber", 0)
        carried = min(here.get("infantry", 0), here["bomber"])
        dead = max(0, downed - (here["bomber"] - carried))
        left = {name: n - dead * (name == "infantry") for name, n in after.forces[ATTACKER]}
        after = with_force(after, ATTACKER, tuple((name, n) for name, n in left.items() if n))
    if not after.forces[ATTACKER]:
        return {close(q, after, "defender_wins"): 1}
    return {after: 1}


def drops_paratroopers(q: Question, state: State) -> bool:
    """Anniversary's bombers carry one infantry each into the battle."""
    tech = q.ruleset == "aa-anniversary" and "paratroopers" in q.technologies[ATTACKER]
    return tech and has(state.forces[ATTACKER], {"bomber"})


def bombard(q: Question, state: State) -> Chances:
    """Battleships and cruisers fire once; their victims still fire, in Revised they do not."""
    shots = bombardment_values(q)
    if q.ruleset in V3 or q.ruleset == "aa-1914":
        shots = shots[: q.landed]  # one ship for each unit landed, the best ones
    fire: Fire = {}
    for shot in shots:
        add_dice(fire, "any", chance(shot), 1)
    return volley(q, state, {ATTACKER: fire}, "bombardment", still_fire=(False, q.ruleset not in V2))


# ------------------------------------------------------------------ rounds


def land_round(q: Question, state: State) -> Chances:
    """Both sides fire at once, the casualty strip too."""
    firing = [merge(state.forces[side], state.strip[side]) for side in BOTH]
    fires = {side: fire_of(q, side, firing[side], superior=state.superior) for side in BOTH}
    after = volley(q, state._replace(strip=((), ()), round=q.count_round(state.round + 1)), fires)
    return settled(q, after)


def who_may_retreat(q: Question, force: Frozen) -> Frozen:
    """All from a land battle; after a landing overland units and planes, planes only, or nobody."""
    if q.sequence == "land":
        return force
    if q.ruleset in V3:
        return only(force, lambda name: name in AIR or name.startswith(OVERLAND))
    if q.ruleset in V2:
        return air_of(force)
    return ()


def after_round(q: Question, state: State) -> Chances:
    """Ask the attacker whether what may retreat does; those who stay fight on."""
    leaving = who_may_retreat(q, state.forces[ATTACKER])
    if q.ruleset == "aa-1914":
        return {close(q, state, "contested"): 1}
    if leaving and ask(q.retreat[ATTACKER], state, ATTACKER):
        if leaving == state.forces[ATTACKER]:
            return {close(q, state, "attacker_retreats"): 1}
        state = with_away(state, ATTACKER, leaving)
    if state.round == q.rounds:
        return {close(q, state, "unresolved"): 1}
    return {state: 1}


def alone(q: Question, state: State) -> bool:
    """Old guns and factories alone are no battle: they do not even fire, except at paratroopers."""
    guns = counts(q.captives).get("aa_gun", 0)
    return not state.forces[DEFENDER] and not (guns and drops_paratroopers(q, state))


def before(q: Question, start: State) -> Chances:
    """AA fire or dogfight, then bombardment."""
    if alone(q, start):
        return settled(q, {start: q.one})
    opening: Chances = {start: q.one}
    if q.ruleset == "aa-1914":
        opening = settled(q, dogfight(q, opening))
    else:
        opening = settled(q, then(opening, lambda state: aa_fire(q, state)))
    if q.sequence == "invasion" and not q.options.get("sea battle fought"):
        opening = settled(q, then(opening, lambda state: bombard(q, state)))
    if q.sequence == "invasion" and q.ruleset == "aa-1914":
        opening = settled(q, then(opening, lambda state: coastal_fire(q, state)))
    if q.rounds == 0:
        return then(opening, lambda state: {close(q, state, "unresolved"): 1})
    return opening


# ------------------------------------------------------------------ 1914


def dogfight(q: Question, chances: Chances) -> Chances:
    """Fighters fight each other until one side has none; the other has air supremacy."""

    def air_round(state: State) -> Chances:
        air = [air_of(force) for force in state.forces]
        if not all(air):
            superior = ATTACKER if air[0] else DEFENDER if air[1] else None
            return {("over", state._replace(superior=superior)): 1}
        return volley(q, state, {side: fire_of(q, side, air[side], targets="air") for side in BOTH})

    over = walk(q, chances, air_round)
    return {state: p for (_, state), p in over.items()}


def coastal_fire(q: Question, state: State) -> Chances:
    """Every defending artillery, on the casualty strip too, fires once @3 at the units that land."""
    fire: Fire = {}
    guns = counts(merge(state.forces[DEFENDER], state.strip[DEFENDER])).get("artillery", 0)
    add_dice(fire, "land", chance(3), guns)
    attacker, defender = state.forces
    overland = tuple(entry for entry in attacker if entry[0].startswith(OVERLAND))
    landed = tuple(entry for entry in attacker if entry not in overland)
    # who came by land is out of reach, as a wave still aboard would be
    fired_at = volley(q, state._replace(forces=(landed, defender), aboard=overland), {DEFENDER: fire})

    def all_ashore(after: State) -> Chances:
        return {after._replace(forces=(merge(after.forces[ATTACKER], overland), defender), aboard=()): 1}

    return then(fired_at, all_ashore)


LAND_BATTLE = Sequence(before, land_round, after_round)
