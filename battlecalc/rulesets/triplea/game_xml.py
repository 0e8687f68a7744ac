"""Reading the game XML of a TripleA map: units, costs, support and properties, nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from battlecalc.errors import RulesetError
from battlecalc.words import quote

LARGEST = 64_000_000
# Far more than any map has: what is made of them takes time.
_MOST_UNITS = 1_000
_MOST_SUPPORTS = 10_000
_LONGEST = 10_000  # letters of a name, or of all values of one option
Options = dict[str, str]


@dataclass
class Support:
    """A support attachment: units that raise the value of others."""

    unit: str
    options: Options = field(default_factory=dict)


@dataclass
class Game:
    """What a game XML says that a ruleset can use.

    Attributes
    ----------
    units : dict of str to dict of str to str
        Options of each unit attachment by unit, in the order of the file; several values of one option are
        joined with ``,``.
    costs : dict of str to float
        Cost of one unit in the first resource that buys it.
    """

    name: str = ""
    sides: int = 6
    units: dict[str, Options] = field(default_factory=dict)
    supports: list[Support] = field(default_factory=list)
    costs: dict[str, float] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    technologies: list[str] = field(default_factory=list)

    def has(self, name: str) -> bool:
        """Whether a property is set."""
        return self.properties.get(name, "").strip().casefold() == "true"


class _Reader:
    """Handlers of the parser."""

    def __init__(self, name: str) -> None:
        self.game = Game()
        self._name = name
        self._attachment: Options | None = None
        self._rule: tuple[float, float] | None = None
        self._bought = ""
        self._starts: dict[str, Callable[[Options], None]] = {
            "info": self._info,
            "diceSides": self._dice_sides,
            "unit": self._unit,
            "attachment": self._start_attachment,
            "attatchment": self._start_attachment,  # sic: old files
            "option": self._option,
            "productionRule": self._start_rule,
            "cost": self._cost,
            "result": self._result,
            "property": self._property,
            "techname": self._technology,
        }

    def start(self, tag: str, attributes: Options) -> None:
        handler = self._starts.get(tag)
        if handler is not None:
            handler(attributes)

    def end(self, tag: str) -> None:
        if tag in ("attachment", "attatchment"):
            self._attachment = None
        elif tag == "productionRule":
            if self._rule is not None and self._bought and self._rule[1] > 0:
                self.game.costs.setdefault(self._bought, self._rule[0] / self._rule[1])
            self._rule, self._bought = None, ""

    def refuse_entity(self, name: str, *_: object) -> None:
        raise RulesetError(f"{self._name}: declares the entity {name!r}: not read, a map needs none")

    def _number(self, text: str, what: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1e6:
            raise RulesetError(f"{self._name}: {what} is {text!r}, not a number from 0 to 1000000")
        return number

    def _info(self, attributes: Options) -> None:
        self.game.name = attributes.get("name", "")

    def _dice_sides(self, attributes: Options) -> None:
        self.game.sides = int(self._number(attributes.get("value", "6"), "diceSides"))

    def _unit(self, attributes: Options) -> None:
        if "name" in attributes:
            self._of_unit(attributes["name"])

    def _of_unit(self, name: str) -> Options:
        options = self.game.units.setdefault(name, {})
        self._at_most(_MOST_UNITS, len(self.game.units), "units")
        self._at_most(_LONGEST, len(name), "letters in a name")
        return options

    def _at_most(self, most: int, number: int, what: str) -> None:
        if number > most:
            raise RulesetError(f"{self._name}: more than {most:,} {what}: no map has so many")

    def _start_attachment(self, attributes: Options) -> None:
        unit, name = self._target(attributes), attributes.get("name", "")
        if name in ("unitAttachment", "unitAttatchment"):
            self._attachment = self._of_unit(unit)
        elif name.startswith("supportAttachment"):
            self.game.supports.append(Support(unit))
            self._at_most(_MOST_SUPPORTS, len(self.game.supports), "support attachments")
            self._attachment = self.game.supports[-1].options

    @staticmethod
    def _target(attributes: Options) -> str:
        return attributes.get("attachTo") or attributes.get("attatchTo") or ""

    def _option(self, attributes: Options) -> None:
        if self._attachment is not None and "name" in attributes:
            name, value = attributes["name"], attributes.get("value", "")
            before = self._attachment.get(name)
            self._attachment[name] = joined = value if before is None else f"{before},{value}"
            self._at_most(_LONGEST, len(joined), f"letters in the option {quote(name)}")

    def _start_rule(self, _: Options) -> None:
        self._rule = (-1.0, 0.0)

    def _cost(self, attributes: Options) -> None:
        if self._rule is not None and self._rule[0] < 0:
            self._rule = (self._number(attributes.get("quantity", ""), "a cost"), self._rule[1])

    def _result(self, attributes: Options) -> None:
        if self._rule is not None and self._rule[0] >= 0 and not self._bought:
            self._bought = attributes.get("resourceOrUnit", "")
            self._rule = (self._rule[0], self._number(attributes.get("quantity", "1"), "a quantity"))

    def _property(self, attributes: Options) -> None:
        if "name" in attributes:
            self.game.properties[attributes["name"]] = attributes.get("value", "")

    def _technology(self, attributes: Options) -> None:
        if "name" in attributes:
            self.game.technologies.append(attributes["name"])


def read_game(path: str | os.PathLike[str]) -> Game:
    """Read a game XML.

    Entity declarations are refused, nothing outside is fetched, and a file that is too large is not opened.
    """
    file = Path(path)
    reader = _Reader(file.name)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.EntityDeclHandler = reader.refuse_entity
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise RulesetError(f"{file.name}: too large for a game XML ({size} bytes)")
        parser.Parse(file.read_bytes(), True)
    except OSError as error:
        raise RulesetError(f"{file.name}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, RulesetError):
            raise
        raise RulesetError(f"{str(path)!r}: cannot be read: {error}") from None
    except expat.ExpatError as error:
        raise RulesetError(f"{file.name}: is not XML: {error}") from None
    if not reader.game.units:
        raise RulesetError(f"{file.name}: has no units, so it is not the game XML of a map")
    return reader.game
