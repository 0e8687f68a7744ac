# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # battlecalc from another tool
#
# A bot, a map program, a forum's dice server: they have forces and want numbers. This notebook shows
# the four ways in.

# %%
import json
import subprocess
import sys
import time

import pandas as pd

import battlecalc as bc

# %% [markdown]
# ## 1. A document
#
# `to_dict` has everything in plain numbers, texts, lists and dicts: what `battlecalc ... --json`
# prints.

# %%
document = bc.solve("aa-1942-2e", "land", {"infantry": 6, "tank": 2}, {"infantry": 5, "aa_gun": 1}).to_dict()
print(json.dumps({key: document[key] for key in ("outcomes", "captures", "swing", "notes")}, indent=2))

# %% [markdown]
# ## 2. Errors that can be shown
#
# Bad input raises `BattlecalcError`, a `ValueError`, with one line for the person who typed it.

# %%
for force in ("6 infantri", "-3 inf", "2 submarine"):
    try:
        bc.solve("aa-1942-2e", "land", force, "5 inf")
    except bc.BattlecalcError as error:
        print(f"{force!r}: {error}")

# %% [markdown]
# ## 3. Lines in, lines out
#
# `battlecalc batch` answers tools in any language: each line of its input is a battle, each line of its
# output the odds, written as soon as they are known. A line that makes no sense gets an error, and the
# next one is read.

# %%
questions = [
    {
        "ruleset": "great-war",
        "sequence": "land",
        "attacker": "6 inf, 2 art",
        "defender": "5 inf",
        "id": "verdun",
    },
    {
        "ruleset": "great-war",
        "sequence": "land",
        "attacker": "6 inf, 2 bats",
        "defender": "5 inf",
        "id": "ypres",
    },
    {
        "ruleset": "aa-1942-2e",
        "sequence": "naval",
        "attacker": {"force": "2 submarine, 1 destroyer", "retreat": "units <= 1"},
        "defender": "1 cruiser, 1 destroyer",
        "id": "atlantic",
    },
]
done = subprocess.run(
    [sys.executable, "-m", "battlecalc", "batch", "--method", "exact"],
    input="".join(json.dumps(question) + "\n" for question in questions),
    capture_output=True,
    text=True,
    check=True,
)
for line in done.stdout.splitlines():
    answer = json.loads(line)
    wins = answer.get("outcomes", {}).get("attacker_wins")
    print(answer["id"], "-", answer.get("error") or f"attacker wins with {wins:.2%}")

# %% [markdown]
# ## 4. Many battles in one call
#
# `odds_many` takes a list of battles, of pairs of forces, or a frame, and gives a frame. Battles under
# the same rules are worked out together, in one pass.

# %%
attackers = [f"{inf} inf, {6 - inf} art" for inf in range(7)]
defenders = [f"{inf} inf, {6 - inf} tank" for inf in range(7)]
pairs = [(attacker, defender) for attacker in attackers for defender in defenders]
table = bc.odds_many(pairs, "aa-1942-2e", "land")
table.pivot(index="attacker", columns="defender", values="attacker_wins").round(3)

# %% [markdown]
# A bot that asks which of its moves is best needs little more:

# %%
moves = pd.DataFrame(
    {
        "target": ["Ukraine", "Belorussia", "West Russia"],
        "attacker": ["5 inf, 1 art, 2 tank", "3 inf, 1 fighter", "6 inf, 2 art, 1 tank"],
        "defender": ["3 inf, 1 art, 1 fighter", "3 inf", "3 inf, 1 art, 1 tank"],
    }
)
answers = bc.odds_many(moves[["attacker", "defender"]], "aa-1942-2e", "land", territory=2)
moves.join(answers[["captures", "expected_gain"]]).sort_values("expected_gain", ascending=False).round(2)

# %% [markdown]
# Deciding by the odds alone is one call, too: the battle is a value, and policies are words.

# %%
battle = bc.Battle(
    "aa-1942-2e", "land", bc.Side("6 inf, 2 art, 1 tank", retreat="best"), "3 inf, 1 art, 1 tank"
)
odds = bc.solve(battle)
print(battle)
print(f"expected gain {odds.expected_gain('attacker'):+.2f} IPC with the best retreats,", end=" ")
print(f"{bc.solve(battle.replace(attacker='6 inf, 2 art, 1 tank')).expected_gain('attacker'):+.2f} without")

# %% [markdown]
# ## How fast?
#
# On the machine that ran this notebook, with nothing but this process:

# %%
KINDS = ("inf", "art", "tank")
forces = [
    f"{i} {KINDS[0]}, {j} {KINDS[1]}, {6 - i - j} {KINDS[2]}, 1 fighter"
    for i in range(7)
    for j in range(7 - i)
]
fresh = [(attacker, defender) for attacker in forces for defender in forces]
start = time.perf_counter()
bc.odds_many(fresh, "aa-1942-2e", "land")
seconds = time.perf_counter() - start
print(f"{len(fresh)} different battles in {seconds:.2f} s: {len(fresh) / seconds:,.0f} a second")
