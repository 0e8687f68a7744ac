"""What distinguishes the editions, read off their sequences: the flag matrix of the rules."""

from __future__ import annotations

import pytest

from battlecalc.rulesets import load_ruleset, ruleset_ids
from battlecalc.rulesets.schema import Condition

V3 = ("aa-1942", "aa-1942-2e", "aa-anniversary", "aa-1940-2e", "aa-1941")
V2 = ("aa-revised", "aa-revised-lhtr")
AXIS = tuple(name for name in ruleset_ids() if name != "great-war")


def stage(ruleset, sequence, name):
    return next((s for s in load_ruleset(ruleset).sequences[sequence].stages if s.name == name), None)


def steps(ruleset, sequence, name="battle"):
    return {step.name: step for step in stage(ruleset, sequence, name).steps}


def groups(ruleset, sequence, name, side=None, unit=None):
    return [
        group
        for step in stage(ruleset, sequence, name).steps
        for group in step.fire
        if side in (None, group.side) and (unit is None or unit in group.who)
    ]


def rights(ruleset, sequence, side):
    stages = load_ruleset(ruleset).sequences[sequence].stages
    decisions = [d for s in stages for step in s.steps for d in step.decide if d.side == side]
    return [decision.right for decision in decisions]


def test_sequences_of_each_box():
    without_raid = {"great-war", "aa-1914", "aa-1941"}
    for name in ruleset_ids():
        expected = ["land", "naval", "invasion"] + ([] if name in without_raid else ["raid"])
        assert list(load_ruleset(name).sequences) == expected


@pytest.mark.parametrize("name", ruleset_ids())
def test_all_options_and_technologies_read(name):
    load_ruleset(name).check()


@pytest.mark.parametrize("name", ("aa-1942", "aa-anniversary", *V2, "aa-classic"))
def test_one_old_gun_fires_a_die_per_plane_and_not_alone(name):
    fire = stage(name, "land", "antiaircraft fire")
    (group,) = fire.steps[0].fire
    assert (group.dice.kind, group.value, group.at) == ("per target", "aa", {"fighter", "bomber"})
    assert group.casualties == ("owner" if name == "aa-classic" else "type")
    assert not fire.even_alone
    gun = load_ruleset(name).units["aa_gun"]
    assert gun.never_lost
    assert gun.captured
    assert gun.only == "defender"


@pytest.mark.parametrize("name", ("aa-1942-2e", "aa-1940-2e"))
def test_three_shot_artillery_is_a_casualty_and_destroyed_alone(name):
    fire = stage(name, "land", "antiaircraft fire")
    (group,) = fire.steps[0].fire
    assert (group.dice.kind, group.dice.each, group.casualties) == ("capped", 3, "owner")
    assert fire.even_alone
    gun = load_ruleset(name).units["aa_gun"]
    assert (gun.never_lost, gun.captured, gun.alone) == (False, False, (None, "destroyed"))
    assert all("aa_gun" in group.at for group in groups(name, "land", "battle", "attacker"))
    assert not groups(name, "land", "battle", "defender", "aa_gun")


def test_free_choice_of_antiaircraft_casualties_is_an_option():
    resolved = load_ruleset("aa-1942").resolve({"free_aa_choice": True})
    for sequence in ("land", "invasion"):
        (group,) = resolved.sequences[sequence].stages[0].steps[0].fire
        assert group.casualties == "owner"


@pytest.mark.parametrize("name", [name for name in AXIS if name != "aa-1941"])
def test_bombardment(name):
    bombardment = stage(name, "invasion", "bombardment")
    (step,) = bombardment.steps
    (group,) = step.fire
    assert bombardment.when.not_fought == "naval"
    assert (group.where, group.value, step.purpose) == ("offshore", "bombard", "bombardment")
    assert step.victims == ("gone" if name in V2 else "fire"), "Revised's victims do not fire back"
    assert bool(group.at_most_per) == (name not in (*V2, "aa-classic")), "limited by units landed"
    ships = {"aa-classic": {"battleship"}, "aa-1914": {"battleship"}}
    default = {"battleship", "destroyer"} if name in V2 else {"battleship", "cruiser"}
    assert group.who == ships.get(name, default)


def test_no_bombardment_in_1941():
    assert stage("aa-1941", "invasion", "bombardment") is None
    assert [s.name for s in load_ruleset("aa-1941").sequences["land"].stages] == ["battle"]


