"""All components of an answer together: mixtures over the components, sums over the parts of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from battlecalc.endings import Component
from battlecalc.errors import BattleError
from battlecalc.results.distributions import Distribution, Floats, convolve, gather, mixture, value_step
from battlecalc.results.parts import ATTACKER_WINS, DEFENDER_RETREATS, Chains, Part, chains
from battlecalc.results.tables import Tables
from battlecalc.rulesets.schema import SIDES, SideName


class Moments(NamedTuple):
    """Of each unit of a side, over all battles: mean and variance of the survivors, mean captured."""

    mean: Floats
    variance: Floats
    captured: Floats


class Whole:
    """Everything that `Odds` knows about where battles end, worked out when asked for.

    Parameters
    ----------
    components : sequence of Component
    order : sequence of str
        Unit ids in the order in which they are shown.
    chained : bool
        A component of one part is then a sea battle after which nothing landed.
    most_cells : int
        Cap of the joint tables.
    """

    def __init__(
        self, components: Sequence[Component], order: Sequence[str], chained: bool, most_cells: int
    ) -> None:
        self._components = components
        self._order = order
        self._chained = chained
        self._most_cells = most_cells

    @cached_property
    def _chains(self) -> Chains:
        return chains(self._components)

    @cached_property
    def step(self) -> int:
        """Keys in one IPC, the same for all parts, so that values of different parts add up."""
        meanings = (m for c in self._components for e in c.parts for m in (e.attacker, e.defender))
        return value_step(frozenset(cost for m in meanings for cost in m.cost.tolist()))

    @cached_property
    def tables(self) -> Tables:
        """Joint tables."""
        return Tables(self._chains, self._order, self.step, self._most_cells)

    @cached_property
    def outcomes(self) -> Floats:
        """Probability of each outcome: that of the last part."""
        return sum((weight * parts[-1].outcomes for weight, parts in self._chains), np.zeros(8))

    @cached_property
    def captures(self) -> float:
        """Probability that the attacker wins with a unit that can hold the territory."""
        return sum(weight * parts[-1].holding(ATTACKER_WINS) for weight, parts in self._chains)

    @cached_property
    def held(self) -> float:
        """Probability that the attacker holds the territory, one that the defender left to him included."""
        left = sum(weight * parts[-1].holding(DEFENDER_RETREATS) for weight, parts in self._chains)
        return self.captures + left

    def units(self, side: SideName) -> tuple[str, ...]:
        """Units of a side, in the order in which they are shown."""
        return self._units[side]

    @cached_property
    def _units(self) -> dict[SideName, tuple[str, ...]]:
        rank = {unit: number for number, unit in enumerate(self._order)}
        units: dict[SideName, tuple[str, ...]] = {}
        for side in SIDES:
            found = (
                unit for _, parts in self._chains for part in parts for unit in part.force(side).meaning.units
            )
            units[side] = tuple(sorted(dict.fromkeys(found), key=lambda unit: rank.get(unit, len(rank))))
        return units

    def _spread(self, part: Part, side: SideName, numbers: Floats) -> Floats:
        """Numbers by unit of one part, in the order of `units`."""
        units = self._units[side]
        spread = np.zeros(len(units))
        spread[[units.index(unit) for unit in part.force(side).meaning.units]] = numbers
        return spread

    def start(self, side: SideName) -> Floats:
        """Units at the start; where what starts differs by component (loads that landed), the mean."""
        return self._mean(lambda part: self._spread(part, side, part.force(side).meaning.start.astype(float)))

    def _mean(self, numbers: Callable[[Part], Floats]) -> Floats:
        """Mean over components of what adds up over parts."""
        whole: Floats | None = None
        for weight, parts in self._chains:
            for part in parts:
                share = weight * numbers(part)
                whole = share if whole is None else whole + share
        assert whole is not None, "an answer has a component"
        return whole

    def moments(self, side: SideName) -> Moments:
        """Moments of each unit of a side; shapes (U,)."""
        return self._moments[side]

    @cached_property
    def _moments(self) -> dict[SideName, Moments]:
        return {side: self._moments_of(side) for side in SIDES}

    def _moments_of(self, side: SideName) -> Moments:
        mean = square = captured = np.zeros(len(self._units[side]))
        for weight, parts in self._chains:
            first = second = taken = np.zeros(len(mean))
            for part in parts:
                left, squares, gone = (
                    self._spread(part, side, sums) / part.total for sums in part.force(side).sums
                )
                second = second + 2 * first * left + squares
                first, taken = first + left, taken + gone
            mean, square, captured = (
                mean + weight * first,
                square + weight * second,
                captured + weight * taken,
            )
        return Moments(mean, square - mean**2, captured)

    def capturable(self, side: SideName) -> set[str]:
        """Units that some outcome hands over."""
        meanings = [part.force(side).meaning for _, parts in self._chains for part in parts]
        return {m.units[place] for m in meanings for place in np.flatnonzero(m.captured.any(axis=0)).tolist()}

    def _mix(self, of: Callable[[Part], Distribution]) -> Distribution:
        return mixture([(weight, convolve(map(of, parts))) for weight, parts in self._chains])

    def value_lost(self, side: SideName) -> Distribution:
        """Distribution of the value of a side that is destroyed."""
        return self._value_lost[side]

    @cached_property
    def _value_lost(self) -> dict[SideName, Distribution]:
        return {side: self._mix(lambda part, side=side: part.value_lost(side, self.step)) for side in SIDES}  # type: ignore[misc]

    @cached_property
    def swing(self) -> Distribution:
        """Distribution of the defender's value destroyed less the attacker's."""
        return self._mix(lambda part: part.swing(self.step))

    @cached_property
    def units_left(self) -> Floats:
        """Chance of each number of units left, shape (attackers + 1, defenders + 1)."""
        most = {
            side: max(sum(int(p.force(side).units_left.max()) for p in parts) for _, parts in self._chains)
            for side in SIDES
        }
        base = most["defender"] + 1
        pairs = self._mix(lambda part: part.units_left(base))
        chances = np.zeros((most["attacker"] + 1) * base)
        chances[pairs.keys] = pairs.p
        return chances.reshape(-1, base)

    def without_deck(self, side: SideName) -> Distribution:
        """Distribution of the surviving planes beyond the room on surviving decks."""
        short = self._mix(lambda part: part.room(side))
        return Distribution(*gather(np.maximum(short.keys, 0), short.p))

    @cached_property
    def rounds(self) -> Distribution:
        """Distribution of the rounds of the main battle; 0 where a landing did not go ahead."""
        never = Distribution(np.zeros(1, np.int64), np.ones(1))
        return mixture(
            [(weight, never if self._sea_only(parts) else parts[-1].rounds) for weight, parts in self._chains]
        )

    @property
    def rounds_at_hand(self) -> bool:
        """Whether `rounds` is known without another pass of the engine."""
        return all(self._sea_only(parts) or parts[-1].rounds_at_hand for _, parts in self._chains)

    def mean_rounds(self) -> float:
        """Mean rounds of the main battle."""
        return sum(
            0.0 if self._sea_only(parts) else weight * parts[-1].mean_rounds()
            for weight, parts in self._chains
        )

    def _sea_only(self, parts: tuple[Part, ...]) -> bool:
        return self._chained and len(parts) == 1

    def by_round(self) -> tuple[dict[SideName, Floats], Floats]:
        """Mean units left of both sides, (R + 1, U), and the chance that it is over, by round.

        Of a landing, what the sea battle decided counts as it ended.
        """
        left: dict[SideName, list[Floats]] = {side: [] for side in SIDES}
        over: list[Floats] = []
        for weight, parts in self._chains:
            for part in parts:
                fought = part is parts[-1] and not self._sea_only(parts)
                table = part.endings.round_table() if fought and part.endings.round_table else None
                if fought and table is None:
                    raise BattleError("this answer was worked out without a record of its rounds")
                for side in SIDES:
                    means = (
                        getattr(table, side) if table else np.array([part.force(side).sums[0] / part.total])
                    )
                    left[side].append(weight * np.array([self._spread(part, side, row) for row in means]))
            over.append(weight * (table.over if table else np.ones(1)))
        last = max(map(len, over))
        return {side: _stack(left[side], last) for side in SIDES}, _stack(over, last)

    def damage(self) -> Distribution | None:
        """Distribution of a raid's damage, None for other battles."""
        work_out = self._chains[-1][1][-1].endings.damage
        if work_out is None:
            return None
        p = work_out()
        held = np.flatnonzero(p)
        return Distribution(held, p[held])


def _stack(tables: Sequence[Floats], length: int) -> Floats:
    """Sum of tables of different lengths, each going on as it ended."""
    longer = [np.concatenate([t, np.repeat(t[-1:], length - len(t), axis=0)]) for t in tables]
    whole: Floats = np.sum(longer, axis=0)
    return whole
