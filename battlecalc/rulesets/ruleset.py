"""`Ruleset`: the rules of one edition, with options, ``--set`` changes and technologies applied on demand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from battlecalc.errors import BattleError, ForceError, RulesetError, nearest
from battlecalc.rulesets.merging import Source, like, locate, merge, patched, read_source, shipped_ids
from battlecalc.rulesets.options import (
    plain,
    read_change,
    read_options,
    read_technologies,
    read_value,
    singulars,
)
from battlecalc.rulesets.proofs import prove
from battlecalc.rulesets.schema import (
    Cargo,
    Modifier,
    Option,
    Sequence,
    SideName,
    SideRules,
    Technology,
    Unit,
)
from battlecalc.rulesets.sequences import read_sequences
from battlecalc.rulesets.tables import Raw, Where, check_keys, check_name, text, texts, whole
from battlecalc.rulesets.units import (
    Names,
    named,
    read_cargo,
    read_modifiers,
    read_unit,
    unit_readers,
)
from battlecalc.words import quote

TOP_KEYS = (
    "schema", "id", "name", "extends", "without", "sides", "source", "about", "values", "holders",
    "units", "modifiers", "technologies", "options", "cargo", "sequences",
)  # fmt: skip

SCHEMA = 1


class Ruleset:
    """The rules of one edition. Immutable; two are equal where they are the same object.

    Get one from :func:`load_ruleset`; the same id or file, options and changes give the same object.

    Attributes
    ----------
    id, name, source, path : str
        Short name, printed name, where the rules come from, and the file.
    sides : int
        Sides of the die.
    units : mapping of str to Unit
        In file order, no technology applied.
    modifiers : tuple of Modifier
    sequences, technologies, options, cargo : mapping by name
    holders : frozenset of str
        Units that can take a territory.
    """

    def __init__(self, source: Source, origin: tuple[Any, ...]) -> None:
        self._source = source
        # What `load_ruleset` and `resolve` need to make it again: (path or id, patch names, changes).
        self._origin = origin
        where, raw = source.where, like(source.table, source.where)
        check_keys(raw, where, TOP_KEYS)
        self.path: str = source.path
        self.id: str = text(raw.get("id", os.path.basename(source.path).removesuffix(".toml")), where / "id")
        self.name: str = text(raw.get("name", self.id), where / "name")
        self.source: str = raw.get("source", "")
        self.about: str = raw.get("about", "")
        for key in ("source", "about"):
            if key in raw:
                text(raw[key], where / key)
        if raw.get("schema", SCHEMA) != SCHEMA:
            (where / "schema").fail(f"must be {SCHEMA}, not {quote(raw['schema'])}")
        self.sides: int = whole(2, 100)(raw.get("sides", 6), where / "sides")
        self._values = texts(raw.get("values", []), where / "values")
        self._raw = raw
        self._names = Names(named(raw.get("units", {}), where / "units"), source.gone)
        self.units: Mapping[str, Unit] = MappingProxyType(self._read_units(raw, where))
        if not self.units:
            where.fail("has no units")
        self._unit_names = self._read_unit_names(where)
        self.holders = self._names.units(raw.get("holders", []), where / "holders")
        self.modifiers: tuple[Modifier, ...] = read_modifiers(
            raw.get("modifiers", {}), where / "modifiers", self._names
        )
        self.technologies: Mapping[str, Technology] = MappingProxyType(
            read_technologies(raw.get("technologies", {}), where / "technologies")
        )
        self.options: Mapping[str, Option] = MappingProxyType(
            read_options(raw.get("options", {}), where / "options")
        )
        self.cargo: Mapping[str, Cargo] = MappingProxyType(
            read_cargo(raw.get("cargo", {}), where / "cargo", self._names)
        )
        self.sequences: Mapping[str, Sequence] = MappingProxyType(
            read_sequences(
                raw.get("sequences", {}), where / "sequences", self._names, self.units, self._values
            )
        )
        prove(self.sequences, self.modifiers, self.technologies, self.options, where)
        for unit in self.units.values():
            for side, technology in unit.needs.items():
                place = where / "units" / unit.id / "needs" / side
                check_name(technology, "technology", place, self.technologies)
        self._sides: dict[tuple[SideName, frozenset[str]], SideRules] = {}
        self._resolved: dict[tuple[Any, ...], Ruleset] = {}

    def __repr__(self) -> str:
        """Return the id."""
        return f"Ruleset({self.id!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the way to make it again, so that a copy is the same object."""
        return _restore, self._origin

    def _read_units(self, raw: Raw, where: Where) -> dict[str, Unit]:
        readers = unit_readers(self._names, self.sides, self._values)
        return {
            name: read_unit(name, value, place, readers, self._values)
            for name, (value, place) in named(raw.get("units", {}), where / "units").items()
        }

    def _read_unit_names(self, where: Where) -> dict[str, str]:
        """Every id and alias, plain, with its unit."""
        found: dict[str, str] = {}
        for unit in self.units.values():
            for name in (unit.id, *unit.aliases):
                other = found.setdefault(plain(name), unit.id)
                if other != unit.id:
                    (where / "units" / unit.id / "aliases").fail(f"{quote(name)} is a name of {other!r}, too")
        return found

    # ------------------------------------------------------------------ names

    def unit_id(self, name: str) -> str:
        """Id of the unit that `name` means: id or alias, singular or plural, case and hyphens free.

        >>> load_ruleset("aa-1942").unit_id("Sub-marines"), load_ruleset("aa-1942").unit_id("inf")
        ('submarine', 'infantry')
        """
        for candidate in singulars(plain(name)):
            if candidate in self._unit_names:
                return self._unit_names[candidate]
        known = [n for unit in self.units.values() for n in (unit.id, *unit.aliases)]
        close = nearest(name, known)
        if close.startswith("known"):
            close = nearest(name, self.units)
        raise ForceError(f"unknown unit {quote(name)} in ruleset {self.id!r}; {close}")

    def find_sequence(self, name: str) -> Sequence:
        """Return the sequence that `name`, an id or alias, means.

        >>> load_ruleset("aa-1942").find_sequence("amphibious").id
        'invasion'
        """
        wanted = plain(name)
        for sequence in self.sequences.values():
            if wanted in map(plain, (sequence.id, *sequence.aliases)):
                return sequence
        raise BattleError(
            f"ruleset {self.id!r} has no sequence {quote(name)}; it has {', '.join(self.sequences) or 'none'}"
        )

    def technology_id(self, name: str) -> str:
        """Return the technology that `name`, an id or alias, means.

        >>> load_ruleset("aa-revised").technology_id("Jet Power")
        'jet_power'
        """
        wanted = plain(name)
        for technology in self.technologies.values():
            if wanted in map(plain, (technology.name, *technology.aliases)):
                return technology.name
        known = nearest(name, self.technologies) if self.technologies else "it has none that change a battle"
        raise BattleError(f"unknown technology {quote(name)} in ruleset {self.id!r}; {known}")

    # ------------------------------------------------------------------ options and changes

    def option_values(self, options: Mapping[str, object] | None = None) -> dict[str, bool | int | str]:
        """Every option with its value; values may be text, as from a command line.

        >>> load_ruleset("great-war").option_values({"mines": "yes"})["mines"]
        True
        """
        given: dict[str, object] = {}
        for name, value in (options or {}).items():
            wanted = plain(str(name))
            matches = [option for option in self.options if plain(option) == wanted]
            if not matches:
                known = nearest(str(name), self.options) if self.options else "it has none"
                raise BattleError(f"unknown option {quote(name)} in ruleset {self.id!r}; {known}")
            given[matches[0]] = value
        return {
            name: read_value(option, given[name]) if name in given else option.default
            for name, option in self.options.items()
        }

    def resolve(
        self, options: Mapping[str, object] | None = None, changes: Mapping[str, object] | None = None
    ) -> Ruleset:
        """Return the rules with the options that patch them and with `changes` such as ``{"tank.cost": 5}``.

        >>> load_ruleset("aa-1942").resolve(None, {"tank.cost": 6}).units["tank"].cost
        6
        """
        patches = tuple(
            (name, value)
            for name, value in self.option_values(options).items()
            if self._option_patch(name, value) is not None
        )
        change_key = tuple(sorted((str(path), read_change(value)) for path, value in (changes or {}).items()))
        if not patches and not change_key:
            return self
        key = (patches, tuple((path, type(value), value) for path, value in change_key))
        if key not in self._resolved:
            source = self._source
            for name, value in patches:
                source = patched(
                    source, self._option_patch(name, value) or {}, f"option {name}", strict=False
                )
            for path, new in change_key:
                source = patched(source, self._change(path, new), "change")
            which, before = self._origin
            self._resolved[key] = Ruleset(source, (which, (*before, (patches, change_key))))
        return self._resolved[key]

    def _option_patch(self, name: str, value: bool | int | str) -> Raw | None:
        raw = self._source.table["options"][name]
        if self.options[name].kind == "choice":
            found: Raw | None = raw.get("patches", {}).get(value)
        else:
            found = raw.get("patch") if value else None
        return found

    def _change(self, path: str, value: object) -> Raw:
        unit, *fields = path.split(".")
        if not fields or not all(fields):
            raise RulesetError(f"cannot set {quote(path)}: write UNIT.FIELD, such as 'tank.cost'")
        patch: Any = value
        for field in reversed([self.unit_id(unit), *fields]):
            patch = {field: patch}
        return {"units": patch}

    # ------------------------------------------------------------------ technologies

    def for_side(self, side: SideName, technologies: frozenset[str]) -> SideRules:
        """Units and modifiers of `side` with its `technologies` applied.

        >>> rules = load_ruleset("aa-revised").for_side("defender", frozenset({"jet_power"}))
        >>> rules.units["fighter"].values["defence"]
        5
        """
        key = (side, technologies)
        if key not in self._sides:
            self._sides[key] = self._for_side(technologies)
        return self._sides[key]

    def _for_side(self, technologies: frozenset[str]) -> SideRules:
        where = self._source.where
        units, modifiers = self._raw.get("units", {}), self._raw.get("modifiers", {})
        known = {self.technology_id(name) for name in technologies}
        for name in (name for name in self.technologies if name in known):
            patch = self._raw["technologies"][name]
            place = where / "technologies" / name
            for unit in patch.get("units", {}):
                check_name(unit, "unit", place / "units" / unit, self.units)
            units = merge(units, patch.get("units", {}), place, ("units",))
            modifiers = merge(modifiers, patch.get("modifiers", {}), place, ("modifiers",))
        if units is self._raw.get("units", {}) and modifiers is self._raw.get("modifiers", {}):
            return SideRules(self.units, self.modifiers)
        found = self._read_units({"units": units}, where)
        return SideRules(MappingProxyType(found), read_modifiers(modifiers, where / "modifiers", self._names))

    # ------------------------------------------------------------------ proofs

    def check(self) -> None:
        """Raise a `RulesetError` where an option or a technology, each alone, makes the rules wrong."""
        for technology in self.technologies:
            self.for_side("attacker", frozenset({technology}))
        for option in self.options.values():
            values: tuple[bool | int | str, ...] = option.choices if option.kind == "choice" else (1,)
            for value in values:
                patch = self._option_patch(option.name, value)
                if patch is not None:
                    name = f"{self._source.files[0][0]}: option {option.name}"
                    Ruleset(patched(self._source, patch, name), self._origin)


