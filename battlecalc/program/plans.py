"""Who fires at what in a step, for any two signatures: the rules' answer, before any force is counted.

A plan is a tuple of *pools*: dice of one side in one step whose hits may fall on the same units and are
assigned together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from battlecalc.program.setting import ReadyGroup, ReadyStep, Setting
from battlecalc.program.walker import Mask, Signature


class Standing(NamedTuple):
    """Units of one side that no hit can remove (bit masks); `keeperless` ones need no keeper."""

    battle: int = 0
    offshore: int = 0
    keeperless: int = 0


@dataclass(frozen=True, slots=True)
class Pool:
    """Dice that are rolled and assigned together.

    Attributes
    ----------
    groups : numbers of the groups whose units roll
    who : bit mask of those units (of the firing side)
    mask : what the hits may fall on
    called : mask of the called shots among the hits, or None
    """

    groups: tuple[int, ...]
    who: int
    mask: Mask
    called: Mask | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Pools of one side in one step; `tangled`: hits with incomparable targets, to be assigned one by one."""

    pools: tuple[Pool, ...]
    tangled: bool


# Kinds of dice whose number follows the enemy's units: each group of them is a pool of its own.
MATCHED_DICE = ("per target", "capped")


def firing_bits(setting: Setting, group: ReadyGroup) -> int:
    """Units of a group that can hit anything at all: a value above 0, or one that the own mix may raise."""
    return setting.memo.of(("firing", group.number), lambda: _firing_bits(setting, group))


def able_bits(setting: Setting, group: ReadyGroup, present: int, bonus: bool) -> int:
    """Units of a group that can hit with these units of their side in the battle.

    Parameters
    ----------
    bonus : bool
        Whether modifiers may hold that last for some rounds only, or need an advantage.
    """
    plain, raises = setting.memo.of(("able", group.number), lambda: _able_bits(setting, group))
    for to, source in raises:
        if source & present or (not source and bonus):
            plain |= to
    return plain


def _firing_bits(setting: Setting, group: ReadyGroup) -> int:
    bits, raises = _able_bits(setting, group)
    for to, _ in raises:
        bits |= to
    return bits


def _able_bits(setting: Setting, group: ReadyGroup) -> tuple[int, list[tuple[int, int]]]:
    """Units with a value above 0 in all rounds; of other modifiers: units raised, units that raise them."""
    units, own = setting.units[group.side], group.rule.dice.kind == "own"
    # a unit may have a value and no shots (of its own: other dice only ask whether it is there)
    there = (u for u in group.rule.who if u in units and (units[u].dice[group.side] or not own))
    values = {u: value_of(setting, group, u) for u in there}
    raises = []
    for m in setting.modifiers[group.side] if group.rule.value == "ordinary" else ():
        to = values.keys() & m.to
        first, last = m.when.rounds or (1, None)
        lasting = last is None and (first == 1 or m.add > 0)  # what makes them worse later lets them fire now
        if not m.source and m.when.advantage is None and lasting:
            values.update({u: values[u] + m.add for u in to})
        elif m.add > 0:
            raises.append((setting.bits(frozenset(to)), setting.bits(m.source)))
    return setting.bits(frozenset(u for u, value in values.items() if value > 0)), raises


def keepers_of(setting: Setting, side: int) -> list[tuple[int, int]]:
    """Units that fire only while one of others is there: (bit, bits of the others)."""
    units = setting.units[side].values()
    return setting.memo.of(
        ("keepers", side),
        lambda: [(1 << setting.bit[u.id], setting.bits(u.fires_with)) for u in units if u.fires_with],
    )


def value_of(setting: Setting, group: ReadyGroup, unit: str) -> int:
    """Value at which a unit of the group fires, before modifiers; 0 where it has none."""
    value = group.rule.value
    if isinstance(value, int):
        return value
    if value == "ordinary":
        return setting.units[group.side][unit].values[("attack", "defence")[group.side]]
    if "." in value:
        other, field = value.split(".", 1)
        return setting.units[group.side][other].values.get(field, 0)
    return setting.units[group.side][unit].values.get(value, 0)


