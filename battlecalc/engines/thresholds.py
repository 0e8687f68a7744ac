"""Rows of dice as integers: a random word against thresholds, found by its upper byte in a guide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Thresholds = NDArray[np.uint64]
Guide = NDArray[np.unsignedinteger[Any]]

_BYTES = np.arange(256, dtype=np.uint64) << np.uint64(56)


def thresholds_of(probabilities: NDArray[np.float64], starts: Sequence[int] = (0,)) -> Thresholds:
    """Largest word that means at most entry k, for every k: ``round(cumulative * 2**64) - 1``.

    A 64-bit word w means the first entry k with ``w <= thresholds[k]``; the last threshold of a row is the
    largest word, so that every search ends.

    Parameters
    ----------
    probabilities : rows, one after another
    starts : where the rows start, ascending, each of them once
    """
    upto = np.concatenate([np.cumsum(row) for row in np.split(probabilities, starts[1:])])
    scaled = np.ldexp(np.minimum(upto, 1.0), 32)
    high = np.floor(scaled)
    low = np.floor(np.ldexp(scaled - high, 32))
    # 2**64 itself does not fit: it wraps to 0, and 1 less to the largest word, as it should
    whole = (high.astype(np.uint64) << np.uint64(32)) + low.astype(np.uint64)
    result: Thresholds = np.where((whole == 0) & (high == 0), whole, whole - np.uint64(1))
    # entries that cannot happen at the end of a row must not be reached by the last word either
    places = np.arange(len(upto))
    last = np.maximum.reduceat(np.where(probabilities > 0, places, 0), starts)
    result[places >= np.repeat(last, np.diff(starts, append=len(upto)))] = np.uint64(2**64 - 1)
    return result


def guide_of(thresholds: Thresholds) -> NDArray[np.intp]:
    """First entry that a word can mean, for each of its 256 upper bytes."""
    return np.searchsorted(thresholds, _BYTES)
