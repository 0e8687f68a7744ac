"""Tables of a ruleset file into units, modifiers, conditions and cargo."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from battlecalc.rulesets.schema import (
    ALWAYS,
    NONE,
    Cargo,
    Condition,
    Modifier,
    Unit,
    Units,
)
from battlecalc.rulesets.tables import (
    Raw,
    Reader,
    Where,
    amount,
    by_side,
    check_keys,
    check_name,
    choice,
    flag,
    read_keys,
    required,
    table,
    text,
    texts,
    whole,
)
from battlecalc.words import quote

DAMAGE_VALUES = ("damage_dice", "damage_rolls", "damage_add", "damage_cap")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ROUNDS = re.compile(r"(\d{1,3})(-(\d{1,3})?)?")


def named(raw: Raw, where: Where) -> dict[str, tuple[Raw, Where]]:
    """Read a table of named tables; the names are snake_case words."""
    found = {}
    for name, value in table(raw, where).items():
        if not _NAME.fullmatch(name):
            (where / name).fail(f"{quote(name)} is not a name: small letters, digits and underscores")
        found[name] = (table(value, where / name), where / name)
    return found


class Names:
    """What sets may name: unit ids and tags; those taken out by ``without`` still, with no unit."""

    def __init__(self, units: Mapping[str, tuple[Raw, Where]], gone: frozenset[str]) -> None:
        self.order = tuple(units)
        self._sets: dict[str, list[str]] = {name: [] for name in gone}
        self._sets.update({name: [name] for name in units})
        for name, (raw, where) in units.items():
            for tag in texts(raw.get("tags", []), where / "tags"):
                if tag in units or tag in ("all", "rest"):
                    (where / "tags").fail(
                        f"{quote(tag)} is the name of a unit or a word of its own, not a tag"
                    )
                self._sets.setdefault(tag, []).append(name)

    def units(self, value: object, where: Where) -> Units:
        """Read a list of unit ids and tags as a set of unit ids."""
        found: set[str] = set()
        for name in texts(value, where):
            check_name(name, "unit or tag", where, self._sets)
            found.update(self._sets[name])
        return frozenset(found)

    def ordered(self, value: object, where: Where) -> tuple[str, ...]:
        """Read a list of unit ids and tags as a tuple of unit ids: as listed, a tag's units in file order."""
        listed = texts(value, where)
        return tuple(
            dict.fromkeys(u for name in listed for u in self.order if u in self.units([name], where))
        )

    def unit(self, value: object, where: Where) -> str:
        """Read one unit id."""
        name = text(value, where)
        check_name(name, "unit", where, self.order)
        return name


def _per_side(read: Reader) -> Reader:
    """Return a reader of ``{ attacker = ..., defender = ... }`` with either side left out."""

    def read_sides(value: object, where: Where) -> dict[str, Any]:
        sides = table(value, where)
        check_keys(sides, where, ("attacker", "defender"))
        return {side: read(item, where / side) for side, item in sides.items()}

    return read_sides


def unit_readers(names: Names, sides: int, values: tuple[str, ...]) -> dict[str, Reader]:
    """Return the readers of a unit's keys; each of `values` is a key as well."""
    pip = whole(0, sides)
    readers: dict[str, Reader] = {
        "aliases": texts,
        "tags": lambda value, where: frozenset(texts(value, where)),
        "attack": pip,
        "defence": pip,
        "dice": by_side(whole(0, 20), 1),
        "rolls": by_side(whole(1, 20), 1),
        "hits": by_side(whole(1, 100), 1),
        "cost": amount,
        "only": choice("attacker", "defender"),
        "needs": _per_side(text),
        "never_lost": flag,
        "keeps_alive": flag,
        "alone": _per_side(choice("withdraws", "destroyed", "stays")),
        "last": flag,
        "captured": flag,
        "captured_on_retreat": flag,
        "fires_with": names.units,
        "counts_in_conditions": flag,
        "decks": whole(0, 100),
        "damaged_decks": whole(0, 100),
        "needs_deck": flag,
        "absorbs": flag,
        "assumed": lambda value, where: frozenset(texts(value, where)),
        "source": text,
    }
    for value in values:
        readers.setdefault(value, pip)
    for value in DAMAGE_VALUES:
        readers[value] = whole(0, 100)
    return readers


