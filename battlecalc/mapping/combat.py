"""`muster`: from a map to the forces of a battle."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

from battlecalc.mapping.board import Map, Piece, View
from battlecalc.mapping.cargo import Loader
from battlecalc.mapping.files import read_map
from battlecalc.mapping.hazards import expected_losses
from battlecalc.mapping.levy import Levy
from battlecalc.mapping.results import ForcedOut, Joining, Muster, force_text, total
from battlecalc.mapping.routes import Obstacle, Ways, cost
from battlecalc.mapping.rules import Rule
from battlecalc.mapping.sharing import shared_zones
from battlecalc.mapping.tables import MapError


def muster(
    map: Map | str | os.PathLike[str],
    power: str,
    target: str,
    *,
    by: str | None = None,
    zone: str | None = None,
    fight: bool = False,
    at_sea: str = "",
    without: str = "",
    one_way: bool = False,
) -> Muster:
    """Everything of a power that can be in an attack on a space this turn, and why the rest cannot.

    Parameters
    ----------
    map : Map or path
        A map, its file, or the id of one that comes with the package.
    power : str
        Who attacks.
    target : str
        Space under attack, by id or printed name.
    by : {"land", "sea"}, optional
        Way into a territory, in a game that fights landings apart from land battles. By default over land
        if anybody can come that way.
    zone : str, optional
        Sea zone to land from; by default the one from which most can land, then one without a sea battle.
    fight : bool
        Whether to attack ships in that zone that the rules let the attacker ignore.
    at_sea : str
        Aircraft assigned to the sea battle before a landing, as a force string.
    without : str
        Pieces to leave out, as a force string.
    one_way : bool
        Let aircraft fight that have nowhere to land; they are counted in `cannot_land`.

    Returns
    -------
    Muster
        Forces ready for a battle, and every piece with its route or its rule.

    Raises
    ------
    battlecalc.mapping.MapError
        For an unknown power or space, or a space that holds nothing to attack.

    Examples
    --------
    >>> found = muster("western-europe", "united-kingdom", "western-europe")
    >>> found.sequence, found.zone
    ('invasion', 'sz-7')
    >>> found.defender
    '3 infantry, 1 artillery, 1 tank, 1 aa_gun, 1 fighter'
    """
    board = map if isinstance(map, Map) else read_map(map)
    view = View(board, power)
    goal = board.space(target)
    if goal.kind == "sea" and (by or zone or at_sea or fight):
        raise MapError(
            f"{target!r} is a sea zone: 'by', 'zone', 'fight' and 'at_sea' belong to attacks on a territory"
        )
    if by is not None and by not in ("land", "sea"):
        raise MapError(f"unknown way {by!r} into a territory; it is 'land' or 'sea'")
    if by is not None and "no_overland" not in board.rules:
        raise MapError(
            f"'by' has no use with {board.rules.id!r}: land and sea parts are one battle; use 'without'"
        )
    _check_target(view, goal.id)
    levy = Levy(view, goal, Ways(view), one_way=one_way)
    levy.call(without)
    if goal.kind == "sea":
        return _naval(levy)
    return _Assault(levy, by, fight).run(board.space(zone).id if zone else "", at_sea)


def _check_target(view: View, target: str) -> None:
    """Raise if a space holds nothing to attack."""
    space = view.board.spaces[target]
    if "impassable" in space.flags:
        raise MapError(f"{target!r} is impassable; nobody can attack it")
    if not view.enemies(target) and (space.kind == "sea" or view.friendly(target) or view.neutral(target)):
        raise MapError(f"{target!r} holds nothing that {view.power.id!r} could attack")


def _naval(levy: Levy) -> Muster:
    """Attack on a sea zone."""
    view, target = levy.view, levy.target.id
    for piece in levy.of("sea"):
        route = levy.route(piece, target)
        if route is None:
            levy.keep_away(piece, target)
        else:
            levy.join(piece, "sea", route)
    levy.fly([(piece, target) for piece in levy.of("air")], fleet=target)
    guns = total(
        piece
        for shore in levy.target.borders
        if target in view.board.spaces[shore].coastal_guns
        for piece in view.enemies(shore)
        if "fort" in view.unit(piece).tags
    )
    afloat = total(piece for piece in view.enemies(target) if view.unit(piece).domain != "land")
    return _result(levy, "naval", levy.count("sea", "air"), _sum(afloat, guns), battle_zone=target)


class _Assault:
    """Attack on a territory, over land, from the sea, or both."""

    def __init__(self, levy: Levy, by: str | None, fight: bool) -> None:
        self.levy = levy
        self.view = levy.view
        self.target = levy.target.id
        self.by = by
        self.fight = fight
        self.loader: Loader | None = None

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
        landing = self.loader is not None and bool(self.loader.loads)
        if landing and apart:
            overland = []
        for piece in overland:
            levy.join(piece, "overland" if landing else "land", levy.route(piece, self.target) or ())
        for piece in guns:
            if landing:
                levy.keep(piece, Obstacle("stays_ashore", ""))
            else:
                levy.join(piece, "support", (piece.space,))
        carried = self._carry()
        for piece in walkers:
            rest = piece.count - carried.get(piece, 0)
            if piece not in overland and rest:
                levy.keep(replace(piece, count=rest), self._why_ashore(piece))
        battle_zone = (
            self.loader.zone if landing and self.loader and self._sea_battle(self.loader.zone) else ""
        )
        self._sail(self.loader.zone if landing and self.loader else "", battle_zone)
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
        landing = loader is not None and bool(loader.loads)
        by_land = self.levy.ways.why_not(unit, piece, self.target)
        if self.levy.route(piece, self.target):
            return Obstacle("no_overland", "")
        sea_only = by_land.rule in ("no_route", "barrier")
        if self.by == "land":
            coastal = any(self.view.board.spaces[name].kind == "sea" for name in self.levy.target.borders)
            return Obstacle("no_overland", "attack over land") if sea_only and coastal else by_land
        if landing and "stays_ashore" in unit.tags:
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
        return _result(
            levy,
            "invasion" if landing else "land",
            _sum(levy.count("land", "landing", "air", "bombardment", "transport"), guns),
            _sum(inside, {units[unit].supports_as: count for unit, count in enemy_guns.items()}),
            zone=self.loader.zone if landing and self.loader else "",
            battle_zone=battle_zone,
            overland=levy.count("overland"),
            sea_attacker=levy.count("sea", "air at sea"),
        )


def _sum(*forces: Mapping[str, int]) -> dict[str, int]:
    """Add up several forces."""
    counts: dict[str, int] = {}
    for force in forces:
        for unit, count in force.items():
            counts[unit] = counts.get(unit, 0) + count
    return counts


def _options(levy: Levy, battle_zone: str) -> dict[str, bool | int]:
    """Options of the battle that follow from the map."""
    options: dict[str, bool | int] = {}
    walked = [entry for entry in levy.joining if entry.part == "land"]
    if levy.target.contested and any(not entry.piece.moved and entry.cost == 0 for entry in walked):
        options["from_contested"] = True
    if battle_zone and levy.ways.mined(battle_zone) and "mines" in levy.view.rules:
        options["mines"] = True
    passed = {
        hazard.at: hazard.forts
        for entry in levy.joining
        for hazard in entry.hazards
        if hazard.kind == "forts"
    }
    if battle_zone and passed:
        options["pass_through_forts"] = sum(passed.values())
    return options


def _on_the_way(levy: Levy, battle_zone: str) -> dict[str, float]:
    """Reckon the losses of the ships to what the options of the battle do not count."""
    moves = []
    for entry in levy.joining:
        hazards = tuple(
            h for h in entry.hazards if not battle_zone or (h.kind == "mines" and h.at != battle_zone)
        )
        moves.append((entry.piece.unit, entry.piece.count, hazards))
    return expected_losses(levy.view.rules, moves)


def _sentences(levy: Levy, zone: str, battle_zone: str, forced: Iterable[ForcedOut]) -> tuple[Rule, ...]:
    """Rules that shaped the battle as a whole."""
    view = levy.view
    flying = any(view.unit(entry.piece).domain == "air" for entry in levy.joining)
    ports = [s for s in view.board.spaces.values() if s.port and (battle_zone or zone) in s.port]
    in_port = any(view.unit(piece).domain == "sea" for space in ports for piece in view.enemies(space.id))
    keys = {
        "contested_start": levy.target.contested and levy.target.kind == "land",
        "declared": bool(zone),
        "unload_zone": bool(zone and battle_zone),
        "ignore": bool(zone and view.enemies(zone)) and not view.hostile(zone),
        "sea_or_land": bool(zone and battle_zone and flying),
        "aa_at_target": flying and levy.target.kind == "land",
        "adjacent_guns": any(entry.part == "support" for entry in levy.joining),
        "port_safe": in_port,
        "port_forced_out": bool(list(forced)),
        "mines": any(hazard.kind == "mines" for entry in levy.joining for hazard in entry.hazards),
        "forts": any(hazard.kind == "forts" for entry in levy.joining for hazard in entry.hazards),
    }
    return tuple(view.rule(key) for key, holds in keys.items() if holds and key in view.rules)


def _result(
    levy: Levy,
    sequence: str,
    attacker: Mapping[str, int],
    defender: Mapping[str, int],
    *,
    battle_zone: str,
    zone: str = "",
    overland: Mapping[str, int] | None = None,
    sea_attacker: Mapping[str, int] | None = None,
) -> Muster:
    """Answer out of a levy and the counts of both sides."""
    view, board, target = levy.view, levy.view.board, levy.target
    in_port = [
        piece
        for piece in view.enemies(target.id)
        if view.unit(piece).domain == "sea" and target.kind == "land"
    ]
    forced = tuple(ForcedOut(piece, target.port, view.rule("port_forced_out")) for piece in in_port)
    at_sea = zone and battle_zone
    escorts = total(p for p in view.enemies(battle_zone) if view.unit(p).domain != "land") if at_sea else {}
    enemies = {piece.power for place in {target.id, battle_zone} - {""} for piece in view.enemies(place)}
    fleet = [entry.piece.unit for entry in levy.joining if view.unit(entry.piece).decks and battle_zone]
    lost = _on_the_way(levy, battle_zone)
    notes = []
    if not defender and not escorts:
        notes.append("nobody defends: a land piece that enters takes it without a battle")
    if lost:
        notes.append("losses on the way are expected values, not part of the odds")
    joining = _merged(levy.joining)
    return Muster(
        map=board.name,
        ruleset=board.ruleset,
        power=view.power.id,
        target=target.id,
        zone=zone,
        sequence=sequence,
        attacker=force_text(view.rules, attacker),
        defender=force_text(view.rules, defender),
        overland=force_text(view.rules, overland or {}),
        sea_attacker=force_text(view.rules, sea_attacker or {}),
        sea_defender=force_text(view.rules, escorts),
        options=_options(levy, battle_zone),
        joining=joining,
        kept=tuple(levy.kept),
        shared_zones=shared_zones(view, levy.ways),
        forced_out=forced,
        expected_losses=lost,
        cannot_land=total(e.piece for e in joining if e.part.startswith("air") and not e.lands),
        decks={unit: view.rules.units[unit].decks for unit in fleet},
        attacker_technologies=view.power.technologies,
        defender_technologies=tuple(sorted({t for name in enemies for t in board.powers[name].technologies})),
        rules=_sentences(levy, zone, battle_zone, forced),
        notes=tuple(notes),
    )


def _merged(joining: Iterable[Joining]) -> tuple[Joining, ...]:
    """Equal entries as one, with their counts added."""
    counts: dict[Joining, int] = {}
    for entry in joining:
        one = replace(entry, piece=replace(entry.piece, count=1))
        counts[one] = counts.get(one, 0) + entry.piece.count
    return tuple(replace(one, piece=replace(one.piece, count=count)) for one, count in counts.items())
