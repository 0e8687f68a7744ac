"""Compiled programs as text, read from their words; ``python -m tests.program.schedules`` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import battlecalc as bc
from battlecalc.errors import BattlecalcError
from battlecalc.program.casualties import describe_order
from battlecalc.program.layout import CALLED, DECIDE, FIRE, MATCHED, OP_WORDS
from battlecalc.program.program import Program, StageCode, Variant
from battlecalc.program.setting import ReadyStage
from battlecalc.rulesets.schema import SIDES
from tests.program.bench import in_words, program_of

GOLDEN = Path(__file__).parent.parent / "data" / "golden" / "schedules"
POLICIES = {
    "retreat": "round >= 2",
    "contest": "round >= 3",
    "air_retreat": "round >= 1",
    "submerge": "round >= 2",
}


def standard_battle(ruleset: str, sequence: str, leave_out: frozenset[str] = frozenset()) -> bc.Battle:
    """Every unit that may take part (two of each on land), and every right used."""
    rules = bc.load_ruleset(ruleset)
    takes = rules.sequences[sequence].takes
    plain = [unit for unit in rules.units.values() if not unit.needs and unit.id not in leave_out]
    count = 1 if sequence == "naval" else 2
    forces = [{unit.id: count for unit in plain if unit.id in takes[side]} for side in (0, 1)]
    if sequence == "invasion":
        forces[0]["transport"] = 20
    sides = [bc.Side(force, **_rights(ruleset, sequence, side)) for side, force in enumerate(forces)]
    return bc.Battle(ruleset, sequence, *sides)


def _rights(ruleset: str, sequence: str, side: int) -> dict[str, str]:
    decisions = {
        decision.right
        for stage in bc.load_ruleset(ruleset).sequences[sequence].stages
        for step in stage.steps
        for decision in step.decide
        if decision.side == SIDES[side]
    }
    return {right: POLICIES[right] for right in sorted(decisions)}


def describe(ruleset: str) -> str:
    """Schedules of a ruleset's standard battles."""
    lines: list[str] = []
    for sequence in bc.load_ruleset(ruleset).sequences:
        battle = standard_battle(ruleset, sequence)
        program = program_of(battle)
        lines.append(f"=== {sequence}")
        for name, side in zip(SIDES, program.sides, strict=True):
            order = describe_order(side.pieces, side.segments)
            lines.append(f"{name}: {len(side.states)} states, lost in the order {', '.join(order) or 'none'}")
        stages = [stage for stage in program.setting.stages if stage.steps]
        for code, stage in zip(program.stages, stages, strict=True):
            lines += _stage(program, code, stage)
        lines.append("")
    return "\n".join(lines)


def _stage(program: Program, code: StageCode, stage: ReadyStage) -> Iterator[str]:
    limit = f", at most {code.limit}" if code.limit is not None else ""
    yield f"stage {stage.rule.name!r}: {code.repeat}{limit}"
    before: list[str] = []
    for row in code.variants:
        for who, variant in zip(("", " attacker's advantage", " defender's advantage"), row, strict=True):
            if who and variant == row[0]:
                continue
            last = "on" if variant.last is None else variant.last
            yield f"  rounds {variant.first} to {last}{who}"
            body = list(_variant(program, stage, variant))
            yield from body if body != before else ["    the same"]
            before = body


def _variant(program: Program, stage: ReadyStage, variant: Variant) -> Iterator[str]:
    names = {step.number: step.rule.name for step in stage.steps}
    rules = {decided.op: decided.rule.rule for decided in program.decisions}
    for number in range(variant.count):
        at = variant.ops + number * OP_WORDS
        op = program.words[at : at + OP_WORDS].tolist()
        if op[0] == FIRE:
            yield f"    fire {names[op[1]]!r}"
            for side in (0, 1):
                yield from _draws(program, side, op[2 + side])
        elif op[0] == DECIDE:
            rule = rules[at]
            yield f"    ask the {rule.side}: {rule.right}" + (" by both states" if op[3] else "")
        else:
            yield f"    move the {SIDES[op[1]]}"


def _draws(program: Program, side: int, plans: int) -> Iterator[str]:
    """Draws of one side in a step, for both forces as they start; what was aboard counts as ashore."""
    words = program.words
    start = program.starts[0]
    first_a, first_d, width = program.signatures
    pair = int(words[first_a + start[0]]) * width + int(words[first_d + start[1]])
    plan = int(words[plans + pair])
    draws = words[plan + 2 : plan + 2 + words[plan]].tolist()
    tangle = ", assigned together" if words[plan + 1] >= 0 else ""
    for draw in draws:
        kind, rows, limits, counts, chain, left = words[draw : draw + 6].tolist()
        if kind == MATCHED:
            dice = min(int(words[limits + start[side]]), int(words[counts + start[1 - side]]))
            what, row = f"{dice} dice", int(words[words[rows + start[side]] + dice])
        else:
            what, row = "called shots" if kind == CALLED else "own dice", int(words[rows + start[side]])
        first, at, entries = words[program.row_records + 3 * row : program.row_records + 3 * row + 3].tolist()
        chances = program.probabilities[at : at + entries]
        if kind == CALLED:
            size = int(words[draw + 8])
            mean = sum(float(p) * sum(divmod(n, size)) for n, p in enumerate(chances))
        else:
            mean = first + sum(n * float(p) for n, p in enumerate(chances))
        after = int(words[words[chain + start[1 - side]] + min(1, words[left + start[1 - side]])])
        victim = _lost(program, 1 - side, after)
        yield f"      {SIDES[side]}: {what}, {mean:.4f} hits, first on {victim}{tangle}"


def _lost(program: Program, side: int, after: int) -> str:
    """Name what the first hit takes."""
    own = program.sides[side]
    before = in_words(own, own.states.states[program.starts[0][side]])
    then = in_words(own, own.states.states[after])
    lost = [name for name, n in before.items() if then.get(name, 0) < n]
    return ", ".join(lost) or "nothing"


def main() -> None:
    """Write the schedules of every ruleset."""
    GOLDEN.mkdir(exist_ok=True)
    for ruleset in bc.ruleset_ids():
        (GOLDEN / f"{ruleset}.txt").write_text(describe(ruleset), encoding="utf-8")


def options_of(ruleset: str) -> Iterator[dict[str, Any]]:
    """Every option of a ruleset by itself, switched away from its default."""
    for option in bc.load_ruleset(ruleset).options.values():
        if option.kind == "choice":
            yield from ({option.name: choice} for choice in option.choices if choice != option.default)
        else:
            yield {option.name: not option.default if option.kind == "flag" else min(2, option.most)}


def with_options(battle: bc.Battle, options: dict[str, Any]) -> bc.Battle | None:
    """Ask the same battle under options; None where these forbid it."""
    try:
        return battle.replace(options=options)
    except BattlecalcError:
        return None


if __name__ == "__main__":
    main()
