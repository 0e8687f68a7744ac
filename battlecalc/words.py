"""Small words that every parser needs: quoting what a user gave, reading whole numbers."""

from __future__ import annotations

import operator
import reprlib

from battlecalc.errors import BattlecalcError

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 60


def quote(value: object) -> str:
    """Quote any input for an error, cut where it is long; never raises.

    >>> quote("6 inf")
    "'6 inf'"
    >>> quote("x" * 1000)[-6:]
    "xx'..."
    """
    if isinstance(value, str):
        return repr(value[:60]) + "..." if len(value) > 60 else repr(value)
    try:
        return _REPR.repr(value)
    except ValueError:  # more digits than Python prints
        return f"a huge {type(value).__name__}"


def whole_number(
    value: object, what: str, error: type[BattlecalcError], least: int = 0, most: int = 10_000
) -> int:
    """Read a whole number within limits; bool and float are none, numpy's integers are.

    >>> from battlecalc.errors import BattleError
    >>> whole_number(3, "rounds", BattleError)
    3
    """
    if type(value).__name__ == "bool" or not hasattr(value, "__index__"):  # numpy's booleans, too
        raise error(f"{what} must be a whole number, not {quote(value)}")
    try:
        number = operator.index(value)
    except TypeError:  # numpy's arrays have __index__ without being numbers
        raise error(f"{what} must be a whole number, not {quote(value)}") from None
    if number < least:
        raise error(f"{what} must be at least {least}, not {quote(number)}")
    if number > most:
        raise error(f"{what} must be at most {most:,}, not {quote(number)}")
    return number
