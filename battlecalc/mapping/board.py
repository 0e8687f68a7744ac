"""The map as a value, and the map as one power sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from battlecalc.errors import nearest
from battlecalc.mapping.rules import MovementRules, Rule, Unit
from battlecalc.mapping.tables import MapError


@dataclass(frozen=True, slots=True)
class Piece:
    """Equal pieces of one power in one space, with what they have done this turn."""

    power: str
    unit: str
    space: str
    count: int = 1
    moved: int = 0
    """Spaces moved this turn."""
    fought: bool = False
    left: int = 0
    """Movement that is left."""


@dataclass(frozen=True, slots=True)
class Space:
    """A land space or a sea zone."""

    id: str
    name: str
    kind: str
    borders: tuple[str, ...]
    owner: str
    original_owner: str
    flags: frozenset[str]
    port: tuple[str, ...]
    """Zones that the port opens on; ships in the port stand in the land space."""
    coastal_guns: tuple[str, ...]
    """Zones in whose battles the forts of this space fire."""
    mines: str
    """Power that laid them."""
    position: tuple[float, float] | None
    pieces: tuple[Piece, ...]

    @property
    def contested(self) -> bool:
        """Whether both sides stand in it since an earlier turn."""
        return "contested" in self.flags


@dataclass(frozen=True, slots=True)
class Power:
    """A power; one without a side is neutral."""

    id: str
    side: str
    technologies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Barrier:
    """A border that some pieces cannot cross."""

    name: str
    between: tuple[str, str]
    stops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Strait:
    """A passage between two zones, ruled by whoever holds both its shores."""

    name: str
    zones: tuple[str, str]
    shores: tuple[str, str]
    open: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """A way between two zones under the fire of the forts in some land spaces."""

    name: str
    between: tuple[str, str]
    forts: tuple[str, ...]


@dataclass(frozen=True)
class Map:
    """A map file, read and checked; `read_map` makes one."""

    name: str
    source: str
    ruleset: str
    rules: MovementRules
    powers: Mapping[str, Power]
    spaces: Mapping[str, Space]
    barriers: tuple[Barrier, ...] = ()
    straits: tuple[Strait, ...] = ()
    passages: tuple[Passage, ...] = ()
    mobilise: tuple[Piece, ...] = ()
    """Pieces bought this turn, each in the space where it will stand at the end of it."""

    def space(self, name: str) -> Space:
        """Space by its id or its printed name."""
        plain = re.sub(r"[\s_]+", "-", name.strip().lower())
        if plain in self.spaces:
            return self.spaces[plain]
        for space in self.spaces.values():
            if name.strip().lower() in (space.id.lower(), space.name.lower()):
                return space
        raise MapError(f"{self.source}: no space {name!r}; {nearest(plain, self.spaces)}")

    def power(self, name: str) -> Power:
        """Power by its id."""
        plain = re.sub(r"[\s_]+", "-", name.strip().lower())
        if plain not in self.powers:
            raise MapError(f"{self.source}: no power {name!r}; {nearest(plain, self.powers)}")
        return self.powers[plain]

    def title(self, space: str) -> str:
        """Return the printed name of a space."""
        return self.spaces[space].name

    def pieces(self) -> Iterator[Piece]:
        """All pieces, space by space in the order of the file."""
        for space in self.spaces.values():
            yield from space.pieces


class View:
    """A map seen by one power: what is friendly, hostile, free to load or land on."""

    def __init__(self, board: Map, power: str) -> None:
        self.board = board
        self.rules = board.rules
        self.power = board.power(power)
        if not self.power.side:
            raise MapError(
                f"{board.source}: power {power!r} has no side, so it attacks nobody; give it a field 'side'"
            )
        own: dict[Piece, int] = {}
        for piece in board.pieces():
            if piece.power == self.power.id:
                one = replace(piece, count=1)
                own[one] = own.get(one, 0) + piece.count
        # Equal pieces are one entry, however the file lists them: they are looked at once.
        self.own = [replace(one, count=count) for one, count in own.items()]

    def rule(self, key: str) -> Rule:
        """Sentence that governs something."""
        return self.rules.rules[key]

    def unit(self, piece: Piece) -> Unit:
        """Return the unit of a piece."""
        return self.rules.units[piece.unit]

    def is_friend(self, power: str) -> bool:
        """Whether a power is this one or its ally."""
        return bool(power) and self.board.powers[power].side == self.power.side

    def is_enemy(self, power: str) -> bool:
        """Whether a power is on another side; a neutral is not."""
        return bool(power) and self.board.powers[power].side not in ("", self.power.side)

    @cached_property
    def _enemies(self) -> dict[str, tuple[Piece, ...]]:
        return {
            space.id: tuple(
                piece
                for piece in space.pieces
                if self.is_enemy(piece.power) or (space.kind == "land" and not self.is_friend(piece.power))
            )
            for space in self.board.spaces.values()
        }

    def enemies(self, space: str) -> tuple[Piece, ...]:
        """Pieces in a space that would fight this power: a neutral's only on its own land."""
        return self._enemies[space]

    def friendly(self, space: str) -> bool:
        """Whether a land space is held by this power or an ally, and not contested."""
        found = self.board.spaces[space]
        return found.kind == "land" and self.is_friend(found.owner) and not found.contested

    def settled(self, space: str) -> bool:
        """Whether a land space has been friendly since the start of the turn."""
        return self.friendly(space) and "newly_captured" not in self.board.spaces[space].flags

    def neutral(self, space: str) -> bool:
        """Whether a land space belongs to nobody at war."""
        found = self.board.spaces[space]
        at_war = self.is_friend(found.owner) or self.is_enemy(found.owner) or found.contested
        return found.kind == "land" and not at_war

    @cached_property
    def _hostile(self) -> dict[str, bool]:
        return {
            space.id: space.kind == "sea"
            and any("hostile" in self.unit(piece).tags for piece in self.enemies(space.id))
            for space in self.board.spaces.values()
        }

    def hostile(self, zone: str) -> bool:
        """Whether a sea zone holds enemy ships that stop others."""
        return self._hostile[zone]

    def hunted(self, zone: str) -> bool:
        """Whether a sea zone holds enemy ships that stop submarines."""
        return any("hunts" in self.unit(piece).tags for piece in self.enemies(zone))

    def may_load(self, place: str) -> bool:
        """Whether a transport may load in a zone or port."""
        space = self.board.spaces[place]
        if space.kind == "land":
            return self.friendly(place)
        return not (self.hostile(place) or space.contested)

    def strait_open(self, strait: Strait) -> bool:
        """Whether this power's ships may pass a strait."""
        return strait.open and not any(
            self.is_enemy(self.board.spaces[shore].owner) for shore in strait.shores
        )
