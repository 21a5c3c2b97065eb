"""Every line rendered for Cumulus Linux, tried on NVIDIA's own models of several releases of NVUE.

The judge is the package nvueschema, made of NVIDIA's OpenAPI files; nothing here was written by this project but the
lines. What it does not show: whether values fit the switch, and whether lines fit each other.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from platforms.round_trip import find_losses
from platforms.switch.nvue_schema import find_objection
from platforms.switch.test_cumulus import CASES
from wirespeed.errors import Refusal
from wirespeed.platforms import platform
from wirespeed.platforms.forms import Form, find_forms, load_forms
from wirespeed.platforms.releases import parse_release
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import Place, walk

CUMULUS = platform("switch", "cumulus")
RELEASES = ["5.5", "5.6", "5.14", "5.15", "5.18"]  # of 5.3 to 5.18: those around each change, and the last
NEWEST = "5.18"
EXAMPLES = {"name": "swp1", "prefix": "10.1.0.0/31", "address": "10.1.0.1", "text": "'node1 eth1'"}


@pytest.mark.slow
@pytest.mark.parametrize("release", [*RELEASES, None])
def test_a_release_takes_every_line_rendered_for_it(release: str | None) -> None:
    objections = {}
    for case, switch in CASES.items():
        if case != "lossy" and release == "5.5":  # without a PFC watchdog, see below
            continue
        text = fill_template(CUMULUS, "startup.j2", "leaf1", replace(switch, os_version=release and f"{release}.0"))
        lines = [line for line in text.split("\n") if line.startswith("nv set ")]
        assert len(lines) > 20
        objections |= {line: text for line in lines if (text := find_objection(line, release or NEWEST))}
    assert objections == {}


@pytest.mark.slow
@pytest.mark.parametrize("release", ["5.14", "5.15", "5.18"])
def test_a_release_takes_the_commands_of_every_fix(release: str) -> None:
    objections = {}
    assert CUMULUS.commands_for is not None
    for switch in CASES.values():
        device = replace(switch, os_version=f"{release}.0")
        for place, path, value in walk(device, Place("leaf1")):
            fix = CUMULUS.commands_for(place, path, value, device) if value is not None else None
            for line in fix.commands if fix else ():
                if line.startswith("nv set ") and (text := find_objection(line, release)):
                    objections[line] = text
    assert objections == {}


@pytest.mark.parametrize("case", CASES)
def test_the_configuration_of_an_earlier_release_is_read(case: str) -> None:
    """Consistency only: the printed configuration is our own rendering."""
    assert find_losses(CUMULUS, "leaf1", replace(CASES[case], os_version="5.12.1")) == []


@pytest.mark.parametrize("case", [case for case in CASES if case != "lossy"])
def test_a_watchdog_is_refused_before_its_first_release(case: str) -> None:
    with pytest.raises(Refusal) as refusal:
        fill_template(CUMULUS, "startup.j2", "leaf1", replace(CASES[case], os_version="5.5.1"))
    problems = refusal.value.problems
    assert {problem.location for problem in problems} == {"leaf1: os_version"}
    assert all(
        "pfc-watchdog" in problem.expected and "release 5.6 or later" in problem.expected for problem in problems
    )


@pytest.mark.parametrize(("case", "release", "first"), [("lossy", "5.9.1", "5.3"), ("routed", "5.9.1", "5.6")])
def test_the_header_names_the_releases_that_take_the_file(case: str, release: str, first: str) -> None:
    text = fill_template(CUMULUS, "startup.j2", "leaf1", replace(CASES[case], os_version=release))
    header, *lines = text.split("\n")
    assert f"commands of NVUE {first} to 5.14." in header
    commands = [line for line in lines if line.startswith("nv set ")]
    assert [line for line in commands if find_objection(line, first)] == []
    assert first == "5.3" or any(find_objection(line, "5.5") for line in commands)


def list_examples(form: Form) -> list[str]:
    """Lines of a form: one for each end of its ranges, and for each of its words."""
    lines = [form.line]
    for placeholder in re.findall(r"<[^>]*>", form.line):
        text = placeholder.strip("<>")
        numbers = re.fullmatch(r"([0-9]+)-([0-9]+)", text)
        values = numbers.groups() if numbers else text.split("|") if "|" in text else [EXAMPLES[text]]
        lines = [line.replace(placeholder, value, 1) for line in lines for value in values]
    return lines


def list_forms() -> tuple[Form, ...]:
    table = load_forms(CUMULUS)
    assert table is not None
    return table.forms


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_table_of_forms_is_that_of_the_release(release: str) -> None:
    """What the table gives to a release, its models take; what it withholds, they refuse."""
    wrong = []
    for form in list_forms():
        for line in list_examples(form):
            line = line.replace("ipv6-unicast network 10.1.0.0/31", "ipv6-unicast network fd00::/64")
            line = line.replace("ipv6 address 10.1.0.0/31", "ipv6 address fd00::1/64")
            is_taken = find_objection(line, release) is None
            if is_taken != any(form.has_release(parse_release(release)) for form in find_forms(CUMULUS, line)):
                wrong.append((line, is_taken))
    assert wrong == []


def test_a_release_before_the_models_is_refused() -> None:
    with pytest.raises(Refusal) as refusal:
        fill_template(CUMULUS, "startup.j2", "leaf1", replace(CASES["lossy"], os_version="5.2.1"))
    (problem,) = refusal.value.problems
    assert (problem.location, problem.expected) == ("leaf1: os_version", "release 5.3 or later")


def test_no_release_has_the_former_cable_length() -> None:
    assert all(find_objection("nv set qos roce cable-length 5", release) for release in RELEASES)
