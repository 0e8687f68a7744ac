"""Joint tables: which forces are left together, and how likely."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from battlecalc.errors import StateSpaceError
from battlecalc.results.distributions import Floats, add_up, gather
from battlecalc.results.parts import Chains, Force, Part
from battlecalc.rulesets.schema import SIDES, SideName

Rows = NDArray[np.int64]
LARGEST_CODE = 2**62


@dataclass(frozen=True)
class Table:
    """Distinct rows of whole numbers, likeliest first.

    Attributes
    ----------
    columns : tuple of str
    rows : ndarray of int64, shape (K, C)
    p : ndarray of float64, shape (K,)
    """

    columns: tuple[str, ...]
    rows: Rows
    p: Floats


class Tables:
    """The joint tables of a whole answer, all components and parts together.

    Parameters
    ----------
    chains : sequence of (float, tuple of Part)
        Weight and parts of each component.
    order : sequence of str
        Unit ids in the order in which columns are shown.
    step : int
        Keys in one IPC.
    most_cells : int
        Tables that would need more cells than this are refused.
    """

    def __init__(self, chains: Chains, order: Sequence[str], step: int, most_cells: int) -> None:
        self._chains = chains
        self._step = step
        self._most_cells = most_cells
        self._unit_of = {side: self._find_units(side) for side in SIDES}
        rank = {unit: number for number, unit in enumerate(order)}
        self._columns: dict[SideName, tuple[str, ...]] = {}
        for side, units in self._unit_of.items():
            ranks = {column: rank.get(unit, len(rank)) for column, unit in units.items()}
            self._columns[side] = tuple(sorted(ranks, key=ranks.__getitem__))

    def _find_units(self, side: SideName) -> dict[str, str]:
        """Columns of a side and the unit of each."""
        meanings = [part.force(side).meaning for _, parts in self._chains for part in parts]
        return {
            column: meaning.units[unit]
            for meaning in meanings
            for column, unit in zip(meaning.columns, meaning.unit_of.tolist(), strict=True)
        }

    def columns(self, side: SideName) -> tuple[str, ...]:
        """Columns of one side: its units, damaged ones apart."""
        return self._columns[side]

    def survivors(self, side: SideName) -> Table:
        """Distribution of one side's surviving forces."""
        self._check(
            prod(int(np.count_nonzero(p.force(side).mass)) for p in parts) for _, parts in self._chains
        )
        pieces: list[tuple[Rows, Floats]] = []
        for weight, parts in self._chains:
            rows, p = self._left(parts[0], side)
            for part in parts[1:]:
                more, chances = self._left(part, side)
                rows = (rows[:, None, :] + more).reshape(-1, rows.shape[1])
                p = np.multiply.outer(p, chances).ravel()
            pieces.append((rows, weight * p))
        return _table(self._columns[side], pieces)

    def _left(self, part: Part, side: SideName) -> tuple[Rows, Floats]:
        force = part.force(side)
        keys = np.flatnonzero(force.mass)
        rows, sums = distinct(self._force_rows(force, side, keys), force.mass.ravel()[keys])
        return rows, sums / part.total

    def columns_of(self, side: SideName, unit: str) -> list[str]:
        """Columns of one unit of a side, however damaged."""
        return [column for column in self._columns[side] if self._unit_of[side][column] == unit]

    def joint(self, values: bool = False) -> Table:
        """Distribution of outcome and both surviving forces; the first column is the outcome's index.

        With `values` the last two columns are the values lost of both sides, in keys.
        """
        self._check(prod(len(p.endings.weight) for p in parts) for _, parts in self._chains)
        pieces: list[tuple[Rows, Floats]] = []
        for weight, parts in self._chains:
            rows, p = self._ends(parts[-1], values)
            for part in parts[:-1]:
                more, chances = self._ends(part, values)
                more[:, 0] = 0
                more, chances = distinct(more, chances)
                rows = (rows[:, None, :] + more).reshape(-1, rows.shape[1])
                p = np.multiply.outer(p, chances).ravel()
            pieces.append((rows, weight * p))
        columns = ("outcome", *(f"{side}.{column}" for side in SIDES for column in self._columns[side]))
        if values:
            columns = (*columns, *(f"{side}.value_lost" for side in SIDES))
        return _table(columns, pieces)

    def _ends(self, part: Part, values: bool) -> tuple[Rows, Floats]:
        """Outcome, both forces and perhaps the values lost, distinct."""
        endings = part.endings
        a_keys, a_place = np.unique(part.attacker.cell_key, return_inverse=True)
        d_keys, d_place = np.unique(part.defender.cell_key, return_inverse=True)
        code = (endings.outcome.astype(np.int64) * len(a_keys) + a_place) * len(d_keys) + d_place
        code, sums = gather(code, endings.weight)
        code, d_place = np.divmod(code, len(d_keys))
        outcome, a_place = np.divmod(code, len(a_keys))
        blocks = [outcome[:, None]]
        blocks.append(self._force_rows(part.attacker, "attacker", a_keys)[a_place])
        blocks.append(self._force_rows(part.defender, "defender", d_keys)[d_place])
        if values:
            for force, keys, place in ((part.attacker, a_keys, a_place), (part.defender, d_keys, d_place)):
                lost = force.value_lost(self._step)[keys % len(force.meaning.counts)]
                blocks.append(lost[place][:, None])
        rows = np.concatenate(blocks, axis=1)
        rows, sums = distinct(rows, sums)
        return rows, sums / part.total

    def _force_rows(self, force: Force, side: SideName, keys: NDArray[np.int64]) -> Rows:
        """Survivors by column of each (class, state) in `keys`."""
        meaning = force.meaning
        classes, states = np.divmod(keys, len(meaning.counts))
        columns = self._columns[side]
        rows = np.zeros((len(keys), len(columns)), np.int64)
        places = [columns.index(column) for column in meaning.columns]
        rows[:, places] = meaning.counts[states] * force.keeps[classes][:, meaning.unit_of]
        return rows

    def _check(self, cells: Iterable[int]) -> None:
        needed = sum(cells)
        if needed > self._most_cells:
            raise StateSpaceError(
                f"this table would have {needed:,} cells, more than the cap of {self._most_cells:,}: "
                "the means, value_lost() and swing() are still known"
            )


def distinct(rows: Rows, p: Floats) -> tuple[Rows, Floats]:
    """Distinct rows, in ascending order, and the sums of `p` over each.

    >>> rows, p = distinct(np.array([[1, 0], [0, 2], [1, 0]]), np.array([0.25, 0.5, 0.25]))
    >>> rows.tolist(), p.tolist()
    ([[0, 2], [1, 0]], [0.5, 0.5])
    """
    sizes = rows.max(axis=0, initial=0) + 1
    if np.prod(sizes.astype(np.float64)) < LARGEST_CODE:
        place_values = np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]]) if len(sizes) else sizes
        code, sums = gather(rows @ place_values, p)
        places = code[:, None] // place_values % sizes
        return places.astype(np.int64), sums
    found, place = np.unique(rows, axis=0, return_inverse=True)
    return found, add_up(place.ravel(), p, len(found))


def _table(columns: tuple[str, ...], pieces: Sequence[tuple[Rows, Floats]]) -> Table:
    """Rows of all components together, likeliest first; equals with more left first."""
    if len(pieces) == 1:
        rows, p = pieces[0]
    else:
        rows, p = np.concatenate([r for r, _ in pieces]), np.concatenate([q for _, q in pieces])
    rows, p = distinct(rows, p)
    best = np.lexsort((*(-rows.T[::-1]), -p))
    return Table(columns, rows[best], p[best])
