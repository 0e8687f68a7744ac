"""Files into one table: ``extends``, ``without``, ``after`` and ``like``, before anything is interpreted."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from battlecalc.errors import RulesetError, nearest
from battlecalc.rulesets.schema import SIDES
from battlecalc.rulesets.tables import Raw, Where
from battlecalc.toml_files import read_toml
from battlecalc.words import quote

DATA = Path(__file__).parent / "data"
TOO_DEEP = 10

# What a file says of itself, not of the rules: not inherited.
_OWN = ("id", "name", "extends", "without")


@dataclass(frozen=True)
class Source:
    """Merged tables of a ruleset file and all that it extends.

    `gone` holds names of units and tags that the files it extends know and this one does not: sets may still
    name them.
    """

    table: Raw
    files: tuple[tuple[str, Raw], ...]
    path: str
    gone: frozenset[str] = frozenset()

    @property
    def where(self) -> Where:
        """The top of the file, for errors."""
        return Where(self.files)


@cache
def shipped_ids() -> tuple[str, ...]:
    """Ids of the rulesets that come with the package, in alphabetical order."""
    return tuple(sorted(name[:-5] for name in os.listdir(DATA) if name.endswith(".toml")))


def locate(which: str, beside: Path | None = None) -> Path:
    """Path of a shipped id or of a file (`beside`: where a relative path starts).

    >>> locate("aa-1492")
    Traceback (most recent call last):
    battlecalc.errors.RulesetError: no ruleset 'aa-1492'; did you mean ...
    """
    if which.endswith(".toml") or os.sep in which:
        path = Path(beside or "", which).absolute()
        if path.is_file():
            return path
        raise RulesetError(f"no ruleset file {quote(which)}")
    path = DATA / f"{which}.toml"
    # Compared with the listing: not every file system tells "AA-1942" from "aa-1942".
    if which in shipped_ids():
        return path
    raise RulesetError(
        f"no ruleset {quote(which)}; {nearest(which, shipped_ids(), 2)} (a file is named by its path)"
    )


def read_source(path: Path, seen: tuple[Path, ...] = ()) -> Source:
    """Read a file and what it extends."""
    if path in seen or len(seen) >= TOO_DEEP:
        chain = " extends ".join(p.name for p in (*seen, path))
        raise RulesetError(f"{path.name}: extends: {chain}: never ends")
    own = read_toml(path, "ruleset", RulesetError, path.name)
    if "die" in own:
        if "sides" in own:
            (Where(((path.name, own),)) / "die").fail("is another word for 'sides'; give one of them")
        own["sides"] = own.pop("die")
    base = own.get("extends")
    if base is None:
        return patched(Source({}, (), str(path)), own, path.name)
    here = Where(((path.name, own),)) / "extends"
    if not isinstance(base, str):
        here.fail(f"must be the id or path of a ruleset, not {quote(base)}")
    try:
        parent = locate(base, path.parent)
    except RulesetError as error:
        here.fail(str(error))
    below = read_source(parent, (*seen, path))
    inherited = {key: value for key, value in below.table.items() if key not in _OWN}
    inherited["name"] = f"{below.table.get('name', base)} (changed)"
    return patched(Source(inherited, below.files, str(path), below.gone), own, path.name)


def patched(source: Source, patch: Raw, name: str, strict: bool = True) -> Source:
    """Lay `patch`, a file of that `name` or a part of one, over `source`: take out first, then merge.

    Not `strict`: what it takes out may be gone already (two options may take out the same stage). Names of
    units and tags that get lost go on being known.
    """
    files = ((name, patch), *source.files)
    where = Where(files)
    paths = patch.get("without", [])
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        (where / "without").fail(f"must be a list of paths such as 'units.tank', not {quote(paths)}")
    table = source.table
    for path in paths:
        shorter = _removed(table, path.split("."))
        if shorter is not None:
            table = shorter
        elif strict:
            (where / "without").fail(f"no {quote(path)} to take out (a path is such as 'units.tank')")
    table = merge(table, {key: value for key, value in patch.items() if key != "without"}, where)
    gone = source.gone | (names_of(source.table) - names_of(table))
    return Source(table, files, source.path, gone)


def merge(base: Raw, patch: Raw, where: Where, keys: tuple[str, ...] = ()) -> Raw:
    """Lay the tables of `patch` over `base`, key by key.

    Conditions (`when`) are replaced as a whole. ``after = "name"`` in a table places it behind that sibling
    (``""``: first). A value that is given anew is no longer `assumed`, unless the patch says so.

    >>> merge({"a": {"x": 1}, "b": {}}, {"c": {"after": "a"}, "a": {"y": 2}}, Where((("f.toml", {}),)))
    {'a': {'x': 1, 'y': 2}, 'c': {}, 'b': {}}
    """
    merged = dict(base)
    moves: list[tuple[str, str]] = []
    for key, value in patch.items():
        # A condition is one thing: half of an old one would hold on unseen.
        if not isinstance(value, dict) or key == "when":
            add = (
                key == "values" and not keys and isinstance(merged.get(key), list) and isinstance(value, list)
            )
            merged[key] = [*merged[key], *value] if add else value
            continue
        after = value.get("after")
        # Inside an option or technology it waits for its turn.
        if isinstance(after, str) and not (len(keys) > 1 and keys[0] in ("options", "technologies")):
            value = {k: v for k, v in value.items() if k != "after"}
            moves.append((key, after))
        below = merged.get(key)
        if not isinstance(below, dict):
            # One value for both sides, of which the patch changes one.
            both = below is not None and keys[:1] == ("units",) and set(value) <= set(SIDES)
            below = dict.fromkeys(SIDES, below) if both else {}
        merged[key] = merge(below, value, where, (*keys, key))
    for key, after in moves:
        merged = _moved(merged, key, after, where, keys)
    if len(keys) == 2 and keys[0] == "units" and base and "assumed" not in patch:
        marks = base.get("assumed")
        if isinstance(marks, list):
            merged["assumed"] = [mark for mark in marks if mark not in patch]
    return merged


def _moved(siblings: Raw, key: str, after: str, where: Where, keys: tuple[str, ...]) -> Raw:
    others = [name for name in siblings if name != key]
    if after and after not in others:
        for name in (*keys, key):
            where = where / name
        (where / "after").fail(f"no {quote(after)} here; {nearest(after, others)}")
    place = others.index(after) + 1 if after else 0
    return {name: siblings[name] for name in (*others[:place], key, *others[place:])}


def _removed(table: Raw, keys: list[str]) -> Raw | None:
    """`table` without what `keys` lead to; None where they lead nowhere."""
    key, *deeper = keys
    if key not in table:
        return None
    if not deeper:
        return {name: value for name, value in table.items() if name != key}
    below = _removed(table[key], deeper) if isinstance(table[key], dict) else None
    return None if below is None else {**table, key: below}


def names_of(table: Raw) -> frozenset[str]:
    """Return the unit ids and tags of a merged table (shapes not yet checked)."""
    units = table.get("units")
    if not isinstance(units, dict):
        return frozenset()
    found = set(units)
    for unit in units.values():
        tags = unit.get("tags") if isinstance(unit, dict) else None
        if isinstance(tags, list):
            found.update(tag for tag in tags if isinstance(tag, str))
    return frozenset(found)


def like(table: Raw, where: Where) -> Raw:
    """`table` with every stage and step that says ``like = "sequence/stage[/step]"`` filled in."""
    sequences = table.get("sequences")
    if not isinstance(sequences, dict):
        return table
    filled = {
        key: _filled(value, sequences, where / "sequences" / key, 0, 0) for key, value in sequences.items()
    }
    return {**table, "sequences": filled}


def _filled(value: Any, sequences: Raw, where: Where, level: int, depth: int) -> Any:
    """Level 0: a sequence; 1: its stages; 2: a stage; 3: its steps; 4: a step."""
    if not isinstance(value, dict) or level > 4:
        return value
    target = value.get("like") if level in (2, 4) else None
    if target is not None:
        here = where / "like"
        if depth >= TOO_DEEP:
            here.fail("never ends")
        model = _model(target, sequences, here, 2 if level == 2 else 3)
        own = {key: item for key, item in value.items() if key != "like"}
        value = merge(_filled(model, sequences, here, level, depth + 1), own, where)
    child = {0: "stages", 2: "steps"}.get(level)
    if child is not None:
        if child not in value:
            return value
        return {**value, child: _filled(value[child], sequences, where / child, level + 1, depth)}
    if level in (1, 3):
        return {key: _filled(item, sequences, where / key, level + 1, depth) for key, item in value.items()}
    return value


def _model(target: object, sequences: Raw, where: Where, length: int) -> Raw:
    parts = target.split("/") if isinstance(target, str) else []
    found: Any = sequences
    if len(parts) == length:
        keys = [parts[0], "stages", parts[1]] + (["steps", parts[2]] if length == 3 else [])
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, dict):
            return found
    example = "land/battle" if length == 2 else "land/battle/fire"
    where.fail(f"{quote(target)} names nothing in this ruleset (such as {example!r})")
