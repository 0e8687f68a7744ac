"""The question: one battle as an immutable value, read and checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from battlecalc import switches
from battlecalc.assumed import assumed_in
from battlecalc.errors import BattlecalcError, BattleError, nearest
from battlecalc.keywords import (
    Dice,
    Options,
    default_rules,
    dice_words,
    find_sequence,
    read_dice,
    read_mapping,
    read_overland,
    read_territory,
)
from battlecalc.landing import split_landing
from battlecalc.pairing import check_pair, read_pair
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.rulesets.schema import SIDES
from battlecalc.sea import check_sea, fleet, with_technologies
from battlecalc.sides import ReadySide, Side, freeze_side
from battlecalc.words import quote, whole_number

if TYPE_CHECKING:
    from battlecalc.rulesets.schema import Sequence


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
        "_given",
        "_passed_over",
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
    _passed_over: frozenset[str]  # options that change nothing in `sequence`

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
        values, rules = default_rules(base)
        if options is not None or changes is not None:
            values = tuple(base.option_values(read_mapping(options, "options")).items())
            rules = base.resolve(dict(values), read_mapping(changes, "changes"))
        kind = find_sequence(rules, sequence)
        rolled = read_dice(dice)
        switched = {name: value for name, value in values if value != base.options[name].default}
        given: dict[str, Any] = {
            "ruleset": base,
            "sequence": kind.id,
            "attacker": freeze_side(attacker, rules, "attacker"),
            "defender": freeze_side(defender, rules, "defender"),
            "rounds": None if rounds is None else whole_number(rounds, "rounds", BattleError, most=10**6),
            "dice": dice_words(rolled),
            "options": switched or None,
            "territory": read_territory(territory, kind),
            "overland": read_overland(overland, rules, kind),
            "sea_attacker": None,
            "sea_defender": None,
            "changes": read_mapping(changes, "changes") or None,
        }
        if sea_attacker is not None:
            given["sea_attacker"] = freeze_side(sea_attacker, rules, "sea_attacker")
        if sea_defender is not None:
            given["sea_defender"] = freeze_side(sea_defender, rules, "sea_defender")
        notes: list[str] = []
        ready = read_pair(rules, kind, given, values, notes)
        sea = _sea_battle(rules, kind, given, ready[0], notes)
        check_pair(kind, ready, rolled, values)
        unread = switches.passed_over(base, rules, kind.id, values, given["changes"])
        notes += [
            switches.note(name, kind.id, rules.id)
            for name in sorted(unread)
            if sea is None or name in sea._passed_over
        ]
        fields: dict[str, object] = {
            "_given": given,
            "_passed_over": unread,
            "ruleset": rules,
            "sequence": kind,
            "attacker": ready[0],
            "defender": ready[1],
            "sea_battle": sea,
            "landing_ships": split_landing(rules, kind, ready[0].counts)[1] if sea is not None else (),
            "rounds": given["rounds"],
            "dice": rolled,
            "options": values,
            "territory": given["territory"],
            "notes": tuple(dict.fromkeys(notes)),
            "key": (
                rules,
                kind.id,
                *ready,
                given["rounds"],
                rolled,
                values,
                given["territory"],
                sea and sea.key,
            ),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

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
        ('artillery.attack', 'artillery.cost')
        """
        names = assumed_in(
            self.ruleset,
            self.sequence.id,
            tuple(frozenset(unit for unit, _ in side.counts) for side in (self.attacker, self.defender)),
            frozenset(unit for unit, _ in self.attacker.overland),
            (self.attacker.technologies, self.defender.technologies),
            tuple(option for option in self.options if option[0] not in self._passed_over),
        )
        return names if self.sea_battle is None else tuple(dict.fromkeys((*names, *self.sea_battle.assumed)))

    def given(self) -> dict[str, Any]:
        """Return the arguments that make this battle, defaults left out; the ruleset as its id or path."""
        base = self._given["ruleset"]
        defaults: dict[str, object] = {"dice": "standard", "territory": 0.0}
        given = {
            name: dict(value) if isinstance(value, dict) else value
            for name, value in self._given.items()
            if value != defaults.get(name)
        }
        return {**given, "ruleset": ruleset_name(base)}

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


def _sea_battle(
    rules: Ruleset, kind: Sequence, given: Mapping[str, Any], attacker: ReadySide, notes: list[str]
) -> Battle | None:
    """Make the naval battle before a landing; None where there is none."""
    escort, enemy = given["sea_attacker"], given["sea_defender"]
    if escort is None and enemy is None:
        return None
    try:
        if not check_sea(rules, kind, escort, enemy):
            notes.append("there is no battle at sea: the sea defender is empty")
            return None
        sea = Battle(
            given["ruleset"],
            str(kind.before),
            fleet(rules, attacker, split_landing(rules, kind, attacker.counts)[1], escort or Side("")),
            with_technologies(enemy, given["defender"].technologies),
            dice=given["dice"],
            options=given["options"],
            changes=given["changes"],
        )
    except BattlecalcError as wrong:
        raise type(wrong)(f"at sea: {wrong}") from None
    passed_over = {switches.note(name, sea.sequence.id, rules.id) for name in sea._passed_over}
    notes += [f"at sea: {note}" for note in sea.notes if note not in passed_over]
    return sea


def _side_text(value: object) -> str:
    return repr(value.force) if isinstance(value, Side) and value == Side(value.force) else repr(value)


def ruleset_name(ruleset: Ruleset) -> str:
    """Id of a ruleset that comes along, path of any other."""
    try:
        return ruleset.id if load_ruleset(ruleset.id) is ruleset else ruleset.path
    except BattlecalcError:
        return ruleset.path


def _again(given: Mapping[str, Any]) -> Battle:
    return Battle(**given)


def check_battle(given: object, asked: str) -> None:
    """Raise where `given`, of which `asked` was asked, is no `Battle`."""
    if not isinstance(given, Battle):
        raise BattleError(f"{asked} starts from a Battle, not {quote(given)}")
