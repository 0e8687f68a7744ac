"""From a map to the forces of a battle: who may be in it, by which way, and what keeps the others out."""

from __future__ import annotations

from battlecalc.mapping.board import Map, Piece, Space
from battlecalc.mapping.combat import muster
from battlecalc.mapping.files import parse_map, read_map, shipped_maps
from battlecalc.mapping.noncombat import after, rail_route
from battlecalc.mapping.results import After, ForcedOut, Joining, Kept, Move, Muster, SharedZone
from battlecalc.mapping.rules import MovementRules, Rule, Unit, movement
from battlecalc.mapping.tables import MapError

__all__ = [
    "After",
    "ForcedOut",
    "Joining",
    "Kept",
    "Map",
    "MapError",
    "Move",
    "MovementRules",
    "Muster",
    "Piece",
    "Rule",
    "SharedZone",
    "Space",
    "Unit",
    "after",
    "movement",
    "muster",
    "parse_map",
    "rail_route",
    "read_map",
    "shipped_maps",
]