@pytest.mark.parametrize("name", V3)
def test_one_sided_destroyers(name):
    """An enemy's destroyer makes submarines' fire ordinary; an own one lets planes hit submarines."""
    naval = steps(name, "naval")
    for side in ("attacker", "defender"):
        (strike,) = (g for g in naval["surprise strike"].fire if g.side == side)
        assert (strike.who, strike.when.enemy_lacks) == ({"submarine"}, {"destroyer"})
        (ordinary,) = (g for g in naval["fire"].fire if g.side == side and "submarine" in g.who)
        assert ordinary.when.enemy_has == {"destroyer"}
        for group in (strike, ordinary):
            assert not group.at & {"fighter", "bomber", "tactical_bomber"}
            assert {"transport", "submarine", "battleship"} <= group.at
        planes = [g for g in naval["fire"].fire if g.side == side and "fighter" in g.who]
        assert [(bool(g.when.own_has), "submarine" in g.at) for g in planes] == [(True, True), (False, False)]
    assert [(d.side, d.right, d.each) for d in naval["submerge"].decide] == [
        ("attacker", "submerge", True),
        ("defender", "submerge", True),
    ]
    order = list(naval)
    assert order.index("submerge") < order.index("surprise strike") < order.index("fire"), "before the dice"


@pytest.mark.parametrize("name", V2)
def test_revised_submarines_open_fire_and_destroyers_save_the_reply(name):
    opening, fire, after = steps(name, "naval").values()
    assert (opening.victims, opening.victims_need) == ("fire if", {"destroyer"})
    assert all(group.who == {"submarine"} and "fighter" not in group.at for group in opening.fire)
    assert {group.side for group in opening.fire} == {"attacker", "defender"}
    assert all("submarine" in group.at and "fighter" in group.who for group in fire.fire), (
        "planes hit submarines"
    )
    assert all("transport" in group.who for group in fire.fire), "transports fight"
    submerging = [decision for decision in after.decide if decision.right == "submerge"]
    assert [decision.when.enemy_lacks for decision in submerging] == [{"destroyer"}] * 2


def test_classic_only_the_attackers_submarines_fire_first():
    first, fire, after = steps("aa-classic", "naval").values()
    assert [(g.side, g.who) for g in first.fire] == [("attacker", {"submarine"})]
    (reply,) = (g for g in fire.fire if "submarine" in g.who)
    assert (reply.side, reply.at & {"fighter", "bomber"}) == ("defender", set())
    assert [(d.side, d.right) for d in after.decide][1:] == [
        ("attacker", "submerge"),
        ("defender", "submerge"),
    ]


@pytest.mark.parametrize("name", AXIS)
def test_transports(name):
    transport = load_ruleset(name).units["transport"]
    old = name in (*V2, "aa-classic")
    assert transport.last == (not old)
    if name == "aa-classic":
        assert transport.alone == (None, None), "a lone transport fights like any ship"
    else:
        assert transport.alone == ("withdraws", None if old else "destroyed")


@pytest.mark.parametrize("name", AXIS)
def test_only_transports_cannot_attack(name):
    assert "transport" not in load_ruleset(name).sequences["naval"].needs_one_of[0]


def test_retreat_rights():
    for name in AXIS:
        assert rights(name, "land", "attacker") == ([] if name == "aa-1914" else ["retreat"])
        assert rights(name, "land", "defender") == []
        assert "retreat" in rights(name, "naval", "attacker")
        assert "retreat" not in rights(name, "naval", "defender")
    assert rights("aa-classic", "invasion", "attacker") == rights("aa-1914", "invasion", "attacker") == []
    planes = (
        load_ruleset("aa-classic").resolve({"planes_may_retreat": "yes"}).sequences["invasion"].stages[-1]
    )
    assert planes.steps[-1].decide[0].leaves == {"fighter", "bomber"}
    for name in (*V2, *V3):
        (retreat,) = steps(name, "invasion")["press on or retreat"].decide
        air = {"fighter", "bomber"} | ({"tactical_bomber", "paratrooper"} if name == "aa-1940-2e" else set())
        assert retreat.leaves == air
        assert bool(retreat.leaves_overland) == (name in V3), "Revised's overland units may not retreat"


def test_carriers_of_1940():
    carrier = load_ruleset("aa-1940-2e").units["carrier"]
    assert (carrier.values["attack"], carrier.hits, carrier.decks, carrier.damaged_decks) == (0, (2, 2), 2, 0)
    assert load_ruleset("aa-1942").units["carrier"].damaged_decks is None


