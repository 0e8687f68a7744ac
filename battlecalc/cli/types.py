"""Kinds of values on the command line; each refusal says what would be right."""

from __future__ import annotations

import math
import os
import re
from typing import Any

import click

from battlecalc.words import quote


class Count(click.ParamType[int]):
    """A whole number, also written ``1e6`` or ``1_000_000``."""

    name = "number"

    def __init__(self, least: int, most: int) -> None:
        self.least = least
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read and check the number."""
        number = self._read(str(value))
        if number is None:
            self.fail(f"{quote(value)} is not a whole number such as 20000, 1e6 or 1_000_000", param, ctx)
        if not self.least <= number <= self.most:
            self.fail(f"{value!s:.60} is not from {self.least} to {self._limit()}", param, ctx)
        return number

    @staticmethod
    def _read(text: str) -> int | None:
        try:
            return int(text)
        except ValueError:
            pass
        # Exact integer arithmetic: a float would round large seeds. Long exponents are refused, not computed.
        match = re.fullmatch(r"([+-]?)(\d+)(?:\.(\d*))?[eE]\+?(\d{1,2})", text.strip())
        if match is None:
            return None
        sign, whole, part, exponent = match.groups(default="")
        part = part.rstrip("0")
        zeros = int(exponent) - len(part)
        if zeros < 0 or len(whole + part) > 100:
            return None
        return int(sign + whole + part + "0" * zeros)

    def _limit(self) -> str:
        text = f"{self.most:e}".replace("+", "")
        mantissa, exponent = text.split("e")
        exact = float(mantissa).is_integer() and self.most >= 1_000_000
        return f"{float(mantissa):g}e{int(exponent)}" if exact else str(self.most)


class Share(click.ParamType[float]):
    """A share between 0 and 1, also written as a percentage."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read and check the share."""
        text = str(value).strip()
        try:
            number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            number = -1.0
        if not 0 < number < 1:
            self.fail(f"{quote(value)} is not a share such as 0.1% or 0.001", param, ctx)
        return number


class Setting(click.ParamType[tuple[str, object]]):
    """``NAME=VALUE``; the value becomes a number or a truth value where it reads like one."""

    name = "NAME=VALUE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, object]:
        """Split at the first ``=``."""
        name, equals, text = str(value).partition("=")
        if not equals or not name.strip() or not text.strip():
            self.fail(
                f"{quote(value)} is not of the form {param.metavar if param else self.name}", param, ctx
            )
        return name.strip(), literal(text.strip())


class OutputFile(click.ParamType[str]):
    """A file to write, checked before a long run rather than after it."""

    name = "file"

    def __init__(self, *endings: str) -> None:
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what cannot be written."""
        path = str(value)
        folder = os.path.dirname(path) or "."
        if os.path.isdir(path):
            self.fail(f"{path!r} is a directory, not a file", param, ctx)
        if not os.path.isdir(folder):
            self.fail(f"{path!r}: there is no directory {folder!r}", param, ctx)
        if not os.access(path if os.path.exists(path) else folder, os.W_OK):
            self.fail(f"{path!r}: permission denied", param, ctx)
        if self.endings and os.path.splitext(path)[1].lower().lstrip(".") not in self.endings:
            self.fail(f"{path!r} should end in {', '.join('.' + e for e in self.endings)}", param, ctx)
        return path


def literal(text: str) -> int | float | bool | str:
    """Value of `text` as a ruleset file would read it, without quotes.

    >>> literal("5"), literal("1.5"), literal("yes"), literal("strict")
    (5, 1.5, True, 'strict')
    >>> literal("inf")
    'inf'
    """
    if text.lower() in ("true", "yes", "on"):
        return True
    if text.lower() in ("false", "no", "off"):
        return False
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text  # inf is infantry


def plain_number(text: str) -> int | None:
    """Read a number of plain digits; None for anything else, and for more digits than any limit here has.

    >>> plain_number(" 12 "), plain_number("-1"), plain_number("²"), plain_number("9" * 5000)
    (12, None, None, None)
    """
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) <= 12 else None