# ---------------------------------------------------------------------- loading

_LOADED: dict[tuple[Any, ...], Ruleset] = {}
# Files of the package do not change while it runs; a bot asks for them ten thousand times a second.
_SHIPPED: dict[str, Ruleset] = {}


def load_ruleset(which: str | os.PathLike[str] | Ruleset) -> Ruleset:
    """Return the ruleset of an id, of a TOML file, or itself.

    Examples
    --------
    >>> load_ruleset("great-war").units["infantry"].cost
    1.5
    >>> load_ruleset("aa-1942") is load_ruleset("aa-1942")
    True
    """
    if isinstance(which, Ruleset):
        return which
    if isinstance(which, str) and which in _SHIPPED:
        return _SHIPPED[which]
    if not isinstance(which, str | os.PathLike):
        raise RulesetError(f"a ruleset is an id, a path or a Ruleset, not {quote(which)}")
    name = os.fspath(which)
    if not isinstance(name, str) or "\0" in name:
        raise RulesetError(f"a ruleset is an id, a path or a Ruleset, not {quote(which)}")
    if not isinstance(which, str) and not name.endswith(".toml"):
        raise RulesetError(f"a ruleset file ends in .toml, not {quote(name)}")
    path = locate(name)
    shipped = name in shipped_ids()
    stamp = path.stat()
    key = (str(path), stamp.st_mtime_ns, stamp.st_size)
    if key not in _LOADED:
        ruleset = Ruleset(read_source(path), (name if shipped else str(path), ()))
        if not shipped:
            ruleset.check()
        _LOADED[key] = ruleset
        if shipped:
            _SHIPPED[name] = ruleset
    return _LOADED[key]


def ruleset_ids() -> tuple[str, ...]:
    """Ids of the rulesets that come with the package.

    >>> "great-war" in ruleset_ids()
    True
    """
    return shipped_ids()


def _restore(which: str, steps: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]) -> Ruleset:
    """Make a pickled ruleset again."""
    ruleset = load_ruleset(which)
    for options, changes in steps:
        ruleset = ruleset.resolve(dict(options), dict(changes))
    return ruleset
