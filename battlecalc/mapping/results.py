"""What `muster` and `after` answer: values with every piece's route, cost and rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from battlecalc.mapping.board import Piece, View
from battlecalc.mapping.hazards import Hazard
from battlecalc.mapping.routes import Obstacle
from battlecalc.mapping.rules import MovementRules, Rule
from battlecalc.rulesets import load_ruleset

if TYPE_CHECKING:
    from battlecalc import Battle, Odds


def force_text(rules: MovementRules, counts: Mapping[str, int]) -> str:
    """Force string in the order of the game's units.

    >>> from battlecalc.mapping.rules import movement
    >>> force_text(movement("great-war"), {"fighter": 1, "infantry": 6})
    '6 infantry, 1 fighter'
    """
    order = {unit: place for place, unit in enumerate(rules.units)}
    known = sorted(counts, key=lambda unit: (order.get(unit, len(order)), unit))
    return ", ".join(f"{counts[unit]} {unit}" for unit in known if counts[unit])


def total(pieces: Iterable[Piece]) -> dict[str, int]:
    """Add up pieces by unit."""
    counts: dict[str, int] = {}
    for piece in pieces:
        counts[piece.unit] = counts.get(piece.unit, 0) + piece.count
    return counts


def plain(value: object) -> Any:
    """Value as JSON can hold it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in value]
    return value


