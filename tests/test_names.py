"""Names of modules, classes and functions are nouns or verbs with an object; locals are not pronouns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import wirespeed

ROOT = Path(wirespeed.__file__).parents[2]
FOLDERS = ("docs", "examples", "fuzz", "python/wirespeed", "tests", "tools")
GENERATED = [  # their names are those of the Rust core
    ROOT / "python/wirespeed/results/simulation_types.py",
    ROOT / "python/wirespeed/simulation/scenario_types.py",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words(
    """
    about after again against alike all alone also and any anything apart around as asked at away back been before
    begun beside between both but by come done drawn driven each either else enough everybody everything fallen
    felt few for found from given gone held here hidden in inside instead into it its kept known laid least led
    left lent less like likes lost made many meant more most much neither never no nobody none not nothing now of
    off often on one only other others out over paid past rest said same says seen sent shown so sold some
    something somewhere spoken stood struck such taken taught tells that their them then there these they thing
    things this those thought thrown thus till to together told too under understood until upon want was way ways
    what when where whether which while who whom whose why with within without won worn wound written yes
    """
)
"""Not the name of a module, a class or a function. Neither is a participle."""

PRONOUNS = _words(
    """
    all_ anything everything it item its like likes nothing of_ one own said says seen somewhere stuff such tells that
    them these they thing things those told twice two way ways what where whether which who whom whose
    """
)
"""Not the name of an argument, a field or a local either."""

NOUNS = _words(
    """
    balancing building cabling ceiling coalescing drawing embedded encoding feed finding framing heading king lending
    listing mapping marking miswiring need numbering offering padding pairing ping ranking rating reading recording
    rendering ring routing scheduling seed serving setting settings spacing speed string timing trimming tuning
    unnumbered unsigned warning wirespeed wiring wording
    """
)
"""End like participles and are nouns or terms of the field."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_are_nouns_or_verbs_with_an_object(folder: str) -> None:
    paths = sorted(path for path in (ROOT / folder).rglob("*.py") if path not in GENERATED)
    assert [f"{path.relative_to(ROOT)}:{line} {name}" for path in paths for line, name in find_bad_names(path)] == []


def find_bad_names(path: Path) -> Iterator[tuple[int, str]]:
    if is_participle_or_function_word(path.stem):
        yield 0, path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if is_participle_or_function_word(name):
                    yield node.lineno, name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                if name.strip("_").lower() in PRONOUNS:
                    yield node.lineno, name


def is_participle_or_function_word(name: str) -> bool:
    """Whether the name, or the last word of a name in CamelCase, is one. Names of several words pass otherwise."""
    words = re.findall(r"[A-Z][a-z0-9]*", name) if name != name.upper() else []
    word = (words[-1] if words else name.strip("_")).lower()
    if "_" in word or word in NOUNS:
        return False
    return word in FUNCTION_WORDS or bool(re.fullmatch(r"[a-z]{3,}(ed|ing)", word))


def test_bad_names_are_found(tmp_path: Path) -> None:
    path = tmp_path / "opened.py"
    path.write_text(
        "class NodeFound:\n    pass\n\n\nclass TuningSetting:\n    where: str\n\n\n"
        "def _joined(it, *, place):\n    for item in it:\n        ring = [one for one in item]\n\n\n"
        "async def told():\n    pass\n\n\ndef find_route():\n    found = lambda which: 1\n"
    )
    expected = [(0, "opened"), (1, "NodeFound"), (6, "where"), (9, "_joined"), (9, "it"), (10, "item"), (11, "one")]
    assert sorted(find_bad_names(path)) == [*expected, (14, "told"), (19, "which")]
