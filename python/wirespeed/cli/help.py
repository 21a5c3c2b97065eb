"""Commands of this application: their help pages, and the options that environment variables can set.

Help pages show argument names without types, numeric ranges as text, and no environment variables, which
docs/reference/commands.md lists. Options that print something and exit, such as ``--version``, have no environment
variable: it may be set for another purpose, and would end every command. Options that choose what a command does, such
as ``--show-commands``, have none either (``allow_from_autoenv=False``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from wirespeed.cli.variables import name_variables
from wirespeed.errors import Refusal

EXIT_CODES = """\b
Exit codes:
  0    passed (warnings do not fail, unless --strict)
  1    a check, benchmark or simulated flow failed, or files or settings differ
  2    wrong usage, or the input was refused
  3    incomplete: something could not be read, judged or compared
  70   internal error of wirespeed
  130  interrupted with Ctrl-C
  141  the program that reads the output, such as `head`, ended first

If several codes apply, the first of 130, 70, 2, 1, 3, 0 is returned.
`wirespeed COMMAND --help` shows options and examples."""

Function = TypeVar("Function", bound=Callable[..., Any])
WIDTH = 100  # of help on wide terminals, in columns


class _Parameters:
    """The parameters of a command, without environment variables for options that print something and exit."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the class beside it
        for parameter in parameters:
            if exits(parameter):
                parameter.allow_from_autoenv = False
        return parameters


class Command(_Parameters, TyperCommand):
    """A command that follows the rules above."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; usage errors name the command and no Python types."""
        try:
            return super().parse_args(ctx, _end_at_missing_value(args, self.get_params(ctx)))
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]  # the framework omits it where a value is missing
            if isinstance(message := getattr(error, "message", None), str):
                error.message = message.replace("Value error, ", "")  # type: ignore[attr-defined]
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a refused option that was set by an environment variable is reported with the variable."""
        try:
            return super().invoke(ctx)
        except Refusal as refusal:
            raise Refusal(name_variables(problem, ctx) for problem in refusal.problems) from refusal

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the tables of arguments and options."""
        _write_parameters(self, ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Name arguments in the usage line: ``NAME`` if required, ``[NAME]`` if optional."""
        arguments = [argument for argument in self.get_params(ctx) if argument.param_type_name == "argument"]
        return [
            "[OPTIONS]",
            *(
                _format_argument(argument) if argument.required else f"[{_format_argument(argument)}]"
                for argument in arguments
            ),
        ]


class Group(_Parameters, TyperGroup):
    """A group of commands that follows the rules above."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the tables of options and commands."""
        _write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)


class App(typer.Typer):
    """An application whose commands have such help pages."""

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = None, **settings: Any
    ) -> Callable[[Function], Function]:
        """Register a function as a command."""
        return super().command(name, cls=cls or Command, **settings)


def _end_at_missing_value(args: list[str], parameters: list[Any]) -> list[str]:
    """The arguments up to the first option whose value is missing, because the next argument is another option.

    The framework takes that name as the value, and refuses something else later, or nothing at all.
    """
    options = [parameter for parameter in parameters if parameter.param_type_name == "option"]
    names = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    with_value = {name for option in options if not (option.is_flag or option.count) for name in option.opts}
    for position, (argument, following) in enumerate(pairwise(args), 1):
        if argument == "--":
            break
        if argument in with_value and following in names:
            return args[:position]
    return args


def takes_variable(parameter: Any) -> bool:
    """Whether an environment variable can set an option."""
    return bool(parameter.allow_from_autoenv) and not exits(parameter)


def exits(parameter: Any) -> bool:
    """Whether an option prints something and exits: it is eager, or no function receives its value."""
    return bool(parameter.is_eager or not parameter.expose_value)


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(ctx):
        parameter.show_envvar = False
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        name, text = record
        if parameter.param_type_name == "argument":
            name, text = _format_argument(parameter), text.replace("  [required]", "")
        rows[parameter.param_type_name].append((name, _format_ranges(text)))
    for heading, kind in (("Arguments", "argument"), ("Options", "option")):
        if rows[kind]:
            with formatter.section(heading):
                formatter.write_dl(rows[kind])


def _format_argument(parameter: Any) -> str:
    return format_metavariable(str(parameter.metavar or parameter.name.upper()))


def format_metavariable(text: str) -> str:
    """A metavariable without brackets around the whole of it: ``DIR`` of ``[DIR]``, and ``[NAME=]FILE...`` as it is."""
    return re.sub(r"^\[([^\[\]]*)\]$", r"\1", text)


def _format_ranges(text: str) -> str:
    """``1<=x<=64`` as ``1 to 64``, and ``x>=1`` as ``at least 1``."""
    text = re.sub(r"([\d.]+)<=x<=([\d.]+)", r"\1 to \2", text)
    return re.sub(r"x>=([\d.]+)", r"at least \1", text)
