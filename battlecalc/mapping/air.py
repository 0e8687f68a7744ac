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

    def nearest(self, near: Routes) -> tuple[int, str]:
        """Distance and zone of the nearest place it can be."""
        return min(((cost(near[zone]), zone) for zone in self.zones if zone in near), default=(10_000, ""))


def free_decks(
    view: View, ways: Ways, joining: Mapping[str, str], staying: Iterable[Piece], after_battle: bool = False
) -> list[Deck]:
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
    decks: list[Deck] = []
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
            zones = frozenset({piece.space, *ways.within(mover(unit), piece.space, piece.left)})
        room = unit.decks * piece.count
        used = min(room, taken.get(piece.space, 0))
        taken[piece.space] = taken.get(piece.space, 0) - used
        decks += [Deck(zones, joins)] * (room - used)
    for piece in view.board.mobilise:
        if piece.power == view.power.id:
            decks += [Deck(frozenset({piece.space}), False)] * (view.unit(piece).decks * piece.count)
    return decks


def take_deck(decks: list[Deck], near: Routes, left: int) -> tuple[str, Deck] | None:
    """Take the nearest deck within reach off the list; called for the planes with least movement first."""
    best = min(decks, key=lambda deck: deck.nearest(near), default=None)
    if best is None or best.nearest(near)[0] > left:
        return None
    decks.remove(best)
    return best.nearest(near)[1], best
