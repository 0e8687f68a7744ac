"""Policies: when a side retreats, contests, withdraws its air or submerges, in a player's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal, cast

from battlecalc.errors import PolicyError, nearest
from battlecalc.words import quote

Variable = Literal["round", "units", "land", "value", "ratio", "odds"]
Comparison = Literal["<", "<=", ">", ">=", "==", "!="]
Kind = Literal["never", "always", "when", "best"]

RIGHTS = ("retreat", "contest", "air_retreat", "submerge")
VARIABLES: tuple[Variable, ...] = ("round", "units", "land", "value", "ratio", "odds")
_WHOLE = frozenset(("round", "units", "land"))
_LONGEST = 2_000
_SPELLED: dict[str, Comparison] = {"=": "==", "≤": "<=", "≥": ">=", "≠": "!=", "<>": "!="}
_COMPARISON = r"<=|>=|==|!=|<>|<|>|=|≤|≥|≠"
_TEST = re.compile(
    rf"(?P<variable>\w+) ?(?P<comparison>{_COMPARISON}) ?"
    r"(?P<number>-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)) ?(?P<percent>%?)"
)


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison; odds are a probability from 0 to 1.

    >>> Test("odds", "<", 0.4).text
    'odds < 40%'
    """

    __test__ = False  # not a test case, whatever pytest thinks of the name

    variable: Variable
    comparison: Comparison
    number: float

    @property
    def text(self) -> str:
        """The comparison as a player writes it."""
        if self.variable != "odds":
            return f"{self.variable} {self.comparison} {_plain(self.number)}"
        percent = _plain(round(self.number * 100, 12))
        exact = float(percent) / 100 == self.number
        return f"odds {self.comparison} {percent + '%' if exact else _plain(self.number)}"


@dataclass(frozen=True, slots=True)
class Policy:
    """When a right is used: ``never``, ``always``, ``best``, or ``when`` any of `clauses` holds.

    Attributes
    ----------
    kind : {"never", "always", "when", "best"}
    clauses : tuple of tuple of Test
        A disjunction of conjunctions: the right is used where all tests of at least one clause hold.
    """

    kind: Kind
    clauses: tuple[tuple[Test, ...], ...] = ()

    @property
    def text(self) -> str:
        """The policy in one spelling; `parse_policy` reads it back.

        >>> parse_policy("ROUND>=3 and units<=4 or odds < .4", "retreat").text
        'round >= 3 and units <= 4 or odds < 40%'
        """
        if self.kind != "when":
            return self.kind
        return " or ".join(" and ".join(test.text for test in clause) for clause in self.clauses)


NEVER = Policy("never")
ALWAYS = Policy("always")
BEST = Policy("best")


def parse_policy(text: str | Policy, right: str) -> Policy:
    """Read a policy.

    Parameters
    ----------
    text : str
        ``never``, ``best``, for submarines that submerge also ``always``, or comparisons with ``and`` and
        ``or`` between (``and`` binds stronger): ``"round >= 3 and units <= 4 or odds < 40%"``.
    right : {"retreat", "contest", "air_retreat", "submerge"}
        What it decides; errors name it.

    Raises
    ------
    PolicyError
        Where the text cannot be read or compares what makes no sense.

    Examples
    --------
    >>> parse_policy("round >= 3", "retreat")
    Policy(kind='when', clauses=((Test(variable='round', comparison='>=', number=3.0),),))
    >>> parse_policy("always", "submerge") is ALWAYS
    True
    """
    if right not in RIGHTS:
        raise PolicyError(f"unknown right {quote(right)}; {nearest(str(right)[:60], RIGHTS)}")
    if isinstance(text, Policy):
        text = text.text
    if not isinstance(text, str):
        raise PolicyError(
            f"{right} takes 'never', 'best' or conditions such as 'round >= 3', not {quote(text)}"
        )
    if len(text) > _LONGEST:
        raise PolicyError(
            f"{right} {quote(text)} has {len(text):,} characters, at most {_LONGEST:,} are read"
        )
    return _read(text, right)


@lru_cache(maxsize=1024)
def _read(text: str, right: str) -> Policy:
    words = " ".join(text.lower().split())
    if words in ("never", "best"):
        return NEVER if words == "never" else BEST
    if words == "always":
        if right == "submerge":
            return ALWAYS
        raise PolicyError(f"{right} cannot be 'always': 'round >= 1' asks for the first chance")
    if not words:
        raise PolicyError(f"{right} is empty: write 'never', 'best' or conditions such as 'round >= 3'")
    if "(" in words:
        raise PolicyError(f"{right} {quote(text)}: brackets are not read; 'and' binds stronger than 'or'")
    clauses = tuple(
        tuple(_test(part, f"{right} {quote(text)}", right) for part in re.split(r"\band\b", clause))
        for clause in re.split(r"\bor\b", words)
    )
    return Policy("when", clauses)


def _test(part: str, where: str, right: str) -> Test:
    part = part.strip()
    found = _TEST.fullmatch(part)
    if found is None:
        raise PolicyError(f"{where}: {_what_is_wrong(part, right)}")
    variable = found["variable"]
    if variable not in VARIABLES:
        raise PolicyError(f"{where}: unknown {quote(variable)}; {_offer(variable)}")
    number = float(found["number"])
    if number < 0:
        raise PolicyError(f"{where}: {variable} is never negative")
    if number > 1e12:
        raise PolicyError(f"{where}: {quote(found['number'])} is larger than any {variable}")
    if variable in _WHOLE and number != int(number):
        raise PolicyError(f"{where}: {variable} is a whole number, so compare it with one")
    if variable == "odds":
        number = number / 100 if found["percent"] else number
        if number > 1:
            meant = _plain(min(float(found["number"]), 100))
            raise PolicyError(f"{where}: odds go from 0 to 1 or from 0% to 100%: write {meant}%")
    elif found["percent"]:
        raise PolicyError(f"{where}: only odds are compared with a percentage")
    spelled = found["comparison"]
    return Test(cast(Variable, variable), _SPELLED.get(spelled, cast(Comparison, spelled)), number)


def _what_is_wrong(part: str, right: str) -> str:
    if not part:
        return "a comparison is missing beside 'and' or 'or'"
    if part in ("never", "best", "always"):
        return f"{part!r} cannot be combined with conditions"
    if len(re.findall(_COMPARISON, part)) > 1:
        return f"{quote(part)} compares twice: write 'round >= 2 and round <= 4'"
    word = re.match(r"[a-z_]+", part)
    if word and word[0] not in VARIABLES:
        return f"unknown {quote(word[0])}; {_offer(word[0])}"
    return f"{quote(part)} is not a comparison such as 'round >= 3' or 'odds < 40%'"


def _offer(variable: str) -> str:
    """Offer what was meant; the known variables are few, so all are named beside it."""
    offer, known = nearest(variable[:60], VARIABLES, count=1), "known: " + ", ".join(VARIABLES)
    return offer if offer == known else f"{offer} ({known})"


def _plain(number: float) -> str:
    """Write a number without exponent and without a trailing ``.0``."""
    return f"{number:.0f}" if number == int(number) else format(Decimal(repr(number)), "f")
