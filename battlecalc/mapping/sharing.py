"""Hostile sea zones in which own ships start the turn, and what they may do about it."""

from __future__ import annotations

from collections.abc import Iterator

from battlecalc.mapping.board import Piece, View
from battlecalc.mapping.results import SharedZone
from battlecalc.mapping.routes import Mover, Ways, cost, mover


def shared_zones(view: View, ways: Ways) -> tuple[SharedZone, ...]:
    """Options of own ships in each hostile zone; empty where the game has no such rule."""
    if "shared_zone" not in view.rules:
        return ()
    ships: dict[str, list[Piece]] = {}
    for piece in view.own:
        ready = view.unit(piece).domain == "sea" and not piece.fought and not piece.moved
        if ready and view.hostile(piece.space):
            ships.setdefault(piece.space, []).append(piece)
    return tuple(
        SharedZone(
            zone=zone,
            rule=view.rule("shared_zone"),
            stay_and_fight=True,
            load_and_return=any(_fetches(view, ways, piece) for piece in own),
            leave_and_fight=any(_fights_elsewhere(view, ways, piece) for piece in own),
            leave_in_peace=any(any(_free(ways, mover(view.unit(piece)), piece)) for piece in own),
        )
        for zone, own in ships.items()
    )


def _free(ways: Ways, kind: Mover, piece: Piece) -> Iterator[tuple[str, int]]:
    """Other zones that a ship can go to without a fight, with their distance."""
    for end, route in ways.within(kind, piece.space, piece.left).items():
        if end != piece.space and not ways.view.hostile(end):
            yield end, cost(route)


def _fetches(view: View, ways: Ways, piece: Piece) -> bool:
    """Whether a transport can leave, load, and come back."""
    if not view.unit(piece).carries:
        return False
    kind = mover(view.unit(piece))
    back = ways.to(kind, piece.space)
    spaces = view.board.spaces
    waiting = {
        own.space for own in view.own if view.unit(own).domain == "land" and not own.moved and not own.fought
    }
    return any(
        away + cost(back[end]) <= piece.left
        and view.may_load(end)
        and any(shore in waiting and spaces[shore].kind == "land" for shore in spaces[end].borders)
        for end, away in _free(ways, kind, piece)
        if end in back
    )


def _fights_elsewhere(view: View, ways: Ways, piece: Piece) -> bool:
    """Whether a ship can reach another zone that holds enemies."""
    kind = mover(view.unit(piece))
    steps = ways.steps("sea")
    for place, route in ways.within(kind, piece.space, piece.left).items():
        if place != piece.space and view.enemies(place):
            return True
        if cost(route) < piece.left:
            ends = (e for e in steps[place] if e != piece.space and view.board.spaces[e].kind == "sea")
            if any(view.enemies(end) and not ways.crossing("sea", place, end) for end in ends):
                return True
    return False
