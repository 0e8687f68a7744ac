"""States of a battle, one volley of fire, and the walk over all that can happen."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

from tests.naive.dice import pool
from tests.naive.forces import Frozen, base, counts, freeze, hits_left, merge, size, survivors
from tests.naive.orders import Wound, may_hit, take_hits

ATTACKER, DEFENDER = SIDES_OF_A_BATTLE = (0, 1)
HORIZON = 8  # a policy may look at the round up to here; it must not change its mind later
Policy = Callable[[int, dict[str, int], dict[str, int]], bool]
Fire = dict[str, dict[Fraction, int]]  # targets -> dice of one side


@dataclass
class Question:
    """One battle as asked, with all that does not change while it is fought."""

    ruleset: str
    sequence: str
    lines: tuple[tuple[Wound, ...], tuple[Wound, ...]] = ((), ())
    technologies: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    options: Mapping[str, Any] = field(default_factory=dict)
    retreat: tuple[Policy | None, Policy | None] = (None, None)
    contest: Policy | None = None
    air_retreat: tuple[Policy | None, Policy | None] = (None, None)
    submerge: tuple[Policy | None, Policy | None] = (None, None)
    rounds: int | None = None
    dice: Mapping[str, str] = field(default_factory=dict)
    apart: tuple[Frozen, Frozen] = ((), ())  # survive whatever happens: ships offshore, waiting cargo
    captives: Frozen = ()  # the defender's old guns, facilities and coastal forts: never lost in battle
    ships: Frozen = ()  # the attacker's ships that may bombard
    gas: tuple[int, int] = (0, 0)
    adjacent: tuple[int, int] = (0, 0)  # rail guns in an adjacent space
    landed: int = 0  # land units put ashore by sea
    transports: int | None = None  # that carry infantry types; None: all are landed at once
    one: Any = Fraction(1)  # 1.0 for floats instead of fractions

    def mode(self, purpose: str) -> str:
        """Kind of dice for a purpose."""
        return self.dice.get(purpose, "standard")

    def policies(self) -> list[Policy]:
        """All policies that anybody has."""
        every = [*self.retreat, self.contest, *self.air_retreat, *self.submerge]
        return [policy for policy in every if policy is not None]

    def count_round(self, fought: int) -> int:
        """Cap the rounds fought at the last number on which anything depends."""
        if self.rounds is not None:
            return fought
        wanted = [getattr(policy, "horizon", HORIZON) for policy in self.policies()]
        return min(fought, max([2, *wanted]))

    def count_air_round(self, fought: int) -> int:
        """Cap the rounds of Part A at the last one that a withdrawal may look at."""
        wanted = [getattr(policy, "horizon", HORIZON) for policy in self.air_retreat if policy is not None]
        return min(fought, max([0, *wanted]))


class State(NamedTuple):
    """A battle between two steps; pairs are (attacker's, defender's)."""

    forces: tuple[Frozen, Frozen]
    round: int = 0  # rounds fought
    away: tuple[Frozen, Frozen] = ((), ())  # withdrawn, submerged, retreated
    strip: tuple[Frozen, Frozen] = ((), ())  # hit, but still to fire in this round
    aboard: Frozen = ()  # the landing wave to come
    superior: int | None = None  # side with air superiority


class End(NamedTuple):
    """A battle that is over."""

    outcome: str
    attacker: Frozen
    defender: Frozen
    captures: bool = False
    captured: Frozen = ()


Chances = dict[Any, Any]  # State (goes on) or anything else (is over) -> probability
Step = Callable[[State], Chances]


class Sequence(NamedTuple):
    """A kind of battle: what comes before the rounds, a round's fire, the questions after it."""

    before: Callable[[Question, State], Chances]
    fight: Callable[[Question, State], Chances]
    after: Callable[[Question, State], Chances]


def then(chances: Chances, step: Step) -> Chances:
    """Take one more step from everything that goes on."""
    result: Chances = {}
    for place, p in chances.items():
        for after, q in (step(place) if isinstance(place, State) else {place: 1}).items():
            result[after] = result.get(after, 0) + p * q
    return result


def with_force(state: State, side: int, force: Frozen) -> State:
    """Replace the force of one side."""
    forces = (force, state.forces[1]) if side == ATTACKER else (state.forces[0], force)
    return state._replace(forces=forces)


def with_away(state: State, side: int, leaving: Frozen) -> State:
    """Let units leave the battle alive."""
    left = dict(state.forces[side])
    for name, n in leaving:
        left[name] -= n
    away = list(state.away)
    away[side] = merge(away[side], leaving)
    return with_force(state, side, freeze(left))._replace(away=(away[0], away[1]))


def add_dice(fire: Fire, targets: str, chance: Fraction, n: int) -> None:
    """Add n equal dice to a side's fire."""
    if n and chance:
        dice = fire.setdefault(targets, {})
        dice[chance] = dice.get(chance, 0) + n


def all_hits(fire: Fire, mode: str) -> dict[tuple[tuple[str, int], ...], Fraction]:
    """Joint distribution of the hits of several pools: ((targets, hits), ...) -> probability."""
    joint: dict[tuple[tuple[str, int], ...], Fraction] = {(): Fraction(1)}
    for targets, dice in sorted(fire.items()):
        rolled = pool(dice, mode)
        joint = {
            (*hits, (targets, n)) if n else hits: p * q
            for hits, p in joint.items()
            for n, q in rolled.items()
        }
    return joint


