"""From the arguments of a call to a question and its first state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.naive.forces import OVERLAND, Frozen, base, counts, freeze, hits_left, named, only
from tests.naive.orders import loss_line
from tests.naive.process import ATTACKER, DEFENDER, Question, State
from tests.naive.tables import AIR, FOOT, LAND, NEW_AAA, SHIPS, TABLES

Force = Mapping[str, int]
Order = Sequence[str | tuple[str, int]] | None
PURPOSES = ("battle", "aa", "bombardment", "mines", "raid")


def modes(dice: str | Mapping[str, str]) -> dict[str, str]:
    """Mode of every purpose."""
    if isinstance(dice, str):
        return dict.fromkeys(PURPOSES, dice)
    assert set(dice) <= set(PURPOSES), dice
    return {**dict.fromkeys(PURPOSES, "standard"), **dice}


def hurt(ruleset: str, side: int, force: Force, damaged: Force) -> Frozen:
    """Freeze a force of which some units start with one hit taken."""
    assert set(force) <= set(TABLES[ruleset]), sorted(set(force) - set(TABLES[ruleset]))
    left = dict(force)
    for unit, n in damaged.items():
        assert left.get(unit, 0) >= n, (unit, n)
        left[unit] -= n
        left[named(ruleset, side, unit, hits_left(ruleset, side, unit) - 1)] = n
    return freeze(left)


def prepare(
    ruleset: str,
    sequence: str,
    forces: tuple[Force, Force],
    loss_order: tuple[Order, Order],
    keep_land: tuple[int, int],
    damaged: tuple[Force, Force],
    overland: Force | None = None,
    **asked: Any,
) -> tuple[Question, State]:
    """Tell apart what fights, what stands by, what cannot be lost."""
    attacker = hurt(ruleset, ATTACKER, forces[0], damaged[0])
    attacker += tuple((OVERLAND + unit, n) for unit, n in (overland or {}).items() if n)
    attacker = tuple(sorted(attacker))
    defender = hurt(ruleset, DEFENDER, forces[1], damaged[1])
    everything = (attacker, defender)
    q = Question(
        ruleset,
        sequence,
        gas=(counts(attacker).get("gas", 0), counts(defender).get("gas", 0)),
        adjacent=tuple(counts(force).get("adjacent_rail_gun", 0) for force in everything),  # type: ignore[arg-type]
        **asked,
    )
    fighting = [only(force, lambda name: name not in ("gas", "adjacent_rail_gun")) for force in everything]
    aboard: Frozen = ()
    if sequence == "invasion":
        fighting[0], aboard = stand_off(q, fighting[0])
    if ruleset == "great-war" and sequence == "naval":
        q.apart = (q.apart[0], only(fighting[1], lambda name: base(name) == "fort"))
        fighting[1] = only(fighting[1], lambda name: base(name) != "fort")
    q.captives = only(fighting[1], lambda name: is_captive(ruleset, name))
    fighting[1] = only(fighting[1], lambda name: not is_captive(ruleset, name))
    q.lines = (
        loss_line(ruleset, sequence, ATTACKER, dict(fighting[0] + aboard), loss_order[0], keep_land[0]),
        loss_line(ruleset, sequence, DEFENDER, dict(fighting[1]), loss_order[1], keep_land[1]),
    )
    return q, State((fighting[0], fighting[1]), aboard=aboard)


def is_captive(ruleset: str, name: str) -> bool:
    """Old AA guns and factories: never casualties, they change hands with the land."""
    return name == "industrial_complex" or (name == "aa_gun" and ruleset not in NEW_AAA)


def stand_off(q: Question, force: Frozen) -> tuple[Frozen, Frozen]:
    """Split a landing force: who fights from the start, who is aboard in a later wave; ships stand off."""
    q.ships = only(force, lambda name: base(name) in SHIPS)
    transports = counts(q.ships).get("transport", 0)
    if q.ruleset != "great-war":
        q.apart = (q.ships, ())
        q.landed = sum(n for name, n in force if name in LAND)
        return only(force, lambda name: base(name) not in SHIPS), ()
    waiting = only(force, lambda name: base(name) in LAND - FOOT)
    q.apart = (tuple(sorted(q.ships + waiting)), ())
    if transports:
        q.transports = transports - sum(n for _, n in waiting)
        assert 2 * q.transports >= sum(n for name, n in force if name in FOOT), "too much cargo"
    return only(force, lambda name: name in AIR), only(force, lambda name: name in FOOT)
