"""Unit tables of every edition, copied from the rules texts: name -> (attack, defence, cost, hits)."""

from __future__ import annotations

Row = tuple[int | None, int | None, float | None, int]

GREAT_WAR: dict[str, Row] = {
    "infantry": (1, 2, 1.5, 1),
    "entrenched_infantry": (None, 2, 1.5, 1),
    "cavalry": (2, 1, 3, 1),
    "storm_troops": (2, 2, 3, 1),
    "artillery": (2, 2, 2, 1),
    "rail_gun": (3, 2, 7, 1),
    "adjacent_rail_gun": (3, 2, 7, 1),
    "tank": (3, 2, 4, 1),
    "fighter": (2, 2, 5, 1),
    "zeppelin": (1, 1, 6, 1),
    "fort": (None, 3, None, 4),
    "gas": (2, 2, 0, 1),
    "dreadnought": (4, 4, 10, 2),
    "cruiser": (3, 3, 6, 1),
    "submarine": (2, 2, 3, 1),
    "transport": (0, 0, 3.5, 1),
}

SPRING_1942: dict[str, Row] = {
    "infantry": (1, 2, 3, 1),
    "artillery": (2, 2, 4, 1),
    "tank": (3, 3, 5, 1),
    "aa_gun": (None, 0, 6, 1),
    "industrial_complex": (None, 0, 15, 1),
    "fighter": (3, 4, 10, 1),
    "bomber": (4, 1, 12, 1),
    "submarine": (2, 1, 6, 1),
    "transport": (0, 0, 7, 1),
    "destroyer": (2, 2, 8, 1),
    "cruiser": (3, 3, 12, 1),
    "carrier": (1, 2, 14, 1),
    "battleship": (4, 4, 20, 2),
}

REVISED: dict[str, Row] = {
    "infantry": (1, 2, 3, 1),
    "artillery": (2, 2, 4, 1),
    "tank": (3, 3, 5, 1),
    "aa_gun": (None, 0, 5, 1),
    "industrial_complex": (None, 0, 15, 1),
    "fighter": (3, 4, 10, 1),
    "bomber": (4, 1, 15, 1),
    "submarine": (2, 2, 8, 1),
    "transport": (0, 1, 8, 1),
    "destroyer": (3, 3, 12, 1),
    "carrier": (1, 3, 16, 1),
    "battleship": (4, 4, 24, 2),
}

CLASSIC: dict[str, Row] = {
    "infantry": (1, 2, 3, 1),
    "tank": (3, 2, 5, 1),
    "aa_gun": (None, 0, 5, 1),
    "industrial_complex": (None, 0, 15, 1),
    "fighter": (3, 4, 12, 1),
    "bomber": (4, 1, 15, 1),
    "submarine": (2, 2, 8, 1),
    "transport": (0, 1, 8, 1),
    "carrier": (1, 3, 18, 1),
    "battleship": (4, 4, 24, 1),
}

GLOBAL_1940: dict[str, Row] = {
    "infantry": (1, 2, 3, 1),
    "artillery": (2, 2, 4, 1),
    "mech_infantry": (1, 2, 4, 1),
    "tank": (3, 3, 6, 1),
    "aa_gun": (None, 0, 5, 1),
    "industrial_complex": (None, 0, 12, 1),
    "fighter": (3, 4, 10, 1),
    "tactical_bomber": (3, 3, 11, 1),
    "bomber": (4, 1, 12, 1),
    "submarine": (2, 1, 6, 1),
    "transport": (0, 0, 7, 1),
    "destroyer": (2, 2, 8, 1),
    "cruiser": (3, 3, 12, 1),
    "carrier": (0, 2, 16, 2),
    "battleship": (4, 4, 20, 2),
}

WORLD_WAR_I_1914: dict[str, Row] = {
    "infantry": (2, 3, 3, 1),
    "artillery": (3, 3, 4, 1),
    "tank": (2, 1, 6, 1),
    "fighter": (2, 2, 6, 1),
    "submarine": (2, 2, 6, 1),
    "transport": (0, 0, 6, 1),
    "cruiser": (3, 3, 9, 1),
    "battleship": (4, 4, 12, 2),
}

AA_1941: dict[str, Row] = {
    "infantry": (1, 2, 3, 1),
    "tank": (3, 3, 6, 1),
    "fighter": (3, 4, 10, 1),
    "bomber": (4, 1, 12, 1),
    "submarine": (2, 1, 6, 1),
    "transport": (0, 0, 7, 1),
    "destroyer": (2, 2, 8, 1),
    "carrier": (1, 2, 12, 1),
    "battleship": (4, 4, 16, 2),
}

TABLES: dict[str, dict[str, Row]] = {
    "great-war": GREAT_WAR,
    "aa-1942": SPRING_1942,
    "aa-1942-2e": {**SPRING_1942, "tank": (3, 3, 6, 1), "aa_gun": (0, 0, 5, 1)},
    "aa-anniversary": SPRING_1942,
    "aa-revised": REVISED,
    "aa-revised-lhtr": REVISED,
    "aa-classic": CLASSIC,
    "aa-1940-2e": GLOBAL_1940,
    "aa-1914": WORLD_WAR_I_1914,
    "aa-1941": AA_1941,
}

V2 = ("aa-revised", "aa-revised-lhtr")
V3 = ("aa-anniversary", "aa-1942", "aa-1942-2e", "aa-1940-2e", "aa-1941")
NEW_AAA = ("aa-1942-2e", "aa-1940-2e")  # three shots each, a casualty like others, destroyed when alone

AIR = frozenset({"fighter", "zeppelin", "tactical_bomber", "bomber"})
FOOT = frozenset({"infantry", "entrenched_infantry", "cavalry", "storm_troops"})
GUNS = frozenset({"artillery", "rail_gun", "adjacent_rail_gun", "fort"})  # The Great War's +1
LAND = FOOT | {"artillery", "rail_gun", "tank", "mech_infantry"}
SHIPS = frozenset({"submarine", "transport", "destroyer", "cruiser", "carrier", "battleship", "dreadnought"})


def value(ruleset: str, side: int, unit: str) -> int:
    """Look up the printed attack (side 0) or defence (side 1)."""
    return TABLES[ruleset][unit][side] or 0


def cost(ruleset: str, unit: str) -> float | None:
    """Look up the printed cost; None for a fort."""
    return TABLES[ruleset][unit][2]


def full_hits(ruleset: str, side: int, unit: str) -> int:
    """Hits that a fresh unit takes; 1914's attacking tank absorbs one more than it shows."""
    if ruleset == "aa-1914" and unit == "tank" and side == 0:
        return 2
    return TABLES[ruleset][unit][3]
