"""Dice of the naive twin: every group of equal dice is a binomial, every pool a sum of such groups."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb

SIDES = 6
Dice = Mapping[Fraction, int]  # chance to hit of one die -> number of such dice
Hits = dict[int, Fraction]  # number of hits -> probability


def chance(value: int) -> Fraction:
    """Chance that one die hits with this value; a value above the die's sides counts as the sides."""
    return Fraction(min(max(value, 0), SIDES), SIDES)


def best_of_two(value: int) -> Fraction:
    """Chance that the better one of two dice hits."""
    return 1 - (1 - chance(value)) ** 2


def binomial(n: int, p: Fraction) -> Hits:
    """Hits of n equal dice."""
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if p != 0 or k == 0}


def add(first: Hits, second: Hits) -> Hits:
    """Distribution of the sum of two independent numbers of hits."""
    total: Hits = {}
    for a, p in first.items():
        for b, q in second.items():
            if p and q:
                total[a + b] = total.get(a + b, Fraction(0)) + p * q
    return total


def pool(dice: Dice, mode: str = "standard") -> Hits:
    """Hits of one pool of dice: rolled one by one, or by low luck."""
    return dict(_pool(tuple(sorted(dice.items())), mode))


@cache
def _pool(dice: tuple[tuple[Fraction, int], ...], mode: str) -> Hits:
    if mode == "low-luck":
        power = sum((p * n for p, n in dice), Fraction(0))
        sure = power.numerator // power.denominator
        rest = power - sure
        return {k: p for k, p in {sure: 1 - rest, sure + 1: rest}.items() if p}
    assert mode == "standard", mode
    total: Hits = {0: Fraction(1)}
    for p, n in dice:
        total = add(total, binomial(n, p))
    return total


def mean(dice: Dice) -> Fraction:
    """Mean hits of a pool, the same in every mode."""
    return sum((p * n for p, n in dice.items()), Fraction(0))
