"""Which dice the units of a state roll: from counts to volleys, with values that depend on the own mix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from battlecalc.program.dice import Volley, make_volley, shot
from battlecalc.program.edges import State
from battlecalc.program.pieces import Pieces
from battlecalc.program.plans import Pool, value_of
from battlecalc.program.setting import ReadyGroup, Setting
from battlecalc.program.states import SideStates
from battlecalc.program.walker import BATTLE, PENDING
from battlecalc.rulesets.schema import Modifier

Values = dict[str, list[tuple[int, int]]]
# (ways, sides) of a shot -> (shots of each piece by bucket, shots at all events)
Tally = dict[tuple[int, int], tuple[dict[int, int], int]]
Firing = tuple[int, int, int, int]  # value, rolls of which the best counts, units, shots of each


def serve(counts: Mapping[str, int], modifiers: Iterable[Modifier], values: Mapping[str, int]) -> Values:
    """Values of units once modifiers are applied: unit -> [(value, units)].

    Units of a modifier's `source` serve units of `to`, each of which is served once; a modifier without
    `source` holds for all.

    >>> art = Modifier("artillery support", "attacker", ("infantry",), source=frozenset({"artillery"}))
    >>> serve({"infantry": 3, "artillery": 1}, [art], {"infantry": 1, "artillery": 2})
    {'infantry': [(1, 2), (2, 1)], 'artillery': [(2, 1)]}
    """
    plain = dict(counts)
    served: Values = {}
    everyone: dict[str, int] = {}
    for modifier in modifiers:
        if not modifier.source:
            for unit in modifier.to:
                everyone[unit] = everyone.get(unit, 0) + modifier.add
            continue
        able = modifier.per * sum(counts.get(unit, 0) for unit in modifier.source)
        for unit in modifier.to:
            n = min(able, plain.get(unit, 0))
            if n:
                able -= n
                plain[unit] -= n
                served.setdefault(unit, []).append((values[unit] + modifier.add, n))
    result: Values = {}
    for unit, n in counts.items():
        if n:
            more = everyone.get(unit, 0)
            own = [(values[unit] + more, plain[unit])] if plain[unit] else []
            result[unit] = own + [(value + more, m) for value, m in served.get(unit, ())]
    return result


def _tallied(tally: Tally, key: tuple[int, int], each: Mapping[int, int], always: int) -> None:
    """Add shots to a tally."""
    before, sure = tally.get(key, ({}, 0))
    sums = {bucket: before.get(bucket, 0) + each.get(bucket, 0) for bucket in before | dict(each)}
    tally[key] = (sums, sure + always)


class Volleys:
    """Volleys of one side. A *phase* is the set of modifiers (by index) that hold in a round."""

    def __init__(
        self, setting: Setting, side: int, pieces: Pieces, states: SideStates, landed: dict[str, int]
    ) -> None:
        self.setting, self.side, self.pieces, self.states = setting, side, pieces, states
        self.landed = landed
        self.units = setting.units[side]
        self.groups: dict[int, ReadyGroup] = {g.number: g for s in setting.steps for g in s.groups[side]}
        self.sides = setting.ruleset.sides
        kinds = states.walker.kinds
        self.where = [
            (number, kinds[b.kind].unit.id)
            for number, b in enumerate(states.walker.buckets)
            if b.place in (BATTLE, PENDING)
        ]
        self._values: dict[tuple[State, frozenset[int]], Values] = {}

    def matters(self, pool: Pool, phase: frozenset[int]) -> list[int]:
        """Return the buckets on which the dice of a pool depend: its units, their helpers and keepers."""
        units = {unit for unit, bit in self.setting.bit.items() if pool.who >> bit & 1}
        for number in phase:
            modifier = self.setting.modifiers[self.side][number]
            if modifier.source and units & set(modifier.to):
                units |= modifier.source | set(modifier.to)
        units |= {keeper for unit in units for keeper in self.units[unit].fires_with}
        return [bucket for bucket, unit in self.where if unit in units]

    def counts(self, state: State) -> dict[str, int]:
        """Units in the battle that may fire, those that cannot be lost included."""
        counts = dict(self.pieces.fixed)
        for number, unit in self.where:
            if state[number]:
                counts[unit] = counts.get(unit, 0) + state[number]
        return counts

    def values(self, state: State, phase: frozenset[int]) -> Values:
        """Ordinary values of every unit in the battle: unit -> [(value, units)], modifiers applied."""
        key = (state, phase)
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self.ordinary_values(self.counts(state), phase)
        return found

    def ordinary_values(self, counts: dict[str, int], phase: Iterable[int]) -> Values:
        """Ordinary values for any counts (see `values`)."""
        name = ("attack", "defence")[self.side]
        return serve(counts, self._modifiers(phase), {u: self.units[u].values[name] for u in counts})

    def volley(self, pool: Pool, state: State, phase: frozenset[int], targets: int = 0) -> Volley:
        """Dice of one pool in one state; so many `targets`, where there may be a die for each."""
        shots: dict[tuple[int, int], int] = {}
        for value, rolls, n, each in self._firing(pool, state, phase, targets):
            key = shot(value, self.sides, rolls)
            shots[key] = shots.get(key, 0) + n * each
        return make_volley(shots)

    def matched(self, pool: Pool, state: State, phase: frozenset[int], most: int) -> list[tuple[int, int]]:
        """Chances (ways, sides) of the dice of one pool, one for each of `most` targets, the best first."""
        best_first = sorted(self.volley(pool, state, phase, most), key=lambda shots: -shots[0] / shots[1])
        return [(ways, sides) for ways, sides, n in best_first for _ in range(min(n, most))][:most]

    def tally(self, pool: Pool, phase: frozenset[int]) -> Tally | None:
        """Return the dice of a pool as sums over pieces; None where units help, keep or limit each other."""
        found: Tally = {}
        for number in pool.groups:
            group = self.groups[number]
            rule = group.rule
            if rule.at_most_per:
                return None
            if rule.dice.kind == "option":
                n = int(self.setting.options[str(rule.dice.option)]) * rule.dice.times
                _tallied(found, shot(value_of(self.setting, group, ""), self.sides), {}, n)
                continue
            offshore = rule.where == "offshore"
            always = dict(self.pieces.offshore if offshore else self.pieces.fixed)
            for unit in rule.who:
                buckets = [] if offshore else [bucket for bucket, name in self.where if name == unit]
                if not pool.who >> self.setting.bit[unit] & 1 or not (buckets or unit in always):
                    continue
                rules = self.units[unit]
                if not offshore and rules.fires_with and unit not in self.pieces.fires_always:
                    return None
                value = value_of(self.setting, group, unit)
                if rule.value == "ordinary" and not offshore:
                    modifiers = [m for m in self._modifiers(phase) if unit in m.to]
                    if any(m.source for m in modifiers):
                        return None
                    value += sum(m.add for m in modifiers)
                key, dice = shot(value, self.sides, rules.rolls[self.side]), rules.dice[self.side]
                _tallied(found, key, dict.fromkeys(buckets, dice), always.get(unit, 0) * dice)
        return found

    def _modifiers(self, phase: Iterable[int]) -> list[Modifier]:
        return [self.setting.modifiers[self.side][number] for number in sorted(phase)]

    def _firing(self, pool: Pool, state: State, phase: frozenset[int], targets: int = 0) -> list[Firing]:
        """Units of one pool that fire, at so many targets."""
        found: list[Firing] = []
        for number in pool.groups:
            group = self.groups[number]
            rule = group.rule
            if rule.dice.kind == "option":
                n = int(self.setting.options[str(rule.dice.option)]) * rule.dice.times
                found.append((value_of(self.setting, group, ""), 1, 1, n))
                continue
            if not rule.who:  # one for each target, and no unit rolls
                found.append((value_of(self.setting, group, ""), 1, 1, targets))
                continue
            offshore = rule.where == "offshore"
            counts = dict(self.pieces.offshore) if offshore else self.counts(state)
            here = (u for u in sorted(rule.who) if counts.get(u))  # sorted: called shots sum floats
            members = [u for u in here if self._fires(u, pool, counts, offshore)]
            firing = []
            matched = {"capped": rule.dice.each, "per target": targets}.get(rule.dice.kind)
            ordinary = self.values(state, phase) if rule.value == "ordinary" and not offshore else None
            for unit in members:
                values = ordinary[unit] if ordinary else [(value_of(self.setting, group, unit), counts[unit])]
                rolls, dice = self.units[unit].rolls[self.side], self.units[unit].dice[self.side]
                for value, n in values:
                    firing.append((value, rolls, n, dice if matched is None else matched))
            found += self._limited(firing, group) if rule.at_most_per else firing
        return found

    def _fires(self, unit: str, pool: Pool, counts: dict[str, int], offshore: bool) -> bool:
        if not pool.who >> self.setting.bit[unit] & 1:
            return False
        keepers = self.units[unit].fires_with
        return (
            offshore or not keepers or unit in self.pieces.fires_always or any(counts.get(k) for k in keepers)
        )

    def _limited(self, firing: list[Firing], group: ReadyGroup) -> list[Firing]:
        """No more units than landed, the best first."""
        left = sum(self.landed[unit] for unit in group.rule.at_most_per)
        kept = []
        for value, rolls, n, each in sorted(firing, reverse=True):
            taken = min(n, left)
            left -= taken
            if taken:
                kept.append((value, rolls, taken, each))
        return kept

    def called(self, pool: Pool, state: State, phase: frozenset[int], upto: int) -> tuple[list[float], int]:
        """Joint distribution of (ordinary hits, called shots) of one pool.

        Returns
        -------
        (probabilities, width)
            Entry ``ordinary * width + called``.
        """
        cells: dict[tuple[int, int], float] = {(0, 0): 1.0}
        total = 0
        for value, _, n, each in self._firing(pool, state, phase):
            total += n * each
            picked = min(upto, value)
            one = {
                (0, 1): picked / self.sides,
                (1, 0): (value - picked) / self.sides,
                (0, 0): 1 - value / self.sides,
            }
            for _ in range(n * each):
                after: dict[tuple[int, int], float] = {}
                for (o, c), p in cells.items():
                    for (more_o, more_c), q in one.items():
                        if q:
                            after[o + more_o, c + more_c] = after.get((o + more_o, c + more_c), 0.0) + p * q
                cells = after
        width = total + 1
        table = [0.0] * (width * width)
        for (o, c), p in cells.items():
            table[o * width + c] = p
        return table, width
