"""Routes on the map: which borders a piece may cross, the cheapest way, and what bars it.

All borders cost 1. Among routes of one length the one under fewest mines and forts is taken.
"""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple

from battlecalc.mapping.board import Piece, View
from battlecalc.mapping.rules import Unit
from battlecalc.mapping.tables import MapError

# Far above the dangers a route can collect, so that length comes first.
_STEP = 1000
# A node that is no space: the arrival in the target, which may be hostile as no space on the way may.
_ARRIVAL = ""


class Mover(NamedTuple):
    """What matters of a unit to where it may pass."""

    domain: str
    blitz: bool
    sneaks: bool


class Obstacle(NamedTuple):
    """The rule that bars a border, and where."""

    rule: str
    at: str


Routes = dict[str, tuple[str, ...]]


def networkx() -> Any:
    """Import the graph library, which only maps need."""
    try:
        return import_module("networkx")
    except ImportError:
        raise MapError("routes on a map need networkx; pip install 'battlecalc[muster]'") from None


def mover(unit: Unit) -> Mover:
    """Class of a unit for its routes."""
    return Mover(unit.domain, "blitz" in unit.tags, "sneaks" in unit.tags)


def cost(route: tuple[str, ...]) -> int:
    """Movement that a route takes."""
    return len(route) - 1


