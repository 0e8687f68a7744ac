"""The naval battle that comes before a landing: who fights it, under whose orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from battlecalc.errors import BattleError
from battlecalc.forces import format_force, parse_force
from battlecalc.losses import LossOrder, parse_loss_order

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset
    from battlecalc.rulesets.schema import Sequence
    from battlecalc.sides import Counts, ReadySide, Side


def check_sea(ruleset: Ruleset, kind: Sequence, escort: Side | None, enemy: Side | None) -> bool:
    """Return whether a naval battle comes first; a `BattleError` where it cannot."""
    if escort is None and enemy is None:
        return False
    if kind.before is None:
        name = "sea_defender" if enemy is not None else "sea_attacker"
        raise BattleError(f"{name}: no battle at sea comes before {kind.id} of {ruleset.id}")
    if enemy is None:
        raise BattleError("sea_attacker needs a sea_defender: there is nobody to fight at sea")
    return bool(parse_force(enemy.force, ruleset))


def fleet(ruleset: Ruleset, ready: ReadySide, ships: Counts, escort: Side) -> Side:
    """Make the attacker's side at sea: the landing's ships and those sent along.

    Policies are the escort's, technologies those of both. Where the escort has an order of loss, that of the
    landing holds for what it does not name.
    """
    sent, lent = parse_force(escort.force, ruleset), dict(ships)
    force = {unit: lent.get(unit, 0) + sent.get(unit, 0) for unit in ruleset.units}
    damaged = parse_force(escort.damaged or "", ruleset)
    for unit, count in ready.damaged:
        if unit in lent:
            damaged[unit] = damaged.get(unit, 0) + count
    order = _merge(parse_loss_order(escort.loss_order, ruleset), ready.loss_order)
    side = replace(
        escort,
        force=format_force(force),
        loss_order=order,
        damaged=format_force(damaged) if damaged else None,
    )
    return with_technologies(side, ready.technologies)


def with_technologies(side: Side, more: Iterable[str]) -> Side:
    """Return a frozen side with more technologies."""
    return replace(side, technologies=tuple(sorted({*side.technologies, *more})))


def _merge(first: LossOrder, then: LossOrder) -> LossOrder:
    if first is None:
        return then
    if not isinstance(first, tuple) or not isinstance(then, tuple):
        return first
    exhausted = {(loss.unit, loss.harmless) for loss in first if loss.count is None}
    return first + tuple(loss for loss in then if (loss.unit, loss.harmless) not in exhausted)
