"""Sequences of a TripleA game as tables of a ruleset, from the properties that change a battle."""

from __future__ import annotations

from typing import Any

from battlecalc.rulesets.triplea.game_xml import Game
from battlecalc.rulesets.triplea.units_of_game import Translation

Table = dict[str, Any]

SUBS_STRIKE = "Defending Subs Sneak Attack"
# What the sequences and units ask for.
READ = frozenset(
    {
        "WW2V2",
        "WW2V3",
        "Submersible Subs",
        "Sub Retreat Before Battle",
        "Air Attack Sub Restricted",
        "Transport Casualties Restricted",
        "Unescorted Transport Dies",
        "Partial Amphibious Retreat",
        "Attacker Retreat Planes",
        "Shore Bombard Per Ground Unit Restricted",
        "Naval Bombard Casualties Return Fire",
        "Two hit battleship",
        "Choose AA Casualties",
    }
)
# Words of battles in their names, and yet of movement alone.
NO_MATTER = frozenset({"Ignore Sub In Movement"})
# Properties of battles that are known and not translated; all others do not change a battle's order.
BATTLE_WORDS = frozenset(
    {
        "battle", "battles", "combat", "casualties", "bombard", "bombing", "sub", "subs", "aa", "retreat",
        "kamikaze", "scramble", "airborne", "luck", "transports", "rockets", "rounds", "dice", "bombers",
    }
)  # fmt: skip

RETREAT = {"side": "attacker", "right": "retreat"}


