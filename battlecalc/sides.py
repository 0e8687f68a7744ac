"""The two sides of a battle: as the user wrote them, and read and checked against the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc import landing, taking_part
from battlecalc.errors import BattlecalcError, BattleError, ForceError, PolicyError, nearest
from battlecalc.forces import format_force, parse_force
from battlecalc.losses import Loss, LossOrder, format_loss_order, parse_loss_order
from battlecalc.policies import NEVER, RIGHTS, Policy, parse_policy
from battlecalc.rulesets.schema import SIDES, SideName
from battlecalc.words import quote, whole_number

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset
    from battlecalc.rulesets.schema import Sequence as BattleSequence

OBJECTIVES = ("value", "win", "capture")
Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Side:
    """All that belongs to one side of a battle, in a player's words.

    Attributes
    ----------
    force : str or mapping of str to int
        ``"6 inf, 2 art"`` or unit -> count.
    technologies : iterable of str
        Names of technologies; a text may list several with commas.
    loss_order : str or sequence of str, optional
        First lost first: ``"4 inf, 1 art, inf, art, tank"``; ``name*`` places hits that a unit survives;
        ``"best"``. Units not named follow in the default order.
    keep_land : int
        So many of the best land units are lost last.
    damaged : str or mapping of str to int, optional
        Units that start with one hit taken.
    retreat, contest, air_retreat : str
        ``"never"``, ``"best"`` or conditions such as ``"round >= 3 and units <= 4"``.
    submerge : str
        The same, or ``"always"``.
    objective : {"value", "win", "capture"}
        What ``best`` means.

    Examples
    --------
    >>> Side("6 inf, 2 art", retreat="round >= 3")
    Side('6 inf, 2 art', retreat='round >= 3')
    """

    force: str | Mapping[str, int]
    technologies: str | Iterable[str] = ()
    loss_order: str | Sequence[str | Loss] | None = None
    keep_land: int = 0
    damaged: str | Mapping[str, int] | None = None
    retreat: str | Policy = "never"
    contest: str | Policy = "never"
    air_retreat: str | Policy = "never"
    submerge: str | Policy = "never"
    objective: str = "value"

    def __repr__(self) -> str:
        """Write a call that makes the same side."""
        given = [f"{f.name}={v!r}" for f in fields(self)[1:] if (v := getattr(self, f.name)) != f.default]
        return f"Side({', '.join([repr(self.force), *given])})"


@dataclass(frozen=True, slots=True)
class ReadySide:
    """A side that was read and checked.

    Attributes
    ----------
    counts : tuple of (unit, count)
        The force in ruleset order, without `overland`.
    overland : tuple of (unit, count)
        Units of a landing that come by land.
    technologies : frozenset of str
    loss_order : tuple of Loss, "best" or None
    keep_land : int
    damaged : tuple of (unit, count)
    policies : tuple of (right, Policy)
        Every right; what was passed over is "never".
    objective : {"value", "win", "capture"}
    """

    counts: Counts
    overland: Counts
    technologies: frozenset[str]
    loss_order: LossOrder
    keep_land: int
    damaged: Counts
    policies: tuple[tuple[str, Policy], ...]
    objective: str
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work out the hash once: sides are keys of every cache."""
        key = (self.counts, self.overland, self.technologies, self.loss_order, self.keep_land)
        object.__setattr__(self, "_hash", hash((key, self.damaged, self.policies, self.objective)))

    def __hash__(self) -> int:
        """Hash of the content."""
        return self._hash

    @property
    def units(self) -> frozenset[str]:
        """Units of the force, overland ones too."""
        return frozenset(unit for unit, _ in self.counts + self.overland)

    def policy(self, right: str) -> Policy:
        """Return the policy for a right."""
        return self.policies[RIGHTS.index(right)][1]


def side_name(side: object) -> SideName:
    """Check the name of a side.

    >>> side_name("attacker")
    'attacker'
    """
    for name in SIDES:
        if side == name:
            return name
    raise BattleError(f"side is 'attacker' or 'defender', not {quote(side)}")


