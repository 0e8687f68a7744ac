"""Where aircraft may land, and which carriers can be there in time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from battlecalc.mapping.board import Piece, View
from battlecalc.mapping.routes import Mover, Routes, Ways, cost, mover
from battlecalc.mapping.rules import Unit

AIR = Mover("air", blitz=False, sneaks=False)


def may_land(view: View, unit: Unit, space: str, battle: str = "") -> bool:
    """Whether an aircraft may end the turn in a space; `battle` is the space it fought in, taken as won."""
    found = view.board.spaces[space]
    if found.kind == "sea":
        return "open_sea" in unit.lands_on and (space == battle or not view.enemies(space))
    if found.contested and "contested" in unit.lands_on:
        return True
    if space == battle:
        return "newly_captured" in unit.lands_on
    if view.settled(space):
        return "friendly" in unit.lands_on
    return view.friendly(space) and "newly_captured" in unit.lands_on


def landing_places(
    view: View, unit: Unit, near: Routes, left: int, battle: str = "", home: str = ""
) -> list[str]:
    """Spaces without decks where an aircraft may land, nearest first; of equals the one that it came from."""
    found = [end for end, route in near.items() if cost(route) <= left and may_land(view, unit, end, battle)]
    return sorted(found, key=lambda end: (cost(near[end]), end != home, end))


@dataclass(frozen=True, slots=True)
class Deck:
    """One place on a carrier, with the zones where it can be by the end of the turn."""

    zones: frozenset[str]
    joins: bool
    """Whether its carrier fights in the battle, and may be lost there."""


class Decks:
    """Free places on carriers; equal ones that follow each other are counted, not listed."""

    def __init__(self) -> None:
        self._decks: list[Deck] = []
        self._free: list[int] = []
        self._nearest: dict[int, tuple[Routes, list[tuple[int, str, int]]]] = {}

    def add(self, deck: Deck, count: int) -> None:
        """Add places of one carrier."""
        if self._decks and self._decks[-1] == deck:
            self._free[-1] += count
        else:
            self._decks.append(deck)
            self._free.append(count)

    def zones(self) -> frozenset[str]:
        """Zones where a free place can be."""
        return frozenset().union(*(d.zones for d, free in zip(self._decks, self._free, strict=True) if free))

    def take(self, near: Routes, left: int) -> tuple[str, Deck] | None:
        """Take the nearest place within reach, called for the planes with least movement first.

        Returns
        -------
        (zone, Deck), or None where there is none
        """
        # the routes are kept, so that no others get their number
        if id(near) not in self._nearest:
            self._nearest[id(near)] = near, self._order(near)
        order = self._nearest[id(near)][1]
        while order and not self._free[order[-1][2]]:
            order.pop()
        if not order or order[-1][0] > left:
            return None
        _, zone, place = order[-1]
        self._free[place] -= 1
        return zone, self._decks[place]

    def _order(self, near: Routes) -> list[tuple[int, str, int]]:
        """Distance, zone and number of every place that these routes lead to, the nearest last."""
        found = []
        for number, deck in enumerate(self._decks):
            ends = [(cost(near[zone]), zone, number) for zone in deck.zones if zone in near]
            if ends:
                found.append(min(ends))
        return sorted(found, reverse=True)


def free_decks(
    view: View, ways: Ways, joining: Mapping[str, str], staying: Iterable[Piece], after_battle: bool = False
) -> Decks:
    """Free places on all friendly carriers.

    Parameters
    ----------
    view, ways : View, Ways
        The map and its routes.
    joining : mapping
        Space of a carrier -> the zone where it fights, for those that join the battle.
    staying : iterable of Piece
        Aircraft that keep their place aboard.
    after_battle : bool
        Whether carriers that moved or fought stay where they are.
    """
    decks = Decks()
    reached: dict[tuple[Mover, str, int], frozenset[str]] = {}
    taken: dict[str, int] = {}
    for piece in staying:
        if "deck" in view.unit(piece).lands_on and view.board.spaces[piece.space].kind == "sea":
            taken[piece.space] = taken.get(piece.space, 0) + piece.count
    for piece in view.board.pieces():
        unit = view.unit(piece)
        if not unit.decks or not view.is_friend(piece.power) or view.board.spaces[piece.space].kind == "land":
            continue
        joins = piece.power == view.power.id and piece.space in joining
        if joins:
            zones = frozenset({joining[piece.space]})
        elif piece.power != view.power.id or piece.fought or (after_battle and piece.moved):
            zones = frozenset({piece.space})
        else:
            start = mover(unit), piece.space, piece.left
            if start not in reached:
                reached[start] = frozenset({piece.space, *ways.within(*start)})
            zones = reached[start]
        room = unit.decks * piece.count
        used = min(room, taken.get(piece.space, 0))
        taken[piece.space] = taken.get(piece.space, 0) - used
        decks.add(Deck(zones, joins), room - used)
    for piece in view.board.mobilise:
        if piece.power == view.power.id:
            decks.add(Deck(frozenset({piece.space}), False), view.unit(piece).decks * piece.count)
    return decks
