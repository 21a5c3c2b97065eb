"""Texts that users read, and the words in them, for the tests of this folder."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import typer
from pages import PAGES, ROOT, headings

from wirespeed.catalogue.glossary import load_terms
from wirespeed.cli.app import app

_QUOTED = re.compile(r"`[^`]*`|'[^'\s][^'\n]*'|\"[^\"]*\"")
_NOT_A_WORD = re.compile(r"[/_=@<>{}|*$\\~+\d]|^-|\w[.:,]\w|…|^\W*$")
_PUNCTUATION = ".,;:()[]!?"
_PRODUCT_PAGES = ("docs/reference/catalogue.md", "docs/reference/platforms.md")
"""Pages whose headings are names of products."""
_PACKAGE = ROOT / "python" / "wirespeed"
_HTML_HEADING = re.compile(r"<(h[1-3]|th)\b[^>]*>(.*?)</\1>", re.DOTALL)
_MARKUP = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<[^>]*>|&\w+;", re.DOTALL)


def help_texts() -> Iterator[tuple[str, str]]:
    """Command and each text of its help, without examples."""
    for path, command in _commands(typer.main.get_command(app), ("wirespeed",)):
        texts = [command.help or "", command.short_help or ""]
        texts += [getattr(parameter, "help", None) or "" for parameter in command.params]
        for text in texts:
            for paragraph in text.replace("\f", "").split("\n\n"):
                if not paragraph.lstrip().startswith(("\b", "Example")):
                    yield " ".join(path), paragraph


def heading_texts() -> Iterator[tuple[str, str]]:
    """Page and each of its headings; file and each heading of reports and of tables in a terminal."""
    for page, text in PAGES.items():
        if page not in _PRODUCT_PAGES:
            for heading in headings(text):
                yield page, heading
    for template in sorted(_PACKAGE.glob("report/templates/*.html.j2")):
        for match in _HTML_HEADING.finditer(template.read_text(encoding="utf-8")):
            yield template.name, _MARKUP.sub(" ", match[2])
    for file in sorted((*_PACKAGE.glob("report/**/*.py"), *_PACKAGE.glob("cli/**/*.py"))):
        for heading in _column_headings(ast.parse(file.read_text(encoding="utf-8"))):
            yield file.relative_to(_PACKAGE).as_posix(), heading


def _column_headings(tree: ast.AST) -> Iterator[str]:
    """Texts that a module passes to ``add_column``, directly or as the values of a loop."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_column(node.func) and node.args:
            yield from _texts(node.args[0])
        if isinstance(node, ast.For) and any(
            _is_column(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)
        ):
            yield from _texts(node.iter)


def _is_column(function: ast.expr) -> bool:
    return getattr(function, "attr", None) == "add_column" or getattr(function, "id", None) == "_Column"


def _texts(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def words(text: str) -> set[str]:
    """Words of a text, in lower case except abbreviations; without code, quotations, paths, options and numbers."""
    words_of_text = set()
    for token in _QUOTED.sub(" ", text).replace("—", " ").split():
        token = token.strip(_PUNCTUATION)
        if not token or _NOT_A_WORD.search(token):
            continue
        token = token.removesuffix("'s").removesuffix("'")
        words_of_text.update(
            part if _is_abbreviation(part) else part.lower() for part in re.split("[-–]", token) if part
        )
    return words_of_text


def names() -> set[str]:
    """Names of commands, arguments and placeholders of options, which help texts use."""
    placeholders = {"NODE", "PEER"}  # of a port of a scenario, NODE:PEER
    for path, command in _commands(typer.main.get_command(app), ("wirespeed",)):
        placeholders.update(path)
        for parameter in command.params:
            placeholder = parameter.metavar or parameter.name or ""
            placeholders.update(re.findall(r"[A-Za-z]+", f"{placeholder} {parameter.name or ''}".upper()))
    return placeholders


def unknown_words(text: str, plain: set[str]) -> set[str]:
    """Words of a text that are neither in the glossary, nor plain, nor names."""
    terms = glossary_words()
    return {word for word in words(text) if not _is_known(word, terms, plain)}


@cache
def glossary_words() -> set[str]:
    """Words of all terms and their other names; names of commands among them."""
    texts = [text for term in load_terms() for text in (term.name, *term.other_names)]
    terms = {word for text in texts for word in words(text)} | names()
    return terms | {word.lower() for word in terms}


def _is_known(word: str, terms: set[str], plain: set[str]) -> bool:
    singular = word.removesuffix("s")
    return word in plain or bool({word, singular, f"{singular}s"} & terms)


def _is_abbreviation(word: str) -> bool:
    return sum(letter.isupper() for letter in word) > 1


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(inner, (*path, name))


def all_texts() -> Iterable[tuple[str, str]]:
    """Help and headings: where each text is, and the text."""
    return [*help_texts(), *heading_texts()]
