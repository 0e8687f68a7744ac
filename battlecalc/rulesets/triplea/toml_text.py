"""Writing TOML: just what a ruleset needs."""

from __future__ import annotations

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOO_LONG = 100


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def value(item: Any) -> str:
    """Return one value on one line.

    >>> value([{"side": "both", "who": ["a b"]}, 1, True])
    '[{ side = "both", who = ["a b"] }, 1, true]'
    """
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, str):
        return _text(item)
    if isinstance(item, list):
        return "[" + ", ".join(map(value, item)) + "]"
    if isinstance(item, dict):
        return "{ " + ", ".join(f"{_key(key)} = {value(inner)}" for key, inner in item.items()) + " }"
    return repr(item)


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
            line = f"{_key(key)} = {value(item)}"
            if len(line) > _TOO_LONG and isinstance(item, list):
                lines += [f"{_key(key)} = [", *(f"  {value(part)}," for part in item), "]"]
            else:
                lines.append(line)
    if keys and (lines or not inner):
        lines = ["", f"[{'.'.join(map(_key, keys))}]", *lines]
    for key, item in inner:
        lines += table_lines(item, (*keys, key))
    return lines


_ON_ONE_LINE = {"hits", "dice", "rolls", "alone", "takes", "needs_one_of", "when", "damage"}


def _inline(key: str, item: dict[str, Any]) -> bool:
    return key in _ON_ONE_LINE and not any(isinstance(inner, dict) for inner in item.values())
