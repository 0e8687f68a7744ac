"""Write ``docs/library.md`` from the docstrings: ``python docs/make_library.py`` (a test checks it)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import battlecalc

INTRODUCTION = """# Library

Written by `docs/make_library.py` from the docstrings. Everything here is a name of the package:

```python
import battlecalc as bc
from battlecalc import *
```

Chances are probabilities from 0 to 1, values are in IPC, counts are whole numbers of units. Bad input raises
`BattlecalcError` (a `ValueError`) or a subclass, with one line that says what would be right.
"""
GROUPS = {
    "Odds of one battle": ("simulate", "solve", "odds", "hits", "Odds", "OUTCOMES"),
    "The question": ("Battle", "Side", "read_battle", "write_battle", "parse_force", "format_force"),
    "Many battles": (
        "sweep",
        "plot_sweep",
        "odds_many",
        "require",
        "Requirement",
        "additions",
        "most_profit",
        "simulate_on",
    ),
    "Decisions": ("advise", "Advice", "best_order", "LossAdvice", "campaign", "Campaign"),
    "Rules": ("Ruleset", "load_ruleset", "ruleset_ids"),
}
SECTION = re.compile(r"(?m)^(\w[\w ]*)\n-{3,}\n")


def page() -> str:
    """Markdown text of the reference."""
    grouped = {name for names in GROUPS.values() for name in names}
    errors = [name for name in battlecalc.__all__ if name.endswith("Error")]
    others = [name for name in battlecalc.__all__ if name not in grouped and name not in errors]
    groups = {**GROUPS, "Other": tuple(others), "Errors": tuple(errors)}
    parts = [INTRODUCTION]
    for title, names in groups.items():
        if names:
            parts.append(f"## {title}\n")
            parts += [block for name in names for block in entry(name, getattr(battlecalc, name))]
    return "\n".join(parts)


def entry(name: str, thing: object) -> Iterator[str]:
    """Yield the blocks of one name, and of the members of a class."""
    if inspect.isclass(thing) and issubclass(thing, Exception):
        yield f"- `{name}`: {text_of(thing)}\n"
        return
    if not callable(thing):
        shown = "\n".join(map(repr, thing)) if isinstance(thing, tuple) else repr(thing)
        yield f"### {name}\n\n```text\n{shown}\n```\n"
        return
    yield f"### {name}\n\n{signature(name, thing)}{markdown(text_of(thing))}"
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            function = getattr(value, "fget", None) or getattr(value, "func", None) or value
            text = inspect.getdoc(value)
            if member.startswith("_") or not text or not callable(function):
                continue
            shown = signature(member, function) if function is value else ""
            yield f"#### {name}.{member}\n\n{shown}{markdown(text)}"


def text_of(thing: object) -> str:
    """Docstring of a thing, without indentation."""
    return inspect.getdoc(thing) or ""


def signature(name: str, thing: object) -> str:
    """Fenced signature of a callable, one parameter a line where it is long."""
    try:
        found = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    parameters = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    short = str(found.replace(parameters=parameters, return_annotation=found.empty))
    if len(name) + len(short) > 90:
        names = dedent(short[1:-1]).replace(", ", ",\n    ")
        short = f"(\n    {names},\n)"
    return f"```text\n{name}{short}\n```\n\n"


def markdown(text: str) -> str:
    """Turn a numpydoc docstring into Markdown: sections, lists of names, fenced examples."""
    first, *sections = SECTION.split(text)
    parts = [prose(first)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        parts.append(f"**{title}**\n")
        if title == "Examples":
            parts.append(example(body))
        elif title in ("Parameters", "Attributes", "Returns", "Raises"):
            parts.append(definitions(body))
        else:
            parts.append(prose(body))
    return "\n".join(parts)


def example(text: str) -> str:
    """Fence an example: code as it is typed, what it prints as comments (doctests run in the modules)."""
    lines = []
    for line in text.strip().splitlines():
        prompt = line[:4].strip() in (">>>", "...")
        shown = line[4:] if prompt else "# " + line.replace("<BLANKLINE>", "")
        lines.append(shown.partition("  # doctest:")[0].rstrip())
    return "\n".join(["```python", *lines, "```\n"])


def prose(text: str) -> str:
    """Paragraphs; an example between them is fenced."""
    blocks = []
    for block in re.split(r"\n{2,}", text.strip()):
        if block.startswith(">>>"):
            blocks.append(example(block).rstrip())
        elif block.startswith("::") or block.startswith("    "):
            blocks.append(f"```text\n{dedent(block).removeprefix('::').strip()}\n```")
        else:
            blocks.append(" ".join(block.split()).replace("``", "`"))
    return "\n\n".join(blocks) + "\n"


def definitions(body: str) -> str:
    """List of ``name : type`` with their descriptions."""
    lines = []
    for block in re.split(r"(?m)^(?=\S)", body.strip("\n")):
        head, _, rest = block.partition("\n")
        if not head.strip():
            continue
        names, colon, kind = head.partition(" : ")
        what = " ".join(dedent(rest).split()).replace("``", "`")
        kind = f" ({kind.strip()})" if colon else ""
        lines.append(f"- `{names.strip()}`{kind}{': ' + what if what else ''}".replace("``", "`"))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("library.md").write_text(page(), encoding="utf-8")
