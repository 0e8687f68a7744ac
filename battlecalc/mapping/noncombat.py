"""`after`: the non-combat move, once the battles are fought."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from battlecalc.mapping.air import AIR, Decks, free_decks, landing_places
from battlecalc.mapping.board import Map, Piece, View
from battlecalc.mapping.files import read_map
from battlecalc.mapping.hazards import expected_losses, on_route
from battlecalc.mapping.rail import Railway
from battlecalc.mapping.results import After, ForcedOut, Kept, Move, force_text, keep, total
from battlecalc.mapping.routes import Obstacle, Routes, Ways, mover


def after(map: Map | str | os.PathLike[str], power: str) -> After:
    """Non-combat move of a power: what may land, ride, entrench, walk or sail where, and what may not.

    Parameters
    ----------
    map : Map or path
        The map as it stands after the battles: taken territory is flagged `newly_captured`, and pieces say
        whether they moved or fought.
    power : str
        Whose move it is.

    Returns
    -------
    After
        Places for every piece, or the rule that holds it.

    Examples
    --------
    >>> found = after("channel-and-straits", "russia")
    >>> [piece.space for piece in found.entrench]
    ['odessa', 'moscow']
    """
    board = map if isinstance(map, Map) else read_map(map)
    return _Quiet(View(board, power)).result()


def rail_route(
    map: Map | str | os.PathLike[str], power: str, start: str, goal: str
) -> tuple[str, ...] | Obstacle:
    """Way of a rail move, or the rule that forbids it and the place where it does.

    Examples
    --------
    >>> rail_route("channel-and-straits", "russia", "moscow", "odessa")
    ('moscow', 'kiev', 'odessa')
    """
    board = map if isinstance(map, Map) else read_map(map)
    return Railway(View(board, power)).route(board.space(start).id, board.space(goal).id)


class _Quiet:
    """One non-combat move in the making."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.ways = Ways(view)
        self.kept: list[Kept] = []

    def result(self) -> After:
        """Everything, piece by piece."""
        view = self.view
        landings = list(self._landings())
        lost = [entry.piece for entry in self.kept if entry.what == "land"]
        rail = list(self._rail())
        entrench = [piece for piece in view.own if view.unit(piece).entrenches_as and self._entrenches(piece)]
        moves = list(self._moves())
        notes = ["aircraft that cannot land are lost"] if lost else []
        return After(
            map=view.board.name,
            ruleset=view.board.ruleset,
            power=view.power.id,
            landings=tuple(landings),
            rail=tuple(rail),
            entrench=tuple(entrench),
            moves=tuple(moves),
            kept=tuple(self.kept),
            forced_out=tuple(self._forced_out()),
            lost=force_text(view.rules, total(lost)),
            notes=tuple(notes),
        )

    def _keep(self, piece: Piece, barred: Obstacle, what: str) -> None:
        self.kept.append(keep(self.view, piece, barred, what))

    # ------------------------------------------------------------ aircraft

    def _landings(self) -> Iterable[Move]:
        """Places where each aircraft may land; those that need a carrier choose their deck first."""
        waiting: list[tuple[Piece, Routes]] = []
        free: list[tuple[Piece, Routes, list[str]]] = []
        for piece in self.view.own:
            unit = self.view.unit(piece)
            if unit.domain != "air":
                continue
            near = self.ways.within(AIR, piece.space, piece.left)
            places = landing_places(self.view, unit, near, piece.left)
            if places:
                free.append((piece, near, places))
            elif "deck" in unit.lands_on:
                waiting += [(replace(piece, count=1), near)] * piece.count
            else:
                self._keep(piece, Obstacle(self._landing_rule(piece), f"{piece.left} left"), "land")
        decks = self._decks()
        yield from self._on_decks(waiting, decks)
        zones = decks.zones()
        for piece, near, places in free:
            if "deck" in self.view.unit(piece).lands_on:
                places = [*places, *sorted(zones.intersection(near))]
            yield Move(piece, {end: near[end] for end in places})

    def _decks(self) -> Decks:
        """Places on carriers that no ally takes."""
        allied = [piece for piece in self.view.board.pieces() if self.view.is_friend(piece.power)]
        planes = [p for p in allied if p.power != self.view.power.id and self.view.unit(p).domain == "air"]
        return free_decks(self.view, self.ways, {}, planes, after_battle=True)

    def _on_decks(self, waiting: list[tuple[Piece, Routes]], decks: Decks) -> Iterable[Move]:
        """Planes that land on a carrier, and note those for whom none is left."""
        placed: dict[tuple[Piece, str], int] = {}
        failed: dict[Piece, int] = {}
        ways: dict[tuple[Piece, str], tuple[str, ...]] = {}
        for piece, near in sorted(waiting, key=lambda flight: flight[0].left):
            found = decks.take(near, piece.left)
            if found is None:
                failed[piece] = failed.get(piece, 0) + 1
            else:
                key = (piece, found[0])
                placed[key] = placed.get(key, 0) + 1
                ways[key] = near[found[0]]
        for piece, count in failed.items():
            self._keep(replace(piece, count=count), Obstacle("carrier", f"{piece.left} left"), "land")
        for (piece, zone), count in placed.items():
            yield Move(replace(piece, count=count), {zone: ways[piece, zone]}, deck=True)

    def _landing_rule(self, piece: Piece) -> str:
        return "wider_landing" if "open_sea" in self.view.unit(piece).lands_on else "landing"

    # ------------------------------------------------------------ land pieces and ships

    def _rail(self) -> Iterable[Move]:
        """Rail moves of pieces that have neither moved nor fought."""
        if self.view.rules.rail is None:
            return
        railway = Railway(self.view)
        for piece in self.view.own:
            if "rail" not in self.view.unit(piece).tags or self.view.board.spaces[piece.space].kind == "sea":
                continue
            if piece.moved or piece.fought:
                self._keep(piece, Obstacle("done", "moved already" if piece.moved else "fought"), "rail")
                continue
            routes = railway.routes(piece.space)
            if isinstance(routes, Obstacle):
                self._keep(piece, routes, "rail")
            elif routes:
                yield Move(piece, routes)

    def _entrenches(self, piece: Piece) -> bool:
        """Whether infantry may entrench; notes the rule where not."""
        if "entrench" not in self.view.rules or self.view.board.spaces[piece.space].kind == "sea":
            return False
        if piece.moved:
            self._keep(piece, Obstacle("entrench", "moved"), "entrench")
        return not piece.moved

    def _moves(self) -> Iterable[Move]:
        """Ordinary moves of land pieces and ships."""
        for piece in self.view.own:
            unit = self.view.unit(piece)
            space = self.view.board.spaces[piece.space]
            if unit.domain == "air" or not unit.move or (unit.domain == "land" and space.kind == "sea"):
                continue
            if piece.moved or piece.fought:
                self._keep(piece, Obstacle("done", "moved already" if piece.moved else "fought"), "move")
                continue
            if unit.domain == "land" and space.contested and "contested_start" in self.view.rules:
                self._keep(piece, Obstacle("contested_start", piece.space), "move")
                continue
            routes = self.ways.within(mover(unit), piece.space, piece.left)
            del routes[piece.space]
            if not routes:
                self._shut_in(piece)
                continue
            losses = {}
            if unit.domain == "sea":
                for end, route in routes.items():
                    met = on_route(self.view, self.ways, unit, route)
                    mean = expected_losses(self.view.rules, [(piece.unit, piece.count, met)])
                    if mean:
                        losses[end] = mean[piece.unit]
            yield Move(piece, routes, hazards=losses or None)

    def _shut_in(self, piece: Piece) -> None:
        """Note the rule that closes the first border of a piece that can go nowhere."""
        kind = mover(self.view.unit(piece))
        for end in self.ways.steps(kind.domain)[piece.space]:
            barred = self.ways.crossing(kind.domain, piece.space, end) or self.ways.entering(
                kind, piece.space, end
            )
            if barred is not None:
                self._keep(piece, barred, "move")
                return

    def _forced_out(self) -> Iterable[ForcedOut]:
        """Own ships in ports of territory that fell."""
        if "port_forced_out" not in self.view.rules:
            return
        for piece in self.view.own:
            space = self.view.board.spaces[piece.space]
            if (
                self.view.unit(piece).domain == "sea"
                and space.kind == "land"
                and not self.view.is_friend(space.owner)
            ):
                yield ForcedOut(piece, space.port, self.view.rule("port_forced_out"))
