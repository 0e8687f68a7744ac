"""Errors of what was simulated: standard errors and Wilson intervals."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from battlecalc.errors import BattleError


class ConfidenceInterval(NamedTuple):
    """Ends of an interval that holds the true probability with the confidence asked for."""

    low: float
    high: float


def wilson(p: float, trials: int, confidence: float = 0.95) -> ConfidenceInterval:
    """Wilson's interval of a probability seen as the share `p` of `trials`.

    It keeps a width where `p` is 0 or 1: a million battles without a draw do not make a draw impossible.

    >>> low, high = wilson(0.0, 1_000_000)
    >>> low, round(high * 1e6, 3)
    (0.0, 3.841)
    """
    z = normal_quantile(confidence)
    weight = z * z / trials
    centre = (p + weight / 2) / (1 + weight)
    half = z * sqrt(p * (1 - p) / trials + weight / (4 * trials)) / (1 + weight)
    low = 0.0 if p <= 0 else max(0.0, centre - half)
    high = 1.0 if p >= 1 else min(1.0, centre + half)
    return ConfidenceInterval(low, high)


def normal_quantile(confidence: float) -> float:
    """Half-width, in standard errors, of the normal distribution's middle `confidence`.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    if not 0 < confidence < 1:
        raise BattleError(f"confidence must lie between 0 and 1, not {confidence!r}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def share_error(p: float, trials: int | None) -> float:
    """Return the standard error of a probability; 0 where it is exact."""
    return sqrt(max(p * (1 - p), 0.0) / trials) if trials else 0.0


def mean_error(variance: float, trials: int | None) -> float:
    """Return the standard error of a mean; 0 where it is exact."""
    return sqrt(max(variance, 0.0) / trials) if trials else 0.0
