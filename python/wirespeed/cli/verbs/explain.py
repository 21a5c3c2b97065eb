"""``wirespeed explain``."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.catalogue.model import FailureMode
    from wirespeed.checks import Check
    from wirespeed.cli.term_search import Matches
    from wirespeed.errors import Problem
    from wirespeed.settings import Setting

_GLOSSARY = "terms are in docs/reference/glossary.md, values of the cluster file in docs/reference/cluster-file.md"
_COUNTER_NAME = re.compile(
    r"(?:^|_)(?:[rt]x|prio\d*|cnps?|ecn|pause|pkts?|packets?|bytes|errors?|err|discards?|drops?|buffer|sequence|retrans)"
    r"(?:_|$)"
)
"""Words of the names of NIC counters."""
_WORDS = re.compile(r"[._-]")
_CONGESTION_CHECKS = "`wirespeed explain nic.congestion-control qos.pfc`"
_INDENT = 4  # indentation of text below its heading, in columns
_SHORTEST_WORD = 4  # characters of a word that is searched in names
_MOST_TERM_WORDS = 3  # longer texts are messages
_MOST_SUGGESTIONS = 4  # names in a hint


def _complete_name(incomplete: str) -> list[str]:
    from wirespeed.catalogue import load
    from wirespeed.checks import checks

    return [identifier for identifier in (*checks(), *load().failures) if identifier.startswith(incomplete)]


@app.command(short_help="Explain checks, known failures, settings or terms: meaning, impact, fix.")
def explain(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID...",
            help="IDs of checks, such as nic.pcie-width, or of known failures, such as NIC-05; names of settings "
            "or of driver counters; terms, such as PFC; kinds of run, such as host-copies-both. Default: list all "
            "checks.",
            autocompletion=_complete_name,
        ),
    ] = None,
) -> None:
    """Explain a check: what it compares, its impact, how to fix a failure, an example, and its source.

    For a known failure (`wirespeed list failures`): its impact and fix, the checks that detect it, and the benchmark
    messages that indicate it. For a setting or counter (`wirespeed list settings`): its meaning, unit and normal value,
    the commands and counters of the device that are read, and the checks that use it. For a term: its meaning, and the
    checks, known failures and settings that contain it. For a kind of run of an acceptance profile (`wirespeed list
    profiles default`): its meaning, and the required fractions of its limit.

    Examples:

    \b
      wirespeed explain
      wirespeed explain nic.pcie-width
      wirespeed explain NIC-05 QOS-08
      wirespeed explain nic.counters.retries
      wirespeed explain local_ack_timeout_err
      wirespeed explain PFC
    """
    from wirespeed.checks import checks
    from wirespeed.cli.console import standard_output
    from wirespeed.errors import Problem, Refusal

    if not names:
        _list_checks(list(checks().values()))
        return
    pages = [_find_pages(name) for name in names]
    unknown = [page for page in pages if isinstance(page, Problem)]
    if unknown:
        raise Refusal(unknown)
    for number, page in enumerate(page for entry in pages if not isinstance(entry, Problem) for page in entry):
        if number:
            standard_output().print()
        page()


def _find_pages(name: str) -> list[Callable[[], None]] | Problem:
    """The functions that print the pages of a check, a known failure, a setting, the settings of a driver's counter, a
    term, or a kind of run.
    """
    from wirespeed.benchmarks.judge.profile import describe_kinds_of_run
    from wirespeed.catalogue import load
    from wirespeed.checks import checks
    from wirespeed.cli.term_search import search_term
    from wirespeed.collect.support import counter_names
    from wirespeed.errors import Problem
    from wirespeed.settings import ENTITIES, list_settings

    checks_by_id = checks()
    failures = load().failures
    settings = {path: setting for entity in ENTITIES for path, setting in list_settings(entity).items()}
    if name in checks_by_id:
        return [lambda: _print_check(checks_by_id[name])]
    if name in failures:
        return [
            lambda: _print_failure(
                name, failures[name], [check for check in checks_by_id.values() if name in check.failures]
            )
        ]
    counted = [path for path in settings if any(name in counters for _, counters in counter_names(path))]
    if name in settings or counted:
        return [
            partial(
                _print_setting, path, settings[path], [check for check in checks_by_id.values() if path in check.needs]
            )
            for path in ([name] if name in settings else counted)
        ]
    pages: list[Callable[[], None]] = []
    if "." not in name and (matches := search_term(name) or search_term(name.removesuffix("s"))):
        pages.append(partial(_print_matches, name, matches))
    if (kind := name.replace("_", "-")) in describe_kinds_of_run():
        pages.append(partial(_print_kind_of_run, kind))
    if pages:
        return pages
    lists = f"`wirespeed list checks`, `wirespeed list failures` and `wirespeed list settings` print all; {_GLOSSARY}"
    words = [word for word in name.split() if len(word) >= _SHORTEST_WORD and search_term(word)] if " " in name else []
    hint = (
        None if " " in name else _suggest_names(name, [*checks_by_id, *failures, *settings, *describe_kinds_of_run()])
    ) or lists
    if words and len(name.split()) <= _MOST_TERM_WORDS and not any(letter.isdigit() for letter in name):
        hint = f"`wirespeed explain {shlex.quote(words[-1])}` lists what contains that word"
    elif " " in name:
        hint = f"if it is a message of a benchmark, run `wirespeed bench parse LOG` on its log; {_GLOSSARY}"
    elif hint == lists and "." not in name and _COUNTER_NAME.search(name):
        counters = ", ".join(path for path in settings if counter_names(path))
        hint = f"the counters of drivers that are read: {counters}; on congestion: {_CONGESTION_CHECKS}"
    return Problem("explain", f"no check, known failure, setting, counter or term named {name!r}", hint=hint)


def _suggest_names(text: str, names: list[str]) -> str | None:
    """A hint with names that end in ``text`` (the counter ``rx_discards``), contain its last word, or are similar."""
    from wirespeed.errors import did_you_mean

    endings = [name for name in names if name.endswith(f".{text}")]
    if endings:
        return f"did you mean {', '.join(map(repr, endings))}?{_list_groups(text, names)}"
    words = {*_WORDS.split(text)}
    in_any_order = [name for name in names if words <= {*_WORDS.split(name)}] if len(words) > 1 else []
    if 0 < len(in_any_order) <= _MOST_SUGGESTIONS:
        return f"did you mean {', '.join(map(repr, in_any_order))}?"
    group = text.split(".")[-2:-1]
    groups = {name.rpartition(".")[0] for name in names if name.count(".") > 1 and name.split(".")[-2:-1] == group}
    if groups and text.count(".") > 1 and text.rpartition(".")[0] not in groups:
        similar = did_you_mean(text, [name for name in names if name.rpartition(".")[0] in groups])
        lists = ", ".join(f"`wirespeed list settings {name}`" for name in sorted(groups))
        return " ".join(part for part in (similar, f"{lists} prints the {group[0]} that are read") if part)
    word = text.rpartition(".")[2]
    containing = [name for name in names if word in name.rpartition(".")[2]] if len(word) >= _SHORTEST_WORD else []
    if 0 < len(containing) <= _MOST_SUGGESTIONS:
        return f"did you mean {', '.join(map(repr, containing))}?{_list_groups(word, names)}"
    if "." not in text:  # most of a long dotted name can be similar by chance
        names = [name for name in names if difflib.get_close_matches(text, [name.rpartition(".")[2]])]
    return did_you_mean(text, names)


def _list_groups(word: str, names: list[str]) -> str:
    """The commands that print groups of settings with this name."""
    groups = {name.rpartition(".")[0] for name in names if word in name.split(".")[1:-1]}
    return "".join(f" `wirespeed list settings {group}` prints settings." for group in sorted(groups))


def _list_checks(all_checks: list[Check]) -> None:
    from rich.text import Text

    from wirespeed.cli.console import standard_output

    width = max(len(check.id) for check in all_checks)
    for check in all_checks:
        standard_output().print(
            Text.assemble((f"{check.id:<{width}}", "bold"), "  ", check.manual.title), soft_wrap=True
        )


def _print_check(check: Check) -> None:
    from rich.text import Text

    from wirespeed.catalogue import load
    from wirespeed.cli.console import print_paragraphs, standard_output

    manual = check.manual
    standard_output().print(Text.assemble((check.id, "bold"), "  ", manual.title))
    standard_output().print()
    print_paragraphs(manual.summary, _INDENT)
    for heading, body in (("Impact", manual.impact), ("Fix", manual.fix)):
        standard_output().print(Text(f"\n{heading}", style="bold"))
        print_paragraphs(body, _INDENT)
    standard_output().print(Text("\nExample", style="bold"))
    for line in manual.example.splitlines():
        standard_output().print(Text(f"    {line}"), soft_wrap=True)
    standard_output().print(Text("\nSettings that it uses", style="bold"))
    print_paragraphs(", ".join(check.needs), _INDENT)
    standard_output().print(Text("\nKnown failures that it detects", style="bold"))
    failures = load().failures
    for identifier in check.failures:
        standard_output().print(Text(f"    {identifier}  {failures[identifier].title}"), soft_wrap=True)
    standard_output().print(Text("\nSource", style="bold"))
    print_paragraphs(manual.source, _INDENT)


def _print_failure(identifier: str, failure: FailureMode, detected_by: list[Check]) -> None:
    from rich.text import Text

    from wirespeed.benchmarks.logs import error_causes as causes
    from wirespeed.cli.console import print_paragraphs, standard_output

    standard_output().print(Text.assemble((identifier, "bold"), "  ", failure.title))
    standard_output().print(Text("\nLayer of the cause", style="bold"))
    standard_output().print(Text(f"    {failure.layer}"), soft_wrap=True)
    for heading, text in (("Impact", failure.impact), ("Fix", failure.fix)):
        standard_output().print(Text(f"\n{heading}", style="bold"))
        print_paragraphs(text, _INDENT)
    specific, general = causes.divide_messages(identifier)
    lines = {
        "Checks that detect it": [f"{check.id}  {check.manual.title}" for check in detected_by] or ["none"],
        "Log messages of this failure only": specific,
        "Log messages of this failure and of others": general,
    }
    for heading, body in lines.items():
        if body:
            standard_output().print(Text(f"\n{heading}", style="bold"))
            for line in body:
                standard_output().print(Text(f"    {line}"), soft_wrap=True)
    standard_output().print(Text("\nSource", style="bold"))
    print_paragraphs(failure.source, _INDENT)


def _print_matches(name: str, matches: Matches) -> None:
    """Print the meaning of a term, and the checks, known failures and settings that contain it."""
    from rich.text import Text

    from wirespeed.cli.console import print_paragraphs, standard_output

    for number, term in enumerate(matches.terms):
        other_names = f" ({', '.join(term.other_names)})" if term.other_names else ""
        standard_output().print(Text.assemble("\n" if number else "", (f"{term.name}{other_names}", "bold")))
        print_paragraphs(f"{term.meaning}.", _INDENT)
    if not matches.terms:
        standard_output().print(Text(name, style="bold"))
    lists = {"Checks": matches.checks, "Known failures": matches.failures, "Settings": matches.settings}
    for heading, rows in lists.items():
        if rows:
            standard_output().print(Text(f"\n{heading} with {name!r}", style="bold"))
            width = max(len(row_name) for row_name, _ in rows)
            for row_name, title in rows:
                standard_output().print(Text(f"    {row_name:<{width}}  {title}"), soft_wrap=True)
    if any(lists.values()):
        standard_output().print(Text("\n`wirespeed explain NAME` explains each."))


def _print_kind_of_run(kind: str) -> None:
    """Print the meaning of a kind of run, and which fraction of its limit each acceptance profile requires."""
    from rich.text import Text

    from wirespeed.benchmarks.judge import profile
    from wirespeed.cli.console import print_paragraphs, standard_output

    meaning = profile.describe_kinds_of_run()[kind]
    standard_output().print(Text.assemble((kind, "bold"), "  kind of run of an acceptance profile"))
    print_paragraphs(f"{meaning[0].upper()}{meaning[1:]}.", _INDENT)
    standard_output().print(Text("\nRequired fraction of the limit", style="bold"))
    width = max(map(len, profile.names()))
    for name in profile.names():
        thresholds = profile.load_bundled_profile(name).fractions.model_dump(by_alias=True)[kind]
        warning = f"from {thresholds['warn']['value']:.3g}" if thresholds["warn"]["value"] else "below"
        line = f"    {name:<{width}}  pass from {thresholds['pass']['value']:.3g}, warning {warning}"
        standard_output().print(Text(line), soft_wrap=True)


def _print_setting(path: str, setting: Setting, used_by: list[Check]) -> None:
    from rich.text import Text

    from wirespeed.cli.console import standard_output
    from wirespeed.collect.support import counter_names, reading_commands
    from wirespeed.settings import Compare

    standard_output().print(Text.assemble((path, "bold"), "  ", setting.meaning), soft_wrap=True)
    lines = {
        "Unit": [setting.unit] if setting.unit else [],
        "Normal value": [setting.normal] if setting.normal else [],
        "Counters of the drivers": [f"{driver}: {' + '.join(names)}" for driver, names in counter_names(path)],
        "Commands that read it": [
            f"{command} ({', '.join(names)})" for command, names in reading_commands(path).items()
        ],
        "Comparison of planned and found value": [] if setting.compare is Compare.NONE else [setting.compare.value],
        "Checks that use it": [f"{check.id}  {check.manual.title}" for check in used_by],
    }
    for heading, body in lines.items():
        if body:
            standard_output().print(Text(f"\n{heading}", style="bold"))
            for line in body:
                standard_output().print(Text(f"    {line}"), soft_wrap=True)
