"""Forces as players write them: ``"6 inf, 2 art + 1 Fighter"`` to counts and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc.errors import ForceError
from battlecalc.words import quote, whole_number

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset

MOST = 10_000
"""Units of one kind that a force may have."""

LONGEST = 10_000
"""Characters that a force, an order of loss or a policy may have."""

EMPTY = "-"
"""How an empty force is written; an empty text is one as well."""

_SEPARATOR = re.compile(r"[,+]|(?<!\S)and(?!\S)", re.IGNORECASE)
_ENTRY = re.compile(r"(?P<count>-?[0-9][0-9_]*(?:\.[0-9]*)?) ?(?:x )?(?P<name>[^\W\d_].*)")
_TURNED = re.compile(r"(?P<name>[^\W\d_].*?) (?:x ?)?(?P<count>-?[0-9]+(?:\.[0-9]*)?)")
_RUN_ON = re.compile(r"[^\W\d_] [0-9]+ ?[^\W\d_]")


def parse_force(force: str | Mapping[str, int], ruleset: Ruleset) -> dict[str, int]:
    """Read a force.

    Parameters
    ----------
    force : str or mapping of str to int
        Counts and unit names or aliases with ``,``, ``+`` or ``and`` between: ``"6 inf, 2 art"``; ``3x inf``
        and ``inf 3`` are read as well. Two entries of one unit add up. A name without a count is an error:
        a forgotten count is likelier than one that was meant to be 1. ``""`` and ``"-"`` are the empty force.
    ruleset : Ruleset
        Whose units are meant.

    Returns
    -------
    dict of str to int
        Unit id -> count in ruleset order, none of them 0.

    Raises
    ------
    ForceError
        For unknown names and for negative, fractional or absurd counts (over 10,000 of a unit).

    Examples
    --------
    >>> from battlecalc.rulesets import load_ruleset
    >>> parse_force("2 art + 1 Fighter and 5 inf, 1 inf", load_ruleset("great-war"))
    {'infantry': 6, 'artillery': 2, 'fighter': 1}
    """
    if isinstance(force, str):
        return dict(_read_short(force, ruleset) if len(force) < 400 else _read(force, ruleset))
    if isinstance(force, Mapping):
        return dict(_in_order(((_unit(name, ruleset), count) for name, count in force.items()), ruleset))
    raise ForceError(
        f"a force is text like '6 infantry, 2 artillery' or a mapping unit -> count, not {quote(force)}"
    )


def format_force(counts: Mapping[str, int] | Iterable[tuple[str, int]]) -> str:
    """Write a force so that `parse_force` reads the same again.

    Examples
    --------
    >>> format_force({"infantry": 6, "artillery": 2})
    '6 infantry, 2 artillery'
    >>> format_force({})
    '-'
    """
    pairs = counts.items() if isinstance(counts, Mapping) else counts
    return ", ".join(f"{count} {unit}" for unit, count in pairs if count) or EMPTY


def split_entries(text: str, error: type[ForceError] | type[ValueError] = ForceError) -> list[str]:
    """Split a list of units at ``,``, ``+`` and ``and``; spaces within an entry become one.

    >>> split_entries("6 inf,  2   art + 1 tank")
    ['6 inf', '2 art', '1 tank']
    """
    if len(text) > LONGEST:
        raise error(f"{quote(text)} has {len(text):,} characters, at most {LONGEST:,} are read")
    if text.strip() in ("", EMPTY):
        return []
    entries = [" ".join(entry.split()) for entry in _SEPARATOR.split(text)]
    if "" in entries:
        raise error(f"{quote(text)} has an empty entry: write one ',', '+' or 'and' between two units")
    return entries


def _read(text: str, ruleset: Ruleset) -> tuple[tuple[str, int], ...]:
    pairs = []
    for entry in split_entries(text):
        found = _ENTRY.fullmatch(entry) or _TURNED.fullmatch(entry)
        if found is None:
            wrong = _what_is_wrong(entry, ruleset)
            raise ForceError(wrong if entry == text else f"{quote(text)}: {wrong}")
        count, name = found["count"], found["name"]
        if _RUN_ON.search(name):
            raise ForceError(f"{quote(text)}: write ',', '+' or 'and' between the units of {quote(entry)}")
        try:
            pairs.append((_unit(name, ruleset), _count(count, entry)))
        except ForceError as wrong:
            raise ForceError(f"{quote(text)}: {wrong}" if entry != text else str(wrong)) from None
    return _in_order(pairs, ruleset)


_read_short = lru_cache(maxsize=4096)(_read)


def _count(digits: str, entry: str) -> int:
    if "." in digits:
        raise ForceError(f"the count of {quote(entry)} must be a whole number")
    if digits.startswith("-"):
        raise ForceError(f"the count of {quote(entry)} must not be negative")
    digits = digits.replace("_", "")
    return int(digits) if len(digits) <= 12 else 10**12  # beyond any limit, whatever the digits


def _what_is_wrong(entry: str, ruleset: Ruleset) -> str:
    if any(letter.isdigit() for letter in entry):
        if not any(letter.isalpha() for letter in entry):
            return f"{quote(entry)} names no unit: write a count and a unit, as in '6 infantry'"
        return f"{quote(entry)} is not a count and a unit, as in '6 infantry'"
    unit = _unit(entry, ruleset)
    return f"{quote(entry)} has no count: write '1 {unit}' if one is meant"


def _unit(name: object, ruleset: Ruleset) -> str:
    if not isinstance(name, str):
        raise ForceError(f"a unit is named by text, not {quote(name)}")
    if len(name) > 60:
        raise ForceError(f"unknown unit {quote(name)}; {ruleset.id} has: {', '.join(ruleset.units)}")
    return ruleset.unit_id(name)


def _in_order(pairs: Iterable[tuple[str, object]], ruleset: Ruleset) -> tuple[tuple[str, int], ...]:
    total: dict[str, int] = {}
    for unit, count in pairs:
        number = whole_number(count, f"the count of {unit}", ForceError, most=MOST)
        total[unit] = total.get(unit, 0) + number
        if total[unit] > MOST:
            raise ForceError(f"{total[unit]:,} {unit} are too many: at most {MOST:,} of a unit")
    return tuple(in_order(total, ruleset).items())


def in_order(force: Mapping[str, int], ruleset: Ruleset) -> dict[str, int]:
    """Return the units of which there are any, in the order of the ruleset."""
    return {unit: force[unit] for unit in ruleset.units if force.get(unit)}