class SequenceWriter:
    """Writes the sequences of one game."""

    def __init__(self, game: Game, units: Translation) -> None:
        self.game, self.units = game, units
        # Later editions: a destroyer cancels the strike, submarines submerge before the dice.
        self.late = game.has("WW2V3") or game.has("Sub Retreat Before Battle")
        self.middle = game.has("WW2V2") and not self.late

    def sequences(self) -> Table:
        """Land, and naval, invasion and raid where the game has the units."""
        found: Table = {}
        if self.units.tagged("land", "air"):
            found["land"] = self.land()
        if self.units.tagged("warships", "submarines"):
            found["naval"] = self.naval()
        if "land" in found and "naval" in found:
            found["invasion"] = self.invasion()
        raid = self.raid()
        if raid is not None:
            found["raid"] = raid
        return found

    def notes(self) -> list[str]:
        """Say which properties were left out."""
        left = [
            name
            for name, value in self.game.properties.items()
            if name not in READ | NO_MATTER | {SUBS_STRIKE}
            and value.strip().casefold() not in ("", "false", "0")
            and set(name.casefold().split()) & BATTLE_WORDS
        ]
        # The edition alone says whether the defender's submarines strike first.
        if SUBS_STRIKE in self.game.properties and self.game.has(SUBS_STRIKE) != (self.late or self.middle):
            left.append(SUBS_STRIKE)
        notes = [f"property {name!r} = {self.game.properties[name]!r}" for name in sorted(left)]
        if self.game.technologies:
            notes.append(f"technologies: {', '.join(dict.fromkeys(self.game.technologies))}")
        return notes

    # ------------------------------------------------------------------ land

    def antiaircraft(self) -> Table | None:
        """Return the stage of antiaircraft fire, if there are guns and planes."""
        if len(self.units.tagged("guns", "air")) < 2:
            return None
        group: Table = {"side": "defender", "who": ["guns"], "value": "aa", "at": ["air"]}
        if self.units.guns_shots:
            group["dice"] = {"kind": "capped", "each": self.units.guns_shots}
        else:
            group["dice"] = "per target"
            if not self.game.has("Choose AA Casualties"):
                group["casualties"] = "type"
        stage: Table = {"repeat": "once", "steps": {"antiaircraft fire": {"purpose": "aa", "fire": [group]}}}
        return ({"even_alone": True} if self.units.guns_shots else {}) | stage

    def land(self) -> Table:
        """Return the land battle."""
        tagged = self.units.tagged
        stages: Table = {}
        fire = self.antiaircraft()
        if fire is not None:
            stages["antiaircraft fire"] = fire
        stages["battle"] = _rounds(
            {
                "fire": {"fire": [{"side": "both", "who": tagged("land", "air")}]},
                "press on or retreat": {"decide": [{**RETREAT, "leaves": ["all"]}]},
            }
        )
        return {
            "takes": {
                "attacker": tagged("land", "air"),
                "defender": tagged("land", "air", "guns", "facilities"),
            },
            "needs_one_of": {"attacker": tagged("land", "air")},
            "stages": stages,
        }

    # ------------------------------------------------------------------ naval

    def naval(self) -> Table:
        """Return the naval battle."""
        tagged = self.units.tagged
        steps: Table = {}
        if not tagged("submarines"):
            steps["fire"] = {"fire": [{"side": "both", "who": tagged("sea", "air")}]}
        elif self.late:
            steps |= self._late_submarines()
        elif self.middle:
            steps |= self._middle_submarines()
        else:
            steps |= self._early_submarines()
        last: list[Table] = [{**RETREAT, "leaves": ["all"]}]
        if tagged("submarines") and not self.late and self.game.has("Submersible Subs"):
            last.append(self._submerging())
        steps["press on or retreat"] = {"decide": last}
        return {
            "takes": {"attacker": tagged("sea", "air"), "defender": tagged("sea", "air")},
            "needs_one_of": {"attacker": tagged("warships", "submarines", "air")},
            "capture": False,
            "stages": {"battle": _rounds(steps)},
        }

    def _submerging(self) -> Table:
        decision: Table = {"side": "both", "right": "submerge", "leaves": ["submarines"], "each": True}
        if self.units.tagged("destroyers"):
            decision["when"] = {"enemy_lacks": ["destroyers"]}
        return decision

    def _late_submarines(self) -> Table:
        tagged, submarines = self.units.tagged, {"side": "both", "who": ["submarines"], "at": ["sea"]}
        steps: Table = {}
        if self.game.has("Submersible Subs"):
            steps["submerge"] = {"decide": [self._submerging()]}
        has_destroyer = bool(tagged("destroyers"))
        strike = {**submarines, "when": {"enemy_lacks": ["destroyers"]}} if has_destroyer else submarines
        steps["surprise strike"] = {"fire": [strike]}
        fire: list[Table] = [{"side": "both", "who": tagged("warships", "transports")}]
        if has_destroyer:
            fire.append({**submarines, "when": {"enemy_has": ["destroyers"]}})
        if tagged("air"):
            fire += self._planes(has_destroyer)
        steps["fire"] = {"fire": [group for group in fire if group["who"]]}
        return steps

    def _planes(self, has_destroyer: bool) -> list[Table]:
        planes: Table = {"side": "both", "who": ["air"]}
        if not self.game.has("Air Attack Sub Restricted"):
            return [planes]
        blind = {**planes, "not_at": ["submarines"]}
        if not has_destroyer:
            return [blind]
        return [
            {**planes, "when": {"own_has": ["destroyers"]}},
            {**blind, "when": {"own_lacks": ["destroyers"]}},
        ]

    def _middle_submarines(self) -> Table:
        opening: Table = {"fire": [{"side": "both", "who": ["submarines"], "at": ["sea"]}]}
        if self.units.tagged("destroyers"):
            opening = {"victims": "fire if", "victims_need": ["destroyers"]} | opening
        return {"opening fire": opening, "fire": {"fire": [{"side": "both", "who": ["rest"]}]}}

    def _early_submarines(self) -> Table:
        first = {"side": "attacker", "who": ["submarines"], "at": ["sea"]}
        others = [{"side": "both", "who": ["rest"]}, {**first, "side": "defender"}]
        return {"attacking submarines": {"fire": [first]}, "fire": {"fire": others}}

    # ------------------------------------------------------------------ invasion and raid

    def invasion(self) -> Table:
        """Return the amphibious assault."""
        tagged, game = self.units.tagged, self.game
        stages: Table = {}
        if self.antiaircraft() is not None:
            stages["antiaircraft fire"] = {"like": "land/antiaircraft fire"}
        ships = [unit for unit, table in self.units.units.items() if table.get("bombard")]
        if ships:
            group: Table = {"side": "attacker", "who": ships, "where": "offshore", "value": "bombard"}
            if game.has("Shore Bombard Per Ground Unit Restricted"):
                group["at_most_per"] = ["land"]
            victims = "fire" if game.has("Naval Bombard Casualties Return Fire") else "gone"
            step = {"purpose": "bombardment", "victims": victims, "fire": [group]}
            stages["bombardment"] = {
                "repeat": "once",
                "when": {"not_fought": "naval"},
                "steps": {"bombardment": step},
            }
        steps: Table = {"fire": {"like": "land/battle/fire"}}
        retreat = self._amphibious_retreat()
        if retreat is not None:
            steps["press on or retreat"] = {"decide": [retreat]}
        stages["battle"] = _rounds(steps)
        return {
            "aliases": ["amphibious"],
            "takes": {
                "attacker": tagged("land", "air", "sea"),
                "defender": tagged("land", "air", "guns", "facilities"),
            },
            "needs_one_of": {"attacker": tagged("land", "air")},
            "overland": tagged("land"),
            "before": "naval",
            "roles": {"ships": {"side": "attacker", "who": ["sea"], "where": "offshore"}},
            "stages": stages,
        }

    def _amphibious_retreat(self) -> Table | None:
        air = self.units.tagged("air")
        if self.game.has("Partial Amphibious Retreat"):
            return {**RETREAT, "leaves": air, "leaves_overland": ["land"]}
        return {**RETREAT, "leaves": air} if air and self.game.has("Attacker Retreat Planes") else None

    def raid(self) -> Table | None:
        """Return the strategic bombing raid, if there are raiders, targets and fire at the raiders."""
        tagged, units = self.units.tagged, self.units.units
        fire: Table = {"side": "defender", "dice": "per target", "at": ["raiders"]}
        own = [unit for unit, table in units.items() if "facilities" in table["tags"] and table.get("aa")]
        if len(tagged("raiders", "facilities")) < 2 or not (own or tagged("guns")):
            return None
        fire |= {"value": f"{own[0]}.aa"} if own else {"who": ["guns"], "value": "aa"}
        steps = {"antiaircraft fire": {"purpose": "aa", "fire": [fire]}}
        return {
            "takes": {"attacker": ["raiders"], "defender": tagged("guns", "facilities")},
            "needs_one_of": {"attacker": ["raiders"]},
            "capture": False,
            "damage": {
                "who": ["raiders"],
                "cap_option": "territory_value",
                "cap_times": 2 if self.late else 1,
            },
            "stages": {"antiaircraft fire": {"repeat": "once", "even_alone": True, "steps": steps}},
        }


def _rounds(steps: Table) -> Table:
    return {"repeat": "rounds", "steps": steps}
