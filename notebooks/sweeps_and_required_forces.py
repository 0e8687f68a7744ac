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
# # Sweeps and required forces
#
# One battle is an answer; a hundred battles are a picture. And often the question is the other way
# round: what do I need?

# %%
import battlecalc as bc

battle = bc.Battle("aa-1942-2e", "land", "6 infantry, 2 artillery", "5 infantry, 1 artillery")

# %% [markdown]
# ## One variable
#
# `sweep` gives a tidy frame: one row a battle.

# %%
line = bc.sweep(battle, {"attacker.infantry": range(0, 13)})
line[["attacker.infantry", "attacker_wins", "swing", "expected_rounds", "method"]].round(3)

# %%
ax = bc.plot_sweep(line)
# %% [markdown]
# ## Two variables
#
# Two numbers make a map; the contours are where the attacker wins half, three quarters and nine tenths
# of the battles.

# %%
grid = bc.sweep(battle, {"attacker.infantry": range(0, 21), "defender.artillery": range(0, 7)})
ax = bc.plot_sweep(grid)
# %%
ax = bc.plot_sweep(grid, "swing", title="mean swing, IPC")
# %% [markdown]
# ## Rulesets, technologies, orders of loss, policies
#
# Anything that belongs to a battle can be varied: keywords by their names, what belongs to a side with
# the side before it. (In the 1914 edition a land battle is one round a turn, and what is left of both
# sides stays there.)

# %%
editions = bc.sweep(
    battle, {"attacker.infantry": range(0, 13), "ruleset": ["aa-1942-2e", "aa-1914", "great-war"]}
)
ax = bc.plot_sweep(editions, by=["attacker.infantry", "ruleset"], title="one battle, three rulebooks")
# %%
rounds = bc.sweep(
    battle,
    {"attacker.retreat": ["never", "units <= 2", "units <= 4", "best"], "attacker.infantry": range(3, 10)},
)
ax = bc.plot_sweep(rounds, "swing", by=["attacker.infantry", "attacker.retreat"], title="when to leave")
# %% [markdown]
# A combination that is no battle does not stop the others: its row says why.

# %%
lone = bc.sweep(bc.Battle("aa-1942-2e", "land", "1 inf", "1 inf"), {"attacker.infantry": [0, 1, 2]})
lone[["attacker.infantry", "attacker_wins", "error"]]

# %% [markdown]
# ## Long sweeps
#
# With `out=` every row is written as soon as it is known. A sweep that was interrupted goes on from
# there when it is asked for again; here the first attempt stops after five battles.

# %%
import tempfile
from pathlib import Path

out = Path(tempfile.mkdtemp()) / "sweep.csv"
question = {"attacker.infantry": range(10), "defender.artillery": range(3)}
simulated = {"method": "monte-carlo", "trials": 50_000, "seed": 7}


def give_up(done: int, total: int) -> None:
    if done >= 5:
        raise KeyboardInterrupt


try:
    bc.sweep(battle, question, out=out, progress=give_up, **simulated)
except KeyboardInterrupt as stop:
    print(f"stopped after {stop.done} of {stop.total} battles")

whole = bc.sweep(battle, question, out=out, **simulated)
print(len(whole), "rows, the same as without a stop:", whole.equals(bc.sweep(battle, question, **simulated)))

# %% [markdown]
# Battles are worked out on threads of this process. `executor=` takes any other executor: a pool of
# processes, or a Dask cluster (`dask="tcp://host:8786"`, `dask="local"`). Each battle draws from a seed
# of its own, so the numbers are the same everywhere. `simulate_on(executor, battle, trials=10**10)`
# spreads one single simulation.

# %% [markdown]
# ## What do I need?
#
# The fewest infantry, beside two artillery, to win with nine chances in ten:

# %%
needed = bc.require(battle, "infantry", odds=0.9)
print(needed)

# %% [markdown]
# The question may come from the defender as well. To *hold* is enough for him: the attacker may die to
# the last man or win with planes only.

# %%
print(bc.require(battle, "defender.infantry", odds=0.8, what="hold"))

# %% [markdown]
# ## The cheapest force
#
# At most ten infantry, five artillery, five tanks, four fighters and two bombers. What is the cheapest
# force that wins against this defence with 90 %?

# %%
defended = bc.Battle(
    "aa-1942-2e",
    "land",
    "1 inf",
    bc.Side(
        "6 inf, 2 art, 1 tank, 1 fighter, 1 aa_gun", loss_order="aa_gun, infantry, artillery, tank, fighter"
    ),
)
limits = {"infantry": 10, "artillery": 5, "tank": 5, "fighter": 4, "bomber": 2}
cheapest = bc.require(defended, odds=0.9, limits=limits)
print(cheapest)

# %% [markdown]
# Every force within the limits was worked out for that, exactly, and in one pass: a smaller force is a state
# of a larger one.

# %%
import time
from math import prod

start = time.perf_counter()
bc.require(defended.replace(territory=1), odds=0.9, limits=limits)
seconds = time.perf_counter() - start
print(f"{prod(most + 1 for most in limits.values()):,} forces in {seconds:.1f} s")

# %% [markdown]
# ## One unit more
#
# If there is money for one more unit: which one? By the chance, by the chance for the money, by the
# profit.

# %%
bc.additions(battle).round(3)

# %% [markdown]
# And which force brings in most for what it costs, if it should win with 80 % at least?

# %%
bc.most_profit(battle.replace(territory=3), {"infantry": 10, "artillery": 4, "tank": 3}, odds=0.8).head(
    8
).round(3)

# %% [markdown]
# ## Where only simulation fits
#
# A battle too large for exact odds is simulated until it is clear on which side of the goal it lies:
# Wald's sequential test, with a probability of error that the answer states. Here we ask for that on
# purpose.

# %%
tested = bc.require(battle, "infantry", odds=0.9, method="monte-carlo", seed=1)
print(tested)
print()
print("the same answer as the exact one:", tested.count == needed.count)
