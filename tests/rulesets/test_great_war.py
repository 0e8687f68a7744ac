"""The Great War's sequences, step by step as its author lists them."""

from __future__ import annotations

from battlecalc.rulesets import load_ruleset

RULES = load_ruleset("great-war")
FOOT = {"infantry", "entrenched_infantry", "cavalry", "storm_troops"}
GUNS = {"artillery", "rail_gun", "adjacent_rail_gun"}
GROUND = FOOT | {"artillery", "rail_gun", "tank"}
AIR = {"fighter", "zeppelin"}


def fire(sequence, stage):
    return [
        (step.name.split()[0], group.side, set(group.who), set(group.at))
        for found in RULES.sequences[sequence].stages
        if found.name == stage
        for step in found.steps
        for group in step.fire
    ]


def test_land_battle():
    attacked = GROUND | AIR | {"fort"}
    attacker = GROUND - {"entrenched_infantry"}
    assert fire("land", "battle") == [
        ("1a", "attacker", {"gas"}, GROUND),
        ("1a", "defender", {"gas"}, attacker),
        ("2", "attacker", AIR | GUNS, attacked),
        ("3", "defender", AIR | GUNS | {"fort"}, attacker | AIR),
        ("4", "attacker", {"storm_troops"}, attacked),
        ("4", "defender", {"entrenched_infantry"}, attacker | AIR),
        ("5a", "attacker", {"infantry", "cavalry", "tank"}, attacked),
        ("5a", "defender", {"infantry", "cavalry", "storm_troops", "tank"}, attacker | AIR),
    ]


def test_gas_only_in_the_first_round():
    gas, *_, after = RULES.sequences["land"].stages[-1].steps
    assert gas.when.rounds == (1, 1)
    assert gas.fire[1].when.technology == "gas_shells"
    assert RULES.units["gas"].needs == {"defender": "gas_shells"}
    assert [(d.side, d.right) for d in after.decide] == [
        ("attacker", "retreat"),
        ("attacker", "contest"),
        ("defender", "retreat"),
    ]
    assert after.decide[0].when.lacks_option == "from_contested"
    assert after.decide[1].needs == GROUND - {"entrenched_infantry"}


def test_air_superiority():
    air = RULES.sequences["land"].stages[0]
    assert (air.repeat, air.both_have) == ("while both have", AIR)
    assert fire("land", "air superiority") == [
        ("air", "attacker", AIR, AIR),
        ("air", "defender", AIR, AIR),
    ]
    (bonus,) = RULES.modifiers
    assert (set(bonus.to), bonus.add, bonus.when.rounds) == (GUNS | {"fort"}, 1, (1, 1))
    assert bonus.when.advantage == air.advantage.name
    assert [(d.side, d.right) for d in air.steps[1].decide] == [
        ("attacker", "air_retreat"),
        ("defender", "air_retreat"),
    ]


def test_naval_battle():
    ships = {"dreadnought", "cruiser", "submarine", "transport"}
    others = {"dreadnought", "cruiser", "transport"} | AIR
    assert fire("naval", "battle") == [
        ("1", "attacker", {"submarine"}, ships),
        ("2", "defender", {"submarine"}, ships),
        ("3", "attacker", others, ships | AIR),
        ("3", "defender", others | {"fort"}, ships | AIR),
        ("3", "attacker", {"submarine"}, ships),
        ("3", "defender", {"submarine"}, ships),
    ]
    assert fire("naval", "mines") == [("mines", "defender", set(), ships)]
    assert fire("naval", "pass-through fire") == [("pass-through", "defender", set(), ships - {"submarine"})]


def test_a_coastal_fort_cannot_be_hit_and_needs_no_keeper():
    (role,) = RULES.sequences["naval"].roles
    assert (role.who, role.never_lost, role.fires_always) == ({"fort"}, True, True)
    fort = RULES.units["fort"]
    assert (fort.dice, fort.hits, fort.keeps_alive, fort.fires_with) == ((2, 2), (4, 4), False, FOOT)
    assert fort.captured
    assert fort.captured_on_retreat


def test_called_shots():
    step = next(s for s in RULES.sequences["naval"].stages[-1].steps if s.called)
    assert (step.called.option, step.called.who) == ("called_shots", {"dreadnought", "cruiser"})


def test_invasion():
    foot = FOOT - {"entrenched_infantry"}
    landing = RULES.sequences["invasion"]
    assert all(stage.when.not_fought is None for stage in landing.stages), "ships that fought may bombard"
    assert landing.overland == set()
    assert [stage.name for stage in landing.stages] == ["air superiority", "bombardment", "battle"]
    where = {unit: role.where for role in landing.roles for unit in role.who}
    assert where == {
        **dict.fromkeys(("dreadnought", "cruiser", "submarine", "transport"), "offshore"),
        **dict.fromkeys(("artillery", "tank"), "waiting"),
        **dict.fromkeys(foot, "aboard"),
    }
    assert fire("invasion", "bombardment")[0][2:] == ({"dreadnought", "cruiser"}, GROUND | AIR | {"fort"})
    waves, defence, attack, after = landing.stages[-1].steps
    assert waves.when.rounds == (1, 2)
    assert (waves.land[0].who, waves.land[0].carrier, waves.land[0].each) == (foot, {"transport"}, 1)
    assert defence.fire[0].who == GROUND | GUNS | AIR | {"fort"}, "every defending unit fires first"
    assert attack.fire[0].who == foot | AIR
    assert defence.fire[0].at == attack.fire[0].who
    assert [(d.side, d.right) for d in after.decide] == [("attacker", "contest"), ("defender", "retreat")]


def test_transports_carry_two_infantry_or_one_other():
    two, one = RULES.cargo["transport"].loads
    assert two == (FOOT, FOOT)
    assert one == ({"artillery", "tank"},)