class Ways:
    """Graphs of one power's moves, built when first asked for."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._strict: dict[Mover, Any] = {}
        self._steps: dict[str, Any] = {}
        self._to: dict[tuple[Mover, str], Routes] = {}
        self._loose: dict[tuple[str, str, bool], Routes] = {}
        board = view.board
        self._barred: dict[tuple[str, frozenset[str]], Obstacle] = {}
        for barrier in board.barriers:
            for domain in barrier.stops:
                self._barred[domain, frozenset(barrier.between)] = Obstacle("barrier", barrier.name)
        for strait in board.straits:
            self._barred["land", frozenset(strait.shores)] = Obstacle("barrier", strait.name)
            if not view.strait_open(strait):
                self._barred["sea", frozenset(strait.zones)] = Obstacle("strait", strait.name)
        self._forts: dict[frozenset[str], int] = {}
        for passage in board.passages:
            key = frozenset(passage.between)
            guns = sum(self.forts(space) for space in passage.forts)
            self._forts[key] = self._forts.get(key, 0) + guns

    def forts(self, space: str) -> int:
        """Enemy forts in a land space."""
        view = self.view
        return sum(
            piece.count
            for piece in view.enemies(space)
            if view.is_enemy(piece.power) and "fort" in view.unit(piece).tags
        )

    def forts_beside(self, start: str, end: str) -> int:
        """Enemy forts that fire on ships between two zones."""
        return self._forts.get(frozenset((start, end)), 0)

    def mined(self, space: str) -> bool:
        """Whether a zone holds an enemy's mines."""
        return self.view.is_enemy(self.view.board.spaces[space].mines)

    def crossing(self, domain: str, start: str, end: str) -> Obstacle | None:
        """Find what bars a border itself."""
        return self._barred.get((domain, frozenset((start, end))))

    def entering(self, kind: Mover, start: str, end: str) -> Obstacle | None:
        """Find what keeps a piece from entering a space on its way to another."""
        view = self.view
        space = view.board.spaces[end]
        if "impassable" in space.flags or view.neutral(end):
            return Obstacle("neutral", end)
        if kind.domain == "land":
            if space.contested:
                return Obstacle(
                    "contested_through" if "contested_through" in view.rules else "hostile_territory", end
                )
            empty = kind.blitz and not view.enemies(end)
            return None if view.friendly(end) or empty else Obstacle("hostile_territory", end)
        if kind.domain == "sea":
            if space.kind == "land":
                return None if view.friendly(end) else Obstacle("hostile_territory", end)
            if view.hostile(end) and not (kind.sneaks and not view.hunted(end)):
                leaving = view.board.spaces[start].kind == "land" and "blockade" in view.rules
                return Obstacle("blockade" if leaving else "hostile_zone", end)
        return None

    def steps(self, domain: str) -> Any:
        """Graph of all borders that pieces of a domain could ever use, with their dangers."""
        if domain not in self._steps:
            nx = networkx()

            spaces = self.view.board.spaces
            graph = nx.DiGraph()
            graph.add_nodes_from(spaces)
            for space in spaces.values():
                for end in space.borders:
                    if self._joined(domain, space.id, end):
                        danger = (
                            int(self.mined(end)) + self.forts_beside(space.id, end) if domain == "sea" else 0
                        )
                        graph.add_edge(space.id, end, weight=_STEP + min(danger, _STEP // 50))
            self._steps[domain] = graph
        return self._steps[domain]

    def _joined(self, domain: str, start: str, end: str) -> bool:
        """Whether a border leads anywhere for a domain; ships use the ports of the land spaces."""
        spaces = self.view.board.spaces
        if domain == "air":
            return True
        if domain == "land":
            return spaces[start].kind == spaces[end].kind == "land"
        if "ports" in self.view.rules and spaces[start].kind != spaces[end].kind:
            return end in spaces[start].port or start in spaces[end].port
        return spaces[start].kind == spaces[end].kind == "sea"

    def graph(self, kind: Mover) -> Any:
        """Graph of the borders that a class of pieces may cross now, on the way to another space."""
        if kind not in self._strict:
            steps = self.steps(kind.domain)
            graph = steps.__class__()
            graph.add_nodes_from(steps)
            graph.add_edges_from(
                (start, end, data)
                for start, end, data in steps.edges(data=True)
                if not (self.crossing(kind.domain, start, end) or self.entering(kind, start, end))
            )
            self._strict[kind] = graph
        return self._strict[kind]

    def to(self, kind: Mover, target: str) -> Routes:
        """Best route to a target, that may be hostile itself, from every space that has one."""
        key = (kind, target)
        if key not in self._to:
            nx = networkx()

            graph = self.graph(kind)
            last = [
                (start, _ARRIVAL, data["weight"])
                for start, _, data in self.steps(kind.domain).in_edges(target, data=True)
                if not self.crossing(kind.domain, start, target)
            ]
            graph.add_node(_ARRIVAL)
            graph.add_weighted_edges_from(last)
            _, paths = nx.single_source_dijkstra(graph.reverse(copy=False), _ARRIVAL)
            graph.remove_node(_ARRIVAL)
            del paths[_ARRIVAL]
            routes = {start: (*reversed(path[1:]), target) for start, path in paths.items()}
            routes[target] = (target,)
            self._to[key] = routes
        return self._to[key]

    def within(self, kind: Mover, start: str, left: int) -> Routes:
        """Best route to every space that a piece may end in without a battle."""
        nx = networkx()

        _, paths = nx.single_source_dijkstra(self.graph(kind), start, cutoff=(left + 1) * _STEP - 1)
        return {end: tuple(path) for end, path in paths.items()}

    def why_not(self, unit: Unit, piece: Piece, target: str) -> Obstacle:
        """Find the rule that keeps a piece from reaching a target."""
        kind = mover(unit)
        for closed in (False, True):
            path = self._any_to(kind.domain, target, closed).get(piece.space)
            if path is None:
                continue
            if closed or cost(path) <= piece.left:
                for start, end in pairwise(path):
                    barred = self.crossing(kind.domain, start, end)
                    if barred is None and end != target:
                        barred = self.entering(kind, start, end)
                    if barred is not None:
                        return barred
            return Obstacle("range", f"{cost(path)} away, {piece.left} left")
        return Obstacle("no_route", f"no way from {piece.space} to {target}")

    def _any_to(self, domain: str, target: str, closed: bool) -> Routes:
        """Shortest ways to a target as if no piece stood in them; `closed` borders too, or not."""
        key = (domain, target, closed)
        if key not in self._loose:
            nx = networkx()

            graph = self.steps(domain)
            if not closed:
                graph = graph.__class__(edge for edge in graph.edges if not self.crossing(domain, *edge))
            paths = (
                nx.single_source_shortest_path(graph.reverse(copy=False), target) if target in graph else {}
            )
            self._loose[key] = {start: tuple(reversed(path)) for start, path in paths.items()}
        return self._loose[key]
