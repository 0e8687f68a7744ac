"""Units of a TripleA game as tables of a ruleset."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

from battlecalc.rulesets.options import plain
from battlecalc.rulesets.ruleset import load_ruleset
from battlecalc.rulesets.triplea.game_xml import Game, Options, Support

# The same unit under the name that battlecalc's own rulesets use.
USUAL = {
    "armour": "tank",
    "armor": "tank",
    "aagun": "aa_gun",
    "aa": "aa_gun",
    "factory": "industrial_complex",
    "mechinfantry": "mech_infantry",
    "mech": "mech_infantry",
    "strategicbomber": "bomber",
    "tacbomber": "tactical_bomber",
}
# What a unit is in a battle; no unit may have such a name.
TAGS = (
    *(
        "land",
        "air",
        "sea",
        "guns",
        "facilities",
        "submarines",
        "transports",
        "warships",
        "destroyers",
        "raiders",
    ),
    *("all", "rest"),
)
# Options that say nothing about a battle's dice.
NO_MATTER = frozenset(
    {
        "movement", "canBlitz", "transportCost", "carrierCost", "canInvadeOnlyFrom", "canScramble",
        "requiresUnits", "consumesUnits", "canProduceUnits", "canProduceXUnits", "isConstruction",
        "constructionType", "constructionsPerTerrPerTypePerTurn", "maxConstructionsPerTypePerTerr",
        "canOnlyBePlacedInTerritoryValuedAtX", "maxBuiltPerPlayer", "movementLimit", "isAirTransport",
        "isAirTransportable", "isLandTransport", "isLandTransportable", "isInfantry", "isMechanized",
        "isAirBase", "maxScrambleCount", "maxScrambleDistance", "givesMovement", "repairsUnits",
        "maxOperationalDamage", "canBeDamaged", "destroyedWhenCapturedBy", "unitPlacementRestrictions",
        "placementLimit", "attackingLimit", "stackingLimit", "canBeCapturedOnEnteringBy",
        "whenCapturedInto", "tuv", "maxIntercept", "canNotMoveDuringCombatMove", "isRocket",
        "canBeGivenByTerritoryTo", "mayOverStackAA", "maxRoundsAA", "typeAA", "targetsAA",
        "unitSupportCount", "isAAmovement", "canMoveThroughEnemies", "canDieFromReachingMaxDamage",
        "isCombatTransport", "blockade",
    }
)  # fmt: skip
# What `translate_units` asks for; of all others a note says that they were not read.
READ = frozenset(
    {
        "attack", "defense", "isAir", "isSea", "isSub", "isDestroyer", "isFactory", "isInfrastructure",
        "isAA", "isAAforCombatOnly", "isAAforBombingThisUnitOnly", "attackAA", "maxAAattacks",
        "hitPoints", "isTwoHit", "canBombard", "bombard", "artillery", "artillerySupportable",
        "carrierCapacity", "transportCapacity", "attackRolls", "defenseRolls", "chooseBestRoll",
        "isStrategicBomber", "isFirstStrike", "bombingBonus",
    }
)  # fmt: skip


def number(options: Options, name: str, default: int = 0) -> int:
    """Whole number of an option, `default` where it is missing or no such thing."""
    text = options.get(name, "").split(",")[0].strip()
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else default


def is_set(options: Options, name: str) -> bool:
    """Whether an option is true."""
    return options.get(name, "").split(",")[0].strip().casefold() == "true"


@dataclass
class Translation:
    """Tables of units and what belongs to them, with notes on what was left out.

    Attributes
    ----------
    ids : dict of str to str
        Unit id by TripleA's name.
    units : dict of str to dict
        Tables of the ruleset file.
    guns_shots : int
        Shots of one antiaircraft unit, 0: one die for each plane, whatever the number of guns.
    """

    ids: dict[str, str] = field(default_factory=dict)
    units: dict[str, dict[str, Any]] = field(default_factory=dict)
    modifiers: dict[str, dict[str, Any]] = field(default_factory=dict)
    cargo: dict[str, dict[str, Any]] = field(default_factory=dict)
    guns_shots: int = 0
    notes: list[str] = field(default_factory=list)

    def tagged(self, *tags: str) -> list[str]:
        """Those of `tags` that some unit has."""
        known = {tag for unit in self.units.values() for tag in unit["tags"]}
        return [tag for tag in tags if tag in known]


def translate_units(game: Game) -> Translation:
    """Translate units, support and cargo of a game."""
    found = Translation()
    for name in game.units:
        found.ids[name] = _id(name, found.units)
        found.units[found.ids[name]] = {}
    taken = {plain(unit) for unit in found.units}
    for name, options in game.units.items():
        unit = _unit(name, options, game, found)
        names = [name, *_usual_aliases(found.ids[name])]
        aliases = [word for word in dict.fromkeys(names) if plain(word) and plain(word) not in taken]
        aliases = list({plain(word): word for word in reversed(aliases)}.values())[::-1]
        taken.update(map(plain, aliases))
        found.units[found.ids[name]] = ({"aliases": aliases} if aliases else {}) | unit
    _artillery(game, found)
    for support in game.supports:
        _support(support, found)
    _cargo(game, found)
    _say_unread(game, found)
    return found


def _id(name: str, taken: dict[str, Any]) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    snake = re.sub(r"[^a-z0-9]+", "_", words.casefold()).strip("_")
    usual = USUAL.get(plain(snake), snake)
    snake = usual if usual not in taken else snake
    if not re.match(r"[a-z]", snake) or snake in TAGS or snake.startswith("room_"):
        snake = f"unit_{snake}".rstrip("_")
    unique, count = snake, 1
    while unique in taken:
        count += 1
        unique = f"{snake}_{count}"
    return unique


def _usual_aliases(unit: str) -> tuple[str, ...]:
    usual = load_ruleset("aa-1940-2e").units
    return usual[unit].aliases if unit in usual else ()


def _kind(options: Options) -> str:
    """Class of a unit: what it is in a battle."""
    guns = ("isAA", "isAAforCombatOnly")
    if any(is_set(options, name) for name in guns) and not is_set(options, "isSea"):
        return "guns"
    if is_set(options, "isFactory") or is_set(options, "isInfrastructure"):
        return "facilities"
    if is_set(options, "isAir"):
        return "air"
    return "sea" if is_set(options, "isSea") else "land"


def _unit(name: str, options: Options, game: Game, found: Translation) -> dict[str, Any]:
    kind = _kind(options)
    unit: dict[str, Any] = {"tags": _tags(kind, options)}
    for key, option in (("attack", "attack"), ("defence", "defense")):
        unit[key] = _value(name, option, number(options, option), game.sides, found)
    if game.costs.get(name) is not None:
        cost = game.costs[name]
        unit["cost"] = int(cost) if cost == int(cost) else cost
    if kind in ("guns", "facilities"):
        _defends(options, unit, game, found)
    hits = number(options, "hitPoints", 0)
    if hits > 1:
        unit["hits"] = min(hits, 100)
    elif (
        is_set(options, "isTwoHit")
        and game.properties.get("Two hit battleship", "true").casefold() != "false"
    ):
        unit["hits"] = 2
    rolls = {
        side: number(options, f"{word}Rolls", 1)
        for side, word in (("attacker", "attack"), ("defender", "defense"))
    }
    if set(rolls.values()) != {1}:
        key, least = ("rolls", 1) if is_set(options, "chooseBestRoll") else ("dice", 0)
        unit[key] = {side: min(max(count, least), 20) for side, count in rolls.items()}
    if kind == "sea" and is_set(options, "canBombard"):
        unit["bombard"] = _value(
            name, "bombard", number(options, "bombard", unit["attack"]), game.sides, found
        )
    if number(options, "carrierCapacity") > 0 and kind == "sea":
        unit["decks"] = min(number(options, "carrierCapacity"), 100)
    if number(options, "carrierCost") > 0:
        unit["needs_deck"] = True
    if "transports" in unit["tags"] and game.has("Transport Casualties Restricted"):
        unit["last"] = True
    if "transports" in unit["tags"] and game.has("Unescorted Transport Dies"):
        unit["alone"] = {"attacker": "withdraws", "defender": "destroyed"}
    if is_set(options, "isStrategicBomber") and number(options, "bombingBonus") > 0:
        unit["damage_add"] = min(number(options, "bombingBonus"), 100)
    return unit


def _value(name: str, option: str, value: int, sides: int, found: Translation) -> int:
    if not 0 <= value <= sides:
        found.notes.append(f"{name}: {option} {value} is off the die: taken as {min(max(value, 0), sides)}")
    return min(max(value, 0), sides)


def _tags(kind: str, options: Options) -> list[str]:
    tags = [kind]
    if kind == "sea":
        submarine = is_set(options, "isSub") or is_set(options, "isFirstStrike")
        unarmed = number(options, "transportCapacity") > 0 and not number(options, "attack")
        tags.append("submarines" if submarine else "transports" if unarmed else "warships")
        if is_set(options, "isDestroyer"):
            tags.append("destroyers")
    if is_set(options, "isStrategicBomber"):
        tags.append("raiders")
    return tags


def _defends(options: Options, unit: dict[str, Any], game: Game, found: Translation) -> None:
    """Antiaircraft guns and facilities: they only defend, and most cannot be lost."""
    unit["only"] = "defender"
    if unit["tags"][0] == "guns" or is_set(options, "isAAforBombingThisUnitOnly"):
        unit["aa"] = min(max(number(options, "attackAA", 1), 0), game.sides)
    shots = number(options, "maxAAattacks", -1)
    if unit["tags"][0] == "guns" and shots > 0:
        found.guns_shots = min(shots, 100)
    if unit["tags"][0] == "guns" and not is_set(options, "isInfrastructure") and shots > 0:
        unit["alone"] = {"defender": "destroyed"}
    else:
        del unit["attack"], unit["defence"]
        unit |= {"never_lost": True, "captured": True}


def _artillery(game: Game, found: Translation) -> None:
    """Translate the old flags of artillery support."""
    sources = [found.ids[name] for name, options in game.units.items() if is_set(options, "artillery")]
    served = [
        found.ids[name] for name, options in game.units.items() if is_set(options, "artillerySupportable")
    ]
    if sources and served:
        found.modifiers["artillery support"] = {"side": "attacker", "to": served, "source": sources}


def _support(support: Support, found: Translation) -> None:
    options = support.options
    side = {
        "offence": "attacker",
        "defence": "defender",
        "offence:defence": "both",
        "defence:offence": "both",
    }.get(options.get("side", ""))
    served = [found.ids[name] for name in re.split("[:,]", options.get("unitType", "")) if name in found.ids]
    source = found.ids.get(support.unit)
    simple = options.get("dice") == "strength" and options.get("faction", "allied") == "allied"
    if side is None or not served or source is None or not simple or not number(options, "bonus"):
        found.notes.append(f"support of {support.unit!r} is of a kind that rulesets do not have")
        return
    name, count = f"support of {source}", 1
    while name in found.modifiers:
        count += 1
        name = f"support of {source} {count}"
    found.modifiers[name] = {
        "side": side,
        "to": served,
        "source": [source],
        "add": min(max(number(options, "bonus"), -100), 100),
        "per": min(max(number(options, "number", 1), 1), 100),
    }


def _cargo(game: Game, found: Translation) -> None:
    """Find the loads of each transport: the largest sets of slots that its capacity allows.

    A slot is a tag ``room_N``: the land units that take no more room than N.
    """
    room = {
        found.ids[name]: number(options, "transportCost")
        for name, options in game.units.items()
        if _kind(options) == "land" and number(options, "transportCost") > 0
    }
    sizes = sorted(set(room.values()))
    carriers = {
        found.ids[name]: number(options, "transportCapacity")
        for name, options in game.units.items()
        if _kind(options) == "sea" and number(options, "transportCapacity") > 0
    }
    used: set[int] = set()
    for carrier, capacity in carriers.items():
        loads = _largest(sizes, capacity)
        if not loads:
            continue
        found.cargo[carrier] = {"loads": [[f"room_{size}" for size in load] for load in loads]}
        used.update(size for load in loads for size in load)
    for unit, size in room.items():
        found.units[unit]["tags"] += [f"room_{other}" for other in sorted(used) if other >= size]


def _largest(sizes: list[int], capacity: int) -> list[tuple[int, ...]]:
    """Multisets of sizes within a capacity that no other one covers."""
    most = min(capacity // sizes[0], 6) if sizes else 0
    fits = [
        load[::-1]
        for count in range(1, most + 1)
        for load in combinations_with_replacement(sizes, count)
        if sum(load) <= capacity
    ]

    def covered(load: tuple[int, ...]) -> bool:
        return any(
            other != load
            and len(other) >= len(load)
            and all(b >= a for a, b in zip(load, other, strict=False))
            for other in fits
        )

    return [load for load in fits if not covered(load)]


def _say_unread(game: Game, found: Translation) -> None:
    """Note every option that was neither read nor without a bearing on battles."""
    unread: dict[str, list[str]] = {}
    for name, options in game.units.items():
        for option in options:
            if option not in READ and option not in NO_MATTER:
                unread.setdefault(option, []).append(name)
    for option, names in sorted(unread.items()):
        found.notes.append(f"unit option {option!r} of {', '.join(sorted(names))}")
