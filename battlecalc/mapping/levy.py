"""One muster in the making: who is fit, who joined, who was kept out by which rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from battlecalc.mapping.air import AIR, Deck, free_decks, landing_places
from battlecalc.mapping.board import Piece, Space, View
from battlecalc.mapping.hazards import on_route
from battlecalc.mapping.results import Joining, Kept, force_text, keep, total
from battlecalc.mapping.routes import Obstacle, Routes, Ways, cost, mover
from battlecalc.mapping.rules import Unit
from battlecalc.mapping.tables import MapError


@dataclass
class Levy:
    """The pieces of one power, as they join an attack on a space or are kept out."""

    view: View
    target: Space
    ways: Ways
    one_way: bool = False
    joining: list[Joining] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    fit: list[Piece] = field(default_factory=list)
    """Pieces that no rule keeps out before routes are looked at."""

    def call(self, without: str) -> None:
        """Sort out who is fit, less the pieces that are to be left out."""
        for piece in self._available(without):
            barred = self._unfit(piece)
            if barred is None:
                self.fit.append(piece)
            else:
                self.keep(piece, barred)

    def _available(self, without: str) -> list[Piece]:
        spare = self.view.rules.force(without) if without else {}
        found = []
        for piece in reversed(self.view.own):
            out = min(piece.count, spare.get(piece.unit, 0))
            if out:
                spare[piece.unit] -= out
            if piece.count > out:
                found.append(replace(piece, count=piece.count - out))
        if missing := force_text(self.view.rules, spare):
            raise MapError(f"cannot leave out {without!r}: {self.view.power.id!r} lacks {missing}")
        return found[::-1]

    def _unfit(self, piece: Piece) -> Obstacle | None:
        """Rule that keeps a piece out of any attack on the target, wherever it stands."""
        unit = self.view.unit(piece)
        space = self.view.board.spaces[piece.space]
        rules = self.view.rules
        if "noncombat" in unit.tags:
            return Obstacle("noncombat", "")
        if "defends_only" in unit.tags:
            return Obstacle("defends_only", "")
        if piece.fought:
            return Obstacle("fought", "fought already")
        if unit.domain == "land" and space.contested and space.kind == "land" and not piece.moved:
            elsewhere = space.id != self.target.id
            return Obstacle("contested_start", space.id) if elsewhere and "contested_start" in rules else None
        if unit.domain == "land" and self.target.kind == "sea":
            return Obstacle("cargo_only" if space.kind == "sea" else "not_at_sea", "")
        return None

    def of(self, domain: str) -> list[Piece]:
        """Fit pieces of a domain."""
        return [piece for piece in self.fit if self.view.unit(piece).domain == domain]

    def keep(self, piece: Piece, barred: Obstacle) -> None:
        """Note that pieces stay out, and why."""
        self.kept.append(keep(self.view, piece, barred))

    def keep_away(self, piece: Piece, target: str) -> None:
        """Note that pieces do not reach a space, and why."""
        self.keep(piece, self.ways.why_not(self.view.unit(piece), piece, target))

    def join(
        self, piece: Piece, part: str, route: tuple[str, ...], *, spent: int | None = None, rides: str = ""
    ) -> None:
        """Let pieces join by a route."""
        hazards = on_route(self.view, self.ways, self.view.unit(piece), route)
        spent = cost(route) if spent is None else spent
        self.joining.append(Joining(piece, part, route, spent, rides=rides, hazards=hazards))

    def route(self, piece: Piece, target: str) -> tuple[str, ...] | None:
        """Route of a piece to a target within the movement that it has left."""
        route = self.ways.to(mover(self.view.unit(piece)), target).get(piece.space)
        return route if route is not None and cost(route) <= piece.left else None

    def count(self, *parts: str) -> dict[str, int]:
        """Count by unit those who joined in some parts of the battle."""
        return total(entry.piece for entry in self.joining if entry.part in parts)

    # ------------------------------------------------------------ aircraft

    def fly(self, flights: Iterable[tuple[Piece, str]], fleet: str) -> None:
        """Let aircraft join that reach their battle and can land after it.

        Parameters
        ----------
        flights : iterable of (Piece, str)
            Aircraft, and the space where they are to fight.
        fleet : str
            Zone in which the ships of this attack fight, or an empty text.
        """
        waiting: list[_Flight] = []
        for piece, battle in flights:
            route = self.route(piece, battle)
            if route is None:
                self.keep_away(piece, battle)
                continue
            unit = self.view.unit(piece)
            left = piece.left - cost(route)
            near = self._near(battle)
            places = landing_places(self.view, unit, near, left, battle, piece.space)
            flight = _Flight(
                piece, route, battle, left, near, "air" if battle == self.target.id else "air at sea"
            )
            if places:
                self._take_off(flight, places[0])
            elif "deck" in unit.lands_on:
                waiting += [replace(flight, piece=replace(piece, count=1))] * piece.count
            else:
                self._stranded(flight, unit)
        self._find_decks(waiting, fleet)

    def _near(self, battle: str) -> Routes:
        """Ways of aircraft from a battle, as far as any flies."""
        furthest = max(unit.move for unit in self.view.rules.units.values() if unit.domain == "air")
        return self.ways.within(AIR, battle, furthest)

    def _take_off(self, flight: _Flight, lands: str, deck: Deck | None = None) -> None:
        self.joining.append(
            Joining(
                flight.piece,
                flight.part,
                flight.route,
                cost(flight.route),
                lands=lands,
                deck=deck is not None,
                own_deck=deck is not None and deck.joins,
            )
        )

    def _stranded(self, flight: _Flight, unit: Unit) -> None:
        """Aircraft without a place to land stay out, or go all the same where that was asked."""
        if self.one_way:
            self._take_off(flight, "")
            return
        rule = "carrier" if "deck" in unit.lands_on else "landing"
        rule = "wider_landing" if "open_sea" in unit.lands_on else rule
        away = f"{cost(flight.route)} spent, no place to land within {flight.left}"
        self.keep(flight.piece, Obstacle(rule, away))

    def _find_decks(self, waiting: list[_Flight], fleet: str) -> None:
        """Give planes places on carriers; those refused keep their own deck, so it is tried again."""
        joining = {
            entry.piece.space: fleet for entry in self.joining if fleet and self.view.unit(entry.piece).decks
        }
        waiting.sort(key=lambda flight: flight.left)
        refused: list[_Flight] = []
        while waiting:
            decks = free_decks(self.view, self.ways, joining, self._staying(waiting))
            found = [(flight, decks.take(flight.near, flight.left)) for flight in waiting]
            failed = [flight for flight, deck in found if deck is None]
            refused += failed
            if not failed or all(self.view.board.spaces[f.piece.space].kind == "land" for f in failed):
                for flight, deck in found:
                    if deck is not None:
                        self._take_off(flight, *deck)
                break
            waiting = [flight for flight, deck in found if deck is not None]
        for flight in refused:
            self._stranded(flight, self.view.unit(flight.piece))

    def _staying(self, waiting: list[_Flight]) -> list[Piece]:
        """Friendly aircraft at sea that keep their places aboard while others fly."""
        gone: Counter[tuple[str, str]] = Counter()
        for piece in (*(e.piece for e in self.joining), *(flight.piece for flight in waiting)):
            gone[piece.space, piece.unit] += piece.count
        found = []
        for piece in self.view.board.pieces():
            if self.view.unit(piece).domain != "air" or not self.view.is_friend(piece.power):
                continue
            out = min(gone[piece.space, piece.unit], piece.count) if piece.power == self.view.power.id else 0
            gone[piece.space, piece.unit] -= out
            if piece.count > out:
                found.append(replace(piece, count=piece.count - out))
        return found


@dataclass(frozen=True)
class _Flight:
    """Aircraft on their way to a battle, with what is left to land."""

    piece: Piece
    route: tuple[str, ...]
    battle: str
    left: int
    near: Routes
    part: str
