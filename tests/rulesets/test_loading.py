"""Files of your own: extending, patching, what is refused and with which words."""

from __future__ import annotations

import copy
import pickle

import pytest

from battlecalc.errors import BattleError, ForceError, RulesetError
from battlecalc.rulesets import Ruleset, load_ruleset, ruleset_ids
from tests.fresh import fresh

SMALL = """
sides = 12
holders = ["land"]
values = ["bombard"]
[units.guard]
aliases = ["g"]
tags = ["land"]
attack = 5
defence = 7
cost = 3
[units.boat]
tags = ["sea"]
attack = 1
defence = 1
bombard = 2
cost = 8
[sequences.land]
takes.attacker = ["land"]
takes.defender = ["land"]
[sequences.land.stages.battle]
repeat = "rounds"
[sequences.land.stages.battle.steps.fire]
fire = [{ side = "both", who = ["all"] }]
[sequences.land.stages.battle.steps.after]
decide = [{ side = "attacker", right = "retreat", leaves = ["all"] }]
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_ruleset_from_nothing(write):
    rules = load_ruleset(write(SMALL))
    assert (rules.id, rules.name, rules.sides) == ("mine", "mine", 12)
    assert rules.units["guard"].values == {"attack": 5, "defence": 7}
    assert rules.holders == {"guard"}


def test_five_lines_make_a_house_rule(write):
    path = write('extends = "aa-1942"\n[units.tank]\ncost = 6\n[units.battleship]\nhits = 3\n')
    rules = load_ruleset(str(path))
    assert (rules.id, rules.name) == ("mine", "Axis & Allies 1942, first edition (changed)")
    assert (rules.units["tank"].cost, rules.units["tank"].values) == (6, {"attack": 3, "defence": 3})
    assert rules.units["battleship"].hits == (3, 3)
    assert list(rules.units) == list(load_ruleset("aa-1942").units)
    assert rules.sequences["naval"] == load_ruleset("aa-1942").sequences["naval"]


def test_die_is_another_word_for_sides(write):
    assert load_ruleset(write('extends = "aa-1942"\ndie = 12\n')).sides == 12


def test_files_extend_files_beside_them(write):
    write(SMALL, "base.toml")
    child = load_ruleset(
        write('extends = "base.toml"\nname = "Child"\n[units.boat]\nhits = 2\n', "child.toml")
    )
    assert (child.name, child.units["boat"].hits, child.units["guard"].cost) == ("Child", (2, 2), 3)


def test_new_units_and_steps_go_where_they_are_put(write):
    rules = load_ruleset(
        write(
            """
            extends = "aa-1942"
            [units.elite]
            after = "infantry"
            tags = ["land", "foot"]
            attack = 3
            defence = 3
            cost = 4
            [sequences.land.stages.battle.steps.elite]
            after = ""
            fire = [{ side = "attacker", who = ["elite"] }]
            [sequences.land.stages.battle.steps.fire]
            fire = [{ side = "both", who = ["rest"] }]
            """
        )
    )
    assert list(rules.units)[:3] == ["infantry", "elite", "artillery"]
    elite, fire, _ = rules.sequences["land"].stages[-1].steps
    assert elite.name == "elite"
    attack, defence = fire.fire
    assert "elite" in defence.who - attack.who, "rest leaves out what is named, side by side"


def test_like_takes_over_later_patches(write):
    rules = load_ruleset(
        write('extends = "aa-1942"\n[sequences.land.stages."antiaircraft fire"]\neven_alone = true\n')
    )
    assert rules.sequences["invasion"].stages[0].even_alone


def test_sets_may_name_what_was_taken_out(write):
    rules = load_ruleset(write('extends = "aa-1942"\nwithout = ["units.destroyer"]\n'))
    strike, fire = rules.sequences["naval"].stages[0].steps[1:3]
    assert all(not group.when.enemy_lacks for group in strike.fire), "always"
    assert [group.who for group in fire.fire if "submarine" in group.who] == [], "never"


def test_one_side_of_a_pair_can_be_patched(write):
    path = write('extends = "great-war"\n[units.fort]\nhits = { attacker = 1 }\n')
    assert load_ruleset(path).units["fort"].hits == (1, 4)
    assert load_ruleset("aa-1942").resolve(None, {"bb.hits.defender": 3}).units["battleship"].hits == (2, 3)


# (what follows the small ruleset or replaces it, words of the error)
STEP = "[sequences.land.stages.battle.steps.x]\n"
UNIT = "[units.x]\nattack = 1\ndefence = 1\n"
WRONG = [
    (UNIT + "atack = 2", "units.x.atack: unknown key 'atack'; did you mean 'attack'"),
    ("[units.x]\nattack = 13\ndefence = 1", "units.x.attack: must be a whole number from 0 to 12, not 13"),
    ("[units.x]\nattack = true\ndefence = 1", "units.x.attack: must be a whole number"),
    (UNIT + "cost = -1", "units.x.cost: must be a number from 0"),
    (UNIT + "cost = nan", "units.x.cost: must be a number"),
    ("[units.x]\nattack = 1", "units.x: lacks 'defence'"),
    (UNIT + "hits = 0", "units.x.hits: must be a whole number from 1 to 100"),
    (UNIT + "hits = { atacker = 2 }", "unknown key 'atacker'; did you mean 'attacker'"),
    (UNIT + 'aliases = ["G"]', "'G' is a name of 'guard', too"),
    (UNIT + 'tags = ["guard"]', "'guard' is the name of a unit"),
    (UNIT + 'fires_with = ["gaurd"]', "no unit or tag 'gaurd'; did you mean 'guard'"),
    (UNIT + 'assumed = ["costs"]', "no field 'costs'; did you mean 'cost'"),
    (UNIT + 'needs = { attacker = "radar" }', "units.x.needs.attacker: no technology"),
    ("[units.X]\nattack = 1\ndefence = 1", "'X' is not a name: small letters"),
    ("[unit.x]\nattack = 1", "unknown key 'unit'; did you mean 'units'"),
    ("[sequences.land.stages.late]\nrepeat = 'once'", "sequences.land.stages.late: lacks 'steps'"),
    ("[sequences.land.stages.late]\nrepeat = 'once'\nsteps = {}", "no steps"),
    ("[sequences.land.stages.late]\nlike = 'land/battle'", "must be the last"),
    ("[sequences.land.stages.battle.steps.again]\nfire = [{ side = 'both', who = ['guard'] }]",
     "steps.again.fire: the attacker's 'guard' may fire twice in a round (also in step 'fire')"),
    (STEP + "fire = [{ side = 'both', who = ['guard'], value = 'bombrad' }]",
     "must be \"ordinary\", a number or one of attack, defence, bombard, not 'bombrad'"),
    (STEP + "fire = [{ side = 'attacker', who = ['boat'] }]",
     "none of ['boat'] takes part here"),
    (STEP + "fire = [{ side = 'red', who = ['boat'] }]",
     "must be one of 'attacker', 'defender', 'both', not 'red'"),
    (STEP + "fire = [{ side = 'both' }]", "lacks 'who'"),
    (STEP, "does nothing"),
    (STEP + "when = { option = 'mine' }\ndecide = [{ side = 'both', right = 'contest' }]",
     "no option 'mine'; known:"),
    (STEP + "when = { rounds = '2-1' }\ndecide = [{ side = 'both', right = 'contest' }]",
     'must be rounds such as 1, "1-2" or "2-"'),
    (STEP + "decide = [{ side = 'both', right = 'run' }]", "must be one of 'retreat'"),
    ("[sequences.sea]\nlike = 'land'", "unknown key 'like'"),
    ("[sequences.sea]\ntakes = {}\n[sequences.sea.stages.a]\nlike = 'land/x'", "'land/x' names nothing"),
    ("[sequences.x]\nbefore = 'naval'\ntakes.attacker = ['land']\nstages.a.like = 'land/battle'\n",
     "no sequence 'naval'"),
    ("[options.x]\nkind = 'flag'\ndefault = 3", "options.x.default: 3 is no value of this option"),
    ("[options.x]\nkind = 'choice'\ndefault = 'a'", "options.x: lacks 'choices'"),
    ("[options.x]\nkind = 'flag'\npatch.units.guard.atack = 1", "option x: units.guard.atack: unknown"),
    ("[options.x]\nkind = 'flag'\npatch.without = ['units.tank']", "no 'units.tank' to take out"),
    ("[technologies.x.units.tank]\nattack = 1", "technologies.x.units.tank: no unit 'tank'"),
    ("[technologies.x.units.guard]\natack = 1", "unknown key 'atack'"),
    ("[technologies.x]\nunit = 1", "technologies.x.unit: unknown key"),
    ("[cargo.boat]\nloads = [['guards']]", "no unit or tag 'guards'"),
    ("[cargo.ship]\nloads = [['guard']]", "no unit 'ship'"),
    ("[modifiers.x]\nside = 'both'\nto = ['guard']\nwhen = { advantage = 'luck' }",
     "no advantage of an earlier stage 'luck'"),
    ("[modifiers.x]\nto = ['guard']", "modifiers.x: lacks 'side'"),
    (UNIT + "[units.x]\nattack = 2", "is not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WRONG, ids=range(len(WRONG)))
def test_errors_name_file_place_and_field(write, text, words):
    with pytest.raises(RulesetError) as caught:
        load_ruleset(write(f"{SMALL}\n{text}\n"))
    message = str(caught.value)
    assert message.startswith("mine.toml: ")
    assert words in message
    assert "\n" not in message


WHOLE_FILES = [
    ("", "has no units"),
    ("units = 3", "units: must be a table, not 3"),
    ("schema = 2\n[units.x]\nattack = 1\ndefence = 1", "schema: must be 1, not 2"),
    ("sides = 1\n[units.x]\nattack = 1\ndefence = 1", "sides: must be a whole number from 2 to 100"),
    ("sides = 6\ndie = 6\n[units.x]\nattack = 1\ndefence = 1", "another word for 'sides'"),
    ('extends = "aa-1492"', "extends: no ruleset 'aa-1492'; did you mean 'aa-1942'"),
    ('extends = "mine.toml"', "never ends"),
    ("extends = 3", "extends: must be the id or path of a ruleset, not 3"),
    ('extends = "great-war"\n[units.tank]\nafter = "plane"', "units.tank.after: no 'plane' here"),
    ('extends = "great-war"\nwithout = ["units.tnak"]', "without: no 'units.tnak' to take out"),
    ('extends = "great-war"\nwithout = "units.tank"', "without: must be a list of paths"),
    (
        'extends = "great-war"\n[units.tank]\nattack = 7',
        "units.tank.attack: must be a whole number from 0 to 6",
    ),
    ('extends = "aa-1942"\nwithout = ["sequences.naval"]', "no sequence 'naval'"),
]


COASTAL_FIRE = 'sequences.invasion.stages."coastal fire".steps."coastal fire"'
AT_LANDED = "at = ['land'], at_landed = true"


@pytest.mark.parametrize(
    ("step", "fire"),
    [
        ("sequences.land.stages.battle.steps.fire", "{ side = 'both', who = ['land'], at_landed = true }"),
        (COASTAL_FIRE, f"{{ side = 'defender', who = ['artillery'], casualties = 'die', {AT_LANDED} }}"),
        (COASTAL_FIRE, f"{{ side = 'defender', who = ['artillery'], dice = 'per target', {AT_LANDED} }}"),
        (
            COASTAL_FIRE,
            "{ side = 'defender', who = ['infantry'], at = ['land'] }, "
            f"{{ side = 'defender', who = ['artillery'], {AT_LANDED} }}",
        ),
    ],
    ids=["every round", "die", "matched dice", "beside others"],
)
def test_fire_at_what_landed_stands_alone(write, step, fire):
    with pytest.raises(RulesetError, match="fire: 'at_landed' is for a stage with repeat"):
        load_ruleset(write(f'extends = "aa-1914"\n[{step}]\nfire = [{fire}]\n'))


@pytest.mark.parametrize(("text", "words"), WHOLE_FILES)
def test_errors_of_whole_files(write, text, words):
    with pytest.raises(RulesetError) as caught:
        load_ruleset(write(text))
    assert words in str(caught.value)
    assert "mine.toml" in str(caught.value) or "aa-1942.toml" in str(caught.value)


def test_an_inherited_fault_names_the_file_that_has_it(write):
    write(SMALL + "[units.x]\nattack = 1\n", "base.toml")
    with pytest.raises(RulesetError, match=r"^base\.toml: units\.x: lacks 'defence'"):
        load_ruleset(write('extends = "base.toml"'))


def test_files_that_are_no_rulesets(tmp_path):
    for content, words in [
        (b"\xff\xfe", "is not UTF-8"),
        (b"[" * 5000, "not TOML|too deep"),
        (b"#" * 2_000_000, "too large"),
    ]:
        path = tmp_path / "odd.toml"
        path.write_bytes(content)
        with pytest.raises(RulesetError, match=words):
            load_ruleset(path)
    for which in (
        "nowhere.toml",
        tmp_path / "nowhere.toml",
        tmp_path,
        "AA-1942",
        "",
        "a\0.toml",
        7,
        None,
        b"aa-1942",
    ):
        with pytest.raises(RulesetError):
            load_ruleset(which)
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(RulesetError, match="no ruleset file"):
        load_ruleset(tmp_path / "folder.toml")


def test_the_same_question_gives_the_same_object(write):
    path = write(SMALL)
    rules = load_ruleset(path)
    assert load_ruleset(str(path)) is load_ruleset(rules) is rules
    assert rules.resolve({}, {}) is rules.resolve() is rules
    changed = rules.resolve(None, {"guard.cost": 4})
    assert rules.resolve({}, {"guard.cost": "4"}) is changed is not rules
    assert changed == changed != rules
    assert isinstance(hash(changed), int)
    write(SMALL.replace("attack = 5", "attack = 11"))
    assert load_ruleset(path).units["guard"].values["attack"] == 11, "a changed file is read again"


@pytest.mark.parametrize("name", ruleset_ids())
def test_copies_are_the_same_object(name):
    rules = load_ruleset(name)
    changed = rules.resolve(None, {"infantry.cost": 2}).resolve(None, {"infantry.attack": 3})
    for ruleset in (rules, changed):
        assert pickle.loads(pickle.dumps(ruleset)) is copy.deepcopy(ruleset) is ruleset
    assert (changed.units["infantry"].cost, changed.units["infantry"].values["attack"]) == (2, 3)


def test_options_read_text():
    great_war = load_ruleset("great-war")
    defaults = {"from_contested": False, "called_shots": 0, "mines": False, "pass_through_forts": 0}
    assert great_war.option_values() == defaults
    given = {"Mines": "on", "called-shots": "2", "from contested": True, "pass_through_forts": 3}
    expected = {"from_contested": True, "called_shots": 2, "mines": True, "pass_through_forts": 3}
    assert great_war.option_values(given) == expected
    assert great_war.resolve(given) is great_war, "these patch nothing"
    anniversary = load_ruleset("aa-anniversary")
    assert anniversary.option_values({"heavy_bombers": "Best"})["heavy_bombers"] == "best"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mine": True}, r"unknown option 'mine' in ruleset 'great-war'; did you mean 'mines'\?"),
        ({"mines": "perhaps"}, "option 'mines' is true or false, not 'perhaps'"),
        ({"mines": 2}, "true or false"),
        ({"called_shots": 7}, "option 'called_shots' is a whole number from 0 to 6, not 7"),
        ({"called_shots": "1.5"}, "whole number"),
        ({"called_shots": True}, "whole number"),
        ({"called_shots": None}, "whole number"),
    ],
)
def test_wrong_options(options, words):
    with pytest.raises(BattleError, match=words):
        load_ruleset("great-war").resolve(options)


def test_wrong_choice():
    with pytest.raises(BattleError, match="option 'heavy_bombers' is one of sum, best, not 'mean'"):
        load_ruleset("aa-anniversary").option_values({"heavy_bombers": "mean"})
    with pytest.raises(BattleError, match="known: planes_need_decks"):
        load_ruleset("aa-1941").option_values({"mines": 1})


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"tnak.cost": 5}, ForceError, "did you mean 'tank'"),
        ({"tank.csot": 5}, RulesetError, "^change: units.tank.csot: unknown key 'csot'; did you mean 'cost'"),
        ({"tank.cost": "much"}, RulesetError, "^change: units.tank.cost: must be a number"),
        ({"tank.attack": 7}, RulesetError, "from 0 to 6, not 7"),
        ({"tank.attack": 2.5}, RulesetError, "whole number"),
        ({"tank": 5}, RulesetError, "write UNIT.FIELD"),
        ({"tank.": 5}, RulesetError, "write UNIT.FIELD"),
        ({"tank.cost.attacker": 5}, RulesetError, "cost: must be a number"),
        ({"tank.cost": None}, RulesetError, "cannot set a field to None"),
        ({"tank.tags": "x"}, RulesetError, "must be a list"),
    ],
)
def test_wrong_changes(changes, error, words):
    with pytest.raises(error, match=words):
        load_ruleset("aa-1942").resolve(None, changes)


def test_changes_reach_named_values_and_aliases():
    changed = load_ruleset("aa-1942").resolve(None, {"AA guns.aa": "2", "bb.bombard": 3, "trn.last": "false"})
    assert changed.units["aa_gun"].values["aa"] == 2
    assert changed.units["battleship"].values["bombard"] == 3
    assert not changed.units["transport"].last


def test_a_change_holds_under_technologies():
    changed = load_ruleset("aa-revised").resolve(None, {"fighter.cost": 8})
    fighter = changed.for_side("defender", frozenset({"jet_power"})).units["fighter"]
    assert (fighter.cost, fighter.values["defence"]) == (8, 5)


def test_rules_are_immutable():
    rules = load_ruleset("aa-1942")
    with pytest.raises(TypeError):
        rules.units["tank"] = rules.units["infantry"]
    with pytest.raises(AttributeError):
        rules.units["tank"].cost = 1
    assert repr(rules) == "Ruleset('aa-1942')"
    assert isinstance(rules, Ruleset)


def test_loading_needs_the_standard_library_only():
    code = (
        "import sys; before = set(sys.modules); import battlecalc.rulesets as r; "
        "[r.load_ruleset(name) for name in r.ruleset_ids()]; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(*sorted(new - set(sys.stdlib_module_names)))"
    )
    assert fresh(code).split() == ["battlecalc"]
