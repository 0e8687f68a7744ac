"""The question: one battle as an immutable value, read and checked."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from battlecalc import landing
from battlecalc.assumed import assumed_in
from battlecalc.errors import BattlecalcError, BattleError, PolicyError, nearest
from battlecalc.forces import format_force, parse_force
from battlecalc.losses import parse_loss_order
from battlecalc.policies import BEST, NEVER
from battlecalc.rights import taken_away
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import ReadySide, Side, freeze_side, read_side
from battlecalc.words import quote, whole_number

if TYPE_CHECKING:
    from battlecalc.rulesets.schema import Sequence

Dice = tuple[tuple[str, str], ...]
Options = tuple[tuple[str, bool | int | str], ...]

PURPOSES = ("battle", "aa", "bombardment", "mines", "raid")
DICE = ("standard", "low-luck")
KEYWORDS = (
    "rounds",
    "dice",
    "options",
    "territory",
    "overland",
    "sea_attacker",
    "sea_defender",
    "changes",
)


class Battle:
    """One question: who attacks whom with what, under which rules and with which policies.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        An id such as ``"great-war"`` or a path to a ruleset file.
    sequence : str
        ``"land"``, ``"naval"``, ``"invasion"`` (``"amphibious"``) or ``"raid"``, where the ruleset has it.
    attacker, defender : str, mapping or Side
        ``"6 inf, 2 art"``, unit -> count, or a `Side` with all that belongs to it.
    rounds : int, optional
        Stop after so many rounds of the main battle; 0: after the opening fire.
    dice : str or mapping of str to str
        ``"standard"``, ``"low-luck"``, or by purpose: battle, aa, bombardment, mines, raid.
    options : mapping, optional
        The ruleset's own switches.
    territory : float
        What holding the territory at the end is worth, in IPC.
    overland : str or mapping, optional
        Units of a landing that come by land, beside `attacker`.
    sea_attacker, sea_defender : str, mapping or Side, optional
        A landing with a `sea_defender` begins with a naval battle, fought by the attacker's ships and
        `sea_attacker`. Technologies of a side hold at sea too.
    changes : mapping, optional
        Values changed for this battle: ``{"tank.cost": 5}``.

    Attributes
    ----------
    ruleset : Ruleset
        With options and changes applied.
    sequence : Sequence
    attacker, defender : ReadySide
    sea_battle : Battle or None
        The naval battle that comes first.
    sea_attacker, sea_defender : ReadySide or None
        Its sides.
    landing_ships : tuple of (unit, count)
        Ships of `attacker` that fight at sea first; empty without a naval battle.
    rounds : int or None
    dice : tuple of (purpose, kind)
    options : tuple of (name, value)
        Every option of the ruleset.
    territory : float
    notes : tuple of str
        What was passed over.

    Raises
    ------
    BattlecalcError
        For everything that makes no sense; the text says what would be right.

    Examples
    --------
    >>> battle = Battle("great-war", "land", "6 inf, 2 art", Side("5 inf", retreat="round >= 3"))
    >>> battle
    Battle('great-war', 'land', '6 inf, 2 art', Side('5 inf', retreat='round >= 3'))
    >>> battle.attacker.counts
    (('infantry', 6), ('artillery', 2))
    >>> battle.replace(rounds=2).rounds
    2
    """

    __slots__ = (
        "_assumed",
        "_given",
        "_hash",
        "attacker",
        "defender",
        "dice",
        "key",
        "landing_ships",
        "notes",
        "options",
        "rounds",
        "ruleset",
        "sea_battle",
        "sequence",
        "territory",
    )

    ruleset: Ruleset
    sequence: Sequence
    attacker: ReadySide
    defender: ReadySide
    sea_battle: Battle | None
    landing_ships: tuple[tuple[str, int], ...]
    rounds: int | None
    dice: Dice
    options: Options
    territory: float
    notes: tuple[str, ...]
    key: tuple[object, ...]
    _given: dict[str, Any]

    def __init__(
        self,
        ruleset: str | os.PathLike[str] | Ruleset,
        sequence: str,
        attacker: str | Mapping[str, int] | Side,
        defender: str | Mapping[str, int] | Side,
        *,
        rounds: int | None = None,
        dice: str | Mapping[str, str] = "standard",
        options: Mapping[str, Any] | None = None,
        territory: float = 0.0,
        overland: str | Mapping[str, int] | None = None,
        sea_attacker: str | Mapping[str, int] | Side | None = None,
        sea_defender: str | Mapping[str, int] | Side | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        base = load_ruleset(ruleset)
        given_options = _mapping(options, "options")
        given_changes = _mapping(changes, "changes")
        values, rules = _defaults(base)
        if given_options:
            values = tuple(base.option_values(given_options).items())
        if given_options or given_changes:
            rules = base.resolve(dict(values), given_changes)
        if not isinstance(sequence, str) or len(sequence) > 60:
            raise BattleError(f"unknown sequence {quote(sequence)}; {nearest('', rules.sequences)}")
        kind = rules.find_sequence(sequence)
        sides = (freeze_side(attacker, rules, "attacker"), freeze_side(defender, rules, "defender"))
        by_land = _overland(overland, rules, kind)
        notes: list[str] = []
        ready = []
        for number, side in enumerate(sides):
            try:
                one, passed_over = read_side(rules, kind.id, number, side, by_land if number == 0 else "")
            except BattlecalcError as wrong:
                raise type(wrong)(f"{SIDES[number]}: {wrong}") from None
            ready.append(one)
            notes += passed_over
        set_ = object.__setattr__
        given: dict[str, Any] = {
            "ruleset": base,
            "sequence": kind.id,
            "attacker": sides[0],
            "defender": sides[1],
            "rounds": None if rounds is None else whole_number(rounds, "rounds", BattleError, most=10**6),
            "dice": dice if isinstance(dice, str) else _mapping(dice, "dice"),
            "options": {name: value for name, value in values if value != base.options[name].default} or None,
            "territory": 0.0 if type(territory) is float and territory == 0 else _territory(territory, kind),
            "overland": by_land or None,
            "sea_attacker": None
            if sea_attacker is None
            else freeze_side(sea_attacker, rules, "sea attacker"),
            "sea_defender": None
            if sea_defender is None
            else freeze_side(sea_defender, rules, "sea defender"),
            "changes": given_changes or None,
        }
        set_(self, "_given", given)
        set_(self, "ruleset", rules)
        set_(self, "sequence", kind)
        set_(self, "rounds", given["rounds"])
        set_(self, "dice", _STANDARD if dice == "standard" else read_dice(dice))
        set_(self, "options", values)
        set_(self, "territory", given["territory"])
        for number in (0, 1):
            ready[number] = _without_taken(kind, number, ready, values, notes)
        set_(self, "attacker", ready[0])
        set_(self, "defender", ready[1])
        _check_together(self)
        sea = None
        if sea_attacker is not None or sea_defender is not None:
            sea = _sea_battle(self, notes)
        set_(self, "sea_battle", sea)
        ships = landing.split_landing(rules, kind, ready[0].counts)[1] if sea is not None else ()
        set_(self, "landing_ships", ships)
        set_(self, "notes", tuple(dict.fromkeys(notes)))
        set_(
            self,
            "key",
            (
                rules,
                kind.id,
                ready[0],
                ready[1],
                self.rounds,
                self.dice,
                values,
                self.territory,
                sea and sea.key,
            ),
        )

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a battle is a value."""
        raise AttributeError(f"a Battle cannot be changed: battle.replace({name}=...) gives another one")

    def __delattr__(self, name: str) -> None:
        """Refuse: a battle is a value."""
        raise AttributeError("a Battle cannot be changed")

    def __eq__(self, other: object) -> bool:
        """Whether both ask the same question."""
        return self.key == other.key if isinstance(other, Battle) else NotImplemented

    def __hash__(self) -> int:
        """Hash of the question."""
        return hash(self.key)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the question, not what was read."""
        return _again, (self._given,)

    def __repr__(self) -> str:
        """Write a call that makes the same battle."""
        given = self.given()
        words = [
            repr(given.pop(name)) if name in ("ruleset", "sequence") else _side_text(given.pop(name))
            for name in ("ruleset", "sequence", *SIDES)
        ]
        words += [f"{name}={_side_text(value)}" for name, value in given.items()]
        return f"Battle({', '.join(words)})"

    @property
    def sea_attacker(self) -> ReadySide | None:
        """The attacker's side of the naval battle: his ships and `sea_attacker`."""
        return self.sea_battle.attacker if self.sea_battle is not None else None

    @property
    def sea_defender(self) -> ReadySide | None:
        """The defender's side of the naval battle."""
        return self.sea_battle.defender if self.sea_battle is not None else None

    @property
    def assumed(self) -> tuple[str, ...]:
        """Names of the assumed values and rules that this battle uses.

        >>> Battle("great-war", "land", "1 inf, 1 art", "1 inf").assumed
        ('artillery.attack', 'artillery.cost', ...
        """
        try:
            return cast(tuple[str, ...], object.__getattribute__(self, "_assumed"))
        except AttributeError:
            names = assumed_in(
                self.ruleset, self.sequence, (self.attacker, self.defender), dict(self.options)
            )
            sea = self.sea_battle.assumed if self.sea_battle is not None else ()
            found = tuple(dict.fromkeys((*names, *sea)))
            object.__setattr__(self, "_assumed", found)
            return found

    def given(self) -> dict[str, Any]:
        """Return the arguments that make this battle, defaults left out; the ruleset as its id or path."""
        base = self._given["ruleset"]
        defaults: dict[str, object] = {"dice": "standard", "territory": 0.0}
        given = {name: value for name, value in self._given.items() if value != defaults.get(name)}
        return {**given, "ruleset": _ruleset_name(base)}

    def replace(self, **fields: Any) -> Battle:
        """Return the battle with other arguments, named as in the constructor.

        >>> Battle("great-war", "land", "6 inf", "5 inf").replace(defender="4 inf").defender.counts
        (('infantry', 4),)
        """
        for name in fields:
            if name not in self._given:
                raise BattleError(f"a battle has no {quote(name)}; {nearest(name, self._given)}")
        return _again({**self._given, **fields})

    def swapped(self) -> Battle:
        """Return the battle with the sides changed over; who cannot take the other role is an error."""
        for name in ("overland", "sea_attacker", "sea_defender"):
            if self._given[name] is not None:
                raise BattleError(f"sides cannot change places in a battle with {name}")
        return self.replace(attacker=self._given["defender"], defender=self._given["attacker"])


