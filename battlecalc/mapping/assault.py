"""Attacks on a territory: over land, landing from the sea, or both."""

from __future__ import annotations

from dataclasses import replace

from battlecalc.mapping.board import Piece
from battlecalc.mapping.cargo import Loader
from battlecalc.mapping.forming import add, result
from battlecalc.mapping.levy import Levy
from battlecalc.mapping.results import Muster, force_text, total
from battlecalc.mapping.routes import Obstacle, cost
from battlecalc.mapping.tables import MapError


class Assault:
    """Attack on a territory, over land, from the sea, or both."""

    def __init__(self, levy: Levy, by: str | None, fight: bool) -> None:
        self.levy = levy
        self.view = levy.view
        self.target = levy.target.id
        self.by = by
        self.fight = fight
        self.loader: Loader | None = None

    @property
    def landing_zone(self) -> str:
        """Zone that somebody lands from, or an empty text."""
        return self.loader.zone if self.loader is not None and self.loader.loads else ""

    def run(self, zone: str, at_sea: str) -> Muster:
        """Choose zone and ways, let everybody join, and form the forces."""
        levy = self.levy
        guns = [piece for piece in levy.of("land") if self._supports(piece)]
        walkers = [piece for piece in levy.of("land") if piece not in guns]
        overland = [piece for piece in walkers if levy.route(piece, self.target)]
        apart = "no_overland" in self.view.rules
        if apart and self.by is None:
            self.by = "land" if overland and not zone else "sea"
        if self.by != "land":
            self.loader = self._choose(zone, walkers if apart else [p for p in walkers if p not in overland])
        if apart and self.by == "sea":
            overland = []
        for piece in overland:
            levy.join(
                piece, "overland" if self.landing_zone else "land", levy.route(piece, self.target) or ()
            )
        for piece in guns:
            if self.landing_zone:
                levy.keep(piece, Obstacle("stays_ashore", ""))
            else:
                levy.join(piece, "support", (piece.space,))
        carried = self._carry()
        for piece in walkers:
            rest = piece.count - carried.get(piece, 0)
            if piece not in overland and rest:
                levy.keep(replace(piece, count=rest), self._why_ashore(piece))
        battle_zone = self.landing_zone if self.landing_zone and self._sea_battle(self.landing_zone) else ""
        self._sail(self.landing_zone, battle_zone)
        levy.fly(self._assign(at_sea, battle_zone), fleet=battle_zone)
        if all(entry.part == "support" for entry in levy.joining):
            for entry in levy.joining:
                levy.keep(entry.piece, Obstacle("adjacent_guns", "nobody else attacks"))
            levy.joining.clear()
        return self._form(battle_zone)

    # ------------------------------------------------------------ land pieces

    def _beside(self, space: str) -> bool:
        """Whether a space is adjacent to the target by land, without a barrier."""
        return self.levy.ways.steps("land").has_edge(space, self.target) and not self.levy.ways.crossing(
            "land", space, self.target
        )

    def _supports(self, piece: Piece) -> bool:
        """Whether a piece fires into the battle from beside it."""
        return bool(self.view.unit(piece).supports_as) and not piece.moved and self._beside(piece.space)

    def _choose(self, zone: str, cargo: list[Piece]) -> Loader | None:
        """Loader of the zone from which most can land."""
        spaces = self.view.board.spaces
        shores = [name for name in self.levy.target.borders if spaces[name].kind == "sea"]
        if zone and zone not in shores:
            raise MapError(f"{zone!r} is no sea zone that borders {self.target!r}")
        free = [
            name for name in shores if not ("contested_zone" in self.view.rules and spaces[name].contested)
        ]
        if zone and zone not in free:
            raise MapError(f"cannot land from {zone!r}: {self.view.rule('contested_zone')}")
        transports = [piece for piece in self.levy.of("sea") if self.view.unit(piece).carries]
        able = [piece for piece in cargo if "stays_ashore" not in self.view.unit(piece).tags]
        found = [
            Loader(self.view, self.levy.ways, name, able, transports) for name in ([zone] if zone else free)
        ]
        return max(
            found, key=lambda loader: (*loader.worth(), not self._sea_battle(loader.zone)), default=None
        )

    def _carry(self) -> dict[Piece, int]:
        """Let transports and their cargo join; what was carried of each piece."""
        if self.loader is None:
            return {}
        joined: dict[tuple[Piece, str, tuple[str, ...], int, str], int] = {}
        carried: dict[Piece, int] = {}
        for load in self.loader.loads:
            key = (load.transport, "transport", load.route, cost(load.route), "")
            joined[key] = joined.get(key, 0) + 1
            for source, piece, place in load.cargo:
                carried[source] = carried.get(source, 0) + 1
                start = () if place == piece.space else (piece.space,)
                route = (*start, *load.route[load.route.index(place) :], self.target)
                key = (piece, "landing", route, cost(load.route), load.transport.space)
                joined[key] = joined.get(key, 0) + 1
        for (piece, part, route, spent, rides), count in joined.items():
            self.levy.join(replace(piece, count=count), part, route, spent=spent, rides=rides)
        return carried

    def _why_ashore(self, piece: Piece) -> Obstacle:
        """Rule that keeps a land piece out of the battle."""
        unit, loader = self.view.unit(piece), self.loader
        by_land = self.levy.ways.why_not(unit, piece, self.target)
        if self.levy.route(piece, self.target):
            return Obstacle("no_overland", "")
        sea_only = by_land.rule in ("no_route", "barrier")
        if self.by == "land":
            coastal = any(self.view.board.spaces[name].kind == "sea" for name in self.levy.target.borders)
            return Obstacle("no_overland", "attack over land") if sea_only and coastal else by_land
        if self.landing_zone and "stays_ashore" in unit.tags:
            return Obstacle("stays_ashore", "")
        if loader is not None and (
            sea_only or piece.space in loader.reached or piece.space in loader.blocked
        ):
            return loader.why_left(piece)
        return by_land

    # ------------------------------------------------------------ ships and planes

    def _sea_battle(self, zone: str) -> bool:
        """Whether a landing from a zone has to win it first, or is to."""
        ships = [piece for piece in self.view.enemies(zone) if self.view.unit(piece).domain == "sea"]
        return bool(ships) and ("ignore" not in self.view.rules or self.fight or self.view.hostile(zone))

    def _sail(self, zone: str, battle_zone: str) -> None:
        """Let warships join, and say why ships stay out."""
        levy = self.levy
        loaded: dict[Piece, int] = {}
        for entry in levy.joining:
            if entry.part == "transport":
                one = replace(entry.piece, count=1)
                loaded[one] = loaded.get(one, 0) + entry.piece.count
        for piece in levy.of("sea"):
            unit = self.view.unit(piece)
            one = replace(piece, count=1)
            if unit.carries:
                used = min(loaded.get(one, 0), piece.count)
                loaded[one] = loaded.get(one, 0) - used
                if piece.count > used:
                    levy.keep(replace(piece, count=piece.count - used), Obstacle("no_cargo", ""))
                continue
            route = levy.route(piece, zone) if zone else None
            if not zone or (route and not battle_zone and "bombards" not in unit.tags):
                levy.keep(piece, Obstacle("no_sea_battle", "" if zone else "no landing"))
            elif route is None:
                levy.keep_away(piece, zone)
            else:
                levy.join(piece, "bombardment" if "bombards" in unit.tags else "sea", route)

    def _assign(self, at_sea: str, zone: str) -> list[tuple[Piece, str]]:
        """Where each plane fights: at sea as many as asked, and those that reach only the sea battle."""
        if at_sea and not zone:
            raise MapError(f"planes {at_sea!r} cannot go to sea: no sea battle comes before this attack")
        wanted = self.view.rules.force(at_sea) if at_sea else {}
        flights: list[tuple[Piece, str]] = []
        for piece in self.levy.of("air"):
            reaches = bool(zone and self.levy.route(piece, zone))
            count = min(wanted.get(piece.unit, 0), piece.count) if reaches else 0
            if reaches and not self.levy.route(piece, self.target):
                count = piece.count
            if count:
                wanted[piece.unit] = max(wanted.get(piece.unit, 0) - count, 0)
                flights.append((replace(piece, count=count), zone))
            if piece.count > count:
                flights.append((replace(piece, count=piece.count - count), self.target))
        if missing := force_text(self.view.rules, wanted):
            raise MapError(f"cannot send {at_sea!r} to sea: {missing} too many of those that reach {zone!r}")
        return flights

    # ------------------------------------------------------------ forces

    def _form(self, battle_zone: str) -> Muster:
        """Count the forces of both sides."""
        levy, view = self.levy, self.view
        landing = levy.count("landing")
        units = view.rules.units
        guns = {units[unit].supports_as: count for unit, count in levy.count("support").items()}
        beside = (p for s in levy.target.borders for p in view.enemies(s) if view.is_enemy(p.power))
        inside = total(piece for piece in view.enemies(self.target) if view.unit(piece).domain != "sea")
        # Guns beside an empty territory have no battle to fire into.
        enemy_guns = total(piece for piece in beside if self._supports(piece)) if inside else {}
        return result(
            levy,
            "invasion" if landing else "land",
            add(levy.count("land", "landing", "air", "bombardment", "transport"), guns),
            add(inside, {units[unit].supports_as: count for unit, count in enemy_guns.items()}),
            zone=self.landing_zone,
            battle_zone=battle_zone,
            overland=levy.count("overland"),
            sea_attacker=levy.count("sea", "air at sea"),
        )
