"""Forms of rendered lines: each has an authority or is marked as unverified, in the files as in `list platforms`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from platforms.switch import test_cumulus, test_eos_bgp, test_junos, test_nxos
from platforms.switch.test_render import CASES as RENDERED
from wirespeed.cli.app import app
from wirespeed.platforms import Platform, platform, platforms
from wirespeed.platforms.forms import find_forms, find_refused_lines, list_lines, list_unverified_forms, load_forms
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import Switch

EXAMPLES = Path(__file__).parents[3] / "examples"
LINE_PLATFORMS = [platform("switch", name) for name in ("cumulus", "enterprise-sonic", "eos", "junos", "nxos")]


def test_every_switch_platform_has_data_of_its_forms() -> None:
    """Community SONiC is tables of fields (`tables.yaml`); a Linux switch is configured by the lab, not rendered."""
    unlisted = {entry.name for (kind, _), entry in platforms().items() if kind == "switch" and not load_forms(entry)}
    assert unlisted == {"linux", "sonic"}
    assert platform("switch", "linux").files == ()


@pytest.mark.parametrize("entry", LINE_PLATFORMS, ids=lambda entry: entry.name)
def test_a_form_has_a_source_or_a_doubt(entry: Platform) -> None:
    table = load_forms(entry)
    assert table is not None
    assert all((form.source in table.sources) is not (form.doubt is not None) for form in table.forms)
    assert {form.source for form in table.forms if form.source} == set(table.sources)
    assert len({form.line for form in table.forms}) == len(table.forms)


def list_rendered_examples() -> list[tuple[Platform, Path]]:
    return [
        (entry, path)
        for entry in LINE_PLATFORMS
        for path in sorted(EXAMPLES.glob(f"*/rendered/cluster/*{entry.files[0].path}"))
    ]


def test_every_line_of_the_examples_has_a_form() -> None:
    examples = list_rendered_examples()
    assert {entry.name for entry, _ in examples} >= {"enterprise-sonic", "eos"}
    for entry, path in examples:
        table = load_forms(entry)
        assert table is not None
        lines = list(list_lines(table, path.read_text(encoding="utf-8")))
        assert len(lines) > 50
        assert [line for line in lines if not find_forms(entry, line)] == [], path


@pytest.mark.parametrize("entry", LINE_PLATFORMS, ids=lambda entry: entry.name)
def test_a_line_without_a_form_is_refused(entry: Platform) -> None:
    (problem,) = find_refused_lines(entry, "leaf1", "no such line\n", None)
    assert problem.found == "'no such line'"
    assert problem.expected == f"a form listed in {entry.folder}/forms.yaml"


@pytest.mark.parametrize(
    ("name", "line", "is_taken"),
    [
        ("eos", "mtu 9214", True),
        ("eos", "mtu 67", False),
        ("eos", "qos trust dscp", True),
        ("eos", "qos trust ip", False),
        ("cumulus", "nv set interface swp1 description 'node1 eth0'", True),
        ("cumulus", "nv set interface swp1 description node1 eth0", False),
        ("nxos", "description node1 eth0", True),
        ("nxos", "description", False),
        ("junos", "class-of-service dedicated-buffer ingress percent 10", False),
        ("junos", "class-of-service dedicated-buffer ingress percent 15", True),
        ("enterprise-sonic", "cable-length 10m", False),
    ],
)
def test_placeholders(name: str, line: str, is_taken: bool) -> None:
    assert bool(find_forms(platform("switch", name), line)) is is_taken


SWITCHES: list[tuple[Platform, Switch]] = [
    *((platform("switch", "cumulus"), switch) for switch in test_cumulus.CASES.values()),
    *((platform("switch", "junos"), switch) for switch in test_junos.CASES.values()),
    *((platform("switch", "nxos"), switch) for switch in test_nxos.CASES.values()),
    *((platform("switch", "eos"), switch) for switch in test_eos_bgp.CASES.values()),
    *((entry, switch) for entry, switch in RENDERED.values() if load_forms(entry)),
]


def test_header_and_apply_name_the_unverified_forms_of_the_configuration_and_no_others() -> None:
    has_both = set()
    for entry, switch in SWITCHES:
        texts = [fill_template(entry, file.template, "leaf1", switch) for file in entry.files[:2]]
        forms = list_unverified_forms(entry, texts[0])
        for text, file in zip(texts, ("this file", Path(entry.files[0].path).name), strict=True):
            heading = f" No public source confirms the syntax of these lines of {file}; the switch may refuse them:\n"
            assert (heading in text) is bool(forms)
            assert all(f"   {form}\n" in text for form in forms)
        has_both.add(bool(forms))
    assert has_both == {True, False}


def test_the_list_of_platforms_names_unverified_forms() -> None:
    rows = json.loads(CliRunner().invoke(app, ["list", "platforms", "--format", "json"]).stdout)["platforms"]
    forms = {row["name"]: row["command lines without a public source"] for row in rows if row["kind"] == "switch"}
    assert forms["junos"] == forms["cumulus"] == {}
    assert forms["enterprise-sonic"]["fec off"] == "no public configuration has it"
    page = CliRunner().invoke(app, ["list", "platforms", "nxos"], env={"COLUMNS": "200", "NO_COLOR": "1"}).stdout
    assert "priority-flow-control auto-restore multiplier <1-100>  " in page
