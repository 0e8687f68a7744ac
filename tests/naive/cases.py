"""The public cases as calls in a neutral form, for the twin and for the engines alike."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.naive.forces import base
from tests.naive.tables import AIR, cost

DATA = Path(__file__).parent.parent / "data"
EDITIONS = {
    "classic": "aa-classic",
    "revised": "aa-revised",
    "aa50": "aa-anniversary",
    "spring1942": "aa-1942",
    "1942_2e": "aa-1942-2e",
    "global1940_2e": "aa-1940-2e",
}
OUTCOMES = {
    "attacker_win": "attacker_wins",
    "defender_win": "defender_wins",
    "draw": "mutual_destruction",
    "stalemate": "stalemate",
}
TECHNOLOGIES = {"jet_revised": "jet_power"}


@dataclass
class Case:
    """One public case: what to call and what must come out.

    `call` holds ruleset, sequence, attacker, defender (dicts), loss_order (pair of lists or None),
    technologies (pair of tuples), options, retreat (pair of the contract's words), keep_land (pair), rounds,
    dice. `expect` maps names that `measures` knows to numbers.
    """

    id: str
    kind: str  # battle, hits or raid
    call: dict[str, Any]
    expect: dict[str, float]
    tolerance: float
    wrong: dict[str, float] = field(default_factory=dict)  # what a known fault gives instead


def read(name: str) -> Any:
    """Read a file of the tests' data."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


VECTORS = read("vectors.json")  # examples of the rules
REFERENCE = read("battles.json")  # six battles with their published odds


def by_id(entry: Any) -> str:
    """Name a case or a vector, as the name of a test."""
    return entry["id"] if isinstance(entry, dict) else entry.id


@cache
def raw() -> dict[str, dict[str, Any]]:
    """All public cases by id, as published."""
    return {case["id"]: case for case in read("public_reports.json")}


def call_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a battle, in the contract's terms."""
    options = case["options"]
    attacker = {**case["attacker"], **options.get("bombard", {})}
    defender = {**case["defender"], **({"aa_gun": options["aa_gun"]} if options.get("aa_gun") else {})}
    sequence = "naval" if options.get("sea") else "invasion" if options.get("amphibious") else "land"
    retreat = options.get("retreat_after_round")
    dice = "standard"
    if options.get("low_luck"):
        dice = "low-luck" if options.get("low_luck_aa", True) else {"battle": "low-luck"}
    return {
        "ruleset": EDITIONS[case["edition"]],
        "sequence": sequence,
        "attacker": attacker,
        "defender": defender,
        "loss_order": (options.get("ool_attacker"), options.get("ool_defender")),
        "technologies": tuple(
            tuple(TECHNOLOGIES.get(name, name) for name in options.get(f"tech_{side}", ()))
            for side in ("attacker", "defender")
        ),
        "options": {},
        "retreat": (f"round >= {retreat}" if retreat else "never", "never"),
        "keep_land": (1 if options.get("must_take_territory") else 0, 0),
        "rounds": None,
        "dice": dice,
    }


def battles() -> Iterator[Case]:
    """Every case of kind ``battle``, AA fire and the paratrooper included."""
    for case in raw().values():
        kind, call = case["kind"], None
        expect = {OUTCOMES.get(key, key): value for key, value in case["expect"].items()}
        if kind == "battle" or case["id"] == "TA-25":
            call = call_of(case)
        elif case["id"] in ("TA-03", "TA-05"):
            call = {**call_of(case), "rounds": 0}
        elif case["id"] == "TA-16":
            planes = {"attacker": {"fighter": 3}, "defender": {"aa_gun": 1}}
            call = {**call_of({**case, **planes, "edition": "1942_2e"}), "rounds": 0}
            expect = {key.replace("hits", "planes_lost"): value for key, value in expect.items()}
        if case["id"] == "TA-25":
            expect = {
                "captures": expect["territory_captured"],
                "defender_wins": expect["bomber_and_infantry_lost"],
            }
        if "assert_only" in case:
            expect = {key: expect[key] for key in case["assert_only"]}
        if call is not None:
            wrong = {OUTCOMES.get(key, key): value for key, value in case.get("wrong_model", {}).items()}
            yield Case(case["id"], "battle", call, expect, case["tolerance"], wrong)
    guns = raw()["FO-19"]
    for planes in (14, 7):
        call = {**call_of(guns), "attacker": {"fighter": planes}}
        yield Case(
            f"FO-19, {planes} planes", "battle", call, {"mean": guns["expect"][f"mean_lost_{planes}"]}, 1e-9
        )
    thirty = raw()["FO-13"]
    call = {**call_of({**thirty, "edition": "spring1942"}), "ruleset": "great-war"}
    call |= {"attacker": {"infantry": 30}, "defender": {"cavalry": 30}}  # both at 1, both in step 5a
    expect = {OUTCOMES[key]: value for key, value in thirty["expect"].items()}
    yield Case("FO-13", "battle", call, expect, thirty["tolerance"])


def hits() -> Iterator[Case]:
    """Cases that ask for the hits of one round; `call` holds ruleset, units, side, dice."""
    for case in raw().values():
        if case["kind"] != "hits" or case["edition"] == "custom":
            continue
        dice = "low-luck" if case["options"].get("low_luck") else "standard"
        for side, prefix in (("attacker", "att_"), ("defender", "def_")):
            both = case["attacker"] and case["defender"]
            expect = {
                key.removeprefix(prefix): value
                for key, value in case["expect"].items()
                if not both or key.startswith(prefix)
            }
            if case[side]:
                call = {"ruleset": EDITIONS[case["edition"]], "units": case[side], "side": side, "dice": dice}
                yield Case(f"{case['id']} {side}", "hits", call, expect, case["tolerance"])


def hit_measure(key: str, chances: Mapping[int, Any]) -> Any:
    """Find one number that the cases of hits compare, from the chances of 0, 1, ... hits."""
    if key == "mean":
        return sum(n * p for n, p in chances.items())
    if key == "p_at_most_5":
        return sum(p for n, p in chances.items() if n <= 5)
    if key == "none":
        return chances[0]
    if key == "at_least_one":
        return 1 - chances[0]
    return chances.get(int(key.rsplit("_", 1)[1]), 0)


def raids() -> Iterator[Case]:
    """Cases of strategic bombing; `call` holds what `raid` of the twin takes."""
    for name in ("TA-18", "FO-06", "TA-26"):
        case = raw()[name]
        fight = name == "TA-26"
        guns = case["options"].get("aa_gun", 0) + case["defender"].get("aa_gun", 0)
        call: dict[str, Any] = {
            "ruleset": EDITIONS[case["edition"]],
            "bombers": {"bomber": 1},
            "escorts": {"fighter": 1} if fight else {},
            "interceptors": case["defender"] if fight else {},
            "aa_guns": guns,
            "value": 10,
            "loss_order": (case["options"].get("ool_attacker"), None),
        }
        expect = {key: value for key, value in case["expect"].items() if key != "aa_dice"}
        yield Case(name, "raid", call, expect, case["tolerance"])


Distribution = Mapping[
    tuple[str, Any, Any], Any
]  # (outcome, attacker's, defender's survivors) -> probability


def measures(case: Case, chances: Distribution, captures: float) -> dict[str, float]:
    """Everything that the cases compare, from a joint distribution and the chance of a capture."""
    ruleset, forces = case.call["ruleset"], (case.call["attacker"], case.call["defender"])
    found = {"captures": captures, **dict.fromkeys(OUTCOMES.values(), 0.0)}
    lost: dict[str, float] = {}  # chances by number of planes
    fighters: dict[str, float] = {}

    def plus(where: dict[str, float], key: str, p: float) -> None:
        where[key] = where.get(key, 0.0) + float(p)

    for (outcome, *both), p in chances.items():
        plus(found, outcome, p)
        for side, name in ((0, "att"), (1, "def")):
            left = dict(both[side])
            value = sum(n * (cost(ruleset, base(u)) or 0) for u, n in forces[side].items()) - sum(
                n * (cost(ruleset, base(u)) or 0) for u, n in left.items()
            )
            plus(found, f"E_{name}_left", p * sum(left.values()))
            plus(found, f"E_{name}_ipc_lost", p * value)
            if outcome == ("attacker_wins", "defender_wins")[side]:
                plus(found, f"_{name}_left_in_wins", p * sum(left.values()))
        attacker, defender = dict(both[0]), dict(both[1])
        planes = sum(n for u, n in forces[0].items() if u in AIR) - sum(
            n for u, n in attacker.items() if u in AIR
        )
        plus(lost, f"planes_lost_{planes}", p)
        plus(found, "mean", p * planes)
        plus(fighters, f"fighters_lost_{forces[0].get('fighter', 0) - attacker.get('fighter', 0)}", p)
        plus(found, "bomber_lost", p * (forces[0].get("bomber", 0) > attacker.get("bomber", 0)))
        for ship in ("carrier", "battleship"):
            sunk = ship in forces[1] and not any(base(u) == ship for u in defender)
            plus(found, f"{ship}_sunk", p * sunk)
    found |= {**lost, **fighters, "no_plane_lost": lost.get("planes_lost_0", 0.0)}
    swing = found["E_def_ipc_lost"] - found["E_att_ipc_lost"]
    found["mean_swing_with_2ipc_land"] = swing + 2 * float(captures)
    for side, name in (("attacker", "att"), ("defender", "def")):
        if found[f"{side}_wins"]:
            found[f"{name}_left_if_{name}_won"] = (
                found.get(f"_{name}_left_in_wins", 0.0) / found[f"{side}_wins"]
            )
    return found
