"""Options and technologies: their tables, and the names and values by which a user asks for them."""

from __future__ import annotations

from battlecalc.errors import BattleError, RulesetError
from battlecalc.rulesets.schema import Option, Technology
from battlecalc.rulesets.tables import (
    Reader,
    Where,
    check_keys,
    choice,
    flag,
    read_keys,
    required,
    table,
    text,
    texts,
    whole,
)
from battlecalc.rulesets.units import named
from battlecalc.words import quote

TECHNOLOGY_READERS: dict[str, Reader] = {
    "about": text,
    "assumed": flag,
    "aliases": texts,
    "units": table,
    "modifiers": table,
}


def read_technologies(raw: object, where: Where) -> dict[str, Technology]:
    """Read technologies; what they change is applied by `Ruleset.for_side`."""
    technologies = {}
    for name, (value, place) in named(table(raw, where), where).items():
        found = read_keys(value, place, TECHNOLOGY_READERS)
        found.pop("units", None)
        found.pop("modifiers", None)
        technologies[name] = Technology(name=name, **found)
    return technologies


OPTION_READERS: dict[str, Reader] = {
    "kind": choice("flag", "number", "choice"),
    "default": lambda value, where: value,
    "most": whole(1, 100_000),
    "choices": texts,
    "about": text,
    "assumed": flag,
    "patch": table,
    "patches": table,
}


def read_options(raw: object, where: Where) -> dict[str, Option]:
    """Read options; what they patch is applied by `Ruleset.resolve`."""
    options = {}
    for name, (value, place) in named(table(raw, where), where).items():
        found = read_keys(value, place, OPTION_READERS)
        required(found, place, "kind")
        patches = found.pop("patches", {})
        kind, choices = found["kind"], found.get("choices", ())
        if kind == "choice":
            required(found, place, "choices", "default")
            check_keys(patches, place / "patches", tuple(choices))
            if found.pop("patch", None) is not None:
                (place / "patch").fail("an option of kind 'choice' has patches.CHOICE, one for each choice")
        elif patches or choices:
            place.fail("only an option of kind 'choice' has choices and patches")
        found.pop("patch", None)
        found.setdefault("default", False if kind == "flag" else 0)
        option = Option(name=name, **found)
        if not _fits(option, found["default"]):
            (place / "default").fail(f"{found['default']!r} is no value of this option")
        options[name] = option
    return options


def _fits(option: Option, value: object) -> bool:
    if option.kind == "flag":
        return isinstance(value, bool)
    if option.kind == "number":
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= option.most
    return value in option.choices


# ---------------------------------------------------------------------- what a user writes


def plain(name: str) -> str:
    """`name` as names are compared: without case, spaces, hyphens and underscores."""
    return "".join(char for char in name.casefold() if char not in " -_")


def singulars(name: str) -> list[str]:
    """Return what `name` may be the plural of, itself first."""
    found = [name]
    if name.endswith("ies"):
        found.append(f"{name[:-3]}y")
    if name.endswith("es"):
        found.append(name[:-2])
    if name.endswith("s"):
        found.append(name[:-1])
    return found


_WORDS: dict[str, bool] = {
    "true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip


def read_value(option: Option, value: object) -> bool | int | str:
    """Return the value of an option, which may be text as from a command line."""
    if option.kind == "flag":
        word = str(value).strip().casefold()
        if isinstance(value, bool | int | str) and word in _WORDS:
            return _WORDS[word]
        raise BattleError(f"option {option.name!r} is true or false, not {quote(value)}")
    if option.kind == "number":
        try:
            number = int(value) if isinstance(value, str | int) and not isinstance(value, bool) else -1
        except ValueError:
            number = -1
        if not 0 <= number <= option.most:
            raise BattleError(
                f"option {option.name!r} is a whole number from 0 to {option.most}, not {quote(value)}"
            )
        return number
    for word in option.choices:
        if isinstance(value, str) and plain(value) == plain(word):
            return word
    raise BattleError(f"option {option.name!r} is one of {', '.join(option.choices)}, not {quote(value)}")


def read_change(value: object) -> bool | int | float | str:
    """Return the new value of a field, read from text where it is text."""
    if isinstance(value, bool | int | float):
        return value
    if not isinstance(value, str):
        raise RulesetError(f"cannot set a field to {quote(value)}: give a number, true, false or a word")
    word = value.strip()
    if word.casefold() in ("true", "false"):
        return word.casefold() == "true"
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
