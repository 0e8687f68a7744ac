"""From those who joined to the answer: forces, options, losses on the way, and the rules that shaped them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from battlecalc.mapping.hazards import expected_losses
from battlecalc.mapping.levy import Levy
from battlecalc.mapping.results import ForcedOut, Joining, Muster, force_text, total
from battlecalc.mapping.rules import Rule
from battlecalc.mapping.sharing import shared_zones


def add(*forces: Mapping[str, int]) -> dict[str, int]:
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


def result(
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
