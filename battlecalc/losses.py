"""Orders of loss: what a side gives up first, in a player's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from battlecalc.errors import BattlecalcError, ForceError, PolicyError
from battlecalc.forces import MOST, split_entries
from battlecalc.words import quote

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset

LossOrder = tuple["Loss", ...] | Literal["best"] | None

_ENTRY = re.compile(r"(?:(?P<count>[0-9]+) ?(?:x )?)?(?P<name>[^\W\d_][^*]*?) ?(?P<harmless>\*?)")


@dataclass(frozen=True, slots=True)
class Loss:
    """One entry of an order: `count` units (None: all left), or with `harmless` hits that they survive.

    >>> print(Loss("battleship", harmless=True), Loss("infantry", count=4))
    battleship* 4 infantry
    """

    unit: str
    harmless: bool = False
    count: int | None = None

    def __str__(self) -> str:
        """Write the entry as `parse_loss_order` reads it."""
        return (
            (f"{self.count} " if self.count is not None else "") + self.unit + ("*" if self.harmless else "")
        )


def parse_loss_order(order: str | Sequence[str | Loss] | None, ruleset: Ruleset) -> LossOrder:
    """Read an order of loss.

    Parameters
    ----------
    order : str, sequence of str, or None
        Unit names, first lost first: ``"4 inf, 1 art, inf, art, tank"``. A count splits a unit; ``name*``
        places the hits that a unit survives. Units that are not in the force are passed over, so that one
        order serves many battles.
        ``"best"`` leaves the choice to the engine; None, ``""`` and ``[]`` are the default order.
    ruleset : Ruleset
        Whose units are meant.

    Returns
    -------
    tuple of Loss, "best" or None

    Raises
    ------
    PolicyError
        For unknown units, counts of 0, units named again after all of them, and ``*`` at units that survive
        no hit.

    Examples
    --------
    >>> from battlecalc.rulesets import load_ruleset
    >>> parse_loss_order("2 inf, art, inf", load_ruleset("great-war"))
    (Loss(unit='infantry', harmless=False, count=2), Loss(unit='artillery', harmless=False, count=None), \
Loss(unit='infantry', harmless=False, count=None))
    """
    if order is None:
        return None
    if isinstance(order, str):
        return _read(order, ruleset) if len(order) < 400 else _read_text(order, ruleset)
    if isinstance(order, Sequence) and not isinstance(order, (bytes, bytearray)):
        if len(order) > MOST:
            raise PolicyError(f"an order of loss has at most {MOST:,} entries, not {len(order):,}")
        entries = [str(entry) if isinstance(entry, Loss) else entry for entry in order]
        return _entries(entries, ruleset, entries)
    raise PolicyError(
        f"an order of loss is text like 'infantry, tank', a list of names or 'best', not {quote(order)}"
    )


def format_loss_order(order: LossOrder) -> str | None:
    """Write an order so that `parse_loss_order` reads the same again.

    >>> format_loss_order((Loss("infantry", count=4), Loss("tank")))
    '4 infantry, tank'
    """
    return ", ".join(map(str, order)) if isinstance(order, tuple) else order


def _read_text(text: str, ruleset: Ruleset) -> LossOrder:
    if text.strip().lower() == "best":
        return "best"
    return _entries(split_entries(text, PolicyError), ruleset, text)


_read = lru_cache(maxsize=1024)(_read_text)


def _entries(entries: Sequence[object], ruleset: Ruleset, given: object) -> LossOrder:
    losses = []
    exhausted = set()
    for entry in entries:
        try:
            loss = _loss(entry, ruleset)
        except BattlecalcError as wrong:
            raise PolicyError(f"order of loss {quote(given)}: {wrong}") from None
        if (loss.unit, loss.harmless) in exhausted:
            raise PolicyError(f"order of loss {quote(given)}: {quote(entry)} comes after all {loss.unit}")
        if loss.count is None:
            exhausted.add((loss.unit, loss.harmless))
        losses.append(loss)
    return tuple(losses) or None


def _loss(entry: object, ruleset: Ruleset) -> Loss:
    found = _ENTRY.fullmatch(" ".join(entry.split())) if isinstance(entry, str) and len(entry) <= 80 else None
    if found is None:
        raise ForceError(f"{quote(entry)} is not a unit such as 'infantry', '4 infantry' or 'battleship*'")
    unit = ruleset.unit_id(found["name"])
    count = int(found["count"]) if found["count"] else None
    if count is not None and not 0 < count <= MOST:
        raise ForceError(f"the count of {quote(entry)} must be from 1 to {MOST:,}")
    harmless = bool(found["harmless"])
    if harmless and max(ruleset.units[unit].hits) < 2:
        raise ForceError(f"{quote(entry)}: {unit} survives no hit, so it has no harmless one")
    return Loss(unit, harmless, count)
