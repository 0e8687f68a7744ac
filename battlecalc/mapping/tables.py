"""Reading checked values out of a TOML table, with errors that name file, place and field."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from battlecalc.errors import BattlecalcError, nearest
from battlecalc.words import quote

MOST = 10_000


class MapError(BattlecalcError):
    """A map or movement file that cannot be read, or a question that its map cannot answer."""


_KINDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def _fits(value: object, kind: type) -> bool:
    """Whether a TOML value is of a kind; true and false are no numbers here."""
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def shipped_files(kind: str) -> dict[str, Path]:
    """Files of a kind that come with the package, by id.

    >>> sorted(shipped_files("movement"))
    ['aa-1942', 'great-war']
    """
    return {
        path.name.removeprefix(f"{kind}-").removesuffix(".toml"): Path(str(path))
        for path in files("battlecalc.mapping").joinpath("data").iterdir()
        if path.name.startswith(f"{kind}-")
    }


def locate(name: str, kind: str, what: str) -> Path:
    """Path of a file that comes with the package, by id, or of another one, by path."""
    shipped = shipped_files(kind)
    if name not in shipped and not name.endswith(".toml"):
        raise MapError(
            f"no {what} {quote(name)}; {nearest(name, sorted(shipped))}, or a path that ends in .toml"
        )
    return shipped.get(name, Path(name))


class Table:
    """A TOML table that knows where it stands, and which of its keys were read.

    Examples
    --------
    >>> table = Table({"move": "two"}, "rules.toml: 'tank'")
    >>> table.number("move", 0)
    Traceback (most recent call last):
    battlecalc.mapping.tables.MapError: rules.toml: 'tank': field 'move' must be a whole number, not 'two'
    """

    def __init__(self, data: dict[str, Any], where: str) -> None:
        self.data = data
        self.where = where
        self._read: set[str] = set()

    def error(self, message: str) -> MapError:
        """Error that names the place of this table."""
        return MapError(f"{self.where}: {message}")

    def value(self, key: str, kind: type, default: Any = None, required: bool = False) -> Any:
        """Read one key, checked to be of a kind."""
        self._read.add(key)
        if key not in self.data:
            if required:
                raise self.error(f"field {key!r} is missing")
            return default
        found = self.data[key]
        if not _fits(found, kind):
            raise self.error(f"field {key!r} must be {_KINDS[kind]}, not {quote(found)}")
        return found

    def text(self, key: str, default: str | None = None, among: Iterable[str] | None = None) -> str:
        """Text, or the default (without one the key is required), where asked out of known words."""
        found: str = self.value(key, str, default, required=default is None)
        if among is not None:
            self.known(key, found, among)
        return found

    def number(self, key: str, default: int | None = None, least: int = 0) -> int:
        """Whole number from `least` to ten thousand."""
        found: int = self.value(key, int, default, required=default is None)
        if found < least:
            raise self.error(f"field {key!r} must be at least {least}, not {quote(found)}")
        if found > MOST:
            raise self.error(f"field {key!r} must be at most {MOST:,}, not {quote(found)}")
        return found

    def amount(self, key: str) -> float:
        """Amount of IPC: from 0 to a million."""
        found: float = self.value(key, float, required=True)
        if not 0 <= found <= 1e6:
            raise self.error(f"field {key!r} must be a number from 0 to 1000000, not {quote(found)}")
        return float(found)

    def flag(self, key: str, default: bool = False) -> bool:
        """Truth value."""
        return bool(self.value(key, bool, default))

    def texts(
        self, key: str, among: Iterable[str] | None = None, count: int | None = None
    ) -> tuple[str, ...]:
        """List of texts, empty by default; `count` makes it required and of that length."""
        found = self.value(key, list, [], required=count is not None)
        if not all(isinstance(entry, str) for entry in found):
            raise self.error(f"field {key!r} must be a list of names, not {quote(found)}")
        if count is not None and len(found) != count:
            raise self.error(f"field {key!r} must name {count} spaces, not {len(found)}")
        if len(set(found)) < len(found):
            raise self.error(f"field {key!r} names {max(found, key=found.count)!r} twice")
        if among is not None:
            choices = list(among)
            for entry in found:
                self.known(key, entry, choices)
        return tuple(found)

    def tables(self, key: str, label: str) -> dict[str, Table]:
        """Tables inside this one, by their names."""
        found = self.value(key, dict, {})
        for name, entry in found.items():
            if not isinstance(entry, dict):
                raise self.error(f"{label} {name!r} must be a table, not {quote(entry)}")
        return {name: Table(entry, f"{self.where}: {label} {name!r}") for name, entry in found.items()}

    def rows(self, key: str, label: str) -> list[Table]:
        """Array of tables."""
        found = self.value(key, list, [])
        for number, entry in enumerate(found, 1):
            if not isinstance(entry, dict):
                raise self.error(f"{label} {number} must be a table, not {quote(entry)}")
        return [Table(entry, f"{self.where}: {label} {number}") for number, entry in enumerate(found, 1)]

    def known(self, key: str, name: str, among: Iterable[str]) -> None:
        """Raise unless a name is one of the known ones."""
        choices = list(among)
        if name not in choices:
            raise self.error(f"field {key!r} has {quote(name)}; {nearest(name, choices)}")

    def finish(self) -> None:
        """Raise if a key was never asked for: it is misspelt."""
        for key in self.data:
            if key not in self._read:
                raise self.error(f"unknown field {key!r}; {nearest(key, sorted(self._read))}")
