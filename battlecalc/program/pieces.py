"""The pieces of one side in one battle: what of its force can be hit, what only fires, what only survives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from battlecalc.program.setting import Setting
from battlecalc.rulesets.schema import SIDES, Role, Unit

Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """Equal pieces of one side: one unit of one origin that can be lost.

    `aboard` pieces start on transports; `bit` is the mask of the unit in the setting.
    """

    unit: Unit = field(compare=False)  # told by `bit` and the setting
    bit: int
    overland: bool
    aboard: bool
    hits: int
    count: int
    damaged: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """All pieces of one side.

    Attributes
    ----------
    kinds : those that can be hit, in ruleset order
    fixed : units in the battle that fire but cannot be lost (unit, count)
    offshore : units that stand off (bombarding ships, transports)
    waiting : units that take no part and survive
    never_lost : units of `fixed` that no result mentions (gas)
    fires_always : units whose keeper is not asked for
    damaged : units of `fixed`, `offshore` and `waiting` that have taken a hit before the battle
    waves : for each wave, one a round, (index of kind, units that come ashore)
    """

    kinds: tuple[Kind, ...]
    fixed: Counts
    offshore: Counts
    waiting: Counts
    fires_always: frozenset[str]
    damaged: Counts = ()
    waves: tuple[tuple[tuple[int, int], ...], ...] = ()

    @property
    def start_bits(self) -> int:
        """Bit mask of units that can be hit, aboard ones included."""
        mask = 0
        for kind in self.kinds:
            mask |= kind.bit
        return mask

    def landed(self, setting: Setting, units: frozenset[str]) -> int:
        """How many of these units came from the sea."""
        return sum(k.count for k in self.kinds if k.unit.id in units and not k.overland)


def make_pieces(setting: Setting, side: int, counts: Counts, overland: Counts, damaged: Counts) -> Pieces:
    """Sort a force by what the sequence's roles say of each unit."""
    units = setting.units[side]
    roles = _roles(setting, side, dict(counts))
    hurt = dict(damaged)
    kinds: list[Kind] = []
    fixed: list[tuple[str, int]] = []
    apart: dict[str, list[tuple[str, int]]] = {"offshore": [], "waiting": []}
    by_land = dict(overland)
    for name, unit in units.items():
        for count, is_overland in ((dict(counts).get(name, 0), False), (by_land.get(name, 0), True)):
            if not count:
                continue
            role = None if is_overland else roles.get(name)
            where = role.where if role else "battle"
            if where in apart:
                apart[where].append((name, count))
            elif unit.never_lost or (role and role.never_lost):
                fixed.append((name, count))
            else:
                kinds.append(
                    Kind(
                        unit,
                        1 << setting.bit[name],
                        is_overland,
                        where == "aboard",
                        unit.hits[side],
                        count,
                        0 if is_overland else hurt.get(name, 0),
                    )
                )
    return Pieces(
        kinds=tuple(kinds),
        damaged=tuple((u, n) for u, n in damaged if all(u != k.unit.id for k in kinds)),
        waves=_waves(setting, side, kinds, apart),
        fixed=tuple(fixed),
        offshore=tuple(apart["offshore"]),
        waiting=tuple(apart["waiting"]),
        fires_always=frozenset(name for name, role in roles.items() if role.fires_always),
    )


def _waves(
    setting: Setting, side: int, kinds: list[Kind], apart: Mapping[str, list[tuple[str, int]]]
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Make the waves of a landing: each carrier left lands so many a round, the best attack first."""
    waves: list[dict[int, int]] = []
    for landing in (rule for step in setting.steps for rule in step.landings if rule.side == SIDES[side]):
        carriers = _carriers_left(setting, landing.carrier, apart)
        queue = [n for n, k in enumerate(kinds) if k.aboard and k.unit.id in landing.who]
        queue.sort(key=lambda n: (-kinds[n].unit.values["attack"], kinds[n].unit.id))
        ranks = [n for n in queue for _ in range(kinds[n].count)]
        size = max(1, carriers * landing.each)
        for number, start in enumerate(range(0, len(ranks), size)):
            if number == len(waves):
                waves.append({})
            for n in ranks[start : start + size]:
                waves[number][n] = waves[number].get(n, 0) + 1
    return tuple(tuple(wave.items()) for wave in waves)


def _carriers_left(
    setting: Setting, carriers: frozenset[str], apart: Mapping[str, list[tuple[str, int]]]
) -> int:
    """Carriers that other cargo (what waits to be landed later) leaves free."""
    free = sum(n for unit, n in apart["offshore"] if unit in carriers)
    for unit, n in apart["waiting"]:
        slots = [
            sum(unit in slot for slot in load)
            for carrier in carriers
            for load in (setting.ruleset.cargo[carrier].loads if carrier in setting.ruleset.cargo else ())
        ]
        best = max(slots, default=0)
        if best:
            free -= -(-n // best)
    return max(free, 0)


def _roles(setting: Setting, side: int, counts: Mapping[str, int]) -> dict[str, Role]:
    found: dict[str, Role] = {}
    for role in setting.ruleset.sequences[setting.sequence_id].roles:
        if role.side == SIDES[side] and (not role.if_has or any(counts.get(u, 0) for u in role.if_has)):
            for unit in role.who:
                found[unit] = role  # a later role says more
    return found
