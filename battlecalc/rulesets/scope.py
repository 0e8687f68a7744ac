"""Who takes part in one sequence, where, and what can be hit: what its stages and steps are read against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from battlecalc.rulesets.schema import ALWAYS, SIDES, Condition, Role, SideName, Unit, Units
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
)
from battlecalc.rulesets.units import Names, condition_readers, read_condition
from battlecalc.words import quote

ROLE_KEYS = ("side", "who", "where", "never_lost", "fires_always", "if_has")


def enemy_of(side: SideName) -> SideName:
    """Return the other side."""
    return SIDES[1 - SIDES.index(side)]


def sides_of(raw: Raw, where: Where) -> tuple[SideName, ...]:
    """Return the sides that ``side = "attacker" | "defender" | "both"`` means."""
    required(raw, where, "side")
    side = choice("attacker", "defender", "both")(raw["side"], where / "side")
    return SIDES if side == "both" else (side,)


def readers_of(keys: Iterable[str], readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """Return `readers` in the order of `keys`; a key without a reader is a slip of ours."""
    return {key: readers[key] for key in keys}


class Scope:
    """One sequence's forces.

    Attributes
    ----------
    takes, present, hittable : dict of side to set of unit ids
        Who can take part; who of these is in the battle or comes ashore in it; who of these can be hit.
    roles : tuple of Role
    """

    def __init__(
        self, raw: Raw, where: Where, names: Names, units: Mapping[str, Unit], values: tuple[str, ...]
    ) -> None:
        self.names, self.units, self.values = names, units, values
        self._conditions = condition_readers(names)
        takes = self.pair(raw, where, "takes")
        self.takes = {
            side: frozenset(u for u in takes[side] if units[u].only in (None, side)) for side in SIDES
        }
        self.roles = tuple(self._roles(raw, where))
        self.present: dict[SideName, Units] = {}
        self.hittable: dict[SideName, Units] = {}
        for side in SIDES:
            self.present[side] = self.takes[side] - self.in_role(side, "offshore", "waiting")
            roles = (role for role in self.roles if role.side == side and role.never_lost)
            safe = {unit for role in roles for unit in role.who}
            safe.update(unit for unit in self.takes[side] if units[unit].never_lost)
            self.hittable[side] = self.present[side] - safe

    def pair(self, raw: Raw, where: Where, key: str) -> dict[SideName, Units]:
        """Read ``key.attacker`` and ``key.defender``."""
        sides, place = table(raw.get(key, {}), where / key), where / key
        check_keys(sides, place, SIDES)
        return {side: self.names.units(sides.get(side, []), place / side) for side in SIDES}

    def _roles(self, raw: Raw, where: Where) -> Iterable[Role]:
        readers = readers_of(
            ROLE_KEYS,
            {
                "side": choice(*SIDES),
                "who": self.names.units,
                "where": choice("battle", "aboard", "offshore", "waiting"),
                "never_lost": flag,
                "fires_always": flag,
                "if_has": self.names.units,
            },
        )
        for title, value in table(raw.get("roles", {}), where / "roles").items():
            place = where / "roles" / title
            found = read_keys(table(value, place), place, readers)
            required(found, place, "side", "who")
            found["who"] &= self.takes[found["side"]]
            yield Role(**found)

    def in_role(self, side: SideName, *places: str) -> Units:
        """Return the units of `side` that a role puts in one of `places`."""
        roles = (role for role in self.roles if role.side == side and role.where in places)
        return frozenset(unit for role in roles for unit in role.who)

    def among(self, value: object, where: Where, possible: Units) -> Units:
        """Read units out of those that are `possible`; to name others only is a slip."""
        units = self.names.units(value, where)
        if units and not units & possible:
            where.fail(f"none of {quote(value)} takes part here")
        return units & possible

    def when(self, raw: Raw, where: Where) -> Condition | None:
        """Read ``when`` of a table; None where it can never hold."""
        return read_condition(raw["when"], where / "when", self._conditions) if "when" in raw else ALWAYS
