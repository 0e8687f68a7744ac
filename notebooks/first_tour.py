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
# # A first tour
#
# Six infantry, two artillery and a fighter attack five infantry and an artillery in The Great War. How
# does that end?

# %%
import battlecalc as bc

odds = bc.simulate(
    "great-war", "land", "6 infantry, 2 artillery, 1 fighter", "5 inf, 1 art", trials=1_000_000, seed=7
)
odds

# %% [markdown]
# Units go by their names or the usual short forms, in any order. The card above is the answer as a
# notebook shows it; `print(odds)` is the table of the command line:

# %%
print(odds)

# %% [markdown]
# ## Exact odds
#
# `solve` does not roll dice: it follows every way the battle can go. `odds` does so where it fits and
# simulates where it does not. The simulation above was right to within its interval:

# %%
exact = bc.solve("great-war", "land", "6 infantry, 2 artillery, 1 fighter", "5 inf, 1 art")
low, high = odds.interval("attacker_wins")
print(f"exact {exact.outcomes['attacker_wins']:.4%}, simulated between {low:.4%} and {high:.4%}")

# %% [markdown]
# ## Pictures
#
# Each takes an `ax`, so that they can stand side by side.

# %%
ax = exact.plot("outcomes")
# %%
ax = exact.plot("survivors")
# %% [markdown]
# The **swing** is what the attacker gains on balance: the value of the units he destroyed less that of
# those he lost.

# %%
ax = exact.plot("swing")
# %%
ax = exact.plot("rounds")
# %%
ax = exact.plot("heatmap")
# %% [markdown]
# ## Numbers
#
# Everything in the pictures is a frame, a series or a dict.

# %%
exact.survivors("attacker").head()

# %%
exact.by_round().head(8).round(2)

# %%
print("lost on average:", {unit: round(mean, 2) for unit, mean in exact.expected_losses("attacker").items()})
print("and the territory is captured with a chance of", f"{exact.captures:.2%}")

# %% [markdown]
# ## How lucky was that?
#
# The attacker won with an artillery and his fighter left. Where does that lie among all the ways it
# could have gone?

# %%
print(exact.percentile("1 art, 1 ftr", "-"))

# %% [markdown]
# ## Orders
#
# What belongs to one side is a `Side`: technologies, the order of loss, when to retreat. An attacker
# who leaves when fewer than four units are left keeps more of them, and wins less often. `"best"` looks
# for the retreats that gain most on average.

# %%
import pandas as pd

plans = {
    "to the end": "never",
    "leaves with three units or fewer": "units <= 3",
    "leaves after three rounds": "round >= 3",
    "best": "best",
}
rows = {}
for plan, retreat in plans.items():
    answer = bc.solve("great-war", "land", bc.Side("6 inf, 2 art, 1 ftr", retreat=retreat), "5 inf, 1 art")
    rows[plan] = {
        "wins": answer.outcomes["attacker_wins"],
        "retreats": answer.outcomes["attacker_retreats"],
        "mean swing": answer.expected_gain("attacker"),
    }
pd.DataFrame(rows).T.round(3)

# %% [markdown]
# The order in which units are lost is a choice as well. In Axis & Allies 1942, planes that are given up
# before tanks leave another army behind:

# %%
cheap_first = bc.Side("3 inf, 2 tank, 1 fighter")
planes_first = bc.Side("3 inf, 2 tank, 1 fighter", loss_order="infantry, fighter, tank")
for side in (cheap_first, planes_first):
    answer = bc.solve("aa-1942-2e", "land", side, "4 inf, 1 tank")
    print(f"{answer.outcomes['attacker_wins']:.2%} wins, {answer.captures:.2%} captures:", side)

# %% [markdown]
# ## At sea, and from the sea
#
# A landing with a `sea_defender` begins with a naval battle. The answer is that of the whole; `stages`
# has the odds of each part.

# %%
landing = bc.solve(
    "aa-1942-2e",
    "invasion",
    "3 inf, 1 tank, 2 transport, 1 battleship",
    "2 inf, 1 aa_gun",
    sea_attacker="2 destroyer, 1 fighter",
    sea_defender="1 submarine, 1 cruiser",
)
print(f"the landing goes ahead with {landing.landing:.2%}")
print(f"the territory is captured with {landing.captures:.2%}")
print(f"once ashore it is won with {landing.stages['invasion'].outcomes['attacker_wins']:.2%}")

# %% [markdown]
# ## One round of fire

# %%
bc.hits("aa-1942", "3 inf, 1 art", side="attacker").rename("chance").to_frame().round(4)

# %% [markdown]
# ## What there is
#
# Ten editions come along, and a ruleset file of your own is as good as any of them.

# %%
pd.DataFrame(
    [
        {"id": name, "name": rules.name, "sequences": ", ".join(rules.sequences)}
        for name, rules in ((name, bc.load_ruleset(name)) for name in bc.ruleset_ids())
    ]
).set_index("id")
