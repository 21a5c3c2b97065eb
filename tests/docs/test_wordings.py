"""Texts for users do not contain the wordings of forbidden_wordings.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pages import HAND_WRITTEN, PAGES, ROOT, prose
from wording import help_texts

FORBIDDEN = yaml.safe_load(Path(__file__).with_name("forbidden_wordings.yaml").read_text(encoding="utf-8"))
SOURCES = ("docs", "reference", "help", "messages", "core", "comments")
DATA = "data"
TESTS = ("core tests", "tests", "package comments", "data comments")
_RUST_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_RUST_COMMENT = re.compile(r"(?:^|\s)//[/!]?(?: (.*))?$", re.MULTILINE)
_STRING_OR_COMMENT = re.compile(
    r"""\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*""",
    re.DOTALL,
)
"""Python's strings and its comments: ten times as fast as its tokenizer or its parser."""
_BETWEEN_PARTS = re.compile(r"\s*[rbfRBF]{0,2}")
_INDENTATION = 40  # more than any line begins with
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_COMMENT = re.compile(r"(?:^|\s)#(?: (.*))$", re.MULTILINE)


def texts(source: str) -> tuple[tuple[str, str], ...]:
    """Where each text of a source is, and the text."""
    if source == "docs":
        roots = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("ARCHITECTURE.md", "CONTRIBUTING.md")}
        return tuple(
            (page, prose(text)) for page, text in (roots | {page: PAGES[page] for page in HAND_WRITTEN}).items()
        )
    if source == "reference":
        return tuple((page, prose(text)) for page, text in PAGES.items() if page not in HAND_WRITTEN)
    if source == "help":
        return tuple((command, prose(text)) for command, text in help_texts())
    if source == "messages":
        files = sorted((ROOT / "python" / "wirespeed").rglob("*.py"))
        files = [path for path in files if "migrations" not in path.parts]  # names of stored fields, as they were
        return tuple((path.relative_to(ROOT).as_posix(), "\n".join(_strings(path))) for path in files)
    if source == "core":
        return _rust_texts("*/src/**/*.rs", _RUST_TEXT, "\n")
    if source == DATA:
        files = sorted((ROOT / "python" / "wirespeed").rglob("*.yaml"))
        return tuple((path.relative_to(ROOT).as_posix(), "\n".join(_data_texts(path))) for path in files)
    if source == "core tests":
        return _rust_texts("*/tests/**/*.rs", _RUST_COMMENT, " ")
    if source == "tests":
        return _python_comments("tests", "examples", "docs")
    if source == "package comments":
        return _python_comments("python/wirespeed")
    if source == "data comments":
        return tuple(_data_comments())
    return _rust_texts("*/src/**/*.rs", _RUST_COMMENT, " ")


def _python_comments(*folders: str) -> tuple[tuple[str, str], ...]:
    """Docstrings and comments of the modules in folders."""
    return tuple(
        (path.relative_to(ROOT).as_posix(), "\n".join(_comments(path)))
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not {"samples", "migrations"} & set(path.parts)
    )


def _data_comments() -> Iterator[tuple[str, str]]:
    """Comments of YAML files and shell scripts; a comment that continues on the next line is one text."""
    for folder in ("python/wirespeed", "examples", "docs", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".yaml", ".sh") and not {"samples", "golden"} & set(path.parts):
                yield (
                    path.relative_to(ROOT).as_posix(),
                    " ".join(_COMMENT.findall(path.read_text(encoding="utf-8"))),
                )


def _rust_texts(files: str, pattern: re.Pattern[str], separator: str) -> tuple[tuple[str, str], ...]:
    """Rust files and the texts in them; a comment that continues on the next line is one text."""
    return tuple(
        (path.relative_to(ROOT).as_posix(), separator.join(pattern.findall(path.read_text(encoding="utf-8"))))
        for path in sorted((ROOT / "crates").glob(files))
    )


def _data_texts(path: Path) -> list[str]:
    """Text values of a YAML file."""
    tokens = yaml.scan(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return [token.value for token in tokens if isinstance(token, yaml.ScalarToken)]


def _strings(path: Path) -> Iterator[str]:
    """Strings of a module, without docstrings and expressions in braces; strings side by side are one."""
    text, joined, end = path.read_text(encoding="utf-8"), "", 0
    for match in _STRING_OR_COMMENT.finditer(text):
        if not _is_comment(match):
            if not _BETWEEN_PARTS.fullmatch(text, end, match.start()):
                yield joined
                joined = ""
            joined += _EXPRESSION.sub("", match[0].strip("\"'"))
            end = match.end()
    yield joined


def _comments(path: Path) -> Iterator[str]:
    """Docstrings of modules, classes, functions and constants, and comments of a module."""
    for match in _STRING_OR_COMMENT.finditer(path.read_text(encoding="utf-8")):
        if _is_comment(match):
            yield match[0].strip('"')


def _is_comment(match: re.Match[str]) -> bool:
    """Whether it is a comment or a docstring: three quotes with no open bracket, operator or letter before them."""
    preceding = match.string[max(0, match.start() - _INDENTATION) : match.start()].rstrip()
    return match[0].startswith("#") or (match[0].startswith('"""') and preceding[-1:] not in {*"([{,=+%rbf"})


def find_pattern(pattern: str, located_texts: tuple[tuple[str, str], ...]) -> list[str]:
    """``location: wording`` of each occurrence."""
    return [
        f"{location}: {text[max(0, match.start() - 30) : match.end() + 30]!r}"
        for location, text in located_texts
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def test_a_rule_names_sources_that_exist() -> None:
    assert {source for rule in FORBIDDEN for source in rule["in"]} <= set(SOURCES)


@pytest.mark.parametrize("source", (*SOURCES, DATA, *TESTS))
def test_a_forbidden_wording_is_not_used(source: str) -> None:
    located_texts = texts(source)
    occurrences = [
        f"{occurrence}; write: {rule['instead']}"
        for rule in FORBIDDEN
        if source in rule["in"] or source == DATA or (source in TESTS and "comments" in rule["in"])
        for occurrence in find_pattern(rule["pattern"], located_texts)
    ]
    assert not occurrences, "\n".join(occurrences)