def losses(q: Question, state: State, side: int, fire: Fire, mode: str) -> dict[Frozen, Any]:
    """Find what may be left of one side's force under this fire."""
    left: dict[Frozen, Any] = {}
    aboard = state.aboard if side == ATTACKER else ()
    for hits, p in all_hits(fire, mode).items():
        force = take_hits(q.ruleset, side, q.lines[side], state.forces[side], hits, aboard)
        left[force] = left.get(force, 0) + p * q.one
    return left


def volley(
    q: Question,
    state: State,
    fires: Mapping[int, Fire],
    purpose: str = "battle",
    still_fire: tuple[bool, bool] = (False, False),
) -> Chances:
    """Fire of one or both sides at the same time; victims of a side may stay on its casualty strip."""
    mode = q.mode(purpose)
    chances: Chances = {state: q.one}
    for shooter, fire in fires.items():
        victim = 1 - shooter

        def one_side(s: State, victim: int = victim, fire: Fire = fire) -> Chances:
            result: Chances = {}
            for force, p in losses(q, state, victim, fire, mode).items():
                after = with_force(s, victim, force)
                if still_fire[victim]:
                    strip = list(s.strip)
                    strip[victim] = merge(strip[victim], lost(state.forces[victim], force))
                    after = after._replace(strip=(strip[0], strip[1]))
                result[after] = result.get(after, 0) + p
            return result

        chances = then(chances, one_side)
    return chances


def lost(before: Frozen, after: Frozen) -> Frozen:
    """Units destroyed between two forces, by type."""
    left = counts(after)
    return freeze({unit: n - left.get(unit, 0) for unit, n in counts(before).items()})


def die_by_die(
    q: Question, state: State, side: int, purpose: str, dice: Mapping[str, tuple[Fraction, int]]
) -> Chances:
    """Dice whose hits fall on the type that they were rolled for (mines, old AA guns)."""
    chances: Chances = {state: q.one}
    for name, (chance, n) in sorted(dice.items()):
        rolled = pool({chance: n}, q.mode(purpose))

        def one_type(s: State, name: str = name, rolled: Mapping[int, Fraction] = rolled) -> Chances:
            result: Chances = {}
            for hits, p in rolled.items():
                force = dict(s.forces[side])
                force[name] -= hits
                if hits_left(q.ruleset, side, name) == 2:
                    force[name + "*"] = force.get(name + "*", 0) + hits
                after = with_force(s, side, freeze(force))
                result[after] = result.get(after, 0) + p
            return result

        chances = then(chances, one_type)
    return chances


def can_hurt(fire: Fire, enemy: Iterable[tuple[str, int]]) -> bool:
    """Whether any of these dice may fall on any of these units."""
    units = {base(name) for name, _ in enemy}
    return any(dice and any(may_hit(targets, unit) for unit in units) for targets, dice in fire.items())


def ask(policy: Policy | None, state: State, side: int, number: int | None = None) -> bool:
    """Put a question to a player, who sees the round and what both have in the battle (a wave aboard too)."""
    if policy is None:
        return False
    mine, theirs = state.forces[side], state.forces[1 - side]
    if side == ATTACKER:
        mine = merge(mine, state.aboard)
    else:
        theirs = merge(theirs, state.aboard)
    return policy(state.round if number is None else number, dict(mine), dict(theirs))


def finish(q: Question, state: State, outcome: str, holders: Iterable[str] = ()) -> End:
    """End a battle: who is left, and whether the territory and what stands in it is captured."""
    attacker = merge(state.forces[0], state.aboard)
    holds = outcome == "attacker_wins" and any(base(name) in frozenset(holders) for name, _ in attacker)
    attacker = survivors(attacker, state.away[0], q.apart[0])
    defender = survivors(state.forces[1], state.away[1], q.apart[1])
    if holds:
        return End(outcome, attacker, defender, True, survivors(q.captives))
    return End(outcome, attacker, survivors(defender, q.captives))


def walk(q: Question, start: Chances, play_round: Step) -> Chances:
    """Follow the chances of a battle to its ends.

    Every round leads to fewer hits left or to a later round, so states are taken in that order, each
    one after all that lead to it; a round that changes nothing is divided out.
    """

    def rank(s: State) -> tuple[int, int]:
        whole = [size(q.ruleset, side, s.forces[side]) for side in SIDES_OF_A_BATTLE]
        return (-sum(whole) - size(q.ruleset, ATTACKER, s.aboard), s.round)

    number = count()
    ends: Chances = {}
    mass: dict[State, Any] = {}
    queue: list[tuple[tuple[int, int], int, State]] = []

    def arrive(place: Any, p: Any) -> None:
        if not isinstance(place, State):
            ends[place] = ends.get(place, 0) + p
            return
        if place not in mass:
            heapq.heappush(queue, (rank(place), next(number), place))
        mass[place] = mass.get(place, 0) + p

    for place, p in start.items():
        arrive(place, p)
    while queue:
        _, _, state = heapq.heappop(queue)
        here = mass.pop(state)
        following = play_round(state)
        stay = following.pop(state, 0)
        assert stay != 1, f"nobody can hurt anybody: {state}"
        for place, p in following.items():
            assert not isinstance(place, State) or rank(place) > rank(state), (state, place)
            arrive(place, here * p / (1 - stay))
    return ends


def play(q: Question, start: State, sequence: Sequence) -> Chances:
    """Play a whole battle to its ends."""

    def one_round(state: State) -> Chances:
        return then(sequence.fight(q, state), lambda s: sequence.after(q, s))

    return walk(q, sequence.before(q, start), one_round)
