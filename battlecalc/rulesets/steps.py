"""Tables of a ruleset file into steps: groups that fire, decisions, landings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from battlecalc.rulesets.schema import (
    NONE,
    SIDES,
    Called,
    Decision,
    Dice,
    Group,
    Landing,
    Linked,
    SideName,
    Step,
    Units,
)
from battlecalc.rulesets.scope import Scope, enemy_of, readers_of, sides_of
from battlecalc.rulesets.tables import (
    Raw,
    Where,
    check_keys,
    choice,
    flag,
    read_keys,
    required,
    table,
    tables,
    text,
    texts,
    whole,
)
from battlecalc.words import quote

T = TypeVar("T")

STEP_KEYS = (
    "like", "fire", "decide", "land", "purpose", "victims", "victims_need", "called", "linked", "when",
    "assumed",
)  # fmt: skip
GROUP_KEYS = (
    "side", "who", "where", "value", "dice", "at", "not_at", "casualties", "at_most_per", "at_landed", "when",
)  # fmt: skip

DECISION_KEYS = ("side", "right", "leaves", "leaves_overland", "needs", "when", "each")
LANDING_KEYS = ("side", "who", "carrier", "each")
DICE_KEYS = ("kind", "each", "option", "times")


class StepReader:
    """Reads the steps of one stage.

    Parameters
    ----------
    scope : Scope
    steps : mapping of str to dict
        All steps of the stage: the word ``rest`` means what none of them names.
    where : Where
        Their place.
    """

    def __init__(self, scope: Scope, steps: Mapping[str, Raw], where: Where) -> None:
        self.scope, self.names = scope, scope.names
        self.rest = self._rest(steps, where)

    def _rest(self, steps: Mapping[str, Raw], where: Where) -> dict[SideName, Units]:
        """Return everything present that no group of its side names."""
        named: dict[SideName, set[str]] = {side: set() for side in SIDES}
        for title, step in steps.items():
            for raw, place in tables(step.get("fire", []), where / title / "fire"):
                who = raw.get("who", [])
                if who not in (["rest"], ["all"]):
                    for side in sides_of(raw, place):
                        named[side] |= self.names.units(who, place / "who")
        return {side: self.scope.present[side] - named[side] for side in SIDES}

    def read(self, name: str, raw: Raw, where: Where) -> Step | None:
        """Read one step; None where nothing of it can happen, since its units were taken out."""
        check_keys(raw, where, STEP_KEYS)
        found = read_keys(
            {
                key: value
                for key, value in raw.items()
                if key not in ("fire", "decide", "land", "when", "like")
            },
            where,
            {
                "purpose": choice("battle", "aa", "bombardment", "mines", "raid"),
                "victims": choice("gone", "fire", "fire if"),
                "victims_need": self.names.units,
                "called": self._called,
                "linked": self._linked,
                "assumed": texts,
            },
        )
        if (found.get("victims") == "fire if") != ("victims_need" in found):
            where.fail("'victims_need' goes with victims = \"fire if\"")
        if not any(raw.get(key) for key in ("fire", "decide", "land")):
            where.fail("does nothing: give it 'fire', 'decide' or 'land'")
        fire = self._each(raw, where, "fire", self._groups)
        decide = self._each(raw, where, "decide", self._decisions)
        land = self._each(raw, where, "land", self._landings)
        when = self.scope.when(raw, where)
        if when is None or not (fire or decide or land):
            return None
        return Step(name=name, fire=fire, decide=decide, land=land, when=when, **found)

    @staticmethod
    def _each(raw: Raw, where: Where, key: str, read: Callable[[Raw, Where], Iterable[T]]) -> tuple[T, ...]:
        return tuple(
            item for value, place in tables(raw.get(key, []), where / key) for item in read(value, place)
        )

    def _called(self, value: object, where: Where) -> Called:
        found = read_keys(
            table(value, where), where, {"option": text, "who": self.names.units, "at": self.names.units}
        )
        required(found, where, "option", "who", "at")
        return Called(**found)

    def _linked(self, value: object, where: Where) -> Linked:
        found = read_keys(
            table(value, where), where, {"unit": self.names.unit, "carrier": self.names.unit, "option": text}
        )
        required(found, where, "unit", "carrier", "option")
        return Linked(**found)

    # ------------------------------------------------------------------ what a step does

    def _groups(self, raw: Raw, where: Where) -> Iterable[Group]:
        check_keys(raw, where, GROUP_KEYS)
        when = self.scope.when(raw, where)
        place = choice("battle", "offshore")(raw.get("where", "battle"), where / "where")
        dice = self._dice(raw.get("dice", "own"), where / "dice")
        for side in sides_of(raw, where):
            among = self.scope.present[side] if place == "battle" else self.scope.in_role(side, "offshore")
            who = self._firing(raw, where, side, among)
            at = self._targets(raw, where, side)
            if when is None or not at or ("who" in raw and not who):
                continue
            yield Group(
                side=side,
                who=who,
                where=place,
                value=self._value(raw.get("value", "ordinary"), where / "value", who),
                dice=dice,
                at=at,
                casualties=choice("owner", "die", "type", "shooter")(
                    raw.get("casualties", "owner"), where / "casualties"
                ),
                at_most_per=self.names.units(raw.get("at_most_per", []), where / "at_most_per"),
                at_landed=flag(raw.get("at_landed", False), where / "at_landed"),
                when=when,
            )

    def _firing(self, raw: Raw, where: Where, side: SideName, among: Units) -> Units:
        if "who" not in raw:
            if raw.get("dice", "own") == "own":
                where.fail("lacks 'who' (only dice that no unit rolls do without)")
            return NONE
        who = raw["who"]
        if who == ["all"]:
            return among
        if who == ["rest"]:
            return self.rest[side] & among
        if raw["side"] == "both":
            self.scope.among(who, where / "who", self.scope.takes["attacker"] | self.scope.takes["defender"])
            return self.names.units(who, where / "who") & among
        return self.scope.among(who, where / "who", among)

    def _targets(self, raw: Raw, where: Where, side: SideName) -> Units:
        enemy = self.scope.hittable[enemy_of(side)]
        at = enemy
        if "at" in raw:
            named_units = self.names.units(raw["at"], where / "at")
            if raw["side"] != "both" and named_units and not named_units & self.scope.takes[enemy_of(side)]:
                (where / "at").fail(f"none of {quote(raw['at'])} takes part here on the other side")
            at = named_units & enemy
        return at - self.names.units(raw.get("not_at", []), where / "not_at")

    def _dice(self, value: object, where: Where) -> Dice:
        raw = {"kind": value} if isinstance(value, str) else table(value, where)
        found = read_keys(
            raw,
            where,
            readers_of(
                DICE_KEYS,
                {
                    "kind": choice("own", "per target", "capped", "option"),
                    "each": whole(1, 100),
                    "option": text,
                    "times": whole(1, 100),
                },
            ),
        )
        required(found, where, "kind")
        if (found["kind"] == "option") != ("option" in found):
            where.fail("'option' goes with kind = \"option\"")
        return Dice(**found)

    def _value(self, value: object, where: Where, who: Units) -> str | int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        unit, _, name = value.rpartition(".") if isinstance(value, str) else ("", "", None)
        if name == "ordinary" and not unit and who:
            return name
        known = ("attack", "defence", *self.scope.values)
        if name not in known:
            where.fail(f'must be "ordinary", a number or one of {", ".join(known)}, not {quote(value)}')
        if unit:
            self.names.unit(unit, where)
        elif not any(name in self.scope.units[u].values for u in who):
            where.fail(f"none of the units that fire has a value {quote(name)}")
        return str(value)

    def _leaving(self, value: object, where: Where, side: SideName) -> Units:
        return (
            self.scope.takes[side]
            if value == ["all"]
            else self.scope.among(value, where, self.scope.takes[side])
        )

    def _decisions(self, raw: Raw, where: Where) -> Iterable[Decision]:
        check_keys(raw, where, DECISION_KEYS)
        required(raw, where, "right")
        when = self.scope.when(raw, where)
        right = choice("retreat", "contest", "air_retreat", "submerge")(raw["right"], where / "right")
        if (right == "contest") == ("leaves" in raw):
            where.fail("'leaves' says who goes; it is needed for every right but contest")
        for side in sides_of(raw, where):
            leaves = self._leaving(raw.get("leaves", []), where / "leaves", side)
            overland = self.names.units(raw.get("leaves_overland", []), where / "leaves_overland")
            decision = Decision(
                side=side,
                right=right,
                leaves=leaves,
                leaves_overland=overland & self.scope.takes[side],
                needs=self.names.units(raw.get("needs", []), where / "needs") & self.scope.takes[side],
                each=flag(raw.get("each", False), where / "each"),
            )
            if when is not None and (right == "contest" or decision.leaves or decision.leaves_overland):
                yield replace(decision, when=when)

    def _landings(self, raw: Raw, where: Where) -> Iterable[Landing]:
        found = read_keys(
            raw,
            where,
            readers_of(
                LANDING_KEYS,
                {
                    "side": choice(*SIDES),
                    "who": self.names.units,
                    "carrier": self.names.units,
                    "each": whole(1, 100),
                },
            ),
        )
        required(found, where, "side", "who", "carrier")
        found["who"] &= self.scope.in_role(found["side"], "aboard")
        if not found["who"]:
            (where / "who").fail("nobody of these is aboard (see roles)")
        yield Landing(**found)
