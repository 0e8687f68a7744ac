"""Axis & Allies at sea: submarines, destroyers, defenceless transports, stalemates."""

from __future__ import annotations

from collections.abc import Mapping

from tests.naive.axis_values import fire_of
from tests.naive.dice import chance
from tests.naive.forces import Frozen, base, freeze, has, merge, only
from tests.naive.process import (
    ATTACKER,
    DEFENDER,
    Chances,
    End,
    Fire,
    Question,
    Sequence,
    State,
    ask,
    can_hurt,
    die_by_die,
    finish,
    then,
    volley,
    with_away,
    with_force,
)
from tests.naive.tables import AIR, SHIPS, V2, V3

BOTH = (ATTACKER, DEFENDER)
SUBS = frozenset({"submarine"})
OTHER_SHIPS = SHIPS - SUBS


def is_sub(name: str) -> bool:
    return base(name) == "submarine"


def is_transport(name: str) -> bool:
    return base(name) == "transport"


def destroyer(force: Frozen) -> bool:
    return has(force, {"destroyer"})


def whole_fire(q: Question, side: int, force: Frozen, own_destroyer: bool, with_subs: bool = True) -> Fire:
    """Everything that a force can fire, each unit at what it may hit."""
    fire: Fire = {}
    if with_subs:
        fire_of(q, side, force, SUBS, "ships", fire=fire)
    planes_find_subs = own_destroyer or q.ruleset not in V3
    fire_of(q, side, force, AIR, "any" if planes_find_subs else "no submarines", fire=fire)
    return fire_of(q, side, force, OTHER_SHIPS, "any", fire=fire)


# ------------------------------------------------------------------ the end


def hurts(q: Question, side: int, force: Frozen, enemy: Frozen, own_destroyer: bool) -> bool:
    """Whether this part of a side can hit that part of the enemy."""
    return can_hurt(whole_fire(q, side, force, own_destroyer), enemy)


def defenceless(q: Question, state: State) -> Frozen:
    """Defending transports that are destroyed without dice.

    They are alone, or with units that can neither hit an attacker nor be hit by one.
    """
    attacker, defender = state.forces
    transports = only(defender, is_transport)
    rest = only(defender, lambda name: not is_transport(name))
    if q.ruleset in V2 or q.ruleset == "aa-classic":
        return ()
    if not transports or not hurts(q, ATTACKER, attacker, transports, destroyer(attacker)):
        return ()
    if hurts(q, ATTACKER, attacker, rest, destroyer(attacker)):
        return ()
    if hurts(q, DEFENDER, rest, attacker, destroyer(defender)):
        return ()
    return transports


def settle(q: Question, state: State) -> State | End:
    """Destroy the defenceless, see who is out, find battles that nobody can go on with."""
    helpless = dict(defenceless(q, state))
    if helpless:
        left = freeze({name: n for name, n in state.forces[DEFENDER] if name not in helpless})
        state = with_force(state, DEFENDER, left)
    attacker, defender = state.forces
    pending = [bool(strip) for strip in state.strip]
    if not defender and not pending[DEFENDER]:
        return finish(q, state, "attacker_wins" if attacker or pending[ATTACKER] else "mutual_destruction")
    if not attacker and not pending[ATTACKER]:
        return finish(q, state, "defender_wins")
    if any(pending):
        return state
    if q.ruleset != "aa-classic" and all(is_transport(name) for name, _ in attacker):
        standoff = all(is_transport(name) for name, _ in defender) and not hurts(
            q, DEFENDER, defender, attacker, False
        )
        return finish(q, state, "stalemate" if standoff else "defender_wins")
    able = [
        hurts(q, side, state.forces[side], state.forces[1 - side], destroyer(state.forces[side]))
        for side in BOTH
    ]
    return state if any(able) else finish(q, state, "stalemate")


def settled(q: Question, chances: Chances) -> Chances:
    return then(chances, lambda state: {settle(q, state): 1})


# ------------------------------------------------------------------ submerging


def submerge(q: Question, state: State, side: int) -> Chances:
    """All submarines of a side leave the battle, if its owner wishes."""
    subs = only(state.forces[side], is_sub)
    if not subs or not ask(q.submerge[side], state, side, state.round + 1):
        return {state: 1}
    after = with_away(state, side, subs)
    left = after.forces[side]
    if side == ATTACKER and (q.ruleset != "aa-classic" or not left) and all(is_transport(n) for n, _ in left):
        return {finish(q, after, "defender_wins"): 1}
    return {settle(q, after): 1}


