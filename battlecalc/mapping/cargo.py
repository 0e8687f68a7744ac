"""Who is loaded on which transport, and by which way it goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from battlecalc.mapping.board import Piece, View
from battlecalc.mapping.routes import Obstacle, Ways, cost, mover
from battlecalc.mapping.rules import Unit


class Cargo(NamedTuple):
    """One piece aboard: the pieces it comes from, itself, and the place of the route where it is loaded."""

    source: Piece
    piece: Piece
    place: str


@dataclass(frozen=True, slots=True)
class Load:
    """One transport with its way and its cargo."""

    transport: Piece
    route: tuple[str, ...]
    cargo: tuple[Cargo, ...]
    spare: frozenset[str]
    """Territories from which it could have taken more, had it not loaded elsewhere."""


@dataclass(frozen=True, slots=True)
class _Trip:
    """A way of a transport, and the territories where it may load with the place beside each."""

    route: tuple[str, ...]
    places: dict[str, str]


class Loader:
    """Loads the transports that can end in one zone.

    Transports with the fewest territories in reach choose first. Each takes what gives the landing most:
    cargo aboard already, then pieces that fight, then the dearest.

    Parameters
    ----------
    view, ways : View, Ways
        The map and its routes.
    zone : str
        Where all transports end.
    pieces : list of Piece
        Land pieces that want to come; those that moved are never loaded.
    transports : list of Piece
        Ships that carry.
    """

    def __init__(
        self, view: View, ways: Ways, zone: str, pieces: list[Piece], transports: list[Piece]
    ) -> None:
        self.view = view
        self.ways = ways
        self.zone = zone
        self.shores = {piece.space for piece in pieces}
        self.left: dict[str, dict[Piece, int]] = {}
        for piece in sorted(pieces, key=self._worth, reverse=True):
            if not piece.moved:
                self.left.setdefault(piece.space, {})[piece] = piece.count
        self.blocked: set[str] = set()
        """Territories beside a zone in which loading is forbidden."""
        self.loads: list[Load] = []
        trips = {piece: self._trips(piece) for piece in transports}
        reach = {
            piece: frozenset(name for trip in found for name in trip.places) for piece, found in trips.items()
        }
        self.reached = frozenset[str]().union(*reach.values())
        """Territories where some transport may load."""
        for piece in sorted(transports, key=lambda piece: len(reach[piece])):
            for _ in range(piece.count):
                load = self._best(piece, trips[piece], reach[piece])
                if load is None:
                    break
                self.loads.append(load)
                for entry in load.cargo:
                    self.left[entry.source.space][entry.source] -= 1
        if not self.worth()[0]:
            self.loads.clear()  # cargo that only waits aboard makes no landing

    def worth(self) -> tuple[int, float]:
        """How many of the cargo fight, and what all of it is worth."""
        units = [self.view.unit(entry.piece) for load in self.loads for entry in load.cargo]
        return sum("waits" not in unit.tags for unit in units), sum(unit.cost for unit in units)

    def why_left(self, piece: Piece) -> Obstacle:
        """Find the rule that left a piece behind."""
        rules, title = self.view.rules, self.view.board.title
        if "waits" in self.view.unit(piece).tags and not self.loads and piece.space in self.reached:
            return Obstacle("waits", "nobody lands to fight")
        if piece.moved and piece.space in self.reached:
            return Obstacle("cargo_unmoved", "moved already")
        if piece.space in self.reached:
            if "one_pickup" in rules and any(piece.space in load.spare for load in self.loads):
                return Obstacle("one_pickup", "transports with room left load elsewhere")
            return Obstacle("capacity", "every transport in reach is full")
        if piece.space in self.blocked:
            return Obstacle(
                "contested_zone" if "contested_zone" in rules else "shared_zone", "no free zone to load in"
            )
        return Obstacle("no_transport", f"none fetches it and reaches {title(self.zone)}")

    # ------------------------------------------------------------ ways

    def _trips(self, transport: Piece) -> list[_Trip]:
        """Ways of a transport to the zone, less those that offer nothing beyond another as short."""
        shortest: dict[frozenset[str], _Trip] = {}
        for route in self._walks(transport):
            places = self._places(transport, route)
            beside = frozenset(places)
            if beside and (beside not in shortest or len(route) < len(shortest[beside].route)):
                shortest[beside] = _Trip(route, places)
        return [
            trip
            for beside, trip in shortest.items()
            if not any(
                beside < other and len(way.route) <= len(trip.route) for other, way in shortest.items()
            )
        ]

    def _walks(self, transport: Piece) -> Iterator[tuple[str, ...]]:
        """All ways to the zone within the movement left; a space may come twice."""
        kind = mover(self.view.unit(transport))
        graph = self.ways.graph(kind)
        goal = self.ways.to(kind, self.zone)
        stack: list[tuple[str, ...]] = [(transport.space,)]
        while stack:
            route = stack.pop()
            here = route[-1]
            if here == self.zone:
                yield route
                if len(route) > 1 and self.view.hostile(here):
                    continue
            ends = dict.fromkeys(graph[here])
            if self.ways.steps("sea").has_edge(here, self.zone) and not self.ways.crossing(
                "sea", here, self.zone
            ):
                ends[self.zone] = None
            stack += [
                (*route, end)
                for end in ends
                if end in goal and cost(route) + 1 + cost(goal[end]) <= transport.left
            ]

    def _places(self, transport: Piece, route: tuple[str, ...]) -> dict[str, str]:
        """Territories that may be loaded along a route, with the place; the start for cargo aboard."""
        spaces = self.view.board.spaces
        found: dict[str, str] = {}
        if spaces[transport.space].kind == "sea" and transport.space in self.shores:
            found[transport.space] = transport.space
        for place in route:
            beside = (place,) if spaces[place].kind == "land" else spaces[place].borders
            shores = [name for name in beside if name in self.shores and spaces[name].kind == "land"]
            if self.view.may_load(place):
                for name in shores:
                    found.setdefault(name, place)
            else:
                self.blocked.update(shores)
        return found

    # ------------------------------------------------------------ loads

    def _worth(self, piece: Piece) -> tuple[bool, float, str]:
        unit = self.view.unit(piece)
        return "waits" not in unit.tags, unit.cost, unit.id

    def _best(self, transport: Piece, trips: list[_Trip], reach: frozenset[str]) -> Load | None:
        """Most valuable load of one transport."""
        best: Load | None = None
        best_score: tuple[float, ...] = ()
        for trip in trips:
            waiting = [name for name in trip.places if any(self.left.get(name, {}).values())]
            aboard = [name for name in waiting if name == trip.places[name] == transport.space]
            aboard = [name for name in aboard if self.view.board.spaces[name].kind == "sea"]
            ashore = [name for name in waiting if name not in aboard]
            for chosen in combinations(ashore, min(self.view.rules.pickups, len(ashore))):
                for room in self.view.unit(transport).carries:
                    cargo = self._fill(room, trip, [*aboard, *chosen])
                    score = self._score(cargo, aboard, len(trip.route))
                    if cargo and score > best_score:
                        spare = reach.difference(chosen) if len(cargo) < len(room) else frozenset[str]()
                        best, best_score = Load(transport, trip.route, cargo, spare), score
        return best

    def _score(self, cargo: tuple[Cargo, ...], aboard: list[str], length: int) -> tuple[float, ...]:
        """Rank loads: cargo aboard already, how many fight, how many ride, their worth; short ways first."""
        units = [self.view.unit(entry.piece) for entry in cargo]
        return (
            sum(entry.source.space in aboard for entry in cargo),
            sum("waits" not in unit.tags for unit in units),
            len(units),
            sum(unit.cost for unit in units),
            -length,
        )

    def _fill(self, room: tuple[str, ...], trip: _Trip, territories: list[str]) -> tuple[Cargo, ...]:
        """Cargo for a transport, the choosiest place first; pieces aboard come first, then the worthiest."""
        spaces = self.view.board.spaces
        waiting = [piece for name in territories for piece in self.left[name]]
        waiting.sort(key=lambda piece: (spaces[piece.space].kind == "sea", self._worth(piece)), reverse=True)
        free = {piece: self.left[piece.space][piece] for piece in waiting}
        cargo: list[Cargo] = []
        for place in sorted(room, key=lambda tag: tag == ""):
            for piece in waiting:
                if free[piece] and _fits(self.view.unit(piece), place):
                    free[piece] -= 1
                    cargo.append(Cargo(piece, replace(piece, count=1), trip.places[piece.space]))
                    break
        return tuple(cargo)


def _fits(unit: Unit, place: str) -> bool:
    """Whether a unit may take a place aboard."""
    return unit.domain == "land" and (not place or place in unit.tags)
