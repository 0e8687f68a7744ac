"""Best retreats: by trying every policy, and by backward induction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from tests.naive.forces import base
from tests.naive.process import Chances, End, Question, State
from tests.naive.questions import Force, modes, prepare
from tests.naive.tables import cost
from tests.naive.twin import battle, rules

Payoff = Callable[[End], Fraction]


def always(number: int, own: dict[str, int], enemy: dict[str, int]) -> bool:
    return True


always.horizon = 0  # type: ignore[attr-defined]


def worth(ruleset: str, *forces: Any) -> Fraction:
    """Value of forces, a unit without a cost counting 0."""
    return sum(
        (n * Fraction(cost(ruleset, base(name)) or 0) for force in forces for name, n in force), Fraction(0)
    )


def payoff_of(ruleset: str, attacker: Force, defender: Force, objective: str, territory: Any) -> Payoff:
    """Say what an end is worth to the attacker."""

    def payoff(end: End) -> Fraction:
        if objective == "win":
            return Fraction(end.outcome == "attacker_wins")
        if objective == "capture":
            return Fraction(end.captures)
        destroyed = worth(ruleset, defender.items()) - worth(ruleset, end.defender, end.captured)
        lost = worth(ruleset, attacker.items()) - worth(ruleset, end.attacker)
        return destroyed - lost + Fraction(territory) * end.captures

    return payoff


def fixed_point(a_stops: Fraction, d_stops: Fraction, others: Fraction, stay: Fraction) -> Fraction:
    """Find V = max(a_stops, min(d_stops, others + stay * V)): one of three candidates, and only one."""
    candidates = [a_stops, d_stops, others / (1 - stay)]
    (value,) = {v for v in candidates if v == max(a_stops, min(d_stops, others + stay * v))}
    return value


INFINITY = Fraction(10**12)  # stands for the stop of a side that does not decide


def best_retreat_value(
    ruleset: str,
    sequence: str,
    attacker: Force,
    defender: Force,
    *,
    who: tuple[bool, bool] = (True, False),
    objective: str = "value",
    territory: Any = 0,
    contest: bool = False,
    loss_order: Any = (None, None),
    keep_land: tuple[int, int] = (0, 0),
    overland: Force | None = None,
    dice: Any = "standard",
    **asked: Any,
) -> Fraction:
    """Value of a battle to the attacker when these sides retreat at their best: backward induction.

    After each round the attacker takes the best of stopping and going on, then the defender, who
    minimises the attacker's value. A side that does not decide follows its policy in `asked`. With
    `contest` the attacker may also contest.
    """
    q, start = prepare(
        ruleset,
        sequence,
        (attacker, defender),
        loss_order,
        keep_land,
        ({}, {}),
        overland,
        dice=modes(dice),
        **{**asked, "technologies": tuple(frozenset(t) for t in asked.get("technologies", ((), ())))},
    )
    whole = {
        unit: attacker.get(unit, 0) + (overland or {}).get(unit, 0) for unit in {*attacker, *(overland or {})}
    }
    payoff = payoff_of(ruleset, whole, defender, objective, territory)
    steps = rules(q)
    solved: dict[State, Fraction] = {}

    def going_on(state: State) -> Fraction:
        """Value of fighting at least one more round from here."""
        if state in solved:
            return solved[state]
        stay, others = Fraction(0), Fraction(0)
        choices = None
        for place, p in steps.fight(q, state).items():
            if isinstance(place, End):
                others += p * payoff(place)
                continue
            stops, on = decide(place)
            if on == {state: 1}:
                stay, choices = stay + p, stops
            else:
                others += p * max(stops[0], min(stops[1], value_of(on)))
        if choices is None:
            solved[state] = others
        else:
            after = fixed_point(*choices, others, stay)  # value at the questions after a round without a hit
            solved[state] = others + stay * after
        return solved[state]

    def value_of(chances: Chances) -> Fraction:
        return sum(
            (
                p * (payoff(place) if isinstance(place, End) else going_on(place))
                for place, p in chances.items()
            ),
            Fraction(0),
        )

    def decide(state: State) -> tuple[tuple[Fraction, Fraction], Chances]:
        """(value of the attacker's best stop, of the defender's stop), and what happens if nobody stops."""
        given: Question = replace(
            q, retreat=(None if who[0] else q.retreat[0], None if who[1] else q.retreat[1])
        )
        on = steps.after(given, state)
        a_stops, d_stops = -INFINITY, INFINITY
        if who[0]:
            stop = steps.after(replace(given, retreat=(always, None)), state)
            if stop != on:
                a_stops = value_of(stop)
            if contest:
                stop = steps.after(replace(given, contest=always), state)
                a_stops = max(a_stops, value_of(stop)) if stop != on else a_stops
        if who[1]:
            stop = steps.after(replace(given, retreat=(None, always)), state)
            d_stops = value_of(stop) if stop != on else INFINITY
        return (a_stops, d_stops), on

    return value_of(steps.before(q, start))


def retreat_value(
    ruleset: str,
    sequence: str,
    attacker: Force,
    defender: Force,
    *,
    objective: str = "value",
    territory: Any = 0,
    **asked: Any,
) -> Fraction:
    """Value of a battle to the attacker under given policies."""
    payoff = payoff_of(ruleset, attacker, defender, objective, territory)
    result = battle(ruleset, sequence, attacker, defender, **asked)
    return sum((p * payoff(end) for end, p in result.ends.items()), Fraction(0))


def best_by_enumeration(
    ruleset: str, sequence: str, attacker: Force, defender: Force, *, limit: int = 9, **asked: Any
) -> Fraction:
    """Best value over all attacker's policies, each a set of positions in which he retreats.

    Every policy is played out; a battle with more than `limit` positions after a round is refused.
    """
    seen: set[tuple[Any, Any]] = set()

    def note(number: int, own: dict[str, int], enemy: dict[str, int]) -> bool:
        seen.add((tuple(sorted(own.items())), tuple(sorted(enemy.items()))))
        return False

    note.horizon = 0  # type: ignore[attr-defined]
    battle(ruleset, sequence, attacker, defender, retreat=(note, None), **rest_of(asked))
    assert len(seen) <= limit, f"{len(seen)} positions"
    positions = sorted(seen)
    best = -INFINITY
    for choice in product((False, True), repeat=len(positions)):
        stops = {position for position, stop in zip(positions, choice, strict=True) if stop}

        def chosen(number: int, own: dict[str, int], enemy: dict[str, int], stops: Any = stops) -> bool:
            return (tuple(sorted(own.items())), tuple(sorted(enemy.items()))) in stops

        chosen.horizon = 0  # type: ignore[attr-defined]
        value = retreat_value(ruleset, sequence, attacker, defender, retreat=(chosen, None), **asked)
        best = max(best, value)
    return best


def rest_of(asked: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in asked.items() if key not in ("objective", "territory")}
