"""What a fight asks of its sides: rules, policies, and all states that they can be brought to."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING

from battlecalc.errors import StateSpaceError
from battlecalc.program.beforehand import make_setting
from battlecalc.program.decide import takes_everything
from battlecalc.program.edges import State
from battlecalc.program.fight import Fight
from battlecalc.program.pieces import Pieces
from battlecalc.program.reach import MAX_STATES, exposures
from battlecalc.program.setting import Setting
from battlecalc.program.side import SideAsked, cached_pieces, make_side

if TYPE_CHECKING:
    from battlecalc.policies import Policy

# Settings and sides are shared between programs and grow while one is built.
BUILDING = threading.RLock()
# So many states of each side are counted in any case: it takes a tenth of a second.
_FEW_STATES = 20_000


def make_ground_rules(fight: Fight) -> tuple[Setting, dict[int, Policy]]:
    """Return the setting of a fight, and the policy for every decision of its schedule (by number)."""
    setting = make_setting(
        fight.ruleset,
        fight.sequence,
        (fight.attacker.technologies, fight.defender.technologies),
        fight.options,
        fight.low_luck,
        fight.fought,
    )
    decisions = (decision for step in setting.steps for decision in step.decisions)
    return setting, {d.number: fight.sides[d.side].policy(d.rule.right) for d in decisions}


def ask_sides(
    setting: Setting,
    fight: Fight,
    policies: Mapping[int, Policy],
    pieces: Sequence[Pieces],
    starts: Sequence[tuple[State, ...]] = ((), ()),
) -> tuple[SideAsked, SideAsked]:
    """Ask for both sides with all states that the enemy and their own policies can bring them to."""
    sides = []
    for n, ready in enumerate(fight.sides):
        leaving = [
            d
            for step in setting.steps
            for d in step.decisions
            if d.side == n and d.rule.right != "contest" and policies[d.number].kind != "never"
            if d.rule.right == "submerge" or not takes_everything(d, pieces[n].start_bits)
        ]
        bits, overland_bits = 0, 0
        for decision in leaving:
            bits |= decision.leaves
            overland_bits |= decision.leaves_overland
        # for the best decision units may leave one by one
        taken = {d.number: d.rule.each and policies[d.number].kind == "best" for d in leaving}
        exposed = exposures(setting, n, pieces[n], pieces[1 - n], taken)
        order = ready.loss_order if isinstance(ready.loss_order, tuple) else None
        may_go = (bits, overland_bits)
        helpless = 0 if setting.raid else setting.destroyed(n)
        sides.append(
            SideAsked(setting, n, pieces[n], order, ready.keep_land, exposed, may_go, starts[n], helpless)
        )
    return sides[0], sides[1]


@lru_cache(maxsize=256)
def sides_of(fight: Fight) -> tuple[SideAsked, SideAsked]:
    """Ask for both sides of one fight."""
    setting, policies = make_ground_rules(fight)
    pieces = [
        cached_pieces(setting, n, ready.counts, ready.overland, ready.damaged)
        for n, ready in enumerate(fight.sides)
    ]
    return ask_sides(setting, fight, policies, pieces)


def count_states(fight: Fight, most_pairs: int) -> tuple[tuple[int, int], bool]:
    """Count the states of both sides, and tell whether all were counted.

    It stops early where their pairs are more than `most_pairs`. Sides that are counted to the end are kept
    for `make_program`.
    """
    with BUILDING:
        both = sides_of(fight)
        few = max(isqrt(most_pairs), _FEW_STATES)
        most = [few, few]
        found = [_count(both[n], few) for n in (0, 1)]
        for n in (0, 1):
            if found[n] > few >= found[1 - n]:
                most[n] = max(most_pairs // found[1 - n], few)
                found[n] = _count(both[n], most[n])
        return (found[0], found[1]), found[0] <= most[0] and found[1] <= most[1]


def _count(asked: SideAsked, most: int) -> int:
    """Count the states of a side; one more than `most` where there are more."""
    if most >= MAX_STATES:
        return len(make_side(asked).states)
    try:
        return min(len(make_side(replace(asked, most=most)).states), most + 1)
    except StateSpaceError:
        return most + 1
