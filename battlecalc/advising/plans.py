"""What a side may do in a battle: the plans that `advise` compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from battlecalc.battle import Battle
from battlecalc.errors import PolicyError
from battlecalc.policies import NEVER, RIGHTS
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import ReadySide, Side

LAST_ROUND = 3
_WORDS = {"retreat": "retreat", "contest": "contest", "air_retreat": "withdraw the aircraft"}


class Plan(NamedTuple):
    """A plan: its name and the fields of `Side` that make it."""

    name: str
    fields: Mapping[str, object]

    def battle(self, battle: Battle, side: int) -> Battle:
        """Return the battle played so."""
        return with_fields(battle, side, self.fields)


def with_fields(battle: Battle, side: int, fields: Mapping[str, object]) -> Battle:
    """Return the battle with some fields of a side changed."""
    given: Side = battle.given()[SIDES[side]]
    return battle.replace(**{SIDES[side]: replace(given, **fields)})  # type: ignore[arg-type]


def plans(battle: Battle, side: int) -> Iterator[Plan]:
    """Yield all plans of a side that its rights and its force allow, the simplest first.

    The orders of loss of the question stay but where a plan is about them.
    """
    given: Side = battle.given()[SIDES[side]]
    ready = ready_side(battle, side)
    order = None if ready.loss_order == "best" else given.loss_order
    plain: dict[str, object] = {**dict.fromkeys(RIGHTS, "never"), "loss_order": order}
    yield Plan("fight to the end", plain)
    if any(policy.kind in ("when", "always") for _, policy in ready.policies):
        yield Plan("as asked", {"loss_order": order})
    rights = tuple(right for right in RIGHTS if has_right(battle, side, right))
    for right in rights:
        for name, policy in _simple(right):
            yield Plan(name, {**plain, right: policy})
    best = {right: "best" for right in rights}
    if best:
        yield Plan("best decisions", {**plain, **best})
    if len(ready.counts + ready.overland) > 1:
        yield Plan("best order of loss", {**plain, "loss_order": "best"})
        if best:
            yield Plan("best decisions and order of loss", {**plain, **best, "loss_order": "best"})
    if _may_keep_land(battle, side, ready):
        kept = {**plain, "keep_land": 1}
        yield Plan("a land unit is lost last", kept)
        if best:
            yield Plan("best decisions, a land unit is lost last", {**kept, **best})


def ready_side(battle: Battle, side: int) -> ReadySide:
    """Return a side of a battle by its number."""
    return (battle.attacker, battle.defender)[side]


def has_right(battle: Battle, side: int, right: str) -> bool:
    """Whether a side may ever use a right in this battle."""
    try:
        asked = with_fields(battle, side, {right: "round >= 1"})
    except PolicyError:
        return False
    return ready_side(asked, side).policy(right) is not NEVER


def _simple(right: str) -> Iterator[tuple[str, str]]:
    if right == "submerge":
        yield "submerge at once", "always"
        yield "submerge from round 2 on", "round >= 2"
        return
    for number in range(1, LAST_ROUND + 1):
        yield f"{_WORDS[right]} after round {number}", f"round >= {number}"


def _may_keep_land(battle: Battle, side: int, ready: ReadySide) -> bool:
    """Whether it may matter to keep a land unit: the attacker has others, and something is captured."""
    units = ready.units
    return (
        side == 0
        and battle.sequence.capture
        and ready.keep_land == 0
        and bool(units & battle.ruleset.holders)
        and len(units) > 1
    )
