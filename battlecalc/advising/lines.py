"""Orders of loss as lines: one entry for every hit that a side can take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from math import factorial, prod
from typing import NamedTuple

from battlecalc.battle import Battle
from battlecalc.losses import Loss, format_loss_order
from battlecalc.program.build import make_program
from battlecalc.program.casualties import Segment, make_segments
from battlecalc.program.fight import fight_of
from battlecalc.program.pieces import Pieces
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import ReadySide, Side


class Hit(NamedTuple):
    """One hit of an order: on what, and whether the unit survives it."""

    unit: str
    harmless: bool


Line = tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One order of loss that a battle asks for: a field of `Battle` that holds a `Side`."""

    name: str
    side: int

    def ready(self, battle: Battle) -> ReadySide | None:
        """Return the side as it was read."""
        side: ReadySide | None = getattr(battle, self.name)
        return side

    def asks(self, battle: Battle) -> bool:
        """Whether the battle leaves this order to the engine.

        The attacker's order holds at sea where `sea_attacker` has none of its own, so that one is only
        asked for where it is given.
        """
        ready = self.ready(battle)
        if ready is None or ready.loss_order != "best":
            return False
        given: Side | None = battle.given().get(self.name)
        return given is not None and given.loss_order is not None

    def ordered(self, battle: Battle, order: str | None) -> Battle:
        """Return the battle with another order here."""
        given = battle.given().get(self.name) or Side("")
        return battle.replace(**{self.name: replace(given, loss_order=order)})


SLOTS = (Slot("attacker", 0), Slot("defender", 1), Slot("sea_attacker", 0), Slot("sea_defender", 1))


class Hits:
    """What one side can lose in a battle, and its orders.

    Attributes
    ----------
    default : Line
        The default order, kept land units and a last survivor behind it included.
    free : Line
        Hits that an order can place: not those that destroy units which the rules lose last.
    """

    def __init__(self, battle: Battle, slot: Slot) -> None:
        plain = slot.ordered(battle, None)
        parts = [plain] if plain.sea_battle is None else [plain, plain.sea_battle]
        if slot.name.startswith("sea"):
            parts = parts[1:]
        self._side = slot.side
        self._settings = [make_program(fight_of(part)).setting for part in parts]
        self._pieces: list[Pieces] = [make_program(fight_of(part)).sides[slot.side].pieces for part in parts]
        sides = [(part.attacker, part.defender)[slot.side] for part in parts]
        self._keep = [side.keep_land for side in sides]
        units = battle.ruleset.for_side(SIDES[slot.side], sides[0].technologies).units
        self._hits = {unit: rules.hits[slot.side] for unit, rules in units.items()}
        value = ("attack", "defence")[slot.side]
        self._strength = {unit: rules.values.get(value, 0) for unit, rules in units.items()}
        last = frozenset(unit for unit, rules in units.items() if rules.last)
        self.default: Line = tuple(hit for line in self.meant(()) for hit in line)
        self.free: Line = tuple(hit for hit in self.default if hit.harmless or hit.unit not in last)

    def meant(self, line: Line) -> tuple[Line, ...]:
        """Return what an order comes to, part by part: two lines that come to the same are one order."""
        return tuple(
            _expand(make_segments(setting, self._side, pieces, losses(line), keep), pieces)
            for setting, pieces, keep in zip(self._settings, self._pieces, self._keep, strict=True)
        )

    def weakest_first(self) -> Line:
        """Return the order that keeps the strongest units, whatever they cost: a place to start from."""
        return tuple(sorted(self.free, key=lambda hit: (not hit.harmless, self._strength[hit.unit])))

    def possible(self, line: Line) -> bool:
        """Whether every unit takes its harmless hits before the one that destroys it."""
        taken: Counter[Hit] = Counter()
        for hit in line:
            taken[hit] += 1
            if self._too_early(hit, taken):
                return False
        return True

    def _too_early(self, hit: Hit, taken: Counter[Hit]) -> bool:
        before = taken[Hit(hit.unit, True)]
        return not hit.harmless and before < taken[hit] * (self._hits[hit.unit] - 1)

    def number_of_lines(self) -> int:
        """Most orders that `all_lines` yields."""
        counts = Counter(self.free).values()
        return factorial(sum(counts)) // prod(map(factorial, counts))

    def all_lines(self) -> Iterator[Line]:
        """Yield every order of the free hits, equal hits being one."""
        left = Counter(self.free)
        kinds = list(left)
        taken: Counter[Hit] = Counter()

        def longer(line: Line) -> Iterator[Line]:
            if len(line) == len(self.free):
                yield line
            for hit in kinds:
                if taken[hit] < left[hit]:
                    taken[hit] += 1
                    if not self._too_early(hit, taken):
                        yield from longer((*line, hit))
                    taken[hit] -= 1

        return longer(())


def losses(line: Line) -> tuple[Loss, ...]:
    """Return entries of an order; the last run of a unit takes all that is left of it.

    >>> inf, art = Hit("infantry", False), Hit("artillery", False)
    >>> print(format_loss_order(losses((inf, inf, art, inf))))
    2 infantry, artillery, infantry
    """
    runs = [(hit, len(list(group))) for hit, group in groupby(line)]
    last = {hit: place for place, (hit, _) in enumerate(runs)}
    return tuple(
        Loss(hit.unit, hit.harmless, None if last[hit] == place else count)
        for place, (hit, count) in enumerate(runs)
    )


def text_of(line: Line) -> str | None:
    """Return an order as `Side` takes it; None, the default order, where nothing is named."""
    return format_loss_order(losses(line) or None)


def neighbours(line: Line) -> Iterator[Line]:
    """Yield the orders one step away: a run of equal hits moved elsewhere, whole, in half or one hit of it.

    What an order comes to is who is left at each number of hits. To change over two neighbours changes that
    for the fewest numbers; to move a run, or one unit of it, keeps something for last or gives it up early.
    """
    runs = [tuple(group) for _, group in groupby(line)]
    seen = {line}
    for place in range(len(runs)):
        rest = runs[:place] + runs[place + 1 :]
        pieces = [(runs[place], rest)]
        for part in {1, len(runs[place]) // 2} - {0, len(runs[place])}:
            first, others = runs[place][:part], runs[place][part:]
            pieces.append((first, [*runs[:place], others, *runs[place + 1 :]]))
        for moved, left in pieces:
            for where in range(len(left) + 1):
                longer = [*left[:where], moved, *left[where:]]
                found = tuple(hit for run in longer for hit in run)
                if found not in seen:
                    seen.add(found)
                    yield found


def _expand(segments: tuple[Segment, ...], pieces: Pieces) -> Line:
    """One entry a hit of complete segments."""
    line: list[Hit] = []
    floors: dict[tuple[int, bool], int] = {}
    for segment in segments:
        kind = pieces.kinds[segment.kind]
        start = kind.count * (kind.hits - 1) if segment.harmless else kind.count
        before = floors.get((segment.kind, segment.harmless), start)
        floors[segment.kind, segment.harmless] = segment.floor
        line += [Hit(kind.unit.id, segment.harmless)] * (before - segment.floor)
    return tuple(line)
