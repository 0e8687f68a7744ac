"""TOML files: one careful reader and one writer of values, for rulesets, battles and maps."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from battlecalc.errors import BattlecalcError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_toml(
    path: str | os.PathLike[str], what: str, error: type[BattlecalcError], name: str, most: int = 1_000_000
) -> dict[str, Any]:
    """Read a file that may be anything at all.

    Parameters
    ----------
    path : path
    what : str
        What the file should be, for the error of one that is too large: ``"battle"``.
    error : type
        Raised for a file that cannot be read, is too large, is no UTF-8 text (a byte order mark is allowed),
        no TOML, or nested too deeply.
    name : str
        The file as errors call it.
    most : int
        Most bytes.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(most + 1)
    except OSError as wrong:
        raise error(f"{name}: cannot be read: {wrong.strerror or wrong}") from None
    except ValueError as wrong:  # a path with a NUL
        raise error(f"{name}: cannot be read: {wrong}") from None
    if len(content) > most:
        raise error(f"{name}: too large: a {what} has at most {most:,} bytes")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise error(f"{name}: is not UTF-8 text") from None
    except ValueError as wrong:  # also a number of too many digits, which is no TOMLDecodeError
        raise error(f"{name}: is not TOML: {wrong}") from None
    except RecursionError:
        raise error(f"{name}: tables or lists too deep") from None


def shown(path: str | os.PathLike[str]) -> str:
    """Path as an error calls it: quoted where it would break the line."""
    name = os.fspath(path)
    return name if name.isprintable() else repr(name)


def toml_key(key: str) -> str:
    """Return a key, quoted where it has to be.

    >>> toml_key("aa_gun"), toml_key("surprise strike")
    ('aa_gun', '"surprise strike"')
    """
    return key if _BARE.fullmatch(key) else _text(key)


def toml_value(item: object) -> str:
    """Return one value on one line.

    Raises
    ------
    TypeError
        For what TOML has no form of.

    Examples
    --------
    >>> toml_value([{"side": "both", "who": ["a b"]}, 1, True])
    '[{ side = "both", who = ["a b"] }, 1, true]'
    """
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, int):
        return str(int(item))
    if isinstance(item, float):
        return repr(float(item))  # numpy's floats have a repr of their own
    if isinstance(item, str):
        return _text(item)
    if isinstance(item, list | tuple):
        return "[" + ", ".join(map(toml_value, item)) + "]"
    if isinstance(item, Mapping):
        pairs = (f"{toml_key(str(key))} = {toml_value(inner)}" for key, inner in item.items())
        return "{ " + ", ".join(pairs) + " }"
    raise TypeError(f"TOML has no form of {type(item).__name__}")


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