def freeze_side(side: object, ruleset: Ruleset, where: str) -> Side:
    """Bring a force or `Side` into one hashable form: texts and tuples only.

    Raises
    ------
    BattlecalcError
        Where a field has a type that means nothing.
    """
    if isinstance(side, str):
        return Side(side)
    if isinstance(side, Mapping):
        side = Side(side)
    if not isinstance(side, Side):
        raise ForceError(
            f"{where} is a force such as '6 inf, 2 art', a mapping unit -> count or a Side, not {quote(side)}"
        )
    order = side.loss_order
    try:
        return Side(
            force=_force_text(side.force, ruleset),
            technologies=read_technologies(side.technologies, ruleset),
            loss_order=order
            if isinstance(order, str)
            else format_loss_order(parse_loss_order(order, ruleset)),
            keep_land=whole_number(side.keep_land, "keep_land", BattleError, most=10**6),
            damaged=None if side.damaged is None else _force_text(side.damaged, ruleset),
            retreat=_policy_text(side.retreat, "retreat"),
            contest=_policy_text(side.contest, "contest"),
            air_retreat=_policy_text(side.air_retreat, "air_retreat"),
            submerge=_policy_text(side.submerge, "submerge"),
            objective=_objective(side.objective),
        )
    except BattlecalcError as wrong:
        raise type(wrong)(f"{where}: {wrong}") from None


def _force_text(force: str | Mapping[str, int], ruleset: Ruleset) -> str:
    return force if isinstance(force, str) else format_force(parse_force(force, ruleset))


def _policy_text(policy: str | Policy, right: str) -> str:
    return policy if type(policy) is str else parse_policy(policy, right).text


def read_technologies(given: object, ruleset: Ruleset) -> tuple[str, ...]:
    """Read names of technologies, in a list or with commas, into ids in alphabetical order."""
    if type(given) is tuple and not given:
        return ()
    if isinstance(given, str):
        given = [name for name in given.split(",") if name.strip()]
    if not isinstance(given, Iterable) or isinstance(given, (bytes, bytearray, Mapping)):
        raise BattleError(f"technologies are a list of names, not {quote(given)}")
    known = set()
    for name in given:
        if not isinstance(name, str) or len(name) > 60:
            raise BattleError(f"a technology is named by a short text, not {quote(name)}")
        known.add(ruleset.technology_id(name.strip()))
    return tuple(sorted(known))


def _objective(objective: object) -> str:
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise PolicyError(f"unknown objective {quote(objective)}; {nearest(str(objective)[:60], OBJECTIVES)}")
    return str(objective)


@lru_cache(maxsize=4096)
def read_side(
    ruleset: Ruleset, sequence: str, number: int, side: Side, overland: str = ""
) -> tuple[ReadySide, tuple[str, ...]]:
    """Read a frozen side and check all that depends on this side alone; returns it with its notes."""
    rules, name = ruleset.sequences[sequence], SIDES[number]
    counts = tuple(parse_force(side.force, ruleset).items())
    by_land = tuple(parse_force(overland, ruleset).items())
    technologies = frozenset(side.technologies)
    taking_part.check(ruleset, rules, number, counts, by_land, technologies)
    if number == 0:
        landing.check_capacity(ruleset, rules, counts)
    force = {unit: dict(counts).get(unit, 0) + dict(by_land).get(unit, 0) for unit in dict(counts + by_land)}
    order = parse_loss_order(side.loss_order, ruleset)
    notes = [*_passed_over(ruleset, rules, name, force, side, order)]
    if number == 0:
        notes += [
            f"{ship} does not bombard: no unit of the force lands"
            for ship in taking_part.silent_ships(rules, counts)
        ]
        notes += landing.without_waves(rules, counts)
    policies = []
    for right in RIGHTS:
        policy = parse_policy(getattr(side, right), right)
        if policy is not NEVER and not _given(ruleset, rules, number, right):
            notes.append(
                f"{name}'s {right} is passed over: nobody is asked for it in {sequence} of {ruleset.id}"
            )
            policy = NEVER
        policies.append((right, policy))
    if side.objective == "capture" and not rules.capture:
        raise PolicyError(f"objective 'capture': nothing is captured in {sequence} of {ruleset.id}")
    damaged = _damaged(side.damaged, ruleset, number, force, technologies)
    ready = ReadySide(
        counts, by_land, technologies, order, side.keep_land, damaged, tuple(policies), side.objective
    )
    return ready, tuple(notes)


