"""`require`: what it takes to reach a chance; and what one more unit, or another force, is worth."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from battlecalc import run
from battlecalc.answering import MAX_STATES
from battlecalc.battle import Battle, check_battle
from battlecalc.errors import BattleError
from battlecalc.results.words import plural
from battlecalc.sides import side_name
from battlecalc.sweeping.answers import Candidate, Requirement
from battlecalc.sweeping.judging import ROUNDING, Fielded, Judge, make_goal
from battlecalc.sweeping.limits import limit_ranges, side_cost, split_unit, unit_cost
from battlecalc.sweeping.search import Cheapest, Force, NotMonotone, fewest
from battlecalc.words import quote, whole_number

if TYPE_CHECKING:
    from battlecalc.sweeping.limits import Limits

RUNNERS_UP = 5
MOST_FORCES = 1_000_000
MOST_IN_ONE_PASS = 20_000


def require(
    battle: Battle,
    unit: str | None = None,
    odds: float = 0.9,
    what: str = "win",
    limits: Limits | None = None,
    *,
    side: str = "attacker",
    runners_up: int = RUNNERS_UP,
    method: str = "auto",
    error: float = 0.001,
    tolerance: float = 0.002,
    seed: int | None = None,
    max_states: int = MAX_STATES,
) -> Requirement:
    """Fewest of a unit, or cheapest force, for a given chance.

    Parameters
    ----------
    battle : Battle
        The other side, and whatever of this one is not asked about.
    unit : str, optional
        Unit whose number is looked for: ``"infantry"`` or ``"defender.infantry"``. The number that
        `battle` has of it does not matter.
    odds : float
        Chance to reach, a probability.
    what : {"win", "capture", "hold"}
        ``"capture"``: win with a unit that can hold the territory; ``"hold"``: the defender is not captured.
    limits : mapping of str to range, (least, most) or most
        Without `unit`: units of which the cheapest force is made, and how many of each there may be. With
        it: limits of that unit's number, else 0 to 500.
    side : {"attacker", "defender"}
        Who asks, where `unit` does not say so.
    runners_up : int
        So many forces are shown beside the cheapest one. None of them contains another; of two that cost
        the same, the one with the better chance comes first.
    method : {"auto", "exact", "monte-carlo"}
        ``"auto"`` simulates where the exact answer does not fit.
    error, tolerance : float
        Where battles are simulated, the chance that any of them is misjudged whose chance is further than
        `tolerance` from `odds` (Wald's sequential test) is at most `error`.
    seed : int, optional
        Of the simulated ones.

    Returns
    -------
    Requirement

    Examples
    --------
    >>> from battlecalc import Battle
    >>> battle = Battle("aa-1942-2e", "land", "2 artillery, 1 tank", "6 inf, 1 aa_gun")
    >>> print(require(battle, unit="infantry", odds=0.9))
    6 infantry to win with 90 %: 94.786 %, 32 IPC in all
    attacker against 6 infantry, 1 aa gun
    Axis & Allies 1942, second edition, land battle
    <BLANKLINE>
                    chance  IPC in all
      6 infantry  94.786 %          32  answer
      5 infantry  87.807 %          29
      7 infantry  98.003 %          35
    <BLANKLINE>
    every smaller number was tried
    >>> require(battle, odds=0.9, limits={"inf": 8, "art": 3, "tank": 3}).force
    {'infantry': 6, 'artillery': 3, 'tank': 0}
    """
    check_battle(battle, "require")
    if unit is None and limits is None:
        raise BattleError("require needs a unit, or limits of the units of a force")
    if unit is not None:
        side, unit = split_unit(unit, side)
    goal = make_goal(side_name(side), what, odds, battle)
    ranges = limit_ranges(battle.ruleset, side_name(side), unit, limits)
    total = math.prod(map(len, ranges.values()))
    if total > MOST_FORCES:
        raise BattleError(f"limits allow {total:,} forces, at most {MOST_FORCES:,} can be searched")
    run.check_method(method)
    for name, value in (("error", error), ("tolerance", tolerance)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 0.5:
            raise BattleError(f"{name} is a probability between 0 and 0.5, not {quote(value)}")
    seed, max_states = run.read_seed(seed), run.read_max_states(max_states)
    judge = Judge(goal, method, error / total, tolerance, seed, max_states)
    fielded = Fielded(battle, goal.side, tuple(ranges), judge)
    if unit is not None:
        best, beside, notes = _fewest(fielded, ranges[next(iter(ranges))])
    else:
        beside_wanted = whole_number(runners_up, "runners_up", BattleError, most=1000)
        best, beside, notes = _cheapest(fielded, list(ranges.values()), 1 + beside_wanted)
    _check_taking_part(fielded)
    if judge.tested:
        notes.append(
            f"{plural(judge.tested, 'battle')} simulated: with a probability of {100 * (1 - error):g} % none "
            f"is misjudged whose chance is more than {100 * tolerance:g} points from the goal"
        )
    if judge.undecided:
        notes.append(f"{plural(judge.undecided, 'battle')} too close to the goal: judged by the estimate")
    return Requirement(
        battle,
        goal,
        tuple(ranges),
        None if best is None else _candidate(fielded, best),
        tuple(_candidate(fielded, counts) for counts in beside),
        judge.exact + judge.tested,
        error if judge.tested else None,
        tolerance if judge.tested else None,
        tuple(notes),
    )


def _check_taking_part(fielded: Fielded) -> None:
    """Raise where no battle was possible, or none with some unit."""
    if not fielded.verdicts:
        raise next(iter(fielded.impossible.values()))
    for place in range(len(fielded.units)):
        refused = [error for counts, error in fielded.impossible.items() if counts[place]]
        if refused and not any(counts[place] for counts in fielded.verdicts):
            raise refused[0]


def _fewest(fielded: Fielded, counts: range) -> tuple[Force | None, list[Force], list[str]]:
    found = fewest(lambda n: fielded.reaches((n,)), counts[0], counts[-1])
    notes = []
    if not found.monotone:
        notes.append("more is not always better here: some larger number does worse than a smaller one")
    if found.count is None:
        largest = max(fielded.verdicts, default=None)
        tried = "every number" if found.scanned else "the numbers tried"
        return None, [] if largest is None else [largest], [*notes, f"{tried} up to {counts[-1]} falls short"]
    if found.scanned:
        notes.append(
            "every smaller number was tried" if found.count > counts[0] else "it is the least allowed"
        )
    else:
        notes.append("found by bisection; the numbers next to it were tried")
    near: list[Force] = [(n,) for n in (found.count - 1, found.count + 1) if (n,) in fielded.verdicts]
    return (found.count,), near, notes


def _cheapest(
    fielded: Fielded, ranges: list[range], wanted: int
) -> tuple[Force | None, list[Force], list[str]]:
    rules = fielded.battle.ruleset
    costs = [unit_cost(fielded.battle, fielded.side, unit) for unit in fielded.units]
    for unit, cost in zip(fielded.units, costs, strict=True):
        if not cost:
            raise BattleError(f"{unit} has no cost in {rules.id}, so no force with it is the cheapest")
    search = Cheapest(fielded.reaches, ranges, [cost or 0.0 for cost in costs], wanted)
    found, note = _everything(fielded, search) or _by_search(fielded, search)
    notes = [note]
    if not found:
        largest = tuple(counts[-1] for counts in ranges)
        return None, [largest] if largest in fielded.verdicts else [], ["the largest force falls short, too"]
    found = sorted(found, key=lambda force: (search.cost(force), -fielded.verdicts[force].chance))[:wanted]
    return found[0], found[1:], notes


def _everything(fielded: Fielded, search: Cheapest) -> tuple[list[Force], str] | None:
    """Work out all forces in one pass; None where they do not fit into one."""
    forces = list(product(*search.ranges))
    chances = fielded.all_chances(forces) if len(forces) <= MOST_IN_ONE_PASS else None
    if chances is None:
        return None
    goal = fielded.judge.goal.odds - ROUNDING
    search.asked |= {force: chance >= goal for force, chance in chances.items()}
    found = search.scan()
    for force in found:  # each by itself as well: it has to be a battle, and to have that chance
        if not fielded.reaches(force) or abs(fielded.verdicts[force].chance - chances[force]) > 1e-9:
            search.asked.clear()
            return None
    if not found:
        fielded.reaches(tuple(counts[-1] for counts in search.ranges))  # to be shown
    fielded.judge.exact = len(forces)
    return found, f"all {len(forces):,} forces were worked out"


def _by_search(fielded: Fielded, search: Cheapest) -> tuple[list[Force], str]:
    """Look for the cheapest forces by asking about as few as possible."""
    if _is_plain(fielded):
        try:
            found = search.prune()
        except NotMonotone:
            pass
        else:
            if not any(any(counts) for counts in fielded.impossible):
                return found, (
                    "forces within one that falls short were passed over; all that were tried agree with that"
                )
    return search.scan(), "every force up to the last one shown was tried"


def _is_plain(fielded: Fielded) -> bool:
    """Whether one more unit can be expected never to hurt: no policies that look at counts, no odd forces."""
    battle = fielded.battle
    return all(
        policy.kind == "never" for side in (battle.attacker, battle.defender) for _, policy in side.policies
    )


def _candidate(fielded: Fielded, counts: Force) -> Candidate:
    verdict, battle = fielded.verdicts[counts], fielded.at(counts)
    return Candidate(
        dict(zip(fielded.units, counts, strict=True)),
        side_cost(battle, fielded.side),
        verdict.chance,
        verdict.standard_error,
        verdict.trials,
        verdict.good,
        battle,
    )
