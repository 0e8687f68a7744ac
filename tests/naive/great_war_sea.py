"""The Great War at sea: mines, forts on the way, submarines, called shots."""

from __future__ import annotations

from fractions import Fraction

from tests.naive.dice import SIDES, chance, pool
from tests.naive.forces import Frozen, base, counts, freeze, hits_left, only
from tests.naive.great_war import close, defender_may_retreat, fight_on, next_round
from tests.naive.orders import Wound, take_hits, wound_one
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
    all_hits,
    ask,
    can_hurt,
    die_by_die,
    then,
    volley,
    with_away,
    with_force,
)
from tests.naive.tables import SHIPS, TABLES, cost, value

BOTH = (ATTACKER, DEFENDER)
SUBS = frozenset({"submarine"})
OTHERS = frozenset(TABLES["great-war"]) - SUBS
CALLING = frozenset({"dreadnought", "cruiser"})


def forts(q: Question, side: int) -> int:
    """Coastal forts beside the battle."""
    return counts(q.apart[side]).get("fort", 0)


def strikes_first(q: Question, side: int) -> bool:
    return "sub_detection" not in q.technologies[1 - side]


def shots(q: Question, side: int, force: Frozen, units: frozenset[str]) -> Fire:
    """Ordinary dice; the rolls that are called shots are taken off them."""
    fire: Fire = {}
    for unit, n in counts(force).items():
        if unit in units:
            called = called_value(q, side, unit)
            sure = value(q.ruleset, side, unit) - called
            # of a die that is not a called shot, this part is an ordinary hit
            part = chance(sure) / (1 - chance(called)) if called < SIDES else Fraction(0)
            add_dice(fire, "ships" if unit == "submarine" else "any", part, n)
    if "fort" in units:
        add_dice(fire, "any", chance(3), 2 * forts(q, side))
    return fire


def called_value(q: Question, side: int, unit: str) -> int:
    """Find the highest roll that is a called shot."""
    if unit not in CALLING:
        return 0
    return min(int(q.options.get("called_shots", 0)), value(q.ruleset, side, unit))


# ------------------------------------------------------------------ called shots


def third_step(q: Question, state: State) -> Chances:
    """All that did not strike first, at once; called shots after all ordinary wounds."""
    groups = [OTHERS if strikes_first(q, side) else OTHERS | SUBS for side in BOTH]
    if not q.options.get("called_shots"):
        return volley(q, state, {s: shots(q, s, state.forces[s], groups[s]) for s in BOTH})
    assert q.mode("battle") == "standard", "called shots with low luck"
    chances: Chances = {state: q.one}
    for side in BOTH:

        def one_side(s: State, side: int = side) -> Chances:
            result: Chances = {}
            for force, p in after_called(q, state, side, groups[side]).items():
                after = with_force(s, 1 - side, force)
                result[after] = result.get(after, 0) + p
            return result

        chances = then(chances, one_side)
    return chances


def after_called(q: Question, state: State, side: int, units: frozenset[str]) -> dict[Frozen, Fraction]:
    """Find what is left of the enemy after this side's ordinary hits and then its called shots."""
    enemy = state.forces[1 - side]
    result: dict[Frozen, Fraction] = {}
    for calls, p in calling(q, side, state.forces[side]).items():
        silent = dict(calls)
        fire = shots(q, side, state.forces[side], units - CALLING)
        for unit, n in counts(state.forces[side]).items():
            if unit in CALLING:
                one = shots(q, side, ((unit, n - silent[unit]),), CALLING)
                for targets, dice in one.items():
                    for part, number in dice.items():
                        add_dice(fire, targets, part, number)
        for hits, prob in all_hits(fire, "standard").items():
            left = take_hits(q.ruleset, 1 - side, q.lines[1 - side], enemy, hits)
            for _ in range(sum(n for _, n in calls)):
                left = called_shot(q, 1 - side, left)
            result[left] = result.get(left, Fraction(0)) + p * prob
    return result


