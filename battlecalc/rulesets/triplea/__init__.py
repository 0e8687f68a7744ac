"""Maps of TripleA: the game XML of a map as a ruleset file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from battlecalc.errors import RulesetError
from battlecalc.rulesets.merging import Source, patched
from battlecalc.rulesets.ruleset import Ruleset
from battlecalc.rulesets.triplea.game_xml import read_game
from battlecalc.rulesets.triplea.sequences_of_game import SequenceWriter
from battlecalc.rulesets.triplea.toml_text import comment, table_lines
from battlecalc.rulesets.triplea.units_of_game import translate_units

__all__ = ("import_game",)


def import_game(path: str | os.PathLike[str]) -> str:
    """Return the text of a ruleset file made from the game XML of a TripleA map.

    Comments at its top name what could not be translated. The result is checked: it loads.
    """
    game = read_game(path)
    # A file system may have names that are no text.
    file = Path(path).name.encode("utf-8", "replace").decode()
    units = translate_units(game)
    writer = SequenceWriter(game, units)
    sequences = writer.sequences()
    values = [name for name in ("aa", "bombard") if any(name in unit for unit in units.units.values())]
    table = {
        "schema": 1,
        "name": game.name.strip() or file.removesuffix(".xml"),
        "sides": game.sides,
        "source": f"imported from {file}",
        **({"values": values} if values else {}),
        "holders": units.tagged("land"),
        "units": units.units,
        **({"cargo": units.cargo} if units.cargo else {}),
        **({"modifiers": units.modifiers} if units.modifiers else {}),
        **({"options": {"territory_value": _TERRITORY_VALUE}} if "raid" in sequences else {}),
        "sequences": sequences,
    }
    notes = [*units.notes, *writer.notes()]
    head = [comment(f"Made by battlecalc from {file}.")]
    head += [comment("Not translated:"), *(comment(f"  {note}") for note in notes)] if notes else []
    text = "\n".join([*head, *table_lines(table)]) + "\n"
    try:
        Ruleset(patched(Source({}, (), "imported"), tomllib.loads(text), file), ("", ())).check()
    except RulesetError as error:
        raise RulesetError(f"cannot make a ruleset of this game: {error}") from None
    return text


_TERRITORY_VALUE = {
    "kind": "number",
    "most": 100,
    "about": "value of the raided territory, which caps the damage (0: no cap)",
}
