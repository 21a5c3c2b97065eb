"""``wirespeed list``: what is supported, one object each, with its state per setting."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from wirespeed.catalogue import load
from wirespeed.checks import checks
from wirespeed.cli.app import app
from wirespeed.collect.support import State
from wirespeed.errors import Refusal
from wirespeed.platforms import platforms
from wirespeed.settings import ENTITIES, list_settings

KINDS = [
    "platforms",
    "servers",
    "nics",
    "gpus",
    "switches",
    "cables",
    "checks",
    "tools",
    "failures",
    "suites",
    "profiles",
    "settings",
]
SETTINGS = {path for kind in ENTITIES for path in list_settings(kind)}


def list_json(category: str, *arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(app, ["list", category, *arguments, "--format", "json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert (document["kind"], document["schema"]) == (f"supported-{category}", 1)
    rows: list[dict[str, Any]] = document[category]
    return rows


@pytest.mark.parametrize("category", KINDS)
def test_each_is_one_object_with_a_name_of_its_own(category: str) -> None:
    names = [(row.get("kind"), row["name"]) for row in list_json(category)]
    assert names and len(set(names)) == len(names)


def test_nothing_known_is_left_out() -> None:
    catalogue = load()
    assert {(_find_folder(row), row["name"]) for row in list_json("platforms")} == set(platforms())
    assert {row["name"] for row in list_json("nics")} == set(catalogue.nics)
    assert {row["name"] for row in list_json("gpus")} == set(catalogue.gpus)
    assert {row["name"] for row in list_json("servers")} == set(catalogue.servers)
    assert {row["name"] for row in list_json("switches")} == set(catalogue.switches)
    assert {row["name"] for row in list_json("cables")} == set(catalogue.cables)
    assert {row["name"] for row in list_json("checks")} == set(checks())
    assert {row["name"] for row in list_json("failures")} == set(catalogue.failures)


def _find_folder(row: dict[str, Any]) -> str:
    """The folder of a platform: launchers and the libraries of their jobs are in one."""
    return "launcher" if "library" in row["kind"] else str(row["kind"])


def test_platforms_of_jobs_are_libraries_or_launchers() -> None:
    kinds = {row["name"]: row["kind"] for row in list_json("platforms") if _find_folder(row) == "launcher"}
    assert kinds == {
        **dict.fromkeys(("mvapich2", "mvapich3", "nccl"), "library"),
        "openmpi": "library, launcher",
        "slurm": "launcher",
    }


def test_every_setting_of_a_platform_has_its_state() -> None:
    for row in list_json("platforms"):
        settings = platforms()[_find_folder(row), row["name"]].settings
        assert settings.keys() <= row["settings"].keys() <= SETTINGS, row["name"]
        for path, state in row["settings"].items():
            support = settings.get(path)
            assert state["state"] in set(State)
            is_written = state["state"] in (State.RENDERED_AND_READ, State.RENDERED)
            reads = state["state"] in (State.RENDERED_AND_READ, State.READ)
            assert (is_written, reads) == ((support.rendered, support.read) if support else (False, False)), path


def test_a_switch_and_a_nic_have_the_states_of_their_platforms() -> None:
    (leaf,) = list_json("switches", "arista-7060dx5-64s")
    assert leaf["settings"]["eos"]["queue.ecn.minimum"]["state"] == "rendered and read back"
    assert leaf["settings"]["eos"]["port.neighbour.device"]["state"] == "read back"
    (nic,) = list_json("nics", "broadcom-bcm957608-p1400gd")
    assert nic["settings"]["nic.nvm.rdma"]["state"] == "rendered and read back"
    by_platform = {(row["kind"], row["name"]): row["settings"] for row in list_json("platforms")}
    assert all(row["settings"] == by_platform["nic", row["platform"]] for row in list_json("nics"))
    assert all(states for row in list_json("switches") for states in row["settings"].values())
    (nxos,) = list_json("switches", "cisco-n9k-c9364d-gx2a")
    assert nxos["settings"]["nxos"] == by_platform["switch", "nxos"]


def test_the_page_of_a_switch_has_the_notes_of_its_platform() -> None:
    pages = [
        CliRunner().invoke(app, ["list", *arguments], env={"COLUMNS": "200", "NO_COLOR": "1"}).stdout
        for arguments in (("switches", "cisco-n9k-c9364d-gx2a"), ("platforms", "nxos"))
    ]
    mtu_lines = [next(line for line in page.splitlines() if "port.link.mtu " in line) for page in pages]
    assert mtu_lines[0].removeprefix("nxos: ").split() == mtu_lines[1].split()
    assert "format not verified; default: 1500" in mtu_lines[0]


@pytest.mark.parametrize("category", KINDS)
def test_tables_name_all(category: str) -> None:
    result = CliRunner().invoke(app, ["list", category], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code == 0
    for row in list_json(category):
        assert row["name"] in result.stdout


def test_the_page_of_one() -> None:
    result = CliRunner().invoke(app, ["list", "platforms", "eos"], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert "title: Arista EOS\n" in result.stdout
    assert "port.cable_length" in result.stdout and "EOS computes headroom" in result.stdout


def test_links_and_systems_use_the_terms_of_the_cluster_file() -> None:
    env = {"COLUMNS": "200", "NO_COLOR": "1"}
    assert "gen5 x16" in CliRunner().invoke(app, ["list", "servers", "dell-xe9680-mi300x"], env=env).stdout
    heading = CliRunner().invoke(app, ["list", "switches"], env=env).stdout.splitlines()[0].split()
    assert heading == ["name", "os", "os", "with", "lossless", "classes", "chip", "ports", "speed", "breakouts"]
    assert "\nos: eos\n" in CliRunner().invoke(app, ["list", "switches", "arista-7060dx5-64s"], env=env).stdout


def test_nics_have_a_title_and_switches_the_systems_for_lossless_classes() -> None:
    env = {"COLUMNS": "200", "NO_COLOR": "1"}
    nics = CliRunner().invoke(app, ["list", "nics"], env=env).stdout
    assert "nvidia-mcx75310aas-neat" in nics and "NVIDIA ConnectX-7 " in nics
    assert {row["name"]: row["lossless"] for row in list_json("switches")}["edgecore-as9716-32d"] == []


def test_the_page_of_a_cable() -> None:
    page = CliRunner().invoke(app, ["list", "cables", "dac-400g"], env={"COLUMNS": "200", "NO_COLOR": "1"}).stdout
    assert "speed: 400 Gb/s\nmax length: 3 m\n" in page


def test_an_unknown_name_is_refused() -> None:
    result = CliRunner().invoke(app, ["list", "switches", "dell-z9664"])
    assert isinstance(result.exception, Refusal)
    assert str(result.exception) == ("list: no switch named 'dell-z9664'\n  hint: did you mean 'dell-z9664f'?")


def test_a_group_of_settings_is_listed() -> None:
    names = [row["name"] for row in list_json("settings", "nic.counters")]
    assert names and all(name.startswith("nic.counters.") for name in names)


@pytest.mark.parametrize("category", ["nics", "platforms", "settings"])
def test_names_are_whole_in_a_pipe(category: str) -> None:
    lines = CliRunner().invoke(app, ["list", category]).stdout.splitlines()
    for row in list_json(category):
        assert any(str(row["name"]) in line.split() for line in lines), row["name"]
