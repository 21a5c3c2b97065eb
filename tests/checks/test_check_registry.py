"""Checks as files: ids that never change unnoticed, and refusals of files that lack a part."""

import ast
import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import pytest

from wirespeed import catalogue
from wirespeed.benchmarks.logs import error_causes as causes
from wirespeed.checks import checks, reference
from wirespeed.checks.compare import compare
from wirespeed.checks.registry import load, read_stored_ids
from wirespeed.settings import Nic

MANUAL = """A title

What it looks at.

Impact:
    It does.

Fix:
    Fix it.

Example:
    $ show

Source:
    RFC 1
"""


def test_ids_are_the_listed_ones() -> None:
    assert tuple(checks()) == read_stored_ids(), "an id is for ever: add new ones to ids.txt, and never rename one"


def list_read_paths(module: ModuleType) -> set[str]:
    """The paths that a module of a check reads from facts: the texts and the constants in calls of `facts.value`."""
    calls = (node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.Call))
    arguments = [
        getattr(module, argument.id, None) if isinstance(argument, ast.Name) else getattr(argument, "value", None)
        for call in calls
        if ast.unparse(call.func).endswith("facts.value")
        for argument in call.args
    ]
    return {argument for argument in arguments if isinstance(argument, str)}


def test_a_check_declares_every_path_that_it_reads() -> None:
    names = {identifier.replace("-", "_"): check for identifier, check in checks().items()}
    package = importlib.import_module("wirespeed.checks")
    read = 0
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        check = names.get(module.name.removeprefix(f"{package.__name__}."))
        if check is not None:
            paths = list_read_paths(importlib.import_module(module.name))
            assert paths <= {*check.needs}, check.id
            read += len(paths)
    assert read > 10


def test_every_failure_in_the_catalogue_is_cited() -> None:
    cited = {identifier for check in checks().values() for identifier in check.failures}
    cited |= {
        identifier for cause in (*causes.SPECIFIC, *causes.CANCELED, *causes.VAGUE) for identifier in cause.failures
    }
    assert cited == set(catalogue.load().failures)


def test_titles_and_sources_end_without_a_full_stop() -> None:
    for check in checks().values():
        assert not check.manual.title.endswith("."), check.id
        assert not check.manual.source.endswith("."), check.id


def test_the_reference_page_has_every_check() -> None:
    page = reference.page()
    for identifier, check in checks().items():
        assert f"| [{identifier}](#{identifier.replace('.', '')}) | {check.manual.title} |" in page
        assert f"\n## {identifier}\n" in page
    assert "* PCI-03: A PCIe link trained narrower or slower than its slot\n" in page


def module(**parts: object) -> ModuleType:
    check_module = ModuleType("one")
    check_module.__doc__ = MANUAL
    parts_of_check = {"subject": Nic, "needs": ("nic.link.mtu",), "failures": ("OS-07",), "check": print, **parts}
    for name, value in parts_of_check.items():
        if value is not None:
            setattr(check_module, name, value)
    return check_module


def test_a_whole_file_is_a_check() -> None:
    check = load("nic.one", module(__doc__=MANUAL))
    assert (check.manual.title, check.manual.impact, check.manual.source) == ("A title", "It does.", "RFC 1")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"subject": None}, "check nic.one lacks subject"),
        ({"subject": int}, "check nic.one: subject must be a kind of entity, found int"),
        ({"needs": None}, "check nic.one lacks needs"),
        ({"needs": ()}, "check nic.one lacks needs"),
        ({"needs": ("nic.link.mut",)}, "check nic.one needs nic.link.mut: no setting or collection"),
        ({"failures": None}, "check nic.one lacks failures"),
        ({"failures": ("OS-99",)}, "check nic.one cites OS-99: not in the catalogue of failures"),
        ({"check": None}, "check nic.one lacks check, its function"),
        ({"__doc__": ""}, "check nic.one: its docstring needs exactly one Impact, Fix, Example, Source"),
        (
            {"__doc__": MANUAL.replace("Source:\n    RFC 1\n", "")},
            "check nic.one: its docstring needs exactly one Source",
        ),
        (
            {"__doc__": MANUAL.replace("What it looks at.\n\n", "")},
            "check nic.one: its docstring needs exactly one a title and what it checks",
        ),
    ],
)
def test_a_file_that_lacks_a_part_is_refused(parts: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError) as refusal:
        load("nic.one", module(**parts))
    assert str(refusal.value) == message


def test_a_check_of_a_setting_that_is_not_compared_is_refused() -> None:
    with pytest.raises(TypeError) as refusal:
        compare("bios.menu", wrong="it differs", fix="set it")
    assert str(refusal.value) == "bios.menu is not compared: the check could never fail"


def cited_items(section: str) -> set[int]:
    """Items of a section of Broadcom 957608-AN210 that a check names as its source."""
    numbers: set[int] = set()
    for check in checks().values():
        for items in re.findall(
            rf"{re.escape(section)} (?:items?|questions?) ([0-9]+(?:(?:, | and )[0-9]+)*)", check.manual.source
        ):
            numbers |= {int(number) for number in re.findall("[0-9]+", items)}
    return numbers


def test_the_seventeen_final_checks_are_checked() -> None:
    assert cited_items("2.6") == set(range(1, 18))


def test_the_questions_that_a_reading_decides_are_checked() -> None:
    """4 is about versions, 8 is a BIOS setting that no command shows, 9 is a how-to."""
    assert cited_items("5.1") == {1, 2, 3, 5, 6, 7}
