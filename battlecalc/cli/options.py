"""Options shared by the commands, as decorators; those of the two sides come from one table.

Every option belongs to a section of the help; `SectionedCommand` writes them so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from battlecalc.cli.types import Count, OutputFile, Setting, Share
from battlecalc.keywords import METHODS

F = TypeVar("F", bound=Callable[..., Any])
MOST_TRIALS = MOST_STATES = 10**12
SIDES = ("attacker", "defender")
SEA_SIDES = ("sea_attacker", "sea_defender")
# Sections of the options that say what a battle is.
BATTLE = "Battle"
AT_SEA = "Battle at sea (also --sea-defender-...)"
EACH_SIDE = "Each side (also --defender-...)"


class Option(click.Option):
    """A click option with the section of the help that lists it (None: its twin is listed)."""

    def __init__(self, *args: Any, section: str | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help lists options by section, in the order of their first option."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, then what belongs to none."""
        sections: dict[str, list[tuple[str, str]]] = {}
        others: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or not isinstance(param, click.Option):
                continue
            if not isinstance(param, Option):
                others.append(record)
            elif param.section is not None:
                sections.setdefault(param.section, []).append(record)
        for title, records in [*sections.items(), ("Other", others)]:
            with formatter.section(title):
                formatter.write_dl(records)


def option(*names: str, section: str | None, **kwargs: Any) -> Callable[[F], F]:
    """`click.option` with a section."""
    return click.option(*names, cls=Option, section=section, **kwargs)


def stacked(decorators: list[Callable[[F], F]]) -> Callable[[F], F]:
    """One decorator of many, listed in the order of the help."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class SideOption(NamedTuple):
    """An option of each side: its flag after ``--attacker-``, the field of `Side` and what click needs."""

    flag: str
    field: str
    click: dict[str, Any]
    at_sea: bool = False


SIDE_OPTIONS = (
    SideOption(
        "tech",
        "technologies",
        {"metavar": "NAME", "multiple": True, "help": "Technology; repeat, or separate with commas."},
    ),
    SideOption(
        "losses",
        "loss_order",
        {"metavar": "ORDER", "help": 'Order of loss, first lost first: "2 inf, art, inf"; or best.'},
        at_sea=True,
    ),
    SideOption(
        "retreat",
        "retreat",
        {"metavar": "POLICY", "help": 'never, best, or when: "round >= 3 or units <= 4".'},
        at_sea=True,
    ),
    SideOption("contest", "contest", {"metavar": "POLICY", "help": "When to leave the territory contested."}),
    SideOption(
        "air-retreat", "air_retreat", {"metavar": "POLICY", "help": "When aircraft leave the air battle."}
    ),
    SideOption(
        "submerge",
        "submerge",
        {"metavar": "POLICY", "help": "never, always, best, or when submarines submerge."},
        at_sea=True,
    ),
    SideOption(
        "keep-land", "keep_land", {"type": Count(0, 10_000), "help": "So many land units are lost last."}
    ),
    SideOption(
        "damaged",
        "damaged",
        {"metavar": "UNITS", "help": 'Start with one hit taken: "1 battleship".'},
        at_sea=True,
    ),
    SideOption(
        "objective",
        "objective",
        {"type": click.Choice(["value", "win", "capture"]), "help": "What best decisions aim at."},
    ),
)


def side_options(sides: tuple[str, str], section: str) -> list[Callable[[F], F]]:
    """Options of both sides; the help lists the first side's."""
    at_sea = sides == SEA_SIDES
    return [
        option(
            f"--{side.replace('_', '-')}-{entry.flag}",
            f"{side}_{entry.field}",
            section=section if side == sides[0] else None,
            **entry.click,
        )
        for side in sides
        for entry in SIDE_OPTIONS
        if entry.at_sea or not at_sea
    ]


def ruleset_option(section: str) -> Callable[[F], F]:
    """Add ``--ruleset``."""
    return option(
        "--ruleset",
        "-r",
        default="great-war",
        show_default=True,
        metavar="ID|FILE",
        section=section,
        help="A ruleset of battlecalc rulesets, or a file.",
    )


def dice_option(section: str) -> Callable[[F], F]:
    """Add ``--dice``."""
    return option(
        "--dice",
        metavar="DICE",
        section=section,
        help="standard or low-luck, or for each purpose apart: battle=low-luck,aa=standard.",
    )


