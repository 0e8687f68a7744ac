"""Which states a side can get into: the schedule walked once, with all hits that the enemy can score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from battlecalc.program.edges import Edge, State
from battlecalc.program.growing import StateRows, StateSet, WideError
from battlecalc.program.pieces import Kind, Pieces
from battlecalc.program.plans import firing_bits
from battlecalc.program.setting import ReadyDecision, ReadyGroup, ReadyStep, Setting
from battlecalc.program.states import SideStates
from battlecalc.program.walker import Mask, Walker
from battlecalc.rulesets.schema import SIDES

MAX_STATES = 4_000_000
# From so many states reached at once on arrays are faster.
WIDE = 64


@dataclass(frozen=True, slots=True)
class Blow:
    """Hits of one step on a side: what they may fall on, and the most there can be."""

    mask: Mask
    most: int


@dataclass(frozen=True, slots=True)
class Exposure:
    """What can happen to a side in one step: enemy blows, landings, and (decision, one by one?) leavings."""

    step: int
    stage: int
    first: int
    last: int | None
    blows: tuple[Blow, ...]
    lands: bool
    leavings: tuple[tuple[int, bool], ...]


def exposures(
    setting: Setting, side: int, own: Pieces, enemy: Pieces, deciding: Mapping[int, bool]
) -> tuple[Exposure, ...]:
    """Everything the schedule can do to one side; hashable, so that equal exposures share their states.

    Parameters
    ----------
    deciding : numbers of the side's own decisions that its policies may take; whether units leave one by one
    """
    found = []
    total = sum(kind.count * kind.hits for kind in own.kinds)
    for stage in setting.stages:
        for step in stage.steps:
            rounds = step.rounds or (1, None)
            endless = stage.rule.repeat != "once" and rounds[1] is None
            found.append(
                Exposure(
                    step.number,
                    stage.number,
                    rounds[0],
                    rounds[1],
                    tuple(_capped(blow, total, endless) for blow in _blows(setting, step, side, own, enemy)),
                    any(landing.side == SIDES[side] for landing in step.landings),
                    tuple(
                        (d.number, deciding[d.number])
                        for d in step.decisions
                        if d.side == side and d.number in deciding
                    ),
                )
            )
    return tuple(found)


def _capped(blow: Blow, total: int, endless: bool) -> Blow:
    """Return a blow of as many hits as matter: all there are where it comes again and again."""
    return Blow(blow.mask, total if endless else min(blow.most, total))


def pending_bits(own: Pieces, exposed: tuple[Exposure, ...]) -> int:
    """Units of the side that can be hit and still fire."""
    bits = 0
    for exposure in exposed:
        for blow in exposure.blows:
            if blow.mask.pending:
                bits |= blow.mask.bits
    return bits & own.start_bits


def reachable(
    setting: Setting,
    walker: Walker,
    exposed: tuple[Exposure, ...],
    starts: Iterable[State] = (),
    most: int = MAX_STATES,
    defenceless: int = 0,
) -> SideStates:
    """All states of one side, from its whole force and from other `starts`.

    Parameters
    ----------
    defenceless : units that may be destroyed without a die (bit mask)

    Raises
    ------
    StateSpaceError
        Where there are more than `most`: as soon as that is known.
    """
    begin = [walker.start(), *starts]
    states: StateSet | StateRows = StateSet(begin, most, WIDE)
    try:
        _walk(setting, walker, exposed, states)
    except WideError:
        states = StateRows(begin, most)
        _walk(setting, walker, exposed, states)
    if not _fall_one_by_one(setting, exposed, defenceless & walker.pieces.start_bits):
        states.destroy(walker.without(defenceless))
    return states.numbered(walker)


def _fall_one_by_one(setting: Setting, exposed: tuple[Exposure, ...], units: int) -> bool:
    """Whether states without these units are reached hit by hit, wherever somebody can hit one of them."""
    endless = {stage.number for stage in setting.stages if stage.rule.repeat != "once"}
    again = {b.mask.bits for e in exposed if e.last is None and e.stage in endless for b in e.blows}
    anybody = {-1, *(blow.mask.bits for e in exposed for blow in e.blows if blow.mask.bits & units)}
    for bits in anybody:
        left = units
        for mask in again:
            if not mask & ~bits:  # it falls on nobody that is out of reach
                left &= ~mask
        if left:
            return False
    return True


def _walk(
    setting: Setting, walker: Walker, exposed: tuple[Exposure, ...], states: StateSet | StateRows
) -> None:
    """Follow the schedule."""
    decisions = {d.number: d for step in setting.steps for d in step.decisions}
    for stage in setting.stages:
        steps = [e for e in exposed if e.stage == stage.number]
        if stage.rule.repeat == "once":
            for exposure in steps:
                _follow(walker, states, exposure, decisions, 1)
            continue
        for number in range(1, _early(steps, len(walker.pieces.waves)) + 1):
            for exposure in steps:
                _follow(walker, states, exposure, decisions, number)
            _clear(walker, states)
        edges: list[Edge] = []
        for exposure in steps:
            if exposure.last is None:
                edges += [walker.edge(blow.mask) for blow in exposure.blows]
                edges += [_leave(walker, decisions[number], one) for number, one in exposure.leavings]
        edges.append(walker.clear_pending)
        states.close(edges)
    _clear(walker, states)


def _early(steps: Iterable[Exposure], waves: int) -> int:
    """Return the last round that is not like all that follow."""
    return max([0, *(e.last or e.first - 1 + (waves if e.lands else 0) for e in steps)])


def _follow(
    walker: Walker,
    states: StateSet | StateRows,
    exposure: Exposure,
    decisions: dict[int, ReadyDecision],
    number: int,
) -> None:
    if number < exposure.first or (exposure.last is not None and number > exposure.last):
        return
    for blow in exposure.blows:
        states.hits(walker.edge(blow.mask), blow.most)
    if exposure.leavings:
        _clear(walker, states)
    for leaving, one in exposure.leavings:
        states.hits(_leave(walker, decisions[leaving], one), MAX_STATES)
    if exposure.lands:
        states.move(walker.landing_of(number - exposure.first + 1), optional=False)


def _clear(walker: Walker, states: StateSet | StateRows) -> None:
    states.move(walker.clear_pending, optional=True)


def _leave(walker: Walker, decision: ReadyDecision, one: bool) -> Edge:
    return walker.leave(decision.leaves, decision.leaves_overland, one)


def _blows(setting: Setting, step: ReadyStep, side: int, own: Pieces, enemy: Pieces) -> Iterator[Blow]:
    """Blows of one step; hits with incomparable targets may also fall on the unions of these."""
    pendings = {"gone": (False,), "fire": (True,), "fire if": (False, True)}[step.rule.victims]
    owner: dict[int, int] = {}
    for group in step.groups[1 - side]:
        most, bits = most_hits(setting, group, own, enemy), group.at & own.start_bits
        if not most or not bits:
            continue
        if group.rule.casualties == "owner":
            owner[bits] = owner.get(bits, 0) + most
            continue
        if group.rule.casualties == "shooter":
            passengers = riders(setting, step, own, bits)
            for pending in pendings:
                yield Blow(Mask("called", bits, pending, passengers=passengers), most)
            continue
        for kind in own.kinds:
            if kind.bit & bits:
                for pending in pendings:
                    passengers = riders(setting, step, own, kind.bit)
                    yield from _typed(group, kind, own.kinds.index(kind), pending, passengers)
    total = sum(owner.values())
    landed = any(group.rule.at_landed for group in step.groups[1 - side])
    masks = dict(owner)
    if any(a & b not in (0, a, b) for a, b in combinations(owner, 2)):
        for size in range(2, len(owner) + 1):
            for chosen in combinations(owner, size):
                union = 0
                for bits in chosen:
                    union |= bits
                masks.setdefault(union, total)
    for bits in sorted(masks, key=int.bit_count):
        for pending in pendings:
            mask = Mask("owner", bits, pending, passengers=riders(setting, step, own, bits), landed=landed)
            yield Blow(mask, masks[bits])
    for group in step.groups[1 - side]:
        if step.called and step.called_who & group.who and group.at & own.start_bits:
            for pending in pendings:
                at, others = step.called_at & own.start_bits, group.at & own.start_bits
                yield Blow(Mask("called", at, pending, others=others), total)


def _typed(group: ReadyGroup, kind: Kind, number: int, pending: bool, passengers: int) -> Iterator[Blow]:
    if group.rule.casualties == "type":
        yield Blow(Mask("owner", kind.bit, pending, passengers=passengers), kind.count)
        return
    for hits in range(1, kind.hits + 1):
        yield Blow(Mask("die", kind.bit, pending, number, hits, passengers), kind.count)


def riders(setting: Setting, step: ReadyStep, own: Pieces, bits: int) -> int:
    """Passengers that ride, one on each carrier, and go down with it where hits on `bits` may fall on it."""
    linked = step.rule.linked
    if linked is None or not bits >> setting.bit[linked.carrier] & 1:
        return 0
    there = {k.unit.id: k.count for k in own.kinds}
    return min(int(setting.options[linked.option]), there.get(linked.carrier, 0), there.get(linked.unit, 0))


def most_hits(setting: Setting, group: ReadyGroup, target: Pieces, firing: Pieces) -> int:
    """Greatest number of dice that a group can roll."""
    dice = group.rule.dice
    if dice.kind == "option":
        return int(setting.options[str(dice.option)]) * dice.times
    units = setting.units[group.side]
    able = firing_bits(setting, group) if group.rule.who else 0
    mine = 0
    for name, n in (
        *((k.unit.id, k.count) for k in firing.kinds if group.rule.where == "battle"),
        *(firing.fixed if group.rule.where == "battle" else firing.offshore),
    ):
        if able >> setting.bit[name] & 1:
            mine += n * (units[name].dice[group.side] if dice.kind == "own" else dice.each)
    targets = sum(k.count for k in target.kinds if k.bit & group.at)
    if dice.kind == "own":
        return mine
    if dice.kind == "per target":
        return targets if mine or not group.rule.who else 0
    return min(mine, targets)