def may_submerge(state: State, side: int) -> bool:
    return not destroyer(state.forces[1 - side])


def submerging(q: Question, chances: Chances) -> Chances:
    """Ask both, the attacker first."""
    for side in BOTH:

        def one_side(s: State, side: int = side) -> Chances:
            return submerge(q, s, side) if may_submerge(s, side) else {s: 1}

        chances = then(chances, one_side)
    return chances


# ------------------------------------------------------------------ rounds


def modern_round(q: Question, start: State) -> Chances:
    """V3: submerge or strike where the enemy has no destroyer, then all the rest."""
    has_destroyer = [destroyer(force) for force in start.forces]  # as at the start of the round
    strikes = [not has_destroyer[1 - side] for side in BOTH]

    def strike(state: State) -> Chances:
        fires = {s: fire_of(q, s, state.forces[s], SUBS, "ships") for s in BOTH if strikes[s]}
        return volley(q, state, fires)

    def ordinary(state: State) -> Chances:
        fires = {
            s: whole_fire(q, s, state.forces[s], has_destroyer[s], with_subs=not strikes[s]) for s in BOTH
        }
        return volley(q, state, fires)

    chances = settled(q, then(submerging(q, {start: 1}), strike))
    return settled(q, then(chances, ordinary))


def revised_round(q: Question, start: State) -> Chances:
    """V2: all submarines open; their victims still fire if their side had a destroyer."""
    has_destroyer = (destroyer(start.forces[0]), destroyer(start.forces[1]))

    def opening(state: State) -> Chances:
        fires = {s: fire_of(q, s, state.forces[s], SUBS, "ships") for s in BOTH}
        return volley(q, state, fires, still_fire=has_destroyer)

    def main(state: State) -> Chances:
        firing = [merge(state.forces[s], state.strip[s]) for s in BOTH]
        fires = {s: whole_fire(q, s, firing[s], True, with_subs=False) for s in BOTH}
        return volley(q, state._replace(strip=((), ())), fires)

    return settled(q, then(settled(q, then({start: 1}, opening)), main))


def classic_round(q: Question, start: State) -> Chances:
    """V1: attacking submarines first, then everything else at once."""

    def first(state: State) -> Chances:
        return volley(q, state, {ATTACKER: fire_of(q, ATTACKER, state.forces[ATTACKER], SUBS, "ships")})

    def rest(state: State) -> Chances:
        fires = {s: whole_fire(q, s, state.forces[s], True, with_subs=s == DEFENDER) for s in BOTH}
        return volley(q, state, fires)

    return settled(q, then(settled(q, then({start: 1}, first)), rest))


def plain_round(q: Question, start: State) -> Chances:
    """1914: all at once."""
    fires = {s: whole_fire(q, s, start.forces[s], True) for s in BOTH}
    return settled(q, volley(q, start, fires))


def after_round(q: Question, state: State) -> Chances:
    """Ask the attacker to retreat; before V3 submarines may leave now."""
    if ask(q.retreat[ATTACKER], state, ATTACKER):
        return {finish(q, state, "attacker_retreats"): 1}
    chances: Chances = {state: 1}
    if q.ruleset not in V3:
        chances = submerging(q, chances)
    return then(chances, lambda s: {finish(q, s, "unresolved") if s.round == q.rounds else s: 1})


def sea_round(q: Question, state: State) -> Chances:
    """One round by the rules of the edition."""
    if q.ruleset in V3:
        chances = modern_round(q, state)
    elif q.ruleset in V2:
        chances = revised_round(q, state)
    else:
        chances = (classic_round if q.ruleset == "aa-classic" else plain_round)(q, state)
    return then(chances, lambda s: {s._replace(round=q.count_round(s.round + 1)): 1})


def before(q: Question, start: State) -> Chances:
    opening = settled(q, then({start: q.one}, lambda state: mines(q, state)))
    if q.rounds == 0:
        return then(opening, lambda state: {finish(q, state, "unresolved"): 1})
    return opening


def mines(q: Question, state: State) -> Chances:
    """1914's mines, where asked for."""
    if q.ruleset == "aa-1914" and q.options.get("mines"):
        return die_by_die(q, state, ATTACKER, "mines", mine_dice(state.forces[ATTACKER]))
    return {state: 1}


def mine_dice(force: Frozen) -> Mapping[str, tuple[object, int]]:
    """One die for each ship; a 1 is a hit on that ship."""
    return {name: (chance(1), n) for name, n in force if base(name) in SHIPS}


NAVAL_BATTLE = Sequence(before, sea_round, after_round)
