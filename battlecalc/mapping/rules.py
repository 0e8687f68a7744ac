"""Rules of movement of one game: units, and the sentences of its rulebook by the name of what they govern.

A mechanism works only where the game's file has its rule, so that nothing in the code names a game or a unit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from battlecalc.errors import nearest
from battlecalc.mapping.tables import MapError, Table, locate
from battlecalc.rulesets.options import plain, singulars
from battlecalc.toml_files import read_toml, shown
from battlecalc.words import quote

DOMAINS = ("land", "sea", "air")

TAGS = {
    "hostile": "its presence makes a sea zone hostile and blockades a port",
    "sneaks": "passes hostile zones",
    "hunts": "stops those who sneak",
    "dives": "spared by the fire of forts",
    "blitz": "passes empty enemy territory",
    "bombards": "supports a landing",
    "waits": "rides along in a landing, ashore only after the battle",
    "rail": "may move by rail",
    "stays_ashore": "may not be in a landing force",
    "noncombat": "moves in the non-combat move only",
    "defends_only": "takes no part in an attack",
    "fort": "fires on passages and zones it covers",
    "infantry": "takes an infantry's place aboard",
}

LANDING = ("friendly", "contested", "newly_captured", "open_sea", "deck")

# What the code may ask for; the first set belongs to every game.
# fmt: off
NEEDED_RULES = frozenset(
    {
        "barrier", "capacity", "cargo_only", "cargo_unmoved", "defends_only", "done", "fought",
        "hostile_territory", "hostile_zone", "landing", "neutral", "no_cargo", "no_route",
        "no_sea_battle", "no_transport", "not_at_sea", "range", "unload_zone",
    }
)
RULES = NEEDED_RULES | {
    "aa_at_target", "adjacent_guns", "blitz", "blockade", "carrier", "contested_start",
    "contested_through", "contested_zone", "declared", "entrench", "forts", "ignore", "mines",
    "no_overland", "noncombat", "one_pickup", "port_forced_out", "port_safe", "ports", "rail",
    "rail_barrier", "rail_closed_region", "rail_contested", "rail_friendly", "rail_home_region",
    "rail_new", "rail_strait", "sea_or_land", "shared_zone", "stays_ashore", "strait", "waits",
    "wider_landing",
}
# fmt: on

# What a unit may have, and the rule that has to say so.
_MECHANISMS = {
    "deck": "carrier",
    "open_sea": "wider_landing",
    "noncombat": "noncombat",
    "blitz": "blitz",
    "stays_ashore": "stays_ashore",
    "waits": "waits",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One sentence of a rulebook: its name here, what it says in short, and where it stands."""

    key: str
    says: str
    section: str
    assumed: bool = False

    def __str__(self) -> str:
        """Sentence with its section, the way the command line shows it."""
        return f"{self.says} ({self.section}{', assumed' if self.assumed else ''})"


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit may do on the map."""

    id: str
    domain: str
    move: int
    cost: float
    hits: int
    aliases: tuple[str, ...]
    tags: frozenset[str]
    carries: tuple[tuple[str, ...], ...]
    """Ways to load a ship, each the tags of its places; the empty tag takes any land unit."""
    decks: int
    lands_on: tuple[str, ...]
    supports_as: str
    """Name in the force of a piece that fires from beside the battle."""
    entrenches_as: str


@dataclass(frozen=True, slots=True)
class Rail:
    """Conditions of a rail move that are numbers or places."""

    spaces: int
    closed_regions: tuple[str, ...]
    home_regions: Mapping[str, str]
    """Region -> the power whose alliance alone moves by rail in it, and which moves by rail nowhere else."""


@dataclass(frozen=True, slots=True)
class MovementRules:
    """Everything the map code asks a game."""

    id: str
    name: str
    units: Mapping[str, Unit]
    rules: Mapping[str, Rule]
    regions: tuple[str, ...]
    rail: Rail | None
    pickups: int
    mine_value: int
    fort_dice: int
    fort_value: int
    sides: int
    names: Mapping[str, str]
    """Every id and alias, plain, with its unit."""

    def __contains__(self, key: str) -> bool:
        """Whether the game has a rule."""
        return key in self.rules

    def unit(self, name: str) -> Unit:
        """Find a unit as a ruleset does: by id or alias, singular or plural, case and hyphens free.

        >>> movement("aa-1942").unit("Fighters").id
        'fighter'
        """
        for form in singulars(plain(name)):
            if form in self.names:
                return self.units[self.names[form]]
        known = [word for unit in self.units.values() for word in (unit.id, *unit.aliases)]
        raise MapError(
            f"unknown unit {quote(name)} in the movement rules {self.id!r}; {nearest(name, known)}"
        )

    def force(self, text: str) -> dict[str, int]:
        """Read the counts by unit of a text such as `"3 infantry, 1 art"`.

        >>> movement("great-war").force("3 infantry + 1 art")
        {'infantry': 3, 'artillery': 1}
        """
        counts: dict[str, int] = {}
        for entry in re.split(r"[,+]|\band\b", text):
            match = re.fullmatch(r"\s*(\d{1,5})?\s*([A-Za-z][\w\s-]*?)\s*", entry)
            if match is None:
                raise MapError(
                    f"cannot read {entry.strip()!r} in {text!r}; write it like '3 infantry, 1 artillery'"
                )
            unit, count = self.unit(match[2]).id, int(match[1] or 1)
            if not 1 <= count <= 10_000:
                raise MapError(f"count {count} of {unit!r} in {text!r} must be between 1 and 10000")
            counts[unit] = counts.get(unit, 0) + count
        return counts


def _unit(name: str, table: Table) -> Unit:
    """Read a unit."""
    unit = Unit(
        id=name,
        domain=table.text("domain", among=DOMAINS),
        move=table.number("move"),
        cost=table.amount("cost"),
        hits=table.number("hits", 1, least=1),
        aliases=table.texts("aliases"),
        tags=frozenset(table.texts("tags", among=TAGS)),
        carries=_loads(table),
        decks=table.number("decks", 0),
        lands_on=table.texts("lands_on", among=LANDING),
        supports_as=table.text("supports_as", ""),
        entrenches_as=table.text("entrenches_as", ""),
    )
    table.finish()
    return unit


def _loads(table: Table) -> tuple[tuple[str, ...], ...]:
    """Read the ways to load a ship."""
    loads = table.value("carries", list, [])
    for load in loads:
        if not isinstance(load, list) or not all(isinstance(place, str) for place in load):
            raise table.error(f"field 'carries' must be a list of lists of tags, not {quote(loads)}")
        for place in filter(None, load):
            table.known("carries", place, TAGS)
    return tuple(map(tuple, loads))


def _names(units: Mapping[str, Unit], top: Table) -> dict[str, str]:
    """Every id and alias, plain, with its unit."""
    found: dict[str, str] = {}
    for unit in units.values():
        for name in (unit.id, *unit.aliases):
            other = found.setdefault(plain(name), unit.id)
            if other != unit.id:
                raise top.error(
                    f"unit {unit.id!r}: field 'aliases' has {quote(name)}, a name of {other!r}, too"
                )
    return found


def _rule(key: str, table: Table) -> Rule:
    """Read a sentence."""
    if key not in RULES:
        raise table.error(f"unknown rule; {nearest(key, sorted(RULES))}")
    status = table.text("status", "published", among=("published", "assumed"))
    rule = Rule(key, table.text("says"), table.text("section"), status == "assumed")
    table.finish()
    return rule


def parse_rules(data: dict[str, object], source: str) -> MovementRules:
    """Read movement rules out of a TOML document."""
    top = Table(data, source)
    regions = top.texts("regions")
    rail = None
    if "rail" in data:
        table = Table(top.value("rail", dict), f"{source}: rail")
        powers = Table(table.value("home_regions", dict, {}), f"{table.where}: home_regions")
        home = {region: powers.text(region) for region in powers.data}
        rail = Rail(table.number("spaces", least=1), table.texts("closed_regions", among=regions), home)
        for region in home:
            table.known("home_regions", region, regions)
        table.finish()
    units = {name: _unit(name, table) for name, table in top.tables("units", "unit").items()}
    rules = MovementRules(
        id=top.text("id"),
        name=top.text("name"),
        units=units,
        rules={key: _rule(key, table) for key, table in top.tables("rules", "rule").items()},
        regions=regions,
        rail=rail,
        pickups=top.number("pickups", 1, least=1),
        mine_value=top.number("mine_value", 0),
        fort_dice=top.number("fort_dice", 0),
        fort_value=top.number("fort_value", 0),
        sides=top.number("sides", 6, least=1),
        names=_names(units, top),
    )
    top.finish()
    for key in sorted(NEEDED_RULES - set(rules.rules)):
        raise top.error(f"rule {key!r} is missing")
    for unit in rules.units.values():
        if unit.entrenches_as and unit.entrenches_as not in rules.units:
            raise top.error(
                f"unit {unit.id!r}: field 'entrenches_as' has {unit.entrenches_as!r}, which is no unit"
            )
        if unit.domain == "air" and not unit.lands_on:
            raise top.error(f"unit {unit.id!r}: field 'lands_on' is missing")
        for value, key in _MECHANISMS.items():
            if (value in unit.lands_on or value in unit.tags) and key not in rules:
                raise top.error(f"unit {unit.id!r} has {value!r}, so rule {key!r} is needed")
    return rules


def movement(name: str | os.PathLike[str]) -> MovementRules:
    """Movement rules that ship with the package, by id, or of a file, by path.

    Parameters
    ----------
    name : str or path
        An id such as ``"great-war"``, or the path of a TOML file.

    Examples
    --------
    >>> movement("great-war").units["cavalry"].move
    2
    """
    path = locate(os.fspath(name), "movement", "movement rules").absolute()
    stamp = path.stat() if path.is_file() else None
    return _read(path, stamp and (stamp.st_mtime_ns, stamp.st_size))


@lru_cache(maxsize=64)
def _read(path: Path, stamp: tuple[int, int] | None) -> MovementRules:
    """Read movement rules; they are read again when the file was changed."""
    table = read_toml(path, "file of movement rules", MapError, shown(path))
    return parse_rules(table, shown(path.name))