def read_unit(
    name: str, raw: Raw, where: Where, readers: Mapping[str, Reader], values: tuple[str, ...]
) -> Unit:
    """Read one unit."""
    found = read_keys(raw, where, readers)
    pips = {key: found.pop(key) for key in ("attack", "defence", *values, *DAMAGE_VALUES) if key in found}
    never_lost = found.get("never_lost", False)
    for side, key in (("attacker", "attack"), ("defender", "defence")):
        if key not in pips:
            if not never_lost and found.get("only", side) == side:
                where.fail(f"lacks {quote(key)} (0 where it never hits)")
            pips[key] = 0
    alone = found.pop("alone", {})
    found["alone"] = tuple(
        None if alone.get(side) == "stays" else alone.get(side) for side in ("attacker", "defender")
    )
    if never_lost:
        found["keeps_alive"] = False
    for mark in found.get("assumed", ()):
        check_name(mark, "field", where / "assumed", readers)
    return Unit(id=name, values=pips, **found)


def rounds(value: object, where: Where) -> tuple[int, int | None]:
    """Read rounds: ``1``, ``"1-2"`` or ``"2-"``."""
    match = (
        _ROUNDS.fullmatch(str(value))
        if isinstance(value, str | int) and not isinstance(value, bool)
        else None
    )
    if match is None or int(match[1]) < 1 or (match[3] and int(match[3]) < int(match[1])):
        where.fail(f'must be rounds such as 1, "1-2" or "2-", not {quote(value)}')
    first = int(match[1])
    return first, (int(match[3]) if match[3] else None) if match[2] else first


_UNIT_SETS = ("own_has", "own_lacks", "enemy_has", "enemy_lacks", "both_have")


def condition_readers(names: Names) -> dict[str, Reader]:
    """Return the readers of a condition's keys."""
    readers: dict[str, Reader] = {"rounds": rounds}
    readers.update(dict.fromkeys(_UNIT_SETS, names.units))
    for key in ("advantage", "technology", "lacks_technology", "enemy_technology", "enemy_lacks_technology"):
        readers[key] = text
    return readers | dict.fromkeys(("option", "lacks_option", "fought", "not_fought"), text)


def read_condition(raw: object, where: Where, readers: Mapping[str, Reader]) -> Condition | None:
    """Read a condition; None where it can never hold, since the units it asks for were taken out."""
    found = read_keys(table(raw, where), where, readers)
    if any(key.endswith(("has", "have")) and not found[key] for key in _UNIT_SETS if key in found):
        return None
    return Condition(**found) if found else ALWAYS


def modifier_readers(names: Names) -> dict[str, Reader]:
    """Return the readers of a modifier's keys."""
    return {
        "side": choice("attacker", "defender", "both"),
        "to": names.ordered,
        "add": whole(-100, 100),
        "source": names.units,
        "per": whole(1, 100),
        "when": lambda value, where: read_condition(value, where, condition_readers(names)),
        "assumed": flag,
    }


def read_modifiers(raw: object, where: Where, names: Names) -> tuple[Modifier, ...]:
    """Read modifiers; those of units that were taken out are left out."""
    readers = modifier_readers(names)
    modifiers = []
    for name, value in table(raw, where).items():
        place = where / name
        found = read_keys(table(value, place), place, readers)
        required(found, place, "side", "to")
        needs_source = "source" in found
        never = found.get("when", ALWAYS) is None or not found["to"] or (needs_source and not found["source"])
        if not never:
            modifiers.append(Modifier(name=name, **found))
    return tuple(modifiers)


def read_cargo(raw: object, where: Where, names: Names) -> dict[str, Cargo]:
    """Read how carriers are loaded."""
    cargo = {}
    for carrier, (value, place) in named(table(raw, where), where).items():
        names.unit(carrier, place)
        check_keys(value, place, ("loads",))
        loads = value.get("loads")
        if (
            not isinstance(loads, list)
            or not loads
            or not all(isinstance(load, list) and load for load in loads)
        ):
            place.fail(f'must be lists of slots, such as loads = [["foot", "land"]], not {quote(loads)}')
        read = [tuple(names.units([slot], place / "loads") for slot in load) for load in loads]
        cargo[carrier] = Cargo(carrier, tuple(tuple(slot for slot in load if slot != NONE) for load in read))
    return cargo