def rule_options(section: str) -> list[Callable[[F], F]]:
    """Options that change the rules."""
    return [
        option(
            "--option",
            "options",
            type=Setting(),
            metavar="NAME=VALUE",
            multiple=True,
            section=section,
            help="A switch of the ruleset; repeatable.",
        ),
        option(
            "--set",
            "changes",
            type=Setting(),
            metavar="UNIT.FIELD=VALUE",
            multiple=True,
            section=section,
            help="Change a unit: tank.cost=5; repeatable.",
        ),
    ]


def battle_options(sequence: str) -> Callable[[F], F]:
    """Add what describes a battle of `sequence` beside the two forces."""
    title = BATTLE
    decorators: list[Callable[[F], F]] = [
        ruleset_option(title),
        option("--rounds", type=Count(0, 1_000_000), section=title, help="Stop after so many rounds."),
        dice_option(title),
        *rule_options(title),
        option(
            "--territory", type=float, metavar="IPC", section=title, help="Worth of the territory at the end."
        ),
        option("--swap", is_flag=True, section=title, help="The sides change places."),
    ]
    if sequence == "invasion":
        decorators += [
            option(
                "--overland",
                metavar="FORCE",
                section=title,
                help="Units that attack by land beside the landing.",
            ),
            option("--sea-attacker", metavar="FORCE", section=AT_SEA, help="Units that only fight at sea."),
            option("--sea-defender", metavar="FORCE", section=AT_SEA, help="Fleet to be beaten first."),
            *side_options(SEA_SIDES, AT_SEA),
        ]
    decorators += side_options(SIDES, EACH_SIDE)
    return stacked(decorators)


def side_option(section: str, text: str) -> Callable[[F], F]:
    """Add ``--side``."""
    return option(
        "--side", type=click.Choice(SIDES), default=SIDES[0], show_default=True, section=section, help=text
    )


def json_option(function: F) -> F:
    """Add ``--json``."""
    text = "A JSON document, and nothing else."
    return option("--json", "as_json", is_flag=True, section="Output", help=text)(function)


def trials_option(text: str) -> Callable[[F], F]:
    """Add ``--trials``."""
    return option(
        "--trials", "-n", type=Count(1, MOST_TRIALS), section="Method", help=f"{text}  [default: 1e6]"
    )


def find_options(each: str, precision: bool = False) -> Callable[[F], F]:
    """Add how the odds of each of many battles are found: each plan, wave or battle."""
    title = "Method"
    until = option("--precision", type=Share(), section=title, help="Or until ± this: 0.1%.")
    decorators: list[Callable[[F], F]] = [
        option(
            "--method",
            type=click.Choice(METHODS),
            default="auto",
            show_default=True,
            section=title,
            help="auto: exact if it fits.",
        ),
        trials_option(f"Of each simulated {each}."),
        *([until] if precision else []),
        option("--seed", type=Count(0, 2**64 - 1), section=title, help="Same seed, same answers."),
        option(
            "--max-states", type=Count(1, MOST_STATES), section=title, help="Most states of an exact answer."
        ),
    ]
    return stacked(decorators)


def run_options(function: F) -> F:
    """Add how the odds are found."""
    title = "Method"
    decorators: list[Callable[[F], F]] = [
        option(
            "--method",
            type=click.Choice(METHODS),
            section=title,
            help="auto: exact if it fits  [default: monte-carlo]",
        ),
        trials_option("Battles to simulate."),
        option(
            "--seed",
            type=Count(0, 2**64 - 1),
            section=title,
            help="Same seed, same answer; drawn if not given.",
        ),
        option(
            "--precision",
            type=Share(),
            section=title,
            help="Go on until the win chance is known to ± this: 0.1%.",
        ),
        option(
            "--threads", type=Count(1, 1024), section=title, help="Threads; the answer does not depend on it."
        ),
        option("--prune", type=Share(), section=title, help="Drop exact states less likely than this."),
        option(
            "--max-states",
            type=Count(1, MOST_STATES),
            section=title,
            help="Most states an exact answer may need.",
        ),
    ]
    return stacked(decorators)(function)


def output_options(function: F) -> F:
    """Add what is done with the odds."""
    title = "Output"
    decorators: list[Callable[[F], F]] = [
        json_option,
        option(
            "--csv", type=OutputFile(), section=title, help="Write the joint table of outcomes and survivors."
        ),
        option(
            "--plot",
            type=OutputFile("png", "svg", "pdf"),
            section=title,
            help="Write a picture: .png, .svg, .pdf.",
        ),
        option(
            "--save", type=OutputFile(), section=title, help="Write this battle as a file for battlecalc run."
        ),
        option(
            "--result",
            nargs=2,
            metavar="LEFT LEFT",
            section=title,
            help='How lucky was this end: "3 inf" "-" is what each side had left.',
        ),
    ]
    return stacked(decorators)(function)