def test_combined_arms_of_1940():
    support, arms = load_ruleset("aa-1940-2e").modifiers
    assert (support.to, support.source, support.per) == (
        ("infantry", "paratrooper", "mech_infantry"),
        {"artillery"},
        1,
    )
    assert (arms.to, arms.source, arms.per, arms.side) == (
        ("tactical_bomber",),
        {"fighter", "tank"},
        1,
        "attacker",
    )


def test_1940_options():
    plain = load_ruleset("aa-1940-2e")
    for options in ({"scramble": True}, {"kamikaze": 2}, {"scramble": True, "kamikaze": 1}):
        stages = [stage.name for stage in plain.resolve(options).sequences["invasion"].stages]
        assert stages == ["antiaircraft fire", "battle"], "no bombardment"
    kamikaze = stage("aa-1940-2e", "naval", "kamikaze")
    (group,) = kamikaze.steps[0].fire
    assert (kamikaze.when.option, group.value, group.dice.option, group.casualties) == (
        "kamikaze",
        2,
        "kamikaze",
        "shooter",
    )
    assert group.at == {"destroyer", "cruiser", "carrier", "battleship"}, "surface warships"


def test_antiaircraft_fire_meets_paratroopers():
    (group,) = groups("aa-1940-2e", "land", "antiaircraft fire")
    assert group.at == {"fighter", "tactical_bomber", "bomber", "paratrooper"}
    first, second, _ = load_ruleset("aa-anniversary").sequences["land"].stages
    assert first.when == Condition(lacks_technology="paratroopers")
    assert second.when == Condition(technology="paratroopers")
    for name in ("invasion", "raid"):
        stages = load_ruleset("aa-anniversary").sequences[name].stages
        assert stages[0].name == "antiaircraft fire"
        assert stages[0].when == Condition(), "nobody flies there"
    assert (first.even_alone, second.even_alone) == (False, True), "an old gun alone fires at paratroopers"
    linked = second.steps[0].linked
    assert (linked.unit, linked.carrier, linked.option) == ("infantry", "bomber", "paratroopers")


def test_1914_has_one_land_round_and_absorbing_tanks():
    land = load_ruleset("aa-1914").sequences["land"]
    dogfight, battle = land.stages
    assert (dogfight.repeat, dogfight.advantage.name) == ("while both have", "air supremacy")
    assert (battle.repeat, battle.limit, battle.then) == ("rounds", 1, "contested")
    assert land.last_survivor == "infantry"
    tank = load_ruleset("aa-1914").units["tank"]
    assert (tank.hits, tank.absorbs) == ((2, 1), True)
    support, supremacy = load_ruleset("aa-1914").modifiers
    assert (support.to, supremacy.to, supremacy.side) == (("infantry", "tank"), ("artillery",), "both")


def test_1914_landing():
    landing = load_ruleset("aa-1914").sequences["invasion"]
    assert [stage.name for stage in landing.stages] == ["dogfight", "bombardment", "coastal fire", "battle"]
    (coastal,) = groups("aa-1914", "invasion", "coastal fire")
    assert (coastal.who, coastal.value, coastal.at) == ({"artillery"}, 3, {"infantry", "artillery", "tank"})
    assert coastal.at_landed, "not at those who came by land"
    swapped = load_ruleset("aa-1914").resolve({"coastal_fire_first": True}).sequences["invasion"]
    assert [stage.name for stage in swapped.stages] == ["dogfight", "coastal fire", "bombardment", "battle"]
    boosted = load_ruleset("aa-1914").resolve({"supremacy_boosts_coastal_fire": True})
    (coastal,) = boosted.sequences["invasion"].stages[2].steps[0].fire
    assert (coastal.value, coastal.at_landed) == ("ordinary", True)


def test_1914_at_sea():
    naval = load_ruleset("aa-1914").sequences["naval"]
    assert naval.takes[0] == {"submarine", "transport", "cruiser", "battleship"}
    sea = load_ruleset("aa-1914").resolve({"fighters_at_sea": True}).sequences["naval"]
    assert "fighter" in sea.takes[0] & sea.takes[1] & sea.stages[1].steps[0].fire[0].who
    mines, battle = naval.stages
    (group,) = mines.steps[0].fire
    assert (group.who, group.value, group.dice.kind, group.casualties) == (set(), 1, "per target", "die")
    assert len(battle.steps) == 2, "no surprise strike"


# (ruleset, options, takes part on each side, stages, damage: who, add, cap)
def raid(name, **options):
    return load_ruleset(name).resolve(options).sequences["raid"]