@dataclass(frozen=True, slots=True)
class Joining:
    """Pieces that can be in the battle."""

    piece: Piece
    part: str
    """What they do: `"land"`, `"overland"`, `"landing"`, `"transport"`, `"bombardment"`, `"sea"`, `"air"`,
    `"air at sea"` or `"support"`."""
    route: tuple[str, ...]
    """Spaces from where it stands to where it fights."""
    cost: int
    """Movement spent; of cargo, that of its transport."""
    lands: str = ""
    """Where an aircraft can land afterwards."""
    deck: bool = False
    """Whether it lands on a carrier."""
    own_deck: bool = False
    """Whether that carrier fights in the battle itself."""
    rides: str = ""
    """Where the transport of a piece of cargo starts."""
    hazards: tuple[Hazard, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """Pieces that cannot, with the rule that stops them."""

    piece: Piece
    rule: Rule
    detail: str = ""
    what: str = "attack"
    """What they cannot do: `"attack"`, `"land"`, `"rail"`, `"entrench"` or `"move"`."""


def keep(view: View, piece: Piece, barred: Obstacle, what: str = "attack") -> Kept:
    """Keep pieces out, with the sentence of the rulebook and the printed name of where it bars them."""
    spaces = view.board.spaces
    detail = spaces[barred.at].name if barred.at in spaces else barred.at
    return Kept(piece, view.rule(barred.rule), detail, what)


@dataclass(frozen=True, slots=True)
class SharedZone:
    """Own ships that start the turn in a hostile sea zone, and which of four options they have."""

    zone: str
    rule: Rule
    stay_and_fight: bool
    load_and_return: bool
    leave_and_fight: bool
    leave_in_peace: bool


@dataclass(frozen=True, slots=True)
class ForcedOut:
    """Ships in the port of a territory that falls (or fell), and the zones they are forced into."""

    piece: Piece
    zones: tuple[str, ...]
    rule: Rule


@dataclass(frozen=True)
class Muster:
    """Forces of a battle, and how they came together; `muster` makes one."""

    map: str
    ruleset: str
    power: str
    target: str
    zone: str
    """Sea zone of a landing."""
    sequence: str
    """`"land"`, `"naval"` or `"invasion"`."""
    attacker: str
    defender: str
    overland: str
    sea_attacker: str
    sea_defender: str
    """Ships that a landing has to beat first; empty where there is no sea battle."""
    options: Mapping[str, bool | int]
    joining: tuple[Joining, ...]
    kept: tuple[Kept, ...]
    shared_zones: tuple[SharedZone, ...]
    forced_out: tuple[ForcedOut, ...]
    expected_losses: Mapping[str, float]
    """Mean losses to mines and forts on the way."""
    cannot_land: Mapping[str, int]
    """Aircraft by unit that fight though they have nowhere to land: lost after the battle."""
    decks: Mapping[str, int]
    """Places for aircraft on each of the carriers that fight in the battle, by unit."""
    attacker_technologies: tuple[str, ...]
    defender_technologies: tuple[str, ...]
    rules: tuple[Rule, ...]
    """Sentences that shaped the battle as a whole."""
    notes: tuple[str, ...]

    @property
    def fought(self) -> bool:
        """Whether there is anything to fight on both sides."""
        return bool(
            (self.attacker or self.overland or self.sea_attacker) and (self.defender or self.sea_defender)
        )

    def battle(
        self,
        attacker: Mapping[str, Any] | None = None,
        defender: Mapping[str, Any] | None = None,
        **keywords: Any,
    ) -> Battle:
        """Battle that the calculator takes in place of ruleset, sequence and forces.

        Parameters
        ----------
        attacker, defender : mapping, optional
            Further fields of a `Side`: ``{"retreat": "round >= 3"}``.
        **keywords
            Further keywords of a battle (`rounds`, `dice`, `territory`...); `options` are added to the map's.
        """
        from battlecalc import Battle, Side

        options = {**self.options, **(keywords.pop("options", None) or {})}
        if self.overland:
            keywords.setdefault("overland", self.overland)
        if self.sea_defender:
            keywords.setdefault(
                "sea_defender", Side(self.sea_defender, technologies=self.defender_technologies)
            )
            if self.sea_attacker:
                keywords.setdefault(
                    "sea_attacker", Side(self.sea_attacker, technologies=self.attacker_technologies)
                )
        sides = (
            Side(force, **{"technologies": technologies, **(fields or {})})
            for force, technologies, fields in (
                (self.attacker, self.attacker_technologies, attacker),
                (self.defender, self.defender_technologies, defender),
            )
        )
        return Battle(self.ruleset, self.sequence, *sides, options=options, **keywords)

    def lost_landing(self, odds: Odds) -> dict[str, float]:
        """Mean number of aircraft that outlive the battle and are lost because they cannot land.

        The planes without a landing place are taken as the first that fell; those that count on a carrier
        of the battle need a place on one that survived.
        """
        flown = [entry for entry in self.joining if entry.part.startswith("air")]
        on_own_deck = total(entry.piece for entry in flown if entry.own_deck)
        safe = total(entry.piece for entry in flown if entry.lands and not entry.own_deck)
        lost = dict.fromkeys([*on_own_deck, *self.cannot_land], 0.0)
        if not lost:
            return {}
        ruleset = load_ruleset(self.ruleset)
        carriers = ruleset.for_side("attacker", frozenset(self.attacker_technologies)).units
        for row in odds.survivors("attacker").to_dict("records"):
            decks = 0
            for unit, places in self.decks.items():
                for damaged, count in _alive(row, ruleset.unit_id(unit)):
                    fewer = carriers[ruleset.unit_id(unit)].damaged_decks if damaged else None
                    decks += count * (places if fewer is None else min(fewer, places))
            for unit in lost:
                alive = sum(count for _, count in _alive(row, ruleset.unit_id(unit)))
                homeless = max(alive - safe.get(unit, 0), 0)
                placed = min(homeless, decks, on_own_deck.get(unit, 0))
                decks -= placed
                lost[unit] += float(row["probability"]) * (homeless - placed)
        return {unit: mean for unit, mean in lost.items() if mean > 0}

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `--json` prints it."""
        found: dict[str, Any] = plain(self)
        return found


def _alive(row: Mapping[Any, Any], unit: str) -> list[tuple[bool, int]]:
    """Survivors of a unit in a row of `Odds.survivors`: whether they are damaged, and how many.

    >>> _alive({"carrier": 2, "carrier*": 1, "cruiser": 3}, "carrier")
    [(False, 2), (True, 1)]
    """
    return [
        (column != unit, count)
        for column, count in row.items()
        if column.partition(" (")[0].rstrip("*") == unit
    ]


@dataclass(frozen=True, slots=True)
class Move:
    """Pieces with the places they may go in the non-combat move."""

    piece: Piece
    routes: Mapping[str, tuple[str, ...]]
    """Destination -> the way there."""
    deck: bool = False
    """Whether an aircraft lands on a carrier."""
    hazards: Mapping[str, float] | None = None
    """Destination -> expected losses of these ships to mines and forts."""


@dataclass(frozen=True)
class After:
    """Non-combat move of one power; `after` makes one."""

    map: str
    ruleset: str
    power: str
    landings: tuple[Move, ...]
    rail: tuple[Move, ...]
    entrench: tuple[Piece, ...]
    moves: tuple[Move, ...]
    """Land pieces that walk, ships that sail."""
    kept: tuple[Kept, ...]
    forced_out: tuple[ForcedOut, ...]
    lost: str
    """Aircraft that cannot land, as a force string."""
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `--json` prints it."""
        found: dict[str, Any] = plain(self)
        return found
