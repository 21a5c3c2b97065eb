"""Forms of the configuration lines that a platform renders (``forms.yaml``), each with the authority that confirms it.

A form is a line with placeholders: ``<0-7>`` a number of the range, ``<on|off>`` one of the words, ``<name>`` any word
or quoted text, and a last ``<...>`` the rest of the line. ``since`` and ``until`` are the first and last release whose
authority has the form. A form without a source is unverified: files that contain it name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from typing import ClassVar

from pydantic import ConfigDict

from wirespeed.data_files import read_yaml, validate
from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.platforms.model import ENTRY, Names, Platform
from wirespeed.platforms.releases import parse_release

_WORD = re.compile(r"""'[^']*'|"[^"]*"|\S+""")
_PLACEHOLDER = re.compile(r"<([^>]*)>")
_REMAINDER = "<...>"


@dataclass(frozen=True, slots=True)
class Authority:
    """A vendor's model, grammar or documentation that confirms forms, and the releases it describes."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    title: str
    files: Names
    since: str | None = None  # the first release that it describes: earlier ones are refused


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a configuration line."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    line: str
    source: str | None = None  # key of ``sources``; None: unverified
    since: str | None = None
    until: str | None = None  # with its maintenance releases
    doubt: str | None = None  # of an unverified form: what is not known

    def has_release(self, release: tuple[int, ...] | None) -> bool:
        """Whether a release has the form; None is the newest release."""
        if release is None:
            return self.until is None
        is_late_enough = self.since is None or release >= parse_release(self.since)
        return is_late_enough and (self.until is None or release <= parse_release(self.until))


@dataclass(frozen=True, slots=True)
class FormTable:
    """``forms.yaml``."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    templates: Names  # whose lines these are
    comment: str  # begins a line that the device ignores
    nested: bool = False  # blocks in braces: a form begins with the words of the blocks around it
    sources: Mapping[str, Authority] = field(default_factory=dict)
    forms: tuple[Form, ...] = ()

    @property
    def has_unverified(self) -> bool:
        """Whether some form has no source."""
        return any(form.source is None for form in self.forms)

    @property
    def floor(self) -> str | None:
        """The first release that all authorities describe."""
        floors = [authority.since for authority in self.sources.values() if authority.since]
        return max(floors, key=parse_release, default=None)


def load_forms(platform: Platform) -> FormTable | None:
    """The forms of a platform; None if it has no ``forms.yaml``."""
    return _load(str(platform.folder))


@cache
def _load(folder: str) -> FormTable | None:
    file = resources.files(__package__) / folder / "forms.yaml"
    if not file.is_file():
        return None
    table = validate(FormTable, read_yaml(file), f"{file}")
    if problems := list(_find_problems(table, f"{file}")):
        raise Refusal(problems)
    return table


def _find_problems(table: FormTable, location: str) -> Iterator[Problem]:
    for form in table.forms:
        if form.source is not None and form.source not in table.sources:
            hint = did_you_mean(form.source, list(table.sources))
            yield Problem(f"{location}: {form.line}", f"the source {form.source!r}", "a key of sources", hint)
        if (form.source is None) is (form.doubt is None):
            yield Problem(f"{location}: {form.line}", "source and doubt, or none of them", "one of them")


def find_forms(platform: Platform, line: str) -> tuple[Form, ...]:
    """The forms that a line has, of any release."""
    return _find_forms(str(platform.folder), line)


@lru_cache(maxsize=1 << 14)  # most lines are those of other ports and switches
def _find_forms(folder: str, line: str) -> tuple[Form, ...]:
    return tuple(_load_tree(folder).find(_WORD.findall(line)))


def find_refused_lines(platform: Platform, name: str, text: str, os_version: str | None) -> Iterator[Problem]:
    """One problem for each form of a configuration that the release does not have, or that is not listed at all."""
    table = load_forms(platform)
    if table is None:
        return
    release = parse_release(os_version) if os_version else None
    if release is not None and table.floor is not None and release < parse_release(table.floor):
        hint = f"set os_version to {table.floor} or later; source: {_describe_sources(table)}"
        yield Problem(f"{name}: os_version", f"{platform.title} {os_version}", f"release {table.floor} or later", hint)
        return
    reported: set[str] = set()
    for line in list_lines(table, text):
        forms = find_forms(platform, line)
        if any(form.has_release(release) for form in forms):
            continue
        problem = _describe_refused(platform, table, name, line, forms, os_version)
        key = forms[0].since if forms and forms[0].until is None and forms[0].since else problem.expected
        if key not in reported:
            reported.add(key)
            yield problem


