"""One program for many battles: forces that differ in numbers only are states of one larger force.

An order of loss that counts nothing holds in every state, so the states that follow from a smaller force
are among those that follow from a larger one. What cannot be hit (gas, old guns, ships that stand off) is
part of no state, so battles that differ in it have programs of their own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc.program.asking import ask_sides, make_ground_rules
from battlecalc.program.build import assemble
from battlecalc.program.edges import State
from battlecalc.program.fight import Fight
from battlecalc.program.pieces import Kind, Pieces
from battlecalc.program.program import Program
from battlecalc.program.rounds import looks_ahead
from battlecalc.program.setting import Setting
from battlecalc.program.side import cached_pieces, make_side
from battlecalc.program.walker import Walker

if TYPE_CHECKING:
    from battlecalc.sides import ReadySide


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A program with the states in which each of its battles begins, in the order of the fights."""

    program: Program
    starts: tuple[tuple[int, int], ...]


def lattice_key(fight: Fight) -> Hashable | None:
    """Return what fights have in common that are states of one program; None for one that stands alone."""
    if _alone(fight.attacker) or _alone(fight.defender):
        return None
    setting, _ = make_ground_rules(fight)
    pieces = _pieces(setting, fight)
    if any(own.waves for own in pieces):
        return None
    apart = tuple((own.fixed, own.offshore, own.waiting, own.damaged, own.fires_always) for own in pieces)
    landed = sum(k.count for k in pieces[0].kinds if not k.overland) if pieces[0].offshore else 0
    guards_only = not pieces[1].start_bits & (setting.keeps_alive(1) | setting.defenceless(1))
    same = tuple((r.technologies, r.loss_order, r.policies) for r in fight.sides)
    rest = (fight.ruleset, fight.sequence, fight.options, fight.low_luck, fight.rounds, fight.fought)
    return (*rest, same, apart, landed, guards_only)


def make_lattice(fights: Sequence[Fight], most_cells: int) -> Lattice | None:
    """Compile fights of one key together; None where that takes more than `most_cells` pairs of states."""
    setting, policies = make_ground_rules(fights[0])
    all_pieces = [_pieces(setting, fight) for fight in fights]
    merged = [_merge([pieces[n] for pieces in all_pieces]) for n in (0, 1)]
    begins: list[list[State]] = []
    for n in (0, 1):
        known: dict[Pieces, State] = {}
        walker = _plain_walker(setting, merged[n])
        begins.append([known.setdefault(p[n], _start(walker, merged[n], p[n])) for p in all_pieces])
    if _least(begins[0]) * _least(begins[1]) > most_cells:
        return None
    # the walker of the program may have more places (the strip, away), all of them empty at the start
    asked = ask_sides(setting, fights[0], policies, merged, (_unique(begins[0]), _unique(begins[1])))
    sides = (make_side(asked[0]), make_side(asked[1]))
    if len(sides[0].states) * len(sides[1].states) > most_cells:
        return None
    program = assemble(fights[0], sides)
    index = [
        [side.states.number(side.states.walker.padded(state)) for state in states]
        for side, states in zip(sides, begins, strict=True)
    ]
    return Lattice(program, tuple(zip(*index, strict=True)))


@lru_cache(maxsize=8192)
def _alone(ready: ReadySide) -> bool:
    """Whether a side's orders hold for just its own numbers, or its policies look ahead."""
    order = ready.loss_order
    counted = order == "best" or any(loss.count is not None for loss in order or ())
    return bool(ready.keep_land) or counted or any(looks_ahead(policy) for _, policy in ready.policies)


def _pieces(setting: Setting, fight: Fight) -> tuple[Pieces, Pieces]:
    made = [cached_pieces(setting, n, r.counts, r.overland, r.damaged) for n, r in enumerate(fight.sides)]
    return made[0], made[1]


def _merge(pieces: Sequence[Pieces]) -> Pieces:
    """Pieces that hold the greatest number of each kind."""
    kinds: dict[tuple[int, bool], Kind] = {}
    for own in set(pieces):
        for kind in own.kinds:
            place = (kind.bit, kind.overland)
            if place not in kinds or kinds[place].count < kind.count:
                kinds[place] = replace(kind, damaged=0)
    return replace(pieces[0], kinds=tuple(kinds[place] for place in sorted(kinds)))


def _plain_walker(setting: Setting, pieces: Pieces) -> Walker:
    return Walker(setting, pieces, ())


def _start(walker: Walker, merged: Pieces, own: Pieces) -> State:
    """Return the state of the merged force that is this force."""
    there = {(k.bit, k.overland): k for k in own.kinds}
    state = [0] * len(walker.buckets)
    for number, kind in enumerate(merged.kinds):
        mine = there.get((kind.bit, kind.overland))
        if mine is not None:
            state[walker.battle[number][0]] = mine.count - mine.damaged
            if mine.damaged:
                state[walker.battle[number][1]] = mine.damaged
    return tuple(state)


def _unique(states: Sequence[State]) -> tuple[State, ...]:
    return tuple(dict.fromkeys(states))


def _least(states: Sequence[State]) -> int:
    """Fewest states that these starts can have."""
    return len(set(states))
