"""Names of modules, classes and functions are nouns or verbs with an object; values have the noun of what they hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path

import pytest

import wirespeed

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
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
"""Not the name of a module, a class, a function or a value. Neither is a participle the name of the first three."""

COUNTERPARTS = {
    "after": {"before"},
    "before": {"after"},
    "found": {"context", "expected", "intended"},
    "left": {"right"},
}
"""Terms of findings, comparisons and geometry: names of values where the function has a counterpart too."""

FIELDS = _words("after before found hidden instead least left of only same sent to until why yes")
"""Keys of files and JSON, and options of commands: names of fields and arguments of commands."""

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

NODES = (*FUNCTIONS, ast.ClassDef, ast.arg, ast.Name, ast.Assign, ast.AnnAssign, ast.keyword)


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_are_nouns_or_verbs_with_an_object_and_have_one_meaning(folder: str) -> None:
    """Also: values are called by what they hold. Every file is parsed once."""
    problems: dict[str, list[str]] = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path in GENERATED:
            continue
        tree, file = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix()
        if is_participle_or_function_word(path.stem):
            problems.setdefault("no noun, and no verb with an object", []).append(file)
        for rule, find in RULES.items():
            for line, name in find(tree):
                if name != "place" or file not in STRING_PLACES:
                    problems.setdefault(rule, []).append(f"{file}:{line} {name}")
    assert problems == {}


@lru_cache(maxsize=1)
def list_nodes(tree: ast.Module) -> list[ast.AST]:
    """The nodes of a file that bind or pass a name; all rules read the same file before the next."""
    return [node for node in ast.walk(tree) if isinstance(node, NODES)]


def find_bad_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in list_nodes(tree):
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


def find_unclear_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Functions whose name ends in ``_of``, and values whose name is a function word."""
    for node in list_nodes(tree):
        if isinstance(node, FUNCTIONS) and node.name.endswith("_of"):
            yield node.lineno, node.name

    @cache
    def list_constants() -> frozenset[str]:
        assignments = [statement for statement in tree.body if isinstance(statement, ast.Assign)]
        return frozenset(name for assignment in assignments for name in _list_names(assignment))

    yield from _find_unclear_values(tree, list_constants, in_class=False, in_function=False)


def _find_unclear_values(
    scope: ast.AST, related: Callable[[], frozenset[str]], *, in_class: bool, in_function: bool
) -> Iterator[tuple[int, str]]:
    """``related``: the names in the outermost function around the scope, or the constants of the module."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, FUNCTIONS):
            names = related if in_function else partial(_list_names_once, node)
            yield from _find_unclear_values(node, names, in_class=False, in_function=True)
        elif isinstance(node, ast.ClassDef):
            yield from _find_unclear_values(node, related, in_class=True, in_function=in_function)
        elif not (in_class and isinstance(node, ast.Assign)):  # members of an enumeration are values of files
            if (name := _get_bound_name(node)) and _is_unclear(name, related, partial(_is_external, node, in_class)):
                yield node.lineno, name  # type: ignore[attr-defined]
            yield from _find_unclear_values(node, related, in_class=in_class, in_function=in_function)


def _is_unclear(name: str, related: Callable[[], frozenset[str]], is_external: Callable[[], bool]) -> bool:
    word = name.strip("_").lower()
    if name == "__all__" or word not in FUNCTION_WORDS or (word in FIELDS and is_external()):
        return False
    return word not in COUNTERPARTS or not COUNTERPARTS[word] & related()


def _is_external(node: ast.AST, in_class: bool) -> bool:
    """Whether a name is the key of a file, or the option of a command."""
    return in_class or (isinstance(node, ast.arg) and "typer" in ast.dump(node))


def _get_bound_name(node: ast.AST) -> str:
    match node:
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.MatchAs(name=str(name)):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
            return name
    return ""


def _list_names(scope: ast.AST) -> Iterator[str]:
    """Every name in a scope. A call that refuses something has the expected value as argument."""
    for node in ast.walk(scope):
        match node:
            case ast.Name(id="refuse" | "Problem") | ast.Attribute(attr="notice" | "_refuse"):
                yield "expected"
            case ast.arg(arg=name) | ast.Name(id=name) | ast.keyword(arg=str(name)):
                yield name.strip("_").lower()


@cache
def _list_names_once(scope: ast.AST) -> frozenset[str]:
    return frozenset(_list_names(scope))


LOCATION_TYPES = {"str", "tuple[str | int, ...]"}  # in a text: file and line, or a key

STRING_PLACES = {  # a place as text: in JSON, and for a page
    "python/wirespeed/report/wording.py",
    "python/wirespeed/results/campaign_history.py",
    "python/wirespeed/results/findings.py",
    "python/wirespeed/results/lab.py",
}


def find_second_meanings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Text or a number as ``place``; an object as ``location``; arguments or one text as ``words``; ``cost``.

    ``place``: one in hardware. ``location``: one in a text. ``words``: of a text. A finding has an ``impact``.
    """
    for node in list_nodes(tree):
        match node:
            case (
                ast.arg(arg=name, annotation=annotation)
                | ast.AnnAssign(target=ast.Name(id=name), annotation=annotation)
            ) if annotation and (name, ast.unparse(annotation).removesuffix(" | None")) in (
                *(("place", kind) for kind in ("str", "int", "float")),
                ("words", "str"),
            ):
                yield node.lineno, name
            case (
                ast.arg(arg="location", annotation=annotation)
                | ast.AnnAssign(target=ast.Name(id="location"), annotation=annotation)
            ) if annotation and ast.unparse(annotation).removesuffix(" | None") not in LOCATION_TYPES:
                yield node.lineno, "location"
            case ast.Assign(targets=[ast.Name(id="words")], value=ast.List() | ast.Tuple() | ast.JoinedStr()):
                yield node.lineno, "words"
            case ast.Assign(targets=[ast.Name(id="place")], value=ast.Constant() | ast.JoinedStr()):
                yield node.lineno, "place"
            case ast.arg(arg="cost") | ast.Name(id="cost", ctx=ast.Store()) | ast.keyword(arg="cost"):
                yield node.lineno, "cost"