def list_unverified_forms(platform: Platform, text: str) -> list[str]:
    """The forms of a configuration that no source confirms, in their order, each once."""
    table = load_forms(platform)
    if table is None or not table.has_unverified:
        return []
    forms = (form for line in list_lines(table, text) for form in find_forms(platform, line)[:1])
    return list(dict.fromkeys(form.line for form in forms if form.source is None))


def list_lines(table: FormTable, text: str) -> Iterator[str]:
    """The lines of a configuration without their indentation, comments and empty lines; see ``nested``."""
    blocks: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith(table.comment):
            continue
        if not table.nested:
            yield line
        elif line == "}":
            blocks.pop()
        elif line.endswith("{"):
            blocks.append(line.removeprefix("replace: ").removesuffix("{").strip())
        else:
            yield " ".join([*blocks, line.removesuffix(";")])


def _describe_refused(
    platform: Platform, table: FormTable, name: str, line: str, forms: tuple[Form, ...], os_version: str | None
) -> Problem:
    if not forms:
        expected = f"a form listed in {platform.folder}/forms.yaml"
        return Problem(f"{name}: configuration", repr(line), expected, "report this: the platform's data is incomplete")
    (form, *_) = forms
    if form.since and not form.until and os_version:
        expected = f"release {form.since} or later, which has `{form.line}`"
        hint = f"set os_version of the switch to {form.since} or later"
        return Problem(f"{name}: os_version", f"{platform.title} {os_version}", expected, hint)
    first_release = f"from {form.since} on" if form.since else ""
    last_release = f"up to {form.until}" if form.until else ""
    releases = " ".join(part for part in (first_release, last_release) if part)
    hint = "plan a release that has it (os_version of the switch), or leave the setting out of the cluster file"
    return Problem(
        f"{name}: os_version", f"{platform.title} {os_version or ''}".strip(), f"`{form.line}`: {releases}", hint
    )


def _describe_sources(table: FormTable) -> str:
    return "; ".join(authority.title for authority in table.sources.values())


class _Tree:
    """Forms by their words: words without placeholder are looked up, the others are tried in their order."""

    def __init__(self) -> None:
        self._literals: dict[str, _Tree] = {}
        self._patterns: dict[str, tuple[re.Pattern[str], list[range | None], _Tree]] = {}
        self._open_forms: list[Form] = []
        self._forms: list[Form] = []

    def add(self, words: list[str], form: Form) -> None:
        """Add a form under its words."""
        if not words:
            self._forms.append(form)
        elif words == [_REMAINDER]:
            self._open_forms.append(form)
        elif "<" not in words[0]:
            self._literals.setdefault(words[0], _Tree()).add(words[1:], form)
        else:
            if words[0] not in self._patterns:
                self._patterns[words[0]] = (*_compile(words[0]), _Tree())
            self._patterns[words[0]][2].add(words[1:], form)

    def find(self, words: list[str]) -> Iterator[Form]:
        """The forms of these words."""
        if not words:
            yield from self._forms
            return
        if words[0] in self._literals:
            yield from self._literals[words[0]].find(words[1:])
        for pattern, ranges, tree in self._patterns.values():
            match = pattern.fullmatch(words[0])
            if match and all(
                limits is None or int(text) in limits for text, limits in zip(match.groups(), ranges, strict=True)
            ):
                yield from tree.find(words[1:])
        yield from self._open_forms


def _compile(word: str) -> tuple[re.Pattern[str], list[range | None]]:
    """The pattern of one word of a form, and the range of each of its groups that is a number."""
    ranges: list[range | None] = []

    def replace(match: re.Match[str]) -> str:
        numbers = re.fullmatch(r"([0-9]+)-([0-9]+)", match[1])
        ranges.append(range(int(numbers[1]), int(numbers[2]) + 1) if numbers else None)
        if numbers:
            return "([0-9]+)"
        return f"({'|'.join(map(re.escape, match[1].split('|')))})" if "|" in match[1] else "(.+)"

    parts = _PLACEHOLDER.split(word)
    literals = [re.escape(part) if index % 2 == 0 else None for index, part in enumerate(parts)]
    placeholders = iter(_PLACEHOLDER.finditer(word))
    pattern = "".join(replace(next(placeholders)) if literal is None else literal for literal in literals)
    return re.compile(pattern), ranges


@cache
def _load_tree(folder: str) -> _Tree:
    tree = _Tree()
    table = _load(folder)
    for form in table.forms if table else ():
        tree.add(_WORD.findall(form.line), form)
    return tree