def calling(q: Question, side: int, force: Frozen) -> dict[tuple[tuple[str, int], ...], Fraction]:
    """Distribution of the called shots of each type of ship."""
    joint: dict[tuple[tuple[str, int], ...], Fraction] = {(): Fraction(1)}
    for unit, n in counts(force).items():
        if unit in CALLING:
            rolled = pool({chance(called_value(q, side, unit)): n})
            joint = {(*c, (unit, k)): p * r for c, p in joint.items() for k, r in rolled.items()}
    return joint


def called_shot(q: Question, victim: int, force: Frozen) -> Frozen:
    """Hit the dearest ship that one hit finishes, else the dearest one; ties by name.

    With no ship left to call it is an ordinary hit.
    """
    ships = [name for name, _ in force if base(name) in SHIPS]
    if not ships:
        return take_hits(q.ruleset, victim, q.lines[victim], force, (("any", 1),))
    name = min(
        ships,
        key=lambda n: (hits_left(q.ruleset, victim, n) > 1, -(cost(q.ruleset, base(n)) or 0), n),
    )
    left = dict(force)
    wound_one(q.ruleset, victim, left, Wound(base(name), hits_left(q.ruleset, victim, name) > 1))
    return freeze(left)


# ------------------------------------------------------------------ the battle


def settle(q: Question, state: State) -> State | End:
    """See who has nothing left on the water; nobody able to hurt anybody is a stalemate."""
    attacker, defender = state.forces
    if not attacker:
        return close(q, state, "defender_wins" if defender else "mutual_destruction")
    if not defender:
        return close(q, state, "attacker_wins")
    for side in BOTH:
        if can_hurt(shots(q, side, state.forces[side], OTHERS | SUBS), state.forces[1 - side]):
            return state
        if can_hurt({"any": pool_of_calls(q, side, state.forces[side])}, state.forces[1 - side]):
            return state
    return close(q, state, "stalemate")


def pool_of_calls(q: Question, side: int, force: Frozen) -> dict[Fraction, int]:
    return {chance(1): n for unit, n in counts(force).items() if called_value(q, side, unit)}


def settled(q: Question, chances: Chances) -> Chances:
    return then(chances, lambda state: {settle(q, state): 1})


def dive(q: Question, state: State) -> Chances:
    """Defending submarines may submerge instead of striking."""
    subs = only(state.forces[DEFENDER], lambda name: base(name) == "submarine")
    if subs and strikes_first(q, DEFENDER) and ask(q.submerge[DEFENDER], state, DEFENDER, state.round + 1):
        return {settle(q, with_away(state, DEFENDER, subs)): 1}
    return {state: 1}


def sea_round(q: Question, state: State) -> Chances:
    """Fire steps 1 to 3."""

    def strike(s: State, side: int) -> Chances:
        if not strikes_first(q, side):
            return {s: 1}
        return volley(q, s, {side: shots(q, side, s.forces[side], SUBS)})

    chances = settled(q, strike(state, ATTACKER))
    chances = then(chances, lambda s: dive(q, s))
    chances = settled(q, then(chances, lambda s: strike(s, DEFENDER)))
    chances = settled(q, then(chances, lambda s: third_step(q, s)))
    return next_round(q, chances)


def after_round(q: Question, state: State) -> Chances:
    """Step 4: the attacker retreats or contests; if not, the defender may retreat."""
    if ask(q.retreat[ATTACKER], state, ATTACKER):
        return {close(q, state, "attacker_retreats"): 1}
    if ask(q.contest, state, ATTACKER):
        return {close(q, state, "contested"): 1}
    return defender_may_retreat(q, state)


def on_the_way(q: Question, state: State) -> Chances:
    """Mines, then the fire of forts that the fleet passes."""
    chances: Chances = {state: 1}
    if q.options.get("mines"):
        dice = {name: (chance(1), n) for name, n in state.forces[ATTACKER] if base(name) in SHIPS}
        chances = die_by_die(q, state, ATTACKER, "mines", dice)
    fire: Fire = {}
    add_dice(fire, "surface", chance(3), 2 * int(q.options.get("pass_through_forts", 0)))
    return settled(q, then(chances, lambda s: volley(q, s, {DEFENDER: fire})))


def before(q: Question, start: State) -> Chances:
    return fight_on(q, then({start: q.one}, lambda state: on_the_way(q, state)))


NAVAL_BATTLE = Sequence(before, sea_round, after_round)