def read_dice(dice: str | Mapping[str, str]) -> Dice:
    """Read how dice are rolled, for every purpose.

    >>> read_dice({"battle": "low-luck"})[:2]
    (('battle', 'low-luck'), ('aa', 'standard'))
    """
    if isinstance(dice, str):
        return tuple((purpose, _kind(dice)) for purpose in PURPOSES)
    kinds = dict.fromkeys(PURPOSES, "standard")
    for purpose, kind in _mapping(dice, "dice").items():
        if purpose not in kinds:
            raise BattleError(f"unknown purpose of dice {quote(purpose)}; {nearest(purpose[:60], PURPOSES)}")
        kinds[purpose] = _kind(kind)
    return tuple(kinds.items())


def _kind(kind: object) -> str:
    spelled = (
        kind.lower().replace("_", "-").replace(" ", "-") if isinstance(kind, str) and len(kind) < 60 else kind
    )
    if spelled not in DICE:
        raise BattleError(
            f"unknown dice {quote(kind)}; known: standard, low-luck, or a mapping purpose -> one of them"
        )
    return spelled


_STANDARD = read_dice("standard")


@lru_cache(maxsize=64)
def _defaults(ruleset: Ruleset) -> tuple[Options, Ruleset]:
    """Return the options where none is given, and the rules under them."""
    return tuple(ruleset.option_values({}).items()), ruleset.resolve({}, {})


