"""Distributions over multiples of a common unit, kept as integer keys so that equal values meet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Keys = NDArray[np.int64]
Floats = NDArray[np.float64]
Numbers = NDArray[np.int64] | NDArray[np.float64]

FINEST_STEP = 1_000_000
DENSE_KEYS = 65_536
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Distribution:
    """Probabilities of distinct values.

    Attributes
    ----------
    keys : ndarray of int64, shape (K,)
        Ascending; the value of a key is ``key / step``.
    p : ndarray of float64, shape (K,)
        All above 0.
    step : int
        Keys in one unit of value.

    Examples
    --------
    >>> coins = Distribution(np.array([0, 3]), np.array([0.5, 0.5]), step=2)
    >>> coins.values.tolist(), coins.mean(), coins.sd()
    ([0.0, 1.5], 0.75, 0.75)
    >>> coins.middle(0.8)
    (0.0, 1.5)
    """

    keys: Keys
    p: Floats
    step: int = 1

    @property
    def values(self) -> Floats:
        """Values of the keys."""
        return self.keys / self.step

    def mean(self) -> float:
        """Mean value."""
        return float(self.keys @ self.p) / self.step

    def sd(self) -> float:
        """Return the standard deviation."""
        values = self.values
        mean = float(values @ self.p)
        return sqrt(float((values - mean) ** 2 @ self.p))

    def quantile(self, q: float) -> float:
        """Smallest value that is not exceeded with a chance of at least `q`."""
        place = int(np.searchsorted(np.cumsum(self.p), q - ROUNDING))
        return float(self.values[min(place, len(self.keys) - 1)])

    def middle(self, share: float) -> tuple[float, float]:
        """Return the ends of the middle `share` of the distribution."""
        return self.quantile((1 - share) / 2), self.quantile((1 + share) / 2)

    def series(self, index: str) -> pd.Series[float]:
        """Return a Series of the probabilities, indexed by value under the name `index`."""
        import pandas as pd

        whole = self.step == 1
        return pd.Series(
            self.p, index=pd.Index(self.keys if whole else self.values, name=index), name="probability"
        )


def gather(keys: Keys, weights: Numbers) -> tuple[Keys, Floats]:
    """Sum `weights` by key: distinct keys with a weight, ascending, and the sums.

    Sums of integers stay exact (below 2**53), so they do not depend on the order of the cells.

    >>> keys, sums = gather(np.array([5, -1, 5]), np.array([2, 1, 2]))
    >>> keys.tolist(), sums.tolist()
    ([-1, 5], [1.0, 4.0])
    """
    if keys.size == 0:
        return keys.astype(np.int64), np.zeros(0)
    low = int(keys.min())
    width = int(keys.max()) - low + 1
    if width <= 4 * keys.size + DENSE_KEYS:
        sums = add_up(keys - low, weights, width)
        distinct = np.flatnonzero(sums)
        return distinct + low, sums[distinct]
    distinct, place = np.unique(keys, return_inverse=True)
    sums = add_up(place, weights, len(distinct))
    held = sums > 0
    return distinct[held], sums[held]


def add_up(places: NDArray[np.integer], weights: Numbers, length: int) -> Floats:
    """Sum of the weights at each of `length` places."""
    sums: Floats = np.bincount(places, weights=weights, minlength=length)  # type: ignore[assignment]
    return sums


def mixture(parts: Sequence[tuple[float, Distribution]]) -> Distribution:
    """Distribution of a value drawn from one of `parts`, each with its weight."""
    step = parts[0][1].step
    if len(parts) == 1 and parts[0][0] == 1:
        return parts[0][1]
    keys = np.concatenate([d.keys for _, d in parts])
    p = np.concatenate([weight * d.p for weight, d in parts])
    return Distribution(*gather(keys, p), step)


def convolve(parts: Iterable[Distribution]) -> Distribution:
    """Distribution of the sum of independent values.

    >>> coin = Distribution(np.array([0, 1]), np.array([0.5, 0.5]))
    >>> convolve([coin, coin]).p.tolist()
    [0.25, 0.5, 0.25]
    """
    first, *others = parts
    for other in others:
        keys = np.add.outer(first.keys, other.keys).ravel()
        first = Distribution(*gather(keys, np.multiply.outer(first.p, other.p).ravel()), first.step)
    return first


@lru_cache(maxsize=256)
def value_step(costs: frozenset[float]) -> int:
    """Keys in one IPC that make every cost a whole number.

    >>> value_step(frozenset({3.0, 1.5, 7.25})), value_step(frozenset())
    (4, 1)
    """
    step = lcm(*{Fraction(str(cost)).limit_denominator(FINEST_STEP).denominator for cost in costs})
    return step if step <= FINEST_STEP else FINEST_STEP
