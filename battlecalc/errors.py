"""The errors that battlecalc raises for bad input: one root, so that a caller needs one name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

# More names than that are neither searched nor listed.
_MOST_KNOWN = 500


class BattlecalcError(ValueError):
    """Root of every error that bad input can cause; its text is one line that says what would be right."""


class ForceError(BattlecalcError):
    """A force that cannot be read or cannot take part: unknown unit, absurd count, wrong side or sequence."""


class PolicyError(BattlecalcError):
    """A policy, order of loss or objective that cannot be read or is not a right of that side."""


class RulesetError(BattlecalcError):
    """A ruleset that cannot be read; the text names file, unit or step, and field."""


class BattleError(BattlecalcError):
    """A battle that makes no sense as a whole: unknown sequence, option, dice or keyword."""


class StateSpaceError(BattlecalcError):
    """A battle with more states than an engine may use; the text says how many and offers a way out."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> str:
    """Text that offers the known names closest to `name`, or all of them where none is close.

    >>> nearest("tnak", ["infantry", "tank"])
    "did you mean 'tank'?"
    >>> nearest("xyzzy", ["infantry", "tank"])
    'known: infantry, tank'
    """
    names = list(dict.fromkeys(islice(known, _MOST_KNOWN + 1)))
    close = get_close_matches(name[:60].lower(), names, n=count, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(repr(c) for c in close) + "?"
    shown = (name[:60] if name[:60].isprintable() else repr(name[:60]) for name in names[:_MOST_KNOWN])
    return "known: " + ", ".join(shown) + (", ..." if len(names) > _MOST_KNOWN else "")
