"""Writing TOML: just what a ruleset needs."""

from __future__ import annotations

from typing import Any

from battlecalc.toml_files import toml_key, toml_value

_TOO_LONG = 100


def comment(text: str) -> str:
    """Return a comment line: whatever `text` holds, it does not leave the line."""
    return "# " + "".join(char if char.isprintable() else " " for char in text)


def table_lines(table: dict[str, Any], keys: tuple[str, ...] = ()) -> list[str]:
    """Lines of a table: its values, then its tables, each under a header.

    Small tables without tables of their own stay on one line, as do the pairs of `_ON_ONE_LINE`.
    """
    lines: list[str] = []
    inner: list[tuple[str, dict[str, Any]]] = []
    for key, item in table.items():
        if isinstance(item, dict) and not (keys and _inline(key, item)):
            inner.append((key, item))
        else:
            line = f"{toml_key(key)} = {toml_value(item)}"
            if len(line) > _TOO_LONG and isinstance(item, list):
                lines += [f"{toml_key(key)} = [", *(f"  {toml_value(part)}," for part in item), "]"]
            else:
                lines.append(line)
    if keys and (lines or not inner):
        lines = ["", f"[{'.'.join(map(toml_key, keys))}]", *lines]
    for key, item in inner:
        lines += table_lines(item, (*keys, key))
    return lines


_ON_ONE_LINE = {"hits", "dice", "rolls", "alone", "takes", "needs_one_of", "when", "damage"}


def _inline(key: str, item: dict[str, Any]) -> bool:
    return key in _ON_ONE_LINE and not any(isinstance(inner, dict) for inner in item.values())