def _mapping(given: object, what: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise BattleError(f"{what} is a mapping name -> value, not {quote(given)}")
    return dict(given)


def _overland(overland: object, ruleset: Ruleset, kind: Sequence) -> str:
    if overland is None:
        return ""
    try:
        force = parse_force(cast(str, overland), ruleset)
    except BattlecalcError as wrong:
        raise type(wrong)(f"overland: {wrong}") from None
    if force and not kind.overland:
        raise BattleError(f"overland: {kind.id} of {ruleset.id} has no part that comes by land")
    return format_force(force) if force else ""


def _territory(territory: object, kind: Sequence) -> float:
    if isinstance(territory, (bool, str, bytes)) or not hasattr(territory, "__float__"):
        raise BattleError(f"territory is its worth in IPC, not {quote(territory)}")
    try:
        worth = float(territory)
    except (TypeError, ValueError, OverflowError):
        raise BattleError(f"territory is its worth in IPC, not {quote(territory)}") from None
    if not 0 <= worth <= 1e9 or math.isnan(worth):
        raise BattleError(f"territory is its worth in IPC, from 0 to a billion, not {quote(territory)}")
    if worth and not kind.capture:
        raise BattleError(f"territory: nothing is captured in {kind.id}, so holding it is worth nothing")
    return worth


def _without_taken(
    kind: Sequence, number: int, ready: list[ReadySide], options: Options, notes: list[str]
) -> ReadySide:
    """Return the side with the policies that the situation takes away as "never", and note them."""
    own = ready[number]
    if all(policy is NEVER for _, policy in own.policies):
        return own
    taken = dict(taken_away(kind, number, own, ready[1 - number], dict(options)))
    if not taken:
        return own
    notes += [f"{SIDES[number]}'s {right} is passed over: {why}" for right, why in taken.items()]
    policies = tuple((right, NEVER if right in taken else policy) for right, policy in own.policies)
    return dataclasses.replace(own, policies=policies)


def _check_together(battle: Battle) -> None:
    """Check what no side can know alone."""
    sides = (battle.attacker, battle.defender)
    if all(any(policy is BEST for _, policy in side.policies) for side in sides):
        one, other = (side.objective for side in sides)
        if one != other:
            raise PolicyError(f"where both sides do their best they play for one objective, not {one!r} and {other!r}")
    if battle.dice is not _STANDARD:
        dice, options = dict(battle.dice), dict(battle.options)
        for stage in battle.sequence.stages:
            for step in stage.steps:
                if step.called and options[step.called.option] and dice[step.purpose] == "low-luck":
                    raise BattleError(
                        f"{step.called.option} needs dice that are rolled one by one, so not low-luck"
                    )


def _sea_battle(battle: Battle, notes: list[str]) -> Battle | None:
    """Make the naval battle before a landing out of the attacker's ships and those sent along."""
    rules, kind, given = battle.ruleset, battle.sequence, battle._given
    escort, enemy = given["sea_attacker"], given["sea_defender"]
    if kind.before is None:
        name = "sea_defender" if enemy is not None else "sea_attacker"
        raise BattleError(f"{name}: no battle at sea comes before {kind.id} of {rules.id}")
    if enemy is None:
        raise BattleError("sea_attacker needs a sea_defender: there is nobody to fight at sea")
    try:
        if not parse_force(enemy.force, rules):
            notes.append("no battle at sea: the sea defender is empty")
            return None
        attacker = _at_sea(battle, given["attacker"], escort if escort is not None else Side(""))
        technologies = given["defender"].technologies
        defender = _with_technologies(enemy, technologies)
        sea = Battle(
            given["ruleset"],
            kind.before,
            attacker,
            defender,
            dice=given["dice"],
            options=given["options"],
            changes=given["changes"],
        )
    except BattlecalcError as wrong:
        raise type(wrong)(f"at sea: {wrong}") from None
    notes += [f"at sea: {note}" for note in sea.notes]
    return sea


def _at_sea(battle: Battle, attacker: Side, escort: Side) -> Side:
    rules = battle.ruleset
    ships = dict(landing.split_landing(rules, battle.sequence, battle.attacker.counts)[1])
    sent = parse_force(escort.force, rules)
    force = {unit: ships.get(unit, 0) + sent.get(unit, 0) for unit in rules.units}
    damaged = {unit: n for unit, n in battle.attacker.damaged if unit in ships}
    for unit, n in parse_force(escort.damaged or "", rules).items():
        damaged[unit] = damaged.get(unit, 0) + n
    order = parse_loss_order(escort.loss_order, rules)
    after = battle.attacker.loss_order
    if order is None or not isinstance(after, tuple):
        order = after if order is None else order
    elif isinstance(order, tuple):
        exhausted = {(loss.unit, loss.harmless) for loss in order if loss.count is None}
        order += tuple(loss for loss in after if (loss.unit, loss.harmless) not in exhausted)
    side = dataclasses.replace(
        escort,
        force=format_force(force),
        loss_order=order,
        keep_land=0,
        damaged=format_force(damaged) if damaged else None,
    )
    return _with_technologies(side, attacker.technologies)


def _with_technologies(side: Side, more: Iterable[str]) -> Side:
    return dataclasses.replace(side, technologies=tuple(sorted({*side.technologies, *more})))


def _side_text(value: object) -> str:
    return repr(value.force) if isinstance(value, Side) and value == Side(value.force) else repr(value)


def _ruleset_name(ruleset: Ruleset) -> str:
    try:
        return ruleset.id if load_ruleset(ruleset.id) is ruleset else ruleset.path
    except BattlecalcError:
        return ruleset.path


def _again(given: Mapping[str, Any]) -> Battle:
    return Battle(**given)
