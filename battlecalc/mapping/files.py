"""Map files: TOML in, a checked `Map` out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from battlecalc.mapping.board import Barrier, Map, Passage, Piece, Power, Space, Strait
from battlecalc.mapping.rules import DOMAINS, MovementRules, movement
from battlecalc.mapping.tables import MapError, Table, locate, shipped_files
from battlecalc.toml_files import read_toml, shown
from battlecalc.words import quote

# Fields and flags that only a game with such a rule gives a meaning.
_RULE_OF = {
    "contested": "contested_start",
    "port": "ports",
    "mines": "mines",
    "coastal_guns": "forts",
    "passages": "forts",
    "straits": "strait",
}
FLAGS = ("contested", "newly_captured", "factory", "impassable")


def shipped_maps() -> dict[str, Path]:
    """Find the maps that come with the package, by id.

    >>> sorted(shipped_maps())
    ['channel-and-straits', 'western-europe']
    """
    return shipped_files("map")


def read_map(path: str | os.PathLike[str]) -> Map:
    """Read and check a map file.

    Parameters
    ----------
    path : str or path
        A TOML file (its fields: see the guide to maps), or the id of a map that comes with the package.

    Returns
    -------
    Map
        The map; a value that nothing changes.

    Raises
    ------
    battlecalc.mapping.MapError
        For a file that cannot be read or contradicts itself; names file, space, piece and field.

    Examples
    --------
    >>> board = read_map("western-europe")
    >>> board.space("Western Europe").owner
    'germany'
    """
    file = locate(os.fspath(path), "map", "map")
    table = read_toml(file, "map", MapError, shown(file), 10_000_000)
    return parse_map(table, shown(file.name), file.parent)


def parse_map(data: dict[str, Any], source: str = "map", folder: Path | None = None) -> Map:
    """Read a map out of a TOML document in memory; `folder` is where its own movement rules may stand."""
    top = Table(data, source)
    ruleset = top.text("ruleset")
    moves = top.text("movement", None if ruleset.endswith(".toml") else ruleset)
    if folder is not None:
        ruleset, moves = (str(folder / name) if name.endswith(".toml") else name for name in (ruleset, moves))
    rules = movement(moves)
    powers = {name: _power(name, table) for name, table in top.tables("powers", "power").items()}
    tables = top.tables("spaces", "space")
    spaces = {name: _space(name, table, rules, powers, set(tables)) for name, table in tables.items()}
    used = ((table, {*table.data, *spaces[name].flags}) for name, table in tables.items())
    for part, words in ((top, set(data)), *used):
        for key, rule in _RULE_OF.items():
            if key in words and rule not in rules:
                raise part.error(f"{key!r} has no meaning in the movement rules {rules.id!r}")
    if not spaces:
        raise top.error("field 'spaces' is missing")
    board = Map(
        name=top.text("name", source),
        source=source,
        ruleset=ruleset,
        rules=rules,
        powers=powers,
        spaces=spaces,
        barriers=tuple(_barrier(table, spaces) for table in top.rows("barriers", "barrier")),
        straits=tuple(_strait(table, spaces) for table in top.rows("straits", "strait")),
        passages=tuple(_passage(table, spaces) for table in top.rows("passages", "passage")),
        mobilise=tuple(
            _mobilised(table, rules, powers, spaces) for table in top.rows("mobilise", "mobilise")
        ),
    )
    top.finish()
    for name, table in tables.items():
        _check_space(board, spaces[name], table)
    return board


def _power(name: str, table: Table) -> Power:
    power = Power(name, table.text("side", ""), table.texts("technologies"))
    table.finish()
    return power


def _space(name: str, table: Table, rules: MovementRules, powers: dict[str, Power], ids: set[str]) -> Space:
    owners = ["", *powers]
    owner = table.text("owner", "", among=owners)
    position = table.value("position", list)
    if position is not None and (len(position) != 2 or not all(map(_is_place, position))):
        raise table.error(f"field 'position' must be two numbers, not {quote(position)}")
    numbered = list(_pieces(name, table, rules, powers))
    space = Space(
        id=name,
        name=table.text("name", name.replace("-", " ").title()),
        kind=table.text("kind", among=("land", "sea")),
        borders=table.texts("borders", among=ids),
        owner=owner,
        original_owner=table.text("original_owner", owner, among=owners),
        flags=frozenset(table.texts("flags", among=FLAGS + rules.regions)),
        port=table.texts("port", among=ids),
        coastal_guns=table.texts("coastal_guns", among=ids),
        mines=table.text("mines", "", among=owners),
        position=None if position is None else (float(position[0]), float(position[1])),
        pieces=tuple(piece for _, piece in numbered),
    )
    table.finish()
    for number, piece in numbered:
        if rules.units[piece.unit].domain == "sea" and space.kind == "land" and not space.port:
            raise table.error(f"piece {number}: a {piece.unit} cannot stand on land without a port")
    return space


def _is_place(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and abs(number) <= 1e6


def _pieces(
    space: str, table: Table, rules: MovementRules, powers: dict[str, Power]
) -> Iterator[tuple[int, Piece]]:
    """Pieces of a space by the number of their entry, which is a text or, with a history, a table.

    A text may list several: `"power: 3 infantry, 1 tank"`.
    """
    for number, entry in enumerate(table.value("pieces", list, []), 1):
        where = f"{table.where}: piece {number}"
        if isinstance(entry, dict):
            yield number, _piece(space, Table(entry, where), rules, powers)
            continue
        power, colon, force = entry.partition(":") if isinstance(entry, str) else ("", "", "")
        if not colon:
            raise MapError(
                f"{where}: must be a text like 'britain: 3 infantry' or a table, not {quote(entry)}"
            )
        Table({}, where).known("power", power.strip(), powers)
        try:
            counts = rules.force(force)
        except MapError as error:
            raise MapError(f"{where}: {error}") from error
        for unit, count in counts.items():
            yield number, Piece(power.strip(), unit, space, count, left=rules.units[unit].move)


def _piece(space: str, table: Table, rules: MovementRules, powers: dict[str, Power]) -> Piece:
    try:
        unit = rules.unit(table.text("unit"))
    except MapError as error:
        raise table.error(f"field 'unit': {error}") from error
    moved = table.number("moved", 0)
    left = table.number("left", max(unit.move - moved, 0))
    piece = Piece(
        power=table.text("power", among=powers),
        unit=unit.id,
        space=space,
        count=table.number("count", 1, least=1),
        moved=moved,
        fought=table.flag("fought"),
        left=left,
    )
    if moved > unit.move:
        raise table.error(f"field 'moved' is {moved}, more than the {unit.move} of a {unit.id}")
    if left > unit.move:
        raise table.error(f"field 'left' is {left}, more than the {unit.move} of a {unit.id}")
    table.finish()
    return piece


def _pair(table: Table, key: str, spaces: dict[str, Space], kind: str | None = None) -> tuple[str, str]:
    """Two spaces that border each other, where asked of one kind."""
    first, second = table.texts(key, among=spaces, count=2)
    if second not in spaces[first].borders:
        raise table.error(f"field {key!r}: {first!r} and {second!r} do not border each other")
    for end in (first, second):
        if kind is not None and spaces[end].kind != kind:
            raise table.error(f"field {key!r}: {end!r} must be a {kind} space")
    return first, second


def _barrier(table: Table, spaces: dict[str, Space]) -> Barrier:
    name = table.text("name", "barrier")
    between = _pair(table, "between", spaces)
    stops = table.texts("stops", among=DOMAINS) or ("land",)
    table.finish()
    return Barrier(name, between, stops)


def _strait(table: Table, spaces: dict[str, Space]) -> Strait:
    zones = _pair(table, "zones", spaces, "sea")
    first, second = table.texts("shores", among=spaces, count=2)
    for shore in (first, second):
        if spaces[shore].kind != "land":
            raise table.error(f"field 'shores': {shore!r} must be a land space")
    strait = Strait(table.text("name", "strait"), zones, (first, second), table.flag("open", True))
    table.finish()
    return strait


def _passage(table: Table, spaces: dict[str, Space]) -> Passage:
    name = table.text("name", "passage")
    between = _pair(table, "between", spaces, "sea")
    passage = Passage(name, between, table.texts("forts", among=spaces))
    table.finish()
    return passage


def _mobilised(
    table: Table, rules: MovementRules, powers: dict[str, Power], spaces: dict[str, Space]
) -> Piece:
    space = table.text("space", among=spaces)
    return _piece(space, table, rules, powers)


def _check_space(board: Map, space: Space, table: Table) -> None:
    """Contradictions between a space and the rest of its map."""
    for other in space.borders:
        if other == space.id:
            raise table.error("field 'borders' lists the space itself")
        if space.id not in board.spaces[other].borders:
            raise table.error(
                f"field 'borders' lists {other!r}, but {other!r} does not list {space.id!r}; add it there"
            )
    for key, zones in (("port", space.port), ("coastal_guns", space.coastal_guns)):
        for zone in zones:
            if zone not in space.borders or board.spaces[zone].kind != "sea":
                raise table.error(f"field {key!r} lists {zone!r}, which is no sea zone on its border")
    if space.kind == "sea":
        for key, value in (
            ("owner", space.owner),
            ("port", space.port),
            ("coastal_guns", space.coastal_guns),
        ):
            if value:
                raise table.error(f"field {key!r} belongs to land spaces, and this is a sea zone")
    elif space.mines:
        raise table.error("field 'mines' belongs to sea zones, and this is a land space")
    if space.kind == "sea":
        _check_aboard(board, space, table)


def _check_aboard(board: Map, zone: Space, table: Table) -> None:
    """Land pieces at sea need transports of their power."""
    units = board.rules.units
    for power in {piece.power: None for piece in zone.pieces}:
        own = [piece for piece in zone.pieces if piece.power == power]
        aboard = sum(piece.count for piece in own if units[piece.unit].domain == "land")
        room = sum(piece.count * max(map(len, units[piece.unit].carries), default=0) for piece in own)
        if aboard > room:
            raise table.error(
                f"{aboard} land pieces of {power!r} at sea, but its transports there hold {room}"
            )
