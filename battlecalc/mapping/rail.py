"""Rail moves, with every condition of the rulebook."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from battlecalc.mapping.board import View
from battlecalc.mapping.routes import Obstacle, Routes, cost, networkx
from battlecalc.mapping.rules import Rail
from battlecalc.mapping.tables import MapError


class Railway:
    """The railways of a map as one power may use them."""

    def __init__(self, view: View) -> None:
        if view.rules.rail is None:
            raise MapError(f"the movement rules {view.rules.id!r} have no rail moves")
        self.view = view
        self.rail: Rail = view.rules.rail
        board = view.board
        self._barriers = {
            frozenset(barrier.between): barrier.name for barrier in board.barriers if "land" in barrier.stops
        }
        self._straits = {frozenset(strait.shores): strait for strait in board.straits}
        self._graph: Any = None
        self._routes: dict[str, Routes] = {}

    def touching(self, name: str) -> Obstacle | None:
        """Find what forbids a rail move to touch a space."""
        space = self.view.board.spaces[name]
        if space.contested:
            return Obstacle("rail_contested", name)
        if not self.view.friendly(name):
            return Obstacle("rail_friendly", name)
        if "newly_captured" in space.flags:
            return Obstacle("rail_new", name)
        for region, home in self.rail.home_regions.items():
            inside = region in space.flags
            if inside and not self.view.is_friend(home):
                return Obstacle("rail_home_region", name)
            if not inside and self.view.power.id == home:
                return Obstacle("rail_home_region", name)
        return None

    def crossing(self, start: str, end: str) -> Obstacle | None:
        """Find what forbids a rail move over a border."""
        spaces = self.view.board.spaces
        strait = self._straits.get(frozenset((start, end)))
        if strait is not None and not (
            strait.open and all(self.view.friendly(shore) for shore in strait.shores)
        ):
            return Obstacle("rail_strait", strait.name)
        barrier = self._barriers.get(frozenset((start, end)))
        if barrier is not None:
            return Obstacle("rail_barrier", barrier)
        for region in self.rail.closed_regions:
            if (region in spaces[start].flags) != (region in spaces[end].flags):
                return Obstacle("rail_closed_region", end)
        for region in self.rail.home_regions:
            if (region in spaces[start].flags) != (region in spaces[end].flags):
                return Obstacle("rail_home_region", end)
        return None

    def _graphs(self) -> tuple[Any, Any]:
        """Borders open to rail, and all borders of land spaces."""
        if self._graph is None:
            nx = networkx()

            spaces = self.view.board.spaces
            every, graph = nx.Graph(), nx.Graph()
            open_spaces = {
                name for name, space in spaces.items() if space.kind == "land" and not self.touching(name)
            }
            for space in spaces.values():
                for end in space.borders:
                    if space.kind == spaces[end].kind == "land" and space.id < end:
                        every.add_edge(space.id, end)
                        if {space.id, end} <= open_spaces and not self.crossing(space.id, end):
                            graph.add_edge(space.id, end)
            for strait in self._straits.values():
                every.add_edge(*strait.shores)
                if set(strait.shores) <= open_spaces and not self.crossing(*strait.shores):
                    graph.add_edge(*strait.shores)
            self._graph = graph, every
        found: tuple[Any, Any] = self._graph
        return found

    def routes(self, start: str) -> Routes | Obstacle:
        """Way to every other space within a rail move, or the rule that closes the start."""
        nx = networkx()

        barred = self.touching(start)
        if barred is not None:
            return barred
        if start not in self._routes:
            graph, _ = self._graphs()
            paths = nx.single_source_shortest_path(graph, start, self.rail.spaces) if start in graph else {}
            self._routes[start] = {end: tuple(path) for end, path in paths.items() if end != start}
        return self._routes[start]

    def route(self, start: str, goal: str) -> tuple[str, ...] | Obstacle:
        """Way between two spaces, or the rule that forbids it."""
        nx = networkx()

        for name in (start, goal):
            if self.view.board.spaces[name].kind == "sea":
                raise MapError(f"{name!r} is a sea zone; a rail move goes from land to land")
        routes = self.routes(start)
        if isinstance(routes, Obstacle):
            return routes
        if goal in routes:
            return routes[goal]
        graph, every = self._graphs()
        if start not in every or goal not in every or not nx.has_path(every, start, goal):
            return Obstacle("no_route", f"no way from {start} to {goal}")
        if start in graph and goal in graph and nx.has_path(graph, start, goal):
            return Obstacle("rail", f"{nx.shortest_path_length(graph, start, goal)} spaces away")
        path = tuple(nx.shortest_path(every, start, goal))
        for here, end in pairwise(path):
            barred = self.crossing(here, end) or self.touching(end)
            if barred is not None:
                return barred
        return Obstacle("rail", f"{cost(path)} spaces away")
