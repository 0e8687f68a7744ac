"""Tables of a ruleset file into sequences and their stages."""

from __future__ import annotations

from collections.abc import Mapping

from battlecalc.rulesets.schema import Advantage, AssumedRule, Damage, Sequence, Stage, Unit
from battlecalc.rulesets.scope import Scope, readers_of
from battlecalc.rulesets.steps import StepReader
from battlecalc.rulesets.tables import (
    Raw,
    Reader,
    Where,
    check_keys,
    check_name,
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
from battlecalc.rulesets.units import Names, named

SEQUENCE_KEYS = (
    "takes", "aliases", "needs_one_of", "roles", "before", "overland",
    "last_survivor", "decks_option", "capture", "damage", "assumed", "why_not", "stages",
)  # fmt: skip
STAGE_KEYS = (
    "like", "repeat", "both_have", "limit", "then", "when", "advantage", "even_alone", "steps",
)  # fmt: skip
DAMAGE_KEYS = ("who", "dice", "rolls", "add", "cap_option", "cap_times", "cap_by_target", "per_unit")


def read_sequences(
    raw: object, where: Where, names: Names, units: Mapping[str, Unit], values: tuple[str, ...]
) -> dict[str, Sequence]:
    """Read every sequence."""
    found: dict[str, Sequence] = {}
    for name, (value, place) in named(table(raw, where), where).items():
        check_keys(value, place, SEQUENCE_KEYS)
        required(value, place, "takes", "stages")
        found[name] = _sequence(name, value, place, Scope(value, place, names, units, values))
    for name, sequence in found.items():
        if sequence.before is not None:
            check_name(sequence.before, "sequence", where / name / "before", found)
    return found


def _sequence(name: str, raw: Raw, where: Where, scope: Scope) -> Sequence:
    needs = scope.pair(raw, where, "needs_one_of")
    stages = [
        _stage(title, table(value, where / "stages" / title), where / "stages" / title, scope)
        for title, value in table(raw["stages"], where / "stages").items()
    ]
    if not stages:
        (where / "stages").fail("no stage")
    others = _plain_readers(scope)
    return Sequence(
        id=name,
        takes=(scope.takes["attacker"], scope.takes["defender"]),
        needs_one_of=(needs["attacker"], needs["defender"]),
        stages=tuple(stage for stage in stages if stage is not None),
        roles=scope.roles,
        damage=_damage(raw["damage"], where / "damage", scope) if "damage" in raw else None,
        **read_keys({key: value for key, value in raw.items() if key in others}, where, others),
    )


def _plain_readers(scope: Scope) -> dict[str, Reader]:
    """Return the readers of a sequence's keys that stand for themselves."""
    names = scope.names

    def assumed(value: object, where: Where) -> tuple[AssumedRule, ...]:
        rules = []
        for raw, place in tables(value, where):
            found = read_keys(raw, place, {"rule": text, "units": names.units})
            required(found, place, "rule")
            rules.append(AssumedRule(**found))
        return tuple(rules)

    def why_not(value: object, where: Where) -> dict[str, str]:
        reasons = {}
        for name, reason in table(value, where).items():
            reasons.update(dict.fromkeys(names.units([name], where / name), text(reason, where / name)))
        return reasons

    return {
        "aliases": texts,
        "before": text,
        "overland": lambda value, where: names.units(value, where) & scope.takes["attacker"],
        "last_survivor": names.unit,
        "decks_option": text,
        "capture": flag,
        "assumed": assumed,
        "why_not": why_not,
    }


def _stage(name: str, raw: Raw, where: Where, scope: Scope) -> Stage | None:
    """Read a stage; None where nothing of it can happen, since its units were taken out."""
    check_keys(raw, where, STAGE_KEYS)
    required(raw, where, "repeat", "steps")
    place = where / "steps"
    steps = {title: table(value, place / title) for title, value in table(raw["steps"], place).items()}
    if not steps:
        place.fail("no steps")
    reader = StepReader(scope, steps, place)
    read = [reader.read(title, value, place / title) for title, value in steps.items()]
    kept = tuple(step for step in read if step is not None)
    when = scope.when(raw, where)
    found = read_keys(
        {key: value for key, value in raw.items() if key not in ("steps", "when", "like")},
        where,
        {
            "repeat": choice("once", "rounds", "while both have"),
            "both_have": scope.names.units,
            "limit": whole(1, 1000),
            "then": choice("contested", "unresolved", "stalemate"),
            "advantage": lambda value, at: _advantage(value, at, scope.names),
            "even_alone": flag,
        },
    )
    repeat = found["repeat"]
    if (repeat == "while both have") != ("both_have" in found):
        where.fail("'both_have' goes with repeat = \"while both have\"")
    if "limit" in found and repeat != "rounds":
        (where / "limit").fail('only a stage with repeat = "rounds" has a limit')
    if when is None or not kept or ("both_have" in found and not found["both_have"]):
        return None
    return Stage(name=name, steps=kept, when=when, **found)


def _advantage(value: object, where: Where, names: Names) -> Advantage:
    found = read_keys(table(value, where), where, {"name": text, "has": names.units})
    required(found, where, "name", "has")
    return Advantage(**found)


def _damage(raw: object, where: Where, scope: Scope) -> Damage:
    small = whole(0, 100)
    readers = readers_of(
        DAMAGE_KEYS,
        {
            "who": scope.names.units,
            "dice": small,
            "rolls": whole(1, 20),
            "add": small,
            "cap_option": text,
            "cap_times": whole(1, 100),
            "cap_by_target": flag,
            "per_unit": flag,
        },
    )
    found = read_keys(table(raw, where), where, readers)
    required(found, where, "who")
    found["who"] &= scope.takes["attacker"]
    return Damage(**found)
