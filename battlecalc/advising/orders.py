"""The best order of loss: every order where they are few, else a search step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc.advising.lines import SLOTS, Hits, Line, Slot, neighbours, text_of
from battlecalc.advising.values import (
    Judge,
    Value,
    load_compiled,
    wants_decisions,
    without_decisions,
)
from battlecalc.battle import Battle, check_battle
from battlecalc.errors import PolicyError
from battlecalc.policies import BEST
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import side_name

if TYPE_CHECKING:
    import pandas as pd

# Orders are tried for about so long. The time is estimated, not measured: the same battle, the same answer.
SECONDS = 3.0
FEWEST, MOST = 40, 5_000
LONGEST_LINE = 200
ROUNDS_OF_REPLIES = 8


@dataclass(frozen=True, slots=True)
class LossAdvice:
    """The best order of loss that was found for one side.

    Attributes
    ----------
    battle : Battle
        With that order.
    side : str
    order : str or None
        As `Side` takes it; None where there is nothing to choose.
    value, default_value : float
        Of the side's objective, with this order and with the default one.
    standard_error : float
        Of `value`; 0 where it is exact.
    to_the_end : bool
        Whether the battles were too large to look for the best decisions with every order, so that orders
        were compared, and `value` is found, without them.
    tried : int
        Orders tried.
    every : bool
        Whether these are all that there are.
    orders : tuple of (str, float)
        The orders tried and their values, best first.
    """

    battle: Battle
    side: str
    order: str | None
    value: float
    default_value: float
    standard_error: float
    to_the_end: bool
    tried: int
    every: bool
    orders: tuple[tuple[str, float], ...]

    @property
    def sure(self) -> str:
        """How sure it is, in words."""
        if self.every and self.tried == 1:
            return "the only order"
        how = " in simulated battles" if self.standard_error else ""
        how += " without best decisions" if self.to_the_end else ""
        return f"{'all' if self.every else 'local search,'} {self.tried:,} orders tried{how}"

    def frame(self) -> pd.DataFrame:
        """Orders tried, best first, with their ``value`` and how much it is ``behind`` the best."""
        import pandas as pd

        table = pd.DataFrame(self.orders, columns=["order", "value"])
        return table.assign(behind=self.value - table["value"])

    def __str__(self) -> str:
        """Return the order and what it is worth."""
        gain = self.value - self.default_value
        return f"{self.side}: lose {self.order} ({self.sure}); {gain:+.3f} over the default order"


def best_order(battle: Battle, side: str = "attacker") -> LossAdvice:
    """Find the order of loss that serves a side's objective best.

    Parameters
    ----------
    battle : Battle
        The order that the side has in it does not matter; the enemy keeps his.
    side : {"attacker", "defender", "sea_attacker", "sea_defender"}

    Returns
    -------
    LossAdvice

    Notes
    -----
    Where a side has few units all orders are tried. Beyond that the search begins with the default order and
    with the weakest first, and goes from order to better order by moving a run of equal units, half of it or
    one unit, until no such step helps. It never ends below the default order. The order is fixed before the
    battle: whoever chooses anew after every hit may do better still.

    Examples
    --------
    >>> from battlecalc import Side
    >>> battle = Battle("aa-1942", "land", Side("2 inf, 1 tank, 1 fighter", objective="win"), "3 inf")
    >>> advice = best_order(battle)
    >>> advice.order, advice.sure
    ('infantry, tank, fighter', 'all 12 orders tried')
    """
    check_battle(battle, "best_order")
    slot = next((slot for slot in SLOTS if slot.name == side and slot.ready(battle) is not None), None)
    if slot is None:
        slot = SLOTS[SIDES.index(side_name(side))]
    asked = slot.ordered(battle, "best")
    settled, _ = settle(asked)
    advice = _search(slot.ordered(settled, None), slot, *_aim(asked, slot))
    return replace(advice, battle=slot.ordered(settled, advice.order))


def settle(battle: Battle) -> tuple[Battle, tuple[str, ...]]:
    """Put orders in place of every order of loss that is ``"best"``; returns them with notes that say so.

    Where several are asked for, one after another answers the others, until none changes.

    >>> from battlecalc import Side
    >>> battle, notes = settle(Battle("aa-1942", "land", Side("1 inf, 1 tank", loss_order="best"), "1 inf"))
    >>> notes
    ("attacker's best order of loss: infantry, tank (all 2 orders tried)",)
    >>> battle.attacker.loss_order
    (Loss(unit='infantry', harmless=False, count=None), Loss(unit='tank', harmless=False, count=None))
    """
    slots = tuple(slot for slot in SLOTS if slot.asks(battle))
    if not slots:
        return battle, ()
    orders, notes = _settled(battle, slots)
    for slot, order in zip(slots, orders, strict=True):
        battle = slot.ordered(battle, order)
    return battle, notes


@lru_cache(maxsize=256)
def _settled(battle: Battle, slots: tuple[Slot, ...]) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """Orders of the slots, and notes. No battle: equal ones differ in their own notes."""
    aims = {slot: _aim(battle, slot) for slot in slots}
    now = battle
    for slot in slots:
        now = slot.ordered(now, None)
    found: dict[Slot, LossAdvice] = {}
    seen = {now}
    for number in range(ROUNDS_OF_REPLIES):
        before = now
        for slot in slots:
            found[slot] = _search(slot.ordered(now, None), slot, *aims[slot])
            now = slot.ordered(now, found[slot].order)
        if now == before or len(slots) == 1 or (number and now in seen):
            break
        seen.add(now)
    notes = [
        f"{slot.name.replace('_', ' ')}'s best order of loss: {advice.order} ({advice.sure})"
        for slot, advice in found.items()
    ]
    if len(slots) > 1:
        met = now == before
        notes.append(
            "the orders of loss are each the best answer to the other"
            if met
            else "the orders of loss never settle: each changes with the other, these are the last ones tried"
        )
    return tuple(found[slot].order for slot in slots), tuple(notes)


def _aim(battle: Battle, slot: Slot) -> tuple[str, int]:
    """(objective, whose it is) that an order of loss serves."""
    sides = (battle.attacker, battle.defender)
    best = [
        any(policy is BEST for _, policy in sides[side].policies)
        or any(other.asks(battle) for other in SLOTS if other.side == side)
        or side == slot.side
        for side in (0, 1)
    ]
    if not all(best):
        return sides[slot.side].objective, slot.side
    one, other = (side.objective for side in sides)
    if one != other:
        raise PolicyError(f"two sides at their best play for one objective, not {one!r} and {other!r}")
    return one, 0


@lru_cache(maxsize=256)
def _search(battle: Battle, slot: Slot, objective: str, owner: int) -> LossAdvice:
    judge = Judge(slot.side, objective, owner)
    hits = Hits(battle, slot)
    plain = slot.ordered(battle, None)
    to_the_end = judge.simulates(plain) and wants_decisions(plain)
    if to_the_end:
        plain = without_decisions(plain)
    most = int(min(max(SECONDS / judge.seconds(plain), FEWEST), MOST))
    tried: dict[tuple[Line, ...], tuple[Line, Value]] = {}

    def value(line: Line) -> Value:
        key = hits.meant(line)
        if key not in tried:
            tried[key] = line, judge.value(slot.ordered(plain, text_of(line)))
        return tried[key][1]

    every = hits.number_of_lines() <= most and len(hits.free) <= LONGEST_LINE
    load_compiled(plain, min(hits.number_of_lines(), most))
    default = value(hits.free)
    if every:
        for line in hits.all_lines():
            value(line)
    else:
        _climb(hits, value, lambda: len(tried) < most)
    best, worth = hits.free, default
    for line, now in tried.values():
        if now.beats(worth):
            best, worth = line, now
    ranked = sorted(tried.values(), key=lambda entry: -entry[1].value)
    return LossAdvice(
        battle=slot.ordered(battle, text_of(best)),
        side=slot.name,
        order=text_of(best),
        value=worth.value,
        default_value=default.value,
        standard_error=worth.error,
        to_the_end=to_the_end,
        tried=len(tried),
        every=every,
        orders=tuple((text_of(line) or "", now.value) for line, now in ranked),
    )


def _climb(hits: Hits, value: Callable[[Line], Value], may_go_on: Callable[[], bool]) -> None:
    """Go from order to better order until no single step helps, from two starts."""
    for line in (hits.free, hits.weakest_first()):
        better: Line | None = line
        while better is not None:
            line, better = better, None
            for other in filter(hits.possible, neighbours(line)):
                if not may_go_on():
                    return
                if value(other).beats(value(line)):
                    better = other
                    break
