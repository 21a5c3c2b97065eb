"""Usage errors of the command line as problems: what is wrong, where, and one action that helps."""

from __future__ import annotations

import re
from typing import Any

from wirespeed.cli.help import format_metavariable
from wirespeed.cli.variables import find_variable
from wirespeed.errors import Problem, did_you_mean, format_choices


def is_usage_error(error: Exception) -> bool:
    """Whether the framework refused the command line; its exception classes are private."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def is_help(error: Exception) -> bool:
    """Whether a group of commands was called without a command, which prints its help page."""
    return type(error).__name__ == "NoArgsIsHelpError"


def usage_problem(error: Any) -> Problem:
    """The problem of a usage error, named by the command and the option or argument."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "wirespeed"
    help_page = f"`{command} --help` shows the usage"
    if (option := getattr(error, "option_name", None)) is not None and hasattr(error, "possibilities"):
        near = sorted(error.possibilities or ())
        similar = f"did you mean {near[0]!r}?" if near else help_page
        return Problem(command, f"no option named {option!r}", hint=_find_replacement(command, option) or similar)
    message = error.format_message()
    if option is not None and " requires an argument" in message and context is not None:
        parameter = next(parameter for parameter in context.command.get_params(context) if option in parameter.opts)
        value = _name_value(parameter, context)
        return Problem(f"{command}: {_name_parameter(parameter)}", "no value", value, help_page)
    if match := re.match(r"No such command '(.*?)'", message):
        commands = context.command.list_commands(context) if context else []
        return Problem(command, f"no command named {match[1]!r}", hint=did_you_mean(match[1], commands) or help_page)
    parameter = getattr(error, "param", None)
    if parameter is None:
        message = message.replace("argument(s)", "arguments" if message.count(" ") > 4 else "argument")
        text = f"{message[:1].lower()}{message[1:].rstrip('.')}"
        is_traffic = command.endswith("sim run") and message.startswith("Got unexpected extra")
        traffic = "`wirespeed sim run CLUSTER.yaml --traffic TRAFFIC.yaml`" if is_traffic else None
        if match := re.match(r"got unexpected extra arguments? \((.*)\)", text):
            if command == "wirespeed check":
                return Problem(command, f"a second bundle: {match[1]}", "one bundle", _SEVERAL_BUNDLES)
            text = f"too many arguments: {match[1]}"
        return Problem(command, text, hint=traffic or help_page)
    name = _name_parameter(parameter)
    if context is not None and (variable := find_variable(parameter, context)):
        name = f"{name} (from {variable})"
    if type(error).__name__ == "MissingParameter":
        usage = context.get_usage().removeprefix("Usage: ") if context else command
        meaning = getattr(parameter, "help", None) or ""
        hint = f"{name} is one of {meaning}" if re.fullmatch(r"[\w-]+(, [\w-]+)+", meaning) else None
        if context is not None and parameter.param_type_name == "option":
            hint = f"add {max(parameter.opts, key=len)} {_name_value(parameter, context)}"
        return Problem(command, f"{name} is missing", hint=hint or f"usage: `{usage}`")
    if match := re.match(r"'(.*)' is not one of (.*?)\.?$", error.message):
        choices = re.findall(r"'([^']*)'", match[2])
        suggestion = _suggest_command(command, match[1]) or _find_replacement(command, f"{name} {match[1]}")
        hint = did_you_mean(match[1], choices) or suggestion or help_page
        return Problem(f"{command}: {name}", repr(match[1]), format_choices(choices), hint)
    return Problem(f"{command}: {name}", _simplify_message(error.message), hint=help_page)


def _name_parameter(parameter: Any) -> str:
    """The long name of an option, or the metavariable of an argument."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return format_metavariable(str(parameter.metavar or parameter.name.upper()).removesuffix("..."))


def _name_value(parameter: Any, context: Any) -> str:
    """The metavariable of an option's value, or its choices: ``TRAFFIC.yaml``, ``one of text, json``."""
    metavariable = re.sub(r"^(-[\w-]+,? )+", "", parameter.get_help_record(context)[0])
    if metavariable.startswith(("<", "[")):
        return format_choices(re.split(r"\||, ", metavariable.strip("<[]>")))
    return metavariable


def _simplify_message(message: str) -> str:
    """``Input should be greater than or equal to 1`` as ``the value must be at least 1``."""
    message = message.rstrip(".").replace("Input should be", "the value must be")
    message = message.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")
    return message[:1].lower() + message[1:]


_PLAN_OPTIONS = {"nodes": "hosts", "hosts": "hosts", "cables": "cables", "links": "cables", "addresses": "addresses"}
"""Topics that users may expect in `list`, and the option of `plan` that prints them."""


_REPORT_FORMATS = ("junit", "html", "ticket", "prometheus")


def _suggest_command(command: str, value: str) -> str | None:
    """A hint with the command that has a choice which this one lacks."""
    if command.endswith(" bench judge") and value in _REPORT_FORMATS:
        return f"`wirespeed report CLUSTER.yaml --bench LOG --format {value}`"
    option = _PLAN_OPTIONS.get(value)
    if option is None or not command.endswith(" list"):
        return None
    return f"`wirespeed plan CLUSTER.yaml --{option}` shows the {option} of a cluster"


_CONGESTION_CONTROL = (
    "the congestion control is `congestion` of the class in the cluster file, or parameters.congestion.algorithm of "
    "the scenario; `wirespeed sim compare --algorithm` compares several"
)
_NO_TABLES = (
    "it writes no tables; for charts copy the cluster file, set another `congestion` of the class in each copy (in "
    "scenarios parameters.congestion.algorithm), run `wirespeed sim run -o DIR` with each, then "
    "`wirespeed report DIR DIR`"
)
_NAME_OF_HOST = "`wirespeed collect --local --name HOST` writes a bundle with this name; then check the bundle"
_SEVERAL_BUNDLES = "docs/guides/check.md, Several hosts, joins the bundles of several hosts"
_REPLACEMENTS = (
    (re.compile("check --name"), _NAME_OF_HOST),
    (re.compile("sim run (--algorithm|--congestion|--preset .*)"), _CONGESTION_CONTROL),
    (re.compile("sim compare (-o|--output)"), _NO_TABLES),
    (re.compile("sim run (--jobs|-j)"), "did you mean --threads?"),
    (re.compile("sim compare --threads"), "did you mean --jobs?"),
    (re.compile("plan --(headroom|ecn|watchdog)"), "`wirespeed plan CLUSTER.yaml --computed` prints these values"),
)
"""Options that a command lacks, and what does that job."""


def _find_replacement(command: str, option: str) -> str | None:
    text = f"{command.removeprefix('wirespeed ')} {option}"
    return next((hint for pattern, hint in _REPLACEMENTS if pattern.fullmatch(text)), None)


def path_hint(path: str) -> str:
    """A hint for a path that does not exist: the missing folder, a similar name in it, or the current folder."""
    from pathlib import Path

    folder = Path(path).absolute().parent
    if not folder.is_dir():
        return f"no folder {folder}"
    near = did_you_mean(Path(path).name, [entry.name for entry in folder.iterdir()])
    return near or f"relative paths start at {Path.cwd()}"
