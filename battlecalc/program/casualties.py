"""Orders of loss: from what a player says to the next casualty in any state.

An order is a list of *segments*. A segment takes hits on one kind, harmless ones or final ones, until a floor
is reached, and the next casualty is the first segment's that has something left and that the hit may fall on.
Said so, the order holds in every state, however it was reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from battlecalc.program.pieces import Kind, Pieces
from battlecalc.program.setting import Setting

if TYPE_CHECKING:
    from battlecalc.losses import Loss


@dataclass(frozen=True, slots=True)
class Segment:
    """Hits on one kind (index into the side's kinds) until `floor` harmless hits or units are left."""

    kind: int
    harmless: bool
    floor: int


def make_segments(
    setting: Setting,
    side: int,
    pieces: Pieces,
    order: Sequence[Loss] | None,
    keep_land: int,
) -> tuple[Segment, ...]:
    """Complete order of loss of one side.

    Harmless hits that the order does not name come first, then what it names, then the rest in the default
    order (harmless hits; cheapest; weakest on this side; later to fire; by name; units without a cost last).
    Forced orders and kept land units override it.
    """
    named = tuple(order or ())
    ranks: dict[int, int] = {}
    if keep_land:  # of equal units the one is kept that would be lost later
        plain = _Order(setting, side, pieces).build(named, 0, ranks)
        ranks = {s.kind: place for place, s in enumerate(plain) if not s.harmless}
    return _Order(setting, side, pieces).build(named, keep_land, ranks)


def default_key(setting: Setting, side: int, kind: Kind) -> tuple[float, float, int, str, bool]:
    """Sort key of the default order of loss (contract, "Policies"); of equal units seaborne ones go first."""
    unit = kind.unit
    cost = float("inf") if unit.cost is None else unit.cost
    strength = unit.values[("attack", "defence")[side]]
    return (cost, strength, -_fires_at(setting, side, kind.bit), unit.id, kind.overland)


def _fires_at(setting: Setting, side: int, bit: int) -> int:
    """Return the first step of the main battle in which the unit fires (past all steps: in none)."""
    steps = [step for stage in setting.stages if stage.rule.repeat == "rounds" for step in stage.steps]
    firing = (step.number for step in steps if any(group.who & bit for group in step.groups[side]))
    return next(firing, len(setting.steps))


class _Order:
    """Builds the segments of one side; remembers what is still unplaced of each kind."""

    def __init__(self, setting: Setting, side: int, pieces: Pieces) -> None:
        self.setting, self.side, self.kinds = setting, side, pieces.kinds
        by_default = [(default_key(setting, side, k), n) for n, k in enumerate(self.kinds)]
        self.default = [n for _, n in sorted(by_default)]
        self.harmless = [k.count * (k.hits - 1) for k in self.kinds]
        self.units = [k.count for k in self.kinds]
        self.kept = [0] * len(self.kinds)

    def build(self, order: tuple[Loss, ...], keep_land: int, ranks: Mapping[int, int]) -> tuple[Segment, ...]:
        absorbing = {kind.unit.id for kind in self.kinds if kind.unit.absorbs}
        named_harmless = {loss.unit for loss in order if loss.harmless} - absorbing
        first = [
            self._take(n, True, None)
            for n in self.default
            if self.kinds[n].hits > 1 and self.kinds[n].unit.id not in named_harmless
        ]
        last = [*self._keep(keep_land, ranks), *self._last_survivor()]
        middle = [segment for loss in order for segment in self._named(loss)]
        middle += [self._take(n, True, None) for n in self.default if self.kinds[n].unit.id in named_harmless]
        middle += [self._take(n, False, None) for n in self.default]
        segments = [s for s in (*first, *middle) if s is not None]
        # the sort is stable: units that the rules call last go behind the others as they are
        segments.sort(key=lambda s: not s.harmless and self.kinds[s.kind].unit.last)
        return (*segments, *last)

    def _named(self, loss: Loss) -> list[Segment | None]:
        left = loss.count
        found = []
        for n in self.default:
            if self.kinds[n].unit.id != loss.unit or left == 0:
                continue
            before = self._left(n, loss.harmless)
            found.append(self._take(n, loss.harmless, left))
            if left is not None:
                left -= before - self._left(n, loss.harmless)
        return found

    def _left(self, kind: int, harmless: bool) -> int:
        return self.harmless[kind] if harmless else self.units[kind] - self.kept[kind]

    def _take(self, kind: int, harmless: bool, count: int | None) -> Segment | None:
        available = self._left(kind, harmless)
        taken = available if count is None else min(count, available)
        if taken <= 0:
            return None
        if harmless:
            self.harmless[kind] -= taken
            return Segment(kind, True, self.harmless[kind])
        self.units[kind] -= taken
        return Segment(kind, False, self.units[kind])

    def _keep(self, keep_land: int, ranks: Mapping[int, int]) -> list[Segment]:
        """Keep land units: the best attack, then the dearest; the best is lost last."""
        holders = self.setting.ruleset.holders
        land = [n for n, k in enumerate(self.kinds) if k.unit.id in holders]
        value = ("attack", "defence")[self.side]
        land.sort(
            key=lambda n: (
                -self.kinds[n].unit.values[value],
                -(self.kinds[n].unit.cost or 0),
                -ranks.get(n, 0),
            )
        )
        segments: list[Segment] = []
        for n in land:
            kept = min(keep_land, self.units[n])
            if kept:
                keep_land -= kept
                self.kept[n] = kept
                segments.insert(0, Segment(n, False, 0))
        return segments

    def _last_survivor(self) -> list[Segment]:
        """Keep the last of a force where the rules name it (1914: infantry), lost even after kept units."""
        survivor = self.setting.ruleset.sequences[self.setting.sequence_id].last_survivor
        for n in reversed(self.default):
            if self.kinds[n].unit.id == survivor and self.kept[n] == 0:
                self.kept[n] = 1
                return [Segment(n, False, 0)]
        return []


def describe_order(pieces: Pieces, segments: Sequence[Segment]) -> list[str]:
    """Say an order of loss in a player's words, first lost first: ``["battleship*", "2 infantry"]``."""
    words: list[str] = []
    left: dict[tuple[int, bool], int] = {}
    parts: dict[str, int] = {}
    for s in segments:
        kind = pieces.kinds[s.kind]
        name = kind.unit.id + ("*" if s.harmless else "")
        parts[name] = parts.get(name, 0) + 1
    for s in segments:
        kind = pieces.kinds[s.kind]
        name = kind.unit.id + ("*" if s.harmless else "")
        start = kind.count * (kind.hits - 1) if s.harmless else kind.count
        taken = left.get((s.kind, s.harmless), start) - s.floor
        left[s.kind, s.harmless] = s.floor
        words.append(name if parts[name] == 1 else f"{taken} {name}")
    return words
