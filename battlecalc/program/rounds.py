"""Rounds that are alike: the schedule cut where a rule or a policy looks at the number of the round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import TYPE_CHECKING

from battlecalc.errors import StateSpaceError
from battlecalc.program.setting import ReadyDecision, ReadyStage, ReadyStep, Setting

if TYPE_CHECKING:
    from battlecalc.policies import Policy


_MOST_CLASSES = 500


@dataclass(frozen=True, slots=True)
class RoundClass:
    """Rounds `first` to `last` (None: for ever), in which the same `steps` are walked."""

    first: int
    last: int | None
    steps: tuple[ReadyStep, ...]


def rounds_ahead(stage: ReadyStage, decision: ReadyDecision) -> int:
    """Return what a policy counts beyond the rounds fought: who submerges thinks of the round to come."""
    if decision.rule.right != "submerge":
        return 0
    place = next(
        n for n, step in enumerate(stage.steps) if decision.number in {d.number for d in step.decisions}
    )
    return 0 if any(any(step.groups) for step in stage.steps[place + 1 :]) else 1


def looks_ahead(policy: Policy) -> bool:
    """Whether a policy asks how the battle will go on: conditions on the odds, best decisions."""
    tests = (test for clause in policy.clauses for test in clause)
    return policy.kind == "best" or any(test.variable == "odds" for test in tests)


def round_classes(
    setting: Setting,
    stage: ReadyStage,
    policies: Iterable[tuple[Policy, int]],
    limit: int | None,
    waves: int,
) -> tuple[RoundClass, ...]:
    """Cut one stage into classes; the last goes on for ever (a stage fought once has just one round).

    Parameters
    ----------
    policies : iterable of (Policy, rounds ahead)
    limit : int or None
        Rounds after which the stage ends: a policy that looks ahead has answers of its own for each of them.
    waves : int
        Waves of a landing: each comes ashore in a round of its own.
    """
    if stage.rule.repeat == "once":
        return (RoundClass(1, 1, _steps(stage, 1)),)
    cuts = {1}
    ahead_of_odds = False
    spans = [step.rounds for step in stage.steps]
    spans += [g.rounds for step in stage.steps for side in step.groups for g in side]
    spans += [d.rounds for step in stage.steps for d in step.decisions]
    if stage.rule.repeat == "rounds":
        spans += [m.when.rounds for side in setting.modifiers for m in side]
    for first, last in (span for span in spans if span is not None):
        cuts.add(first)
        if last is not None:
            cuts.add(last + 1)
    for step in stage.steps:
        if step.landings:
            first, last = step.rounds or (1, None)
            end = first + waves if last is None else min(first + waves, last + 1)
            cuts.update(range(first, end + 1))
    for policy, ahead in policies:
        for test in (test for clause in policy.clauses for test in clause if test.variable == "round"):
            number = test.number - ahead
            cuts.update((floor(number), floor(number) + 1, ceil(number)))
        ahead_of_odds = ahead_of_odds or looks_ahead(policy)
    if ahead_of_odds:
        last = max(max(cuts), limit or 0)
        if last > _MOST_CLASSES:
            raise StateSpaceError(
                f"policies on the odds need tables of their own for each of {last:,} rounds, more than "
                f"{_MOST_CLASSES:,}: a lower limit of rounds would do"
            )
        cuts.update(range(1, last + 1))
    ordered = sorted(cut for cut in cuts if cut >= 1)
    ends: list[int | None] = [cut - 1 for cut in ordered[1:]]
    return tuple(
        RoundClass(first, last, _steps(stage, first))
        for first, last in zip(ordered, [*ends, None], strict=True)
    )


def _steps(stage: ReadyStage, number: int) -> tuple[ReadyStep, ...]:
    return tuple(s for step in stage.steps if (s := step.in_round(number)) is not None)


@dataclass(frozen=True, slots=True)
class ToCome:
    """What may still happen in a battle: steps, and whether modifiers may hold that do not last."""

    steps: tuple[ReadyStep, ...]
    bonus: bool
    key: tuple[object, ...] = ()  # tells what is to come apart

    def __post_init__(self) -> None:
        """Work the key out once."""
        object.__setattr__(self, "key", (self.bonus, *(step.key for step in self.steps)))


def still_to_come(
    setting: Setting,
    stages: Sequence[ReadyStage],
    classes: Sequence[Sequence[RoundClass]],
    stage: int,
    number: int,
    position: int,
) -> ToCome:
    """Return what may still come from a position on (stage, class, position in the class)."""
    here = classes[stage][number]
    later = list(here.steps[position:])
    if position and any(d.rounds is not None for d in here.steps[position - 1].decisions):
        # once a step has fired, its rights are still to be asked for
        later.append(replace(here.steps[position - 1], groups=((), ())))
    fires = any(any(step.groups) for step in later)
    if stages[stage].rule.repeat != "once":
        if here.last is None or here.first < here.last:
            later = list(here.steps)
            fires = True
        for other in classes[stage][number + 1 :]:
            later += other.steps
    for rest in classes[stage + 1 :]:
        for other in rest:
            later += other.steps
    unique = {step.key: step for step in later}
    bonus = stages[stage].rule.repeat != "rounds" or _bonus_from(setting, here.first + (not fires))
    return ToCome(tuple(unique[key] for key in sorted(unique)), bonus)


def _bonus_from(setting: Setting, first: int) -> bool:
    """Whether a modifier that is not for the whole battle may hold in a round from `first` on."""
    return any(
        (m.when.advantage is not None and m.when.rounds is None)
        or (m.when.rounds is not None and m.when.rounds[1] is not None and m.when.rounds[1] >= first)
        for side in setting.modifiers
        for m in side
    )