def _given(ruleset: Ruleset, rules: BattleSequence, number: int, right: str) -> bool:
    """Whether the sequence knows the right; an error where no sequence of the ruleset does."""
    giving = sequences_with_right(ruleset, number, right)
    if not giving:
        raise PolicyError(
            f"{right}: no rule of {ruleset.id} gives it to the {SIDES[number]}, so it can only be 'never'"
        )
    return rules.id in giving


@lru_cache(maxsize=512)
def sequences_with_right(ruleset: Ruleset, number: int, right: str) -> frozenset[str]:
    """Return the sequences of a ruleset that ask a side for a right."""
    return frozenset(
        sequence.id
        for sequence in ruleset.sequences.values()
        for stage in sequence.stages
        for step in stage.steps
        for decision in step.decide
        if decision.right == right and decision.side == SIDES[number]
    )


def _damaged(
    damaged: str | Mapping[str, int] | None,
    ruleset: Ruleset,
    number: int,
    force: Mapping[str, int],
    technologies: frozenset[str],
) -> Counts:
    if damaged is None:
        return ()
    units = ruleset.for_side(SIDES[number], technologies).units
    found = tuple(parse_force(damaged, ruleset).items())
    for unit, count in found:
        if units[unit].hits[number] < 2 or units[unit].absorbs:
            raise ForceError(f"damaged {quote(damaged)}: {unit} cannot be damaged, its first hit destroys it")
        if count > force.get(unit, 0):
            raise ForceError(
                f"damaged {quote(damaged)}: there are only {force.get(unit, 0)} {unit} in the force"
            )
    return found


def _passed_over(
    ruleset: Ruleset,
    rules: BattleSequence,
    name: str,
    force: Mapping[str, int],
    side: Side,
    order: LossOrder,
) -> Iterable[str]:
    if side.keep_land and not ruleset.holders & force.keys():
        yield f"{name}'s keep_land is passed over: there is no land unit to keep"
    if not isinstance(order, tuple):
        return
    for what in dict.fromkeys(_forced(ruleset, rules, name, force, order)):
        yield f"{name}'s order of loss: the rules lose {what}, whatever the order says"


def _forced(
    ruleset: Ruleset, rules: BattleSequence, name: str, force: Mapping[str, int], order: tuple[Loss, ...]
) -> Iterable[str]:
    """Say where an order goes against one that the rules force."""
    number = SIDES.index(name)
    where = landing.places(rules, number, force)
    left = {
        unit: n
        for unit, n in force.items()
        if where[unit] in ("battle", "aboard") and not taking_part.never_lost(ruleset, rules, name, unit)
    }
    begun = False
    for loss in order:
        if loss.unit not in left:
            continue
        unit = ruleset.units[loss.unit]
        if loss.harmless:
            if begun and unit.absorbs and unit.hits[number] > 1:
                yield f"{loss.unit}* first"
            continue
        begun = True
        left[loss.unit] = 0 if loss.count is None else left[loss.unit] - loss.count
        others = any(n > 0 for u, n in left.items() if u != loss.unit and not ruleset.units[u].last)
        if others and unit.last:
            yield f"{loss.unit} last"
        elif others and loss.unit == rules.last_survivor and left[loss.unit] <= 0:
            yield f"the last {loss.unit} last"
