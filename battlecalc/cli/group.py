"""The command group: commands imported on call, help in sections, errors in one line, exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NamedTuple, NoReturn

import click

from battlecalc.errors import BattlecalcError

BAD_INPUT = 2
INTERRUPTED = 130


class Entry(NamedTuple):
    """Where a command lives (``module:attribute``) and its line in the group's help."""

    path: str
    short_help: str


class BadInput(click.ClickException):
    """An end with one line on standard error."""

    exit_code = BAD_INPUT


class Interrupted(click.ClickException):
    """An end by Ctrl-C."""

    exit_code = INTERRUPTED


class CommandGroup(click.Group):
    """A group that knows its commands' short helps without importing them."""

    def __init__(
        self,
        *args: Any,
        commands_by_section: Mapping[str, Mapping[str, Entry]],
        aliases: Mapping[str, str],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        keep_lines(self)
        self.sections = commands_by_section
        self.entries = {
            name: entry for section in commands_by_section.values() for name, entry in section.items()
        }
        self.aliases = aliases

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        entry = self.entries.get(self.aliases.get(cmd_name, cmd_name))
        if entry is None:
            return None
        module, attribute = entry.path.split(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command), entry.path
        return keep_lines(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say what would be one."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            if not name.isidentifier():
                raise click.UsageError(
                    f'{name!r} is no command; begin with the kind of battle: battlecalc land "{name}" "5 inf"'
                )
            close = get_close_matches(name, [*self.entries, *self.aliases], n=2)
            hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(self.entries)}"
            raise click.UsageError(f"no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section."""
        for title, entries in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.short_help) for name, entry in entries.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what a user can cause ends in one line."""
        try:
            return super().invoke(ctx)
        except BattlecalcError as error:
            raise BadInput(str(error)) from error
        except KeyboardInterrupt as error:
            raise Interrupted(interruption(error)) from error
        except BrokenPipeError:  # the reader has what it wanted: `| head -3`
            drop_output()
            ctx.exit(0)

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run as a program: exit with the status, one line on standard error if it is not 0."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # an ASCII terminal gets `?` for `±`, not a traceback
        status = 0
        try:
            status = super().main(args, prog_name, complete_var, standalone_mode=False, **extra) or 0
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help() if error.ctx else error.message)
        except click.Abort:
            fail("interrupted", INTERRUPTED)
        except click.UsageError as error:
            fail(usage_trouble(error), BAD_INPUT)
        except Interrupted as error:
            fail(error.message, INTERRUPTED)
        except click.ClickException as error:
            fail(error.format_message(), BAD_INPUT)
        except OSError as error:
            if error.filename is None:
                drop_output()
            fail(file_trouble(error), BAD_INPUT)
        sys.exit(status)


def keep_lines(command: click.Command) -> click.Command:
    r"""Let click see its ``\b``, which in a raw docstring is two characters."""
    if command.help:
        command.help = command.help.replace("\\b\n", "\b\n")
    for part in getattr(command, "commands", {}).values():
        keep_lines(part)
    return command


def fail(message: str, status: int) -> NoReturn:
    """Leave with one line on standard error."""
    kind = "" if status == INTERRUPTED else "error: "
    click.echo(kind + " ".join(message.split()), err=True)
    sys.exit(status)


def drop_output() -> None:
    """Send what is left for standard output nowhere: at exit it would fail once more."""
    with suppress(OSError):  # a stream without a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def interruption(error: KeyboardInterrupt) -> str:
    """How far an interrupted run got, where the exception knows it."""
    done, total = getattr(error, "done", None), getattr(error, "total", None)
    if done is None:
        return "interrupted"
    return f"stopped after {done:,} of {total:,} trials" if total else f"stopped after {done:,} trials"


def file_trouble(error: OSError) -> str:
    """One line for a file that cannot be read or written."""
    reason = (error.strerror or str(error)).lower()
    if error.errno == errno.ENOENT:
        reason = "no such file or directory"
    return f"{os.fspath(error.filename)!r}: {reason}" if error.filename is not None else reason


def usage_trouble(error: click.UsageError) -> str:
    """One line for a misused option or argument, in the style of the library's messages."""
    message = error.format_message().rstrip(".")
    message = message[:1].lower() + message[1:]
    if isinstance(error, click.NoSuchOption) and error.option_name[1:2].isdigit():
        return f"a force begins with a count, and no count is negative: {error.option_name!r}"
    # A bad value explains itself; anything else is answered by the help.
    explained = isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter)
    if error.ctx is not None and not explained:
        message += f" (see {error.ctx.command_path} --help)"
    return message