RULES = {
    "no noun, and no verb with an object": find_bad_names,
    "not called by what it holds": find_unclear_names,
    "a second meaning": find_second_meanings,
}


_SECOND_MEANINGS = re.compile(
    r"(?<!one)_ways?(?=_|$)|^ways?_|(?:^|_)costs?(?=_|$)|_the_words?_of_"
    r"|(?:^|_)(?:hurts?|seats?|dear|says|tells|told)(?=_|$)"
)


def test_names_of_tests_have_no_second_meanings() -> None:
    """Paths, directions, commands and impact have their nouns; a word is one of a text."""
    names = [
        f"{path.relative_to(ROOT)}:{number} {name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for name in re.findall(r"^ *(?:async )?def test_(\w+)", line)
        if _SECOND_MEANINGS.search(name)
    ]
    assert names == []


def test_second_meanings_are_found() -> None:
    tree = ast.parse(
        "class Problem:\n    place: str\n\n\ndef run(words: str, place: int | None, cost: float, location: Nic):\n"
        "    words = ['a', 'b']\n    place = f'{words}:1'\n    words = 'a b'.split()\n    return fail(cost=1)\n"
    )
    names = [
        (2, "place"),
        (5, "cost"),
        (5, "location"),
        (5, "place"),
        (5, "words"),
        (6, "words"),
        (7, "place"),
        (9, "cost"),
    ]
    assert sorted(find_second_meanings(tree)) == names


def test_bad_names_are_found() -> None:
    tree = ast.parse(
        "class NodeFound:\n    pass\n\n\nclass TuningSetting:\n    where: str\n\n\n"
        "def _joined(it, *, place):\n    for item in it:\n        ring = [one for one in item]\n\n\n"
        "async def told():\n    pass\n\n\ndef find_route():\n    found = lambda which: 1\n"
    )
    expected = [(1, "NodeFound"), (6, "where"), (9, "_joined"), (9, "it"), (10, "item"), (11, "one")]
    assert is_participle_or_function_word("opened")
    assert sorted(find_bad_names(tree)) == [*expected, (14, "told"), (19, "which")]


def test_unclear_values_are_found() -> None:
    tree = ast.parse(
        "class Outcome(Enum):\n    NONE = 0\n\n\nclass Step:\n    of: int\n    rest: int\n\n\n"
        "def hop_of(at):\n    first, *others = at\n    found = [known for known in first]\n\n\n"
        "def check_hop(before, after):\n    match after:\n        case given:\n            found = refuse(given)\n"
        "\n\ndef order_hops(before):\n    left, right = before\n"
    )
    expected = [(7, "rest"), (10, "at"), (10, "hop_of"), (11, "others"), (12, "found"), (12, "known")]
    assert sorted(find_unclear_names(tree)) == [*expected, (17, "given"), (21, "before")]
