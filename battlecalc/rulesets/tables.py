"""Reading TOML tables: typed keys, and errors that say file, table and field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

from battlecalc.errors import RulesetError, nearest
from battlecalc.words import quote

Raw = dict[str, Any]


class Where:
    """A place in a ruleset: the files it was read from (nearest first) and the keys that lead to it.

    >>> place = Where((("my.toml", {"units": {"tank": {"cost": -1}}}),)) / "units" / "tank" / "cost"
    >>> place.fail("must be at least 0")
    Traceback (most recent call last):
    battlecalc.errors.RulesetError: my.toml: units.tank.cost: must be at least 0
    """

    __slots__ = ("files", "keys")

    def __init__(self, files: tuple[tuple[str, Raw], ...], keys: tuple[str, ...] = ()) -> None:
        self.files = files
        self.keys = keys

    def __truediv__(self, key: str) -> Where:
        """Go down by `key`."""
        return Where(self.files, (*self.keys, key))

    def __str__(self) -> str:
        """Return the keys with dots between."""
        plain = (key.isprintable() and len(key) <= 60 and not set(key) & set(" .") for key in self.keys)
        keys = (key if is_plain else quote(key) for key, is_plain in zip(self.keys, plain, strict=True))
        return ".".join(keys).replace(".[", "[")

    def file(self) -> str:
        """Name of the file that says the most about this place: the nearest one where two say as much."""
        best, depth = self.files[0][0], 0
        for name, table in self.files:
            known = _depth(table, self.keys)
            if known > depth:
                best, depth = name, known
        return best

    def fail(self, message: str) -> NoReturn:
        """Raise the error of this place."""
        place = f"{self}: " if self.keys else ""
        raise RulesetError(f"{self.file()}: {place}{message}")


def _depth(table: object, keys: tuple[str, ...]) -> int:
    """How many of `keys` lead somewhere in `table`."""
    for depth, key in enumerate(keys):
        if not isinstance(table, dict) or key not in table:
            return depth
        table = table[key]
    return len(keys)


Reader = Callable[[Any, Where], Any]


def text(value: object, where: Where) -> str:
    """Read a non-empty string."""
    if not isinstance(value, str) or not value.strip():
        where.fail(f"must be a text, not {quote(value)}")
    return value


def flag(value: object, where: Where) -> bool:
    """Read ``true`` or ``false``."""
    if not isinstance(value, bool):
        where.fail(f"must be true or false, not {quote(value)}")
    return value


def whole(least: int, most: int) -> Reader:
    """Return a reader of whole numbers from `least` to `most`."""

    def read(value: object, where: Where) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            where.fail(f"must be a whole number from {least} to {most}, not {quote(value)}")
        return value

    return read


def amount(value: object, where: Where) -> float:
    """Read an amount of IPC: 0 to a million."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e6:
        where.fail(f"must be a number from 0 to 1000000, not {quote(value)}")
    return value


def choice(*words: str) -> Reader:
    """Return a reader of one of `words`."""

    def read(value: object, where: Where) -> str:
        if not isinstance(value, str) or value not in words:
            where.fail(f"must be one of {', '.join(map(repr, words))}, not {quote(value)}")
        return value

    return read


def table(value: object, where: Where) -> Raw:
    """Read a table."""
    if not isinstance(value, dict):
        where.fail(f"must be a table, not {quote(value)}")
    return value


def texts(value: object, where: Where) -> tuple[str, ...]:
    """Read a list of strings."""
    if not isinstance(value, list):
        where.fail(f"must be a list of texts, not {quote(value)}")
    return tuple(text(item, where) for item in value)


def tables(value: object, where: Where) -> list[tuple[Raw, Where]]:
    """Read a list of tables, each with its place."""
    if not isinstance(value, list):
        where.fail(f"must be a list of tables, not {quote(value)}")
    places = [where / f"[{number}]" for number in range(len(value))]
    return [(table(item, place), place) for item, place in zip(value, places, strict=True)]


def by_side(read: Reader, default: Any) -> Reader:
    """Return a reader of one value for both sides, or ``{ attacker = ..., defender = ... }``, as a pair."""

    def read_pair(value: object, where: Where) -> tuple[Any, Any]:
        if not isinstance(value, dict):
            single = read(value, where)
            return single, single
        check_keys(value, where, ("attacker", "defender"))
        first, second = (
            read(value[side], where / side) if side in value else default for side in ("attacker", "defender")
        )
        return first, second

    return read_pair


def check_name(name: str, kind: str, where: Where, known: Collection[str]) -> None:
    """Refuse the name of something that is not `known`."""
    if name not in known:
        where.fail(f"no {kind} {quote(name)}; {nearest(name, known)}")


def check_keys(raw: Mapping[str, Any], where: Where, known: Collection[str]) -> None:
    """Refuse a key that is not `known`."""
    for key in raw:
        if key not in known:
            (where / key).fail(f"unknown key {quote(key)}; {nearest(key, known)}")


def read_keys(raw: Raw, where: Where, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """Read every key of `raw` with its reader: the arguments of a schema class."""
    check_keys(raw, where, readers)
    return {key: readers[key](value, where / key) for key, value in raw.items()}


def required(found: Mapping[str, Any], where: Where, *keys: str) -> None:
    """Refuse a table that lacks one of `keys`."""
    for key in keys:
        if key not in found:
            where.fail(f"lacks {quote(key)}")
