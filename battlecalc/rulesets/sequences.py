"""Tables of a ruleset file into sequences: stages, steps, groups, decisions, landings, roles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from battlecalc.errors import nearest
from battlecalc.rulesets.schema import (
    ALWAYS,
    NONE,
    SIDES,
    Advantage,
    AssumedRule,
    Called,
    Condition,
    Damage,
    Decision,
    Dice,
    Group,
    Landing,
    Linked,
    Role,
    Sequence,
    SideName,
    Stage,
    Step,
    Unit,
    Units,
)
from battlecalc.rulesets.tables import (
    Raw,
    Reader,
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
from battlecalc.rulesets.units import Names, condition_readers, named, read_condition

T = TypeVar("T")

# Keys by table; `docs/rulesets.md` describes each, and a test compares.
SEQUENCE_KEYS = (
    "takes", "aliases", "needs_one_of", "roles", "before", "proceeds", "fought_may_bombard", "overland",
    "last_survivor", "capture", "damage", "assumed", "why_not", "stages",
)  # fmt: skip
STAGE_KEYS = (
    "like", "repeat", "both_have", "limit", "then", "when", "advantage", "even_alone", "steps",
)  # fmt: skip
STEP_KEYS = (
    "like", "fire", "decide", "land", "purpose", "victims", "victims_need", "called", "linked", "when",
    "assumed",
)  # fmt: skip
GROUP_KEYS = (
    "side", "who", "where", "value", "dice", "at", "not_at", "casualties", "at_most_per", "when",
)  # fmt: skip
DECISION_KEYS = ("side", "right", "leaves", "leaves_overland", "needs", "when", "each")
LANDING_KEYS = ("side", "who", "carrier", "each")
ROLE_KEYS = ("side", "who", "where", "never_lost", "fires_always", "if_has")
DICE_KEYS = ("kind", "each", "option", "times")
DAMAGE_KEYS = ("who", "dice", "rolls", "add", "cap_option", "cap_times", "cap_by_target", "per_unit")


def _enemy(side: SideName) -> SideName:
    return SIDES[1 - SIDES.index(side)]


def _sides(raw: Raw, where: Where) -> tuple[SideName, ...]:
    """Sides that ``side = "attacker" | "defender" | "both"`` means."""
    required(raw, where, "side")
    side = choice("attacker", "defender", "both")(raw["side"], where / "side")
    return SIDES if side == "both" else (side,)


def _readers(keys: Iterable[str], readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """Return `readers` in the order of `keys`; a key without a reader is a slip of ours."""
    return {key: readers[key] for key in keys}


class SequenceReader:
    """Reads one sequence; knows who takes part and what can be hit."""

    def __init__(
        self, raw: Raw, where: Where, names: Names, units: Mapping[str, Unit], values: tuple[str, ...]
    ) -> None:
        check_keys(raw, where, SEQUENCE_KEYS)
        required(raw, where, "takes", "stages")
        self.raw, self.where, self.names, self.units, self.values = raw, where, names, units, values
        self.conditions = condition_readers(names)
        takes = self._pair("takes")
        self.takes = {
            side: frozenset(u for u in takes[side] if units[u].only in (None, side)) for side in SIDES
        }
        self.roles = tuple(self._roles())
        absent = {side: self._in_role(side, ("offshore", "waiting")) for side in SIDES}
        self.present = {side: self.takes[side] - absent[side] for side in SIDES}
        lost = {
            side: frozenset(u for u in self.takes[side] if units[u].never_lost)
            | frozenset(u for role in self.roles if role.side == side and role.never_lost for u in role.who)
            for side in SIDES
        }
        self.hittable = {side: self.present[side] - lost[side] for side in SIDES}

    def read(self, name: str) -> Sequence:
        """Read the whole."""
        raw, where = self.raw, self.where
        needs = self._pair("needs_one_of")
        stages = []
        for title, value in table(raw["stages"], where / "stages").items():
            stages.append(
                self._stage(title, table(value, where / "stages" / title), where / "stages" / title)
            )
        if not stages:
            (where / "stages").fail("no stage")
        return Sequence(
            id=name,
            takes=(self.takes["attacker"], self.takes["defender"]),
            needs_one_of=(needs["attacker"], needs["defender"]),
            stages=tuple(stage for stage in stages if stage is not None),
            roles=self.roles,
            damage=self._damage(),
            **read_keys(
                {key: value for key, value in raw.items() if key in self._plain()}, where, self._plain()
            ),
        )

    def _plain(self) -> dict[str, Reader]:
        """Readers of the keys that stand for themselves."""
        return {
            "aliases": texts,
            "before": text,
            "proceeds": self.names.units,
            "fought_may_bombard": flag,
            "overland": lambda value, where: self.names.units(value, where) & self.takes["attacker"],
            "last_survivor": self.names.unit,
            "capture": flag,
            "assumed": self._assumed,
            "why_not": self._why_not,
        }

    def _assumed(self, value: object, where: Where) -> tuple[AssumedRule, ...]:
        rules = []
        for raw, place in tables(value, where):
            found = read_keys(raw, place, {"rule": text, "units": self.names.units})
            required(found, place, "rule")
            rules.append(AssumedRule(**found))
        return tuple(rules)

    def _why_not(self, value: object, where: Where) -> dict[str, str]:
        reasons = {}
        for name, reason in table(value, where).items():
            reasons.update(dict.fromkeys(self.names.units([name], where / name), text(reason, where / name)))
        return reasons

    def _pair(self, key: str) -> dict[SideName, Units]:
        raw, where = table(self.raw.get(key, {}), self.where / key), self.where / key
        check_keys(raw, where, SIDES)
        return {side: self.names.units(raw.get(side, []), where / side) for side in SIDES}

    def _roles(self) -> Iterable[Role]:
        roles = table(self.raw.get("roles", {}), self.where / "roles")
        for title, value in roles.items():
            where = self.where / "roles" / title
            raw = table(value, where)
            found = read_keys(
                raw,
                where,
                _readers(
                    ROLE_KEYS,
                    {
                        "side": choice(*SIDES),
                        "who": self.names.units,
                        "where": choice("battle", "aboard", "offshore", "waiting"),
                        "never_lost": flag,
                        "fires_always": flag,
                        "if_has": self.names.units,
                    },
                ),
            )
            required(found, where, "side", "who")
            found["who"] &= self.takes[found["side"]]
            yield Role(**found)

    def _in_role(self, side: SideName, places: tuple[str, ...]) -> Units:
        return frozenset(
            u for role in self.roles if role.side == side and role.where in places for u in role.who
        )

    def _who(self, value: object, where: Where, among: Units) -> Units:
        """Units named that are among those that can be meant; naming only others is a slip."""
        named_units = self.names.units(value, where)
        if named_units and not named_units & among:
            where.fail(f"none of {value!r} takes part here")
        return named_units & among

    # ------------------------------------------------------------------ stages and steps

    def _stage(self, name: str, raw: Raw, where: Where) -> Stage | None:
        check_keys(raw, where, STAGE_KEYS)
        required(raw, where, "repeat", "steps")
        steps_where = where / "steps"
        steps = {
            title: table(value, steps_where / title)
            for title, value in table(raw["steps"], steps_where).items()
        }
        if not steps:
            steps_where.fail("no steps")
        rest = self._rest(steps, steps_where)
        read = [self._step(title, value, steps_where / title, rest) for title, value in steps.items()]
        when = self._when(raw, where)
        kept = tuple(step for step in read if step is not None)
        if when is None or not kept:
            return None
        found = read_keys(
            {key: value for key, value in raw.items() if key not in ("steps", "when", "like")},
            where,
            {
                "repeat": choice("once", "rounds", "while both have"),
                "both_have": self.names.units,
                "limit": whole(1, 1000),
                "then": choice("contested", "unresolved", "stalemate"),
                "advantage": self._advantage,
                "even_alone": flag,
            },
        )
        repeat = found["repeat"]
        if (repeat == "while both have") != ("both_have" in found):
            where.fail("'both_have' goes with repeat = \"while both have\"")
        if "limit" in found and repeat != "rounds":
            (where / "limit").fail('only a stage with repeat = "rounds" has a limit')
        return Stage(name=name, steps=kept, when=when, **found)

    def _advantage(self, value: object, where: Where) -> Advantage:
        found = read_keys(table(value, where), where, {"name": text, "has": self.names.units})
        required(found, where, "name", "has")
        return Advantage(**found)

    def _rest(self, steps: Mapping[str, Raw], where: Where) -> dict[SideName, Units]:
        """Return what ``rest`` means in a stage: everything present that no group of its side names."""
        named_units: dict[SideName, set[str]] = {side: set() for side in SIDES}
        for title, step in steps.items():
            for raw, place in tables(step.get("fire", []), where / title / "fire"):
                who = raw.get("who", [])
                if who not in (["rest"], ["all"]):
                    for side in _sides(raw, place):
                        named_units[side] |= self.names.units(who, place / "who")
        return {side: self.present[side] - named_units[side] for side in SIDES}

    def _step(self, name: str, raw: Raw, where: Where, rest: Mapping[SideName, Units]) -> Step | None:
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
        fire = self._each(raw, where, "fire", lambda table, place: self._groups(table, place, rest))
        decide = self._each(raw, where, "decide", self._decisions)
        land = self._each(raw, where, "land", self._landings)
        when = self._when(raw, where)
        if when is None or not (fire or decide or land):
            return None
        return Step(name=name, fire=fire, decide=decide, land=land, when=when, **found)

    @staticmethod
    def _each(raw: Raw, where: Where, key: str, read: Callable[[Raw, Where], Iterable[T]]) -> tuple[T, ...]:
        return tuple(
            item for value, place in tables(raw.get(key, []), where / key) for item in read(value, place)
        )

    def _when(self, raw: Raw, where: Where) -> Condition | None:
        return read_condition(raw["when"], where / "when", self.conditions) if "when" in raw else ALWAYS

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

    def _groups(self, raw: Raw, where: Where, rest: Mapping[SideName, Units]) -> Iterable[Group]:
        check_keys(raw, where, GROUP_KEYS)
        when = self._when(raw, where)
        place = choice("battle", "offshore")(raw.get("where", "battle"), where / "where")
        dice = self._dice(raw.get("dice", "own"), where / "dice")
        for side in _sides(raw, where):
            among = self.present[side] if place == "battle" else self._in_role(side, ("offshore",))
            who = self._firing(raw, where, side, among, rest)
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
                when=when,
            )

    def _firing(
        self, raw: Raw, where: Where, side: SideName, among: Units, rest: Mapping[SideName, Units]
    ) -> Units:
        if "who" not in raw:
            if raw.get("dice", "own") == "own":
                where.fail("lacks 'who' (only dice that no unit rolls do without)")
            return NONE
        who = raw["who"]
        if who == ["all"]:
            return among
        if who == ["rest"]:
            return rest[side] & among
        if raw["side"] == "both":
            self._who(who, where / "who", self.takes["attacker"] | self.takes["defender"])
            return self.names.units(who, where / "who") & among
        return self._who(who, where / "who", among)

    def _targets(self, raw: Raw, where: Where, side: SideName) -> Units:
        enemy = self.hittable[_enemy(side)]
        at = enemy
        if "at" in raw:
            named_units = self.names.units(raw["at"], where / "at")
            if raw["side"] != "both" and named_units and not named_units & self.takes[_enemy(side)]:
                (where / "at").fail(f"none of {raw['at']!r} takes part here on the other side")
            at = named_units & enemy
        return at - self.names.units(raw.get("not_at", []), where / "not_at")

    def _dice(self, value: object, where: Where) -> Dice:
        raw = {"kind": value} if isinstance(value, str) else table(value, where)
        found = read_keys(
            raw,
            where,
            _readers(
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
        known = ("attack", "defence", *self.values)
        if name not in known:
            where.fail(f'must be "ordinary", a number or one of {", ".join(known)}, not {value!r}')
        if unit:
            self.names.units([unit], where)
        elif not any(name in self.units[u].values for u in who):
            where.fail(f"none of the units that fire has a value {name!r}")
        return str(value)

    def _leaving(self, value: object, where: Where, side: SideName) -> Units:
        return self.takes[side] if value == ["all"] else self._who(value, where, self.takes[side])

    def _decisions(self, raw: Raw, where: Where) -> Iterable[Decision]:
        check_keys(raw, where, DECISION_KEYS)
        required(raw, where, "right")
        when = self._when(raw, where)
        right = choice("retreat", "contest", "air_retreat", "submerge")(raw["right"], where / "right")
        if (right == "contest") == ("leaves" in raw):
            where.fail("'leaves' says who goes; it is needed for every right but contest")
        for side in _sides(raw, where):
            leaves = self._leaving(raw.get("leaves", []), where / "leaves", side)
            overland = self.names.units(raw.get("leaves_overland", []), where / "leaves_overland")
            decision = Decision(
                side=side,
                right=right,
                leaves=leaves,
                leaves_overland=overland & self.takes[side],
                needs=self.names.units(raw.get("needs", []), where / "needs") & self.takes[side],
                each=flag(raw.get("each", False), where / "each"),
            )
            if when is not None and (right == "contest" or decision.leaves or decision.leaves_overland):
                yield replace(decision, when=when)

    def _landings(self, raw: Raw, where: Where) -> Iterable[Landing]:
        found = read_keys(
            raw,
            where,
            _readers(
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
        found["who"] &= self._in_role(found["side"], ("aboard",))
        if not found["who"]:
            (where / "who").fail("nobody of these is aboard (see roles)")
        yield Landing(**found)

    def _damage(self) -> Damage | None:
        if "damage" not in self.raw:
            return None
        raw, where = table(self.raw["damage"], self.where / "damage"), self.where / "damage"
        small = whole(0, 100)
        found = read_keys(
            raw,
            where,
            _readers(
                DAMAGE_KEYS,
                {
                    "who": self.names.units,
                    "dice": small,
                    "rolls": whole(1, 20),
                    "add": small,
                    "cap_option": text,
                    "cap_times": whole(1, 100),
                    "cap_by_target": flag,
                    "per_unit": flag,
                },
            ),
        )
        required(found, where, "who")
        return Damage(**{**found, "who": found["who"] & self.takes["attacker"]})


def read_sequences(
    raw: object, where: Where, names: Names, units: Mapping[str, Unit], values: tuple[str, ...]
) -> dict[str, Sequence]:
    """Read every sequence."""
    found: dict[str, Any] = {}
    for name, (value, place) in named(table(raw, where), where).items():
        found[name] = SequenceReader(value, place, names, units, values).read(name)
    for name, sequence in found.items():
        if sequence.before is not None and sequence.before not in found:
            (where / name / "before").fail(
                f"no sequence {sequence.before!r}; {nearest(sequence.before, found)}"
            )
    return found