def test_raids_without_fighters():
    for name in (*V2, "aa-classic"):
        assert raid(name).takes[0] == {"bomber"}
        assert "fighter" not in raid(name).takes[1]
        assert [stage.name for stage in raid(name).stages] == ["antiaircraft fire"]


def test_order_of_a_raid():
    for name in ("aa-1942", "aa-anniversary"):
        assert [stage.name for stage in raid(name).stages] == ["antiaircraft fire", "air battle"]
        (attack, defence) = groups(name, "raid", "air battle")
        assert (attack.who, attack.value, defence.value) == ({"fighter"}, "escort", "intercept")
        (group,) = groups(name, "raid", "antiaircraft fire")
        assert group.who == {"aa_gun"}
    for name in ("aa-1942-2e", "aa-1940-2e"):
        assert [stage.name for stage in raid(name).stages] == ["air battle", "antiaircraft fire"]
        (group,) = groups(name, "raid", "antiaircraft fire")
        assert (group.who, group.value, group.at) == (set(), "industrial_complex.aa", {"bomber"})
    assert len(stage("aa-1942-2e", "raid", "air battle").steps) == 2, "raiders fire first"
    assert len(stage("aa-1940-2e", "raid", "air battle").steps) == 1, "simultaneous"
    assert len(raid("aa-1942-2e", simultaneous_air_battle=True).stages[0].steps) == 1
    assert len(raid("aa-1940-2e", alpha_interceptors=True).stages[0].steps) == 2


# (ruleset, escort's, bomber's and interceptor's value)
AIR_BATTLE = [
    ("aa-1942", 1, 0, 2),
    ("aa-anniversary", 1, 0, 2),
    ("aa-1942-2e", 1, 1, 2),
    ("aa-1940-2e", 1, 1, 1),
]


@pytest.mark.parametrize(("name", "escort", "bomber", "interceptor"), AIR_BATTLE)
def test_values_in_the_air_battle(name, escort, bomber, interceptor):
    units = load_ruleset(name).units
    assert units["fighter"].values["escort"] == escort
    assert units["bomber"].values.get("escort", 0) == bomber
    assert units["fighter"].values["intercept"] == interceptor


def test_caps_of_a_raid():
    for name in ("aa-1942", "aa-1942-2e", "aa-anniversary"):
        damage = raid(name).damage
        assert (damage.cap_option, damage.cap_times, damage.per_unit) == ("territory_value", 2, False)
    revised, lhtr = raid("aa-revised").damage, raid("aa-revised-lhtr").damage
    assert (revised.cap_option, revised.cap_times, revised.per_unit) == ("territory_value", 1, True)
    assert (lhtr.cap_option, lhtr.cap_times, lhtr.per_unit) == ("territory_value", 1, False)
    assert raid("aa-classic").damage.cap_option is None
    global_1940 = load_ruleset("aa-1940-2e")
    assert global_1940.sequences["raid"].damage.cap_by_target
    caps = {name: u.values["damage_cap"] for name, u in global_1940.units.items() if "damage_cap" in u.values}
    assert caps == {"industrial_complex": 20, "minor_industrial_complex": 6, "air_base": 6, "naval_base": 6}


def test_damage_of_a_raider():
    for name, technologies, unit, expected in [
        ("aa-1942", (), "bomber", (1, 1, 0)),
        ("aa-classic", ("heavy_bombers",), "bomber", (3, 1, 0)),
        ("aa-revised-lhtr", ("heavy_bombers",), "bomber", (1, 2, 1)),
        ("aa-1940-2e", (), "bomber", (1, 1, 2)),
        ("aa-1940-2e", (), "tactical_bomber", (1, 1, 0)),
        ("aa-1940-2e", ("heavy_bombers",), "bomber", (1, 2, 2)),
    ]:
        rules = load_ruleset(name)
        units = rules.for_side("attacker", frozenset(technologies)).units
        assert rules.sequences["raid"].damage.of(units[unit]) == expected


def test_tactical_bombers_raid_bases_only():
    assert "tactical_bomber" not in raid("aa-1940-2e").takes[0]
    base = raid("aa-1940-2e", raid_on_base=True)
    assert base.takes[0] == {"bomber", "tactical_bomber", "fighter"}
    assert base.damage.who == {"bomber", "tactical_bomber"}
    assert base.stages[1].steps[0].fire[0].at == {"bomber", "tactical_bomber"}


def test_reasons_name_units():
    land = load_ruleset("aa-1942").sequences["land"]
    assert land.why_not["battleship"] == "ships do not fight on land"
    assert "sea" not in land.why_not
