"""Numbers as text: as many digits as the error leaves, and never a certainty that is none."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log10

MOST_DECIMALS = 6
EXACT_DECIMALS = 3


def decimals(error: float, exact: int = EXACT_DECIMALS) -> int:
    """Return the decimals that a number with this standard error deserves; `exact` of them where it is 0.

    >>> decimals(0.043), decimals(2.1), decimals(0.0)
    (2, 0, 3)
    """
    if error <= 0:
        return exact
    return min(max(ceil(-log10(error)), 0), MOST_DECIMALS)


def percent(p: float, error: float = 0.0) -> str:
    """Probability as a percentage.

    >>> percent(0.7607321, 0.00043), percent(0.7607321)
    ('76.07 %', '76.073 %')
    >>> percent(0.0), percent(4.2e-7), percent(0.9999999), percent(1.0)
    ('0 %', '0.000042 %', '> 99.999 %', '100 %')
    """
    return f"{share_digits(p, error)} %"


def share_digits(p: float, error: float = 0.0) -> str:
    """Digits of `percent`, without the sign."""
    if p <= 0:
        return "0"
    if p >= 1 - 1e-12:
        return "100"
    digits = decimals(100 * error)
    if error <= 0 and 100 * p < 10.0 ** (1 - digits):
        return small(100 * p)
    text = f"{100 * p:.{digits}f}"
    if float(text) >= 100:
        return f"> {100 - 10.0**-digits:.{digits}f}"
    return text if float(text) > 0 else small(100 * p)


def small(number: float) -> str:
    """Two significant digits of a small number.

    >>> small(0.00041666), small(3.21e-9)
    ('0.00042', '3.2e-09')
    """
    if number < 10.0**-MOST_DECIMALS:
        return f"{number:.1e}"
    return f"{number:.{1 - floor(log10(number))}f}"


def interval_text(low: float, high: float, error: float) -> str:
    """Interval of a probability as a percentage; both ends with the same decimals.

    >>> interval_text(0.75989, 0.76156, 0.00043), interval_text(0.0, 3.84e-6, 0.0)
    ('75.99 - 76.16 %', '0 - 0.0004 %')
    """
    digits = decimals(100 * (error or (high - low) / 2))
    ends = (f"{100 * end:.{digits}f}" if 0 < end < 1 else f"{100 * end:.0f}" for end in (low, high))
    return " - ".join(ends) + " %"


def mean_decimals(errors: Iterable[float], most: int = 3) -> int:
    """Return the decimals for a column of means: those of the least certain; `most` where all are exact."""
    return min(decimals(max(errors, default=0.0), most), most)


def mean_text(mean: float, digits: int, sign: bool = False) -> str:
    """Mean with `digits` decimals; a whole number that is certain to three decimals more is shown as such.

    >>> mean_text(4.1234, 2), mean_text(3.0, 2), mean_text(-0.2, 1, sign=True), mean_text(2.5, 2, sign=True)
    ('4.12', '3', '-0.2', '+2.50')
    """
    if abs(mean - round(mean)) < 10.0 ** (-digits - 3):
        return f"{round(mean):{'+' if sign and round(mean) else ''}d}"
    return f"{mean:{'+' if sign else ''}.{digits}f}"


def value_text(value: float, sign: bool = False) -> str:
    """Exact value in IPC, without needless digits.

    >>> value_text(31.0), value_text(1.5), value_text(4.0, sign=True), value_text(0.0, sign=True)
    ('31', '1.5', '+4', '0')
    """
    text = f"{value:{'+' if sign and value else ''}.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "+0") else text