def make_plan(
    setting: Setting, step: ReadyStep, side: int, own: Signature, enemy: Signature, standing: Standing
) -> Plan:
    """Return the plan of one side in one step.

    Parameters
    ----------
    standing : Standing
        Of the firing side: gas, old guns; bombarding ships.
    """
    key = (step.key, side, own, enemy, standing)
    return setting.memo.of(key, lambda: _make_plan(setting, step, side, own, enemy, standing))


def active_groups(
    setting: Setting,
    step: ReadyStep,
    side: int,
    own: Signature,
    enemy: Signature,
    standing: Standing,
    bonus: bool = True,
) -> list[tuple[ReadyGroup, int]]:
    """Return the groups that roll dice at somebody in this situation, with the units that can.

    Parameters
    ----------
    bonus : bool
        Whether modifiers may hold that last for some rounds only, or need an advantage.
    """
    present = own.present | standing.battle
    unkept = 0
    for bit, keepers in keepers_of(setting, side):
        if not keepers & present and not bit & standing.keeperless:
            unkept |= bit
    active = []
    for group in step.groups[side]:
        if not group.at & enemy.battle or not group.presence.holds(present, enemy.present):
            continue
        if not group.rule.who:
            active.append((group, 0))
            continue
        able = able_bits(setting, group, present, bonus)
        if able & (standing.offshore if group.rule.where == "offshore" else present & ~unkept):
            active.append((group, firing_bits(setting, group)))
    return active


def _make_plan(
    setting: Setting, step: ReadyStep, side: int, own: Signature, enemy: Signature, standing: Standing
) -> Plan:
    pending = step.rule.victims == "fire" or (
        step.rule.victims == "fire if" and bool(setting.bits(step.rule.victims_need) & enemy.present)
    )
    by_owner: dict[tuple[int, int], list[tuple[ReadyGroup, int]]] = {}
    pools: list[Pool] = []
    for group, who in active_groups(setting, step, side, own, enemy, standing):
        if group.rule.casualties == "owner":
            seen = group.at if step.low_luck else group.at & enemy.battle
            apart = group.number if group.rule.dice.kind in MATCHED_DICE else -1
            by_owner.setdefault((seen, apart), []).append((group, who))
        elif group.rule.casualties == "type":
            bits = group.at & enemy.battle
            while bits:
                bit = bits & -bits
                bits ^= bit
                pools.append(Pool((group.number,), who, Mask("owner", bit, pending)))
        else:
            mode = "die" if group.rule.casualties == "die" else "called"
            pools.append(Pool((group.number,), who, Mask(mode, group.at & enemy.battle, pending)))
    called: list[Pool] = []
    for members in by_owner.values():
        numbers = tuple(group.number for group, _ in members)
        bits = 0
        who = 0
        for group, units in members:
            bits |= group.at
            who |= units
        mask = Mask("owner", bits, pending, landed=members[0][0].rule.at_landed)
        matched = members[0][0].rule.dice.kind in MATCHED_DICE
        shooters = who & step.called_who if step.called and not matched else 0
        if who & ~shooters or not who:
            pools.append(Pool(numbers, who & ~shooters, mask))
        if shooters:
            called.append(Pool(numbers, shooters, mask, Mask("called", step.called_at, pending, others=bits)))
    # what can hit the fewest comes first; a die of its own can hit one unit only
    pools.sort(
        key=lambda pool: (
            1 if pool.mask.mode == "die" else (pool.mask.bits & enemy.battle).bit_count(),
            pool.groups,
        )
    )
    pools += called
    chosen = [pool.mask.bits & enemy.battle for pool in pools if pool.mask.mode == "owner"]
    return Plan(tuple(pools), tangled=_tangled(chosen))


def _tangled(masks: list[int]) -> bool:
    """Whether two masks overlap without one holding the other."""
    return any(a & b and a & b not in (a, b) for n, a in enumerate(masks) for b in masks[n + 1 :])
