"""What a ruleset says, as frozen dataclasses: the only form in which the rest of the package meets rules.

The TOML form, key by key, is in ``docs/rulesets.md``; the other modules of this package turn it into these.
Sets of units (`who`, `at`, `leaves` ...) are written in TOML as unit ids, tags and the words ``all`` and
``rest``; here they are always frozensets of unit ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SideName = Literal["attacker", "defender"]
Units = frozenset[str]
SIDES: tuple[SideName, SideName] = ("attacker", "defender")
NONE: Units = frozenset()


@dataclass(frozen=True, slots=True)
class Unit:
    """One kind of piece. Pairs are (as attacker, as defender).

    Attributes
    ----------
    values : mapping of str to int
        Highest roll that hits: ``attack``, ``defence`` and named ones (``bombard``, ``aa``, ``intercept``
        ...).
    dice : pair of int
        Shots a unit fires when it fires.
    rolls : pair of int
        Dice rolled for one shot, of which the best counts (heavy bombers of some editions).
    hits : pair of int
        Hits a unit takes before it is lost.
    cost : float or None
        IPC; None where it cannot be bought (counts 0 in every value).
    only : side or None
        The one side on which the unit can take part.
    needs : mapping of side to technology
        Technology without which that side cannot have the unit.
    never_lost : bool
        Cannot be a casualty, never keeps a side alive.
    keeps_alive : bool
        False: a side with nothing else is out (a fort).
    alone : pair of "withdraws", "destroyed" or None
        What becomes of such units when nothing else keeps their side alive (transports, AAA).
    last : bool
        Forced order of loss: after everything else that can take the hit.
    captured : bool
        Changes hands in an attacker's win instead of surviving.
    captured_on_retreat : bool
        Changes hands also when its owner retreats (a fort).
    fires_with : set of unit ids
        Fires only while one of these of its own side is in the battle; empty: always.
    counts_in_conditions : bool
        Whether `units`, `land` and `value` conditions of policies count it.
    decks : int
        Planes that one such ship can take; 0 for everything else.
    damaged_decks : int or None
        Planes that it can take once it is damaged; None: as many as before.
    needs_deck : bool
        A plane that can land on a deck.
    absorbs : bool
        Hits beyond the last are absorbed, not damage: such a unit is mended when the battle is over (1914's
        tanks).
    assumed : set of str
        Names of fields that no rulebook prints.
    """

    id: str
    aliases: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    values: Mapping[str, int] = field(default_factory=dict)
    dice: tuple[int, int] = (1, 1)
    rolls: tuple[int, int] = (1, 1)
    hits: tuple[int, int] = (1, 1)
    cost: float | None = None
    only: SideName | None = None
    needs: Mapping[str, str] = field(default_factory=dict)
    never_lost: bool = False
    keeps_alive: bool = True
    alone: tuple[str | None, str | None] = (None, None)
    last: bool = False
    captured: bool = False
    captured_on_retreat: bool = False
    fires_with: Units = NONE
    counts_in_conditions: bool = True
    decks: int = 0
    damaged_decks: int | None = None
    needs_deck: bool = False
    absorbs: bool = False
    assumed: frozenset[str] = frozenset()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """When a group fires or a decision is asked; every given part must hold (empty: always).

    `own_*` and `enemy_*` look at units in the battle (casualties that may still fire included); the others
    are known before the battle. In the condition of a whole stage or step, "own" is the attacker. `option`
    holds for a flag that is set and for a number above 0. `rounds` is (first, last) of the stage's own count,
    last None for no end.
    """

    rounds: tuple[int, int | None] | None = None
    own_has: Units = NONE
    own_lacks: Units = NONE
    enemy_has: Units = NONE
    enemy_lacks: Units = NONE
    both_have: Units = NONE
    advantage: str | None = None
    technology: str | None = None
    lacks_technology: str | None = None
    enemy_technology: str | None = None
    enemy_lacks_technology: str | None = None
    option: str | None = None
    lacks_option: str | None = None
    fought: str | None = None
    not_fought: str | None = None


ALWAYS = Condition()


@dataclass(frozen=True, slots=True)
class Modifier:
    """A value that depends on the side's own mix, or on an advantage.

    With `source` (artillery support, combined arms) each unit of `source` serves `per` units of `to`, a unit
    is served once; modifiers are applied in file order, units of `to` in the order of the tuple. Without it,
    all units of `to` get it. All modifiers together serve a unit once (a mechanized infantry has its +1 from
    a tank or from a gun).
    """

    name: str
    side: Literal["attacker", "defender", "both"]
    to: tuple[str, ...]
    add: int = 1
    source: Units = NONE
    per: int = 1
    when: Condition = ALWAYS
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Dice:
    """How many dice a group rolls.

    kind ``own``: each unit its own shots. ``per target``: one die for each enemy unit of `at`, at the best
    value of the group's units that are still there. ``capped``: `each` dice for each own unit, the best
    first, at most one for each enemy unit of `at`.
    ``option``: `times` dice for each of the number that `option` gives (no unit fires).
    """

    kind: Literal["own", "per target", "capped", "option"] = "own"
    each: int = 1
    option: str | None = None
    times: int = 1


@dataclass(frozen=True, slots=True)
class Group:
    """Units of one side that fire in a step.

    Attributes
    ----------
    who : set of unit ids
        Empty for dice that no unit rolls (mines).
    where : "battle" or "offshore"
        Where these units are.
    value : str or int
        ``"ordinary"`` (attack or defence by side), a named value, ``"fort.defence"`` (another unit's), or a
        number.
    at : set of unit ids
        What its hits may fall on.
    casualties : "owner", "die", "type" or "shooter"
        Who decides: the owner by his order of loss, the die that rolled (a die belongs to a unit: mines), the
        type (dice are rolled type by type: old AA guns), or the shooter, as for called shots (kamikaze
        strikes).
    at_most_per : set of unit ids
        Only as many units fire, the best first, as the side landed units of this set; empty: no limit.
    at_landed : bool
        Whether its hits fall on units that came by sea only, not on those that came by land.
    """

    side: SideName
    who: Units
    where: Literal["battle", "offshore"] = "battle"
    value: str | int = "ordinary"
    dice: Dice = Dice()
    at: Units = NONE
    casualties: Literal["owner", "die", "type", "shooter"] = "owner"
    at_most_per: Units = NONE
    at_landed: bool = False
    when: Condition = ALWAYS


@dataclass(frozen=True, slots=True)
class Called:
    """Called shots: rolls of `who` up to `option`'s number hit what the shooter picks among `at`."""

    option: str
    who: Units
    at: Units


@dataclass(frozen=True, slots=True)
class Linked:
    """Units lost with their carrier in a step: at most `option` of kind `unit`, one aboard each `carrier`."""

    unit: str
    carrier: str
    option: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A right that a side may use in a step.

    `leaves` names what goes (with `overland`: only units that came by land, and air as named); a right that
    ends the battle for the whole side has ``leaves`` = all. `contest` takes nobody away and ends the battle.
    """

    side: SideName
    right: Literal["retreat", "contest", "air_retreat", "submerge"]
    leaves: Units = NONE
    leaves_overland: Units = NONE
    needs: Units = NONE
    when: Condition = ALWAYS
    each: bool = False


@dataclass(frozen=True, slots=True)
class Landing:
    """Units aboard that come ashore in a step: at most `each` for every `carrier` offshore, best first."""

    side: SideName
    who: Units
    carrier: Units
    each: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One step: groups that fire simultaneously, then decisions in order, then landings.

    `victims`: what hit units still do. ``"gone"``: nothing; ``"fire"``: they fire once more, until the end of
    the round; ``"fire if"``: they do while their side has one of `victims_need` at the start of the step.
    """

    name: str
    fire: tuple[Group, ...] = ()
    decide: tuple[Decision, ...] = ()
    land: tuple[Landing, ...] = ()
    purpose: str = "battle"
    victims: Literal["gone", "fire", "fire if"] = "gone"
    victims_need: Units = NONE
    called: Called | None = None
    linked: Linked | None = None
    when: Condition = ALWAYS
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Advantage:
    """What the side that still has units of `has` gets when a stage is over (air superiority)."""

    name: str
    has: Units


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps with how often they repeat.

    `repeat`: ``once``; ``rounds`` (until a side is out: the main battle); ``while both have`` (until a side
    has none of `both_have`). `limit` rounds, after which the outcome is `then`. `even_alone`: fought also
    where the defender has only units that cannot hold (guns alone fire at planes before they are destroyed).
    """

    name: str
    repeat: Literal["once", "rounds", "while both have"]
    steps: tuple[Step, ...]
    both_have: Units = NONE
    limit: int | None = None
    then: str = "unresolved"
    when: Condition = ALWAYS
    advantage: Advantage | None = None
    even_alone: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """What units of one side do in one sequence, different from their ruleset entry.

    `where`: ``battle``, ``aboard`` (not landed yet: keeps the side alive), ``offshore`` (fires when named,
    cannot be hit, keeps nobody alive) or ``waiting`` (takes no part, survives). `never_lost`, `fires_always`
    (no keeper needed). `if_has`: only where the force has one of these.
    """

    side: SideName
    who: Units
    where: Literal["battle", "aboard", "offshore", "waiting"] = "battle"
    never_lost: bool = False
    fires_always: bool = False
    if_has: Units = NONE


@dataclass(frozen=True, slots=True)
class AssumedRule:
    """A rule no rulebook prints; used by a battle in which any unit of `units` takes part (empty: always)."""

    rule: str
    units: Units = NONE


@dataclass(frozen=True, slots=True)
class Damage:
    """Damage of a raid: each surviving unit of `who` rolls `dice` (the best of `rolls` each) plus `add`.

    A unit's own values ``damage_dice``, ``damage_rolls`` and ``damage_add`` go before these (:meth:`of`). The
    most that the target can take: `cap_times` the number that the option `cap_option` gives, or, with
    `cap_by_target`, the sum of the values ``damage_cap`` of the defender's units (either 0: no end).
    `per_unit`: it holds for each bomber's roll, not for the total.
    """

    who: Units
    dice: int = 1
    rolls: int = 1
    add: int = 0
    cap_option: str | None = None
    cap_times: int = 1
    cap_by_target: bool = False
    per_unit: bool = False

    def of(self, unit: Unit) -> tuple[int, int, int]:
        """(dice, rolls of which the best counts for each die, pips added) of one surviving `unit`."""
        values = unit.values
        return (
            values.get("damage_dice", self.dice),
            values.get("damage_rolls", self.rolls),
            values.get("damage_add", self.add),
        )


@dataclass(frozen=True, slots=True)
class Sequence:
    """One kind of battle: who takes part and the stages in order.

    `before` names the sequence fought first in a chained landing, which goes on when the attacker won it, or
    when nobody there can hit anybody. `last_survivor`: unit of which one is lost last (1914).
    `decks_option`: with it, surviving planes that no surviving deck takes are lost.
    """

    id: str
    takes: tuple[Units, Units]
    stages: tuple[Stage, ...]
    aliases: tuple[str, ...] = ()
    needs_one_of: tuple[Units, Units] = (NONE, NONE)
    roles: tuple[Role, ...] = ()
    before: str | None = None
    overland: Units = NONE
    last_survivor: str | None = None
    decks_option: str | None = None
    capture: bool = True
    damage: Damage | None = None
    assumed: tuple[AssumedRule, ...] = ()
    why_not: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Option:
    """A switch of the ruleset: flag (bool), number (0 to `most`) or choice (one of `choices`)."""

    name: str
    kind: Literal["flag", "number", "choice"]
    default: bool | int | str
    most: int = 1000
    choices: tuple[str, ...] = ()
    about: str = ""
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Technology:
    """A technology: what it changes in the entries of the side that has it is applied by the loader."""

    name: str
    about: str = ""
    assumed: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cargo:
    """How one carrier is loaded: alternative sets of slots (a slot is a set of unit ids, one unit each)."""

    carrier: str
    loads: tuple[tuple[Units, ...], ...]


@dataclass(frozen=True, slots=True)
class SideRules:
    """Units and modifiers of one side, its technologies applied."""

    units: Mapping[str, Unit]
    modifiers: tuple[Modifier, ...]
