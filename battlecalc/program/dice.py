"""Distributions of hits: the only place where dice become probabilities.

A *volley* is what one draw stands for: a tuple of ``(ways, sides, shots)``, sorted, meaning `shots`
independent shots that each hit with chance ``ways / sides``. Volleys are keys, so that equal fire anywhere in
a battle shares one table.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

Volley = tuple[tuple[int, int, int], ...]

# Below this the tail of a distribution is folded into the last number of hits kept: 1e-18 of a battle is
# far under the rounding of the sums themselves (1e-16), and the tables of large forces stay narrow.
_TAIL = 1e-18


def shot(value: int, sides: int, rolls: int = 1) -> tuple[int, int]:
    """Chance of one shot as (ways, sides ** rolls): the best of `rolls` dice is `value` or less.

    >>> shot(4, 6), shot(4, 6, rolls=2), shot(9, 6)
    ((4, 6), (32, 36), (6, 6))
    """
    value = min(max(value, 0), sides)
    total = sides**rolls
    return total - (sides - value) ** rolls, total


def make_volley(shots: dict[tuple[int, int], int]) -> Volley:
    """Turn a mapping (ways, sides) -> number of shots into a volley; shots that never hit are dropped.

    >>> make_volley({(1, 6): 3, (0, 6): 2})
    ((1, 6, 3),)
    """
    return tuple(sorted((ways, sides, n) for (ways, sides), n in shots.items() if n > 0 and ways > 0))


@lru_cache(maxsize=65536)
def hit_distribution(volley: Volley, low_luck: bool = False) -> tuple[int, NDArray[np.float64]]:
    """Distribution of the hits of one volley.

    Parameters
    ----------
    volley : tuple of (ways, sides, shots)
    low_luck : bool
        Whole part of the summed chances for certain, one more with the chance of the rest (rules §14).

    Returns
    -------
    (first, probabilities)
        `probabilities[k]` is the chance of ``first + k`` hits; they sum to 1.

    Examples
    --------
    >>> first, p = hit_distribution(((1, 6, 1), (3, 6, 1)))
    >>> first, (p * 12).round(9).tolist()
    (0, [5.0, 6.0, 1.0])
    >>> hit_distribution(((1, 6, 3), (3, 6, 3)), low_luck=True)
    (2, array([1.]))
    """
    if low_luck:
        return _low_luck(volley)
    first, probabilities = 0, np.ones(1)
    for ways, sides, shots in volley:
        more, group = _binomial(ways, sides, shots)
        first += more
        probabilities = np.convolve(probabilities, group)
        first, probabilities = _trim(first, probabilities)
    probabilities.flags.writeable = False
    return first, probabilities


def mean_hits(volley: Volley) -> float:
    """Mean number of hits of a volley.

    >>> mean_hits(((1, 6, 3),))
    0.5
    """
    return sum(ways * shots / sides for ways, sides, shots in volley)


def _low_luck(volley: Volley) -> tuple[int, NDArray[np.float64]]:
    common = lcm(*(sides for _, sides, _ in volley))
    power = sum(ways * shots * (common // sides) for ways, sides, shots in volley)
    sure, rest = divmod(power, common)
    if rest == 0:
        return sure, np.ones(1)
    return sure, np.array([1 - rest / common, rest / common])


@lru_cache(maxsize=65536)
def _binomial(ways: int, sides: int, shots: int) -> tuple[int, NDArray[np.float64]]:
    if ways == sides:
        return shots, np.ones(1)
    if shots <= 40:  # integers until the division: every probability is the nearest double
        total = sides**shots
        miss = sides - ways
        terms = [comb(shots, k) * ways**k * miss ** (shots - k) / total for k in range(shots + 1)]
        return 0, np.array(terms)
    half = shots // 2
    first, p = _binomial(ways, sides, half)
    first *= 2
    p = np.convolve(p, p)
    if shots % 2:
        p = np.convolve(p, [1 - ways / sides, ways / sides])
    return _trim(first, p)


def _trim(first: int, p: NDArray[np.float64]) -> tuple[int, NDArray[np.float64]]:
    """Fold the tails below `_TAIL` into their neighbours."""
    if len(p) < 64:
        return first, p
    low = int(np.searchsorted(np.cumsum(p), _TAIL))
    high = len(p) - int(np.searchsorted(np.cumsum(p[::-1]), _TAIL))
    kept = p[low:high].copy()
    kept[0] += p[:low].sum()
    kept[-1] += p[high:].sum()
    return first + low, kept / kept.sum()
