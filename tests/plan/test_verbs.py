"""The verbs that show and check a cluster file."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.errors import Refusal

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"


def invoke(*arguments: object) -> str:
    """Standard output of a run that must succeed."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == Exit.PASSED, result.output
    return result.stdout


def test_init_writes_a_file_that_validates(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    assert invoke("init", tmp_path).strip() == str(file)
    assert invoke("validate", file).strip() == f"{file}: ok: 4 hosts, 32 NIC ports, 1 switch, 32 cables, 0 warnings"


def test_validate_warns_of_networks_that_are_not_connected(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(EXAMPLE.read_text().replace("leaf1: {", "leaf[1-2]: {"))
    result = CliRunner().invoke(app, ["validate", str(file)])
    assert result.stdout.strip().endswith("1 warning")
    assert result.stderr == (
        f"warning: {file}:6: no path between hosts: 2 separate networks, node[1-2] and node[3-4]; "
        "expected one network\n"
        "  hint: add `fabric` or `links`, the cables between switches\n"
    )


@pytest.mark.parametrize("command", ["validate", "plan", "render -o out", "diff out", "collect --as-planned"])
def test_every_command_refuses_the_same_file(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cluster.yaml").write_text(EXAMPLE.read_text().replace("os: ubuntu-22.04", "os: ubuntu-14.04"))
    verb, *options = command.split()
    arguments = [verb, *options, "cluster.yaml"] if verb == "collect" else [verb, "cluster.yaml", *options]
    with pytest.raises(Refusal) as refusal:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert str(refusal.value) == (
        "cluster.yaml:5: node[1-4]: found the operating system 'ubuntu-14.04'; "
        "expected one of ubuntu-20.04, ubuntu-22.04, ubuntu-24.04, ubuntu-26.04\n"
        "  hint: did you mean 'ubuntu-24.04'?"
    )


def test_init_overwrites_only_with_force(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("precious")
    with pytest.raises(Refusal):
        CliRunner().invoke(app, ["init", str(file)], catch_exceptions=False)
    assert file.read_text() == "precious"
    invoke("init", file, "--force")
    assert file.read_text().startswith("# A wirespeed cluster file")


def test_a_warning_fails_only_when_strict(tmp_path: Path) -> None:
    public = tmp_path / "cluster.yaml"
    public.write_text(EXAMPLE.read_text().replace("pool: 10.1.0.0/16", "pool: 1.1.0.0/16"))
    assert "1 warning" in invoke("validate", public)
    result = CliRunner().invoke(app, ["validate", str(public), "--strict"], catch_exceptions=False)
    assert result.exit_code == Exit.FAILED


def test_plan_shows_the_seven_numbers() -> None:
    document = json.loads(invoke("plan", EXAMPLE, "--classes", "--format", "json"))
    assert (document["kind"], document["schema"], document["cluster"]) == ("plan", 2, "mi300x-4node")
    assert document["classes"][0] == {
        "class": "roce",
        "dscp": "26",
        "sent_dscp": 26,
        "priority": 3,
        "nic_tc": 1,
        "nic_cos_queue": 0,
        "switch_tc": 3,
        "switch_queue": 3,
        "priority_group": 3,
        "lossless": True,
        "scheduling": "DWRR 50 %",
        "nic": "broadcom-bcm957608-p1400gd",
        "switch": "dell-sonic",
    }
    assert document["classes"][2]["dscp"] == "0-25,27-47,49-63"


def test_plan_writes_a_cabling_file() -> None:
    rows = list(csv.DictReader(io.StringIO(invoke("plan", EXAMPLE, "--cables", "--format", "csv"))))
    assert len(rows) == 32
    assert rows[9] == {
        "a_device": "node2",
        "a_port": "enp67s0np0",
        "b_device": "leaf1",
        "b_port": "Eth1/10",
        "length": "3 m",
        "speed": "400 Gb/s",
        "rail": "2",
        "cable": "dac-400g",
        "tier": "host-leaf",
        "number": "C0010",
    }


def test_csv_is_of_one_part() -> None:
    with pytest.raises(Refusal, match=r"hint: give one of --cables, --classes$"):
        CliRunner().invoke(
            app, ["plan", str(EXAMPLE), "--cables", "--classes", "--format", "csv"], catch_exceptions=False
        )


def test_addresses_of_a_routed_fabric() -> None:
    lines = invoke("plan", EXAMPLE.parents[1] / "arista-leaf-spine" / "cluster.yaml", "--addresses").splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if ":" in line}
    assert rows["node1:ens7f0np0"] == ["10.1.0.1/31", "leaf1:Ethernet1/1", "10.1.0.0", "101", "1001", "10.1.0.0/29"]
    assert rows["leaf1:loopback"] == ["10.255.0.1/32", "4200010000"]
    assert rows["spine2:Ethernet4/1"] == ["10.2.0.15/31", "leaf2:Ethernet32/1"]


ROUTES = [  # example, then of its second NIC: gateway, table, priority of the rule, route in the main table, its metric
    ("cluster.yaml", ["10.1.0.2", "102", 1002, "10.1.0.0/26", 2002]),
    ("cluster-ipv6.yaml", ["fd00:0:0:1::2", "102", 1002, "fd00:0:0:1::/122", 2002]),
    ("cluster-rail24.yaml", ["192.168.2.254", "102", 1002, None, None]),
]


@pytest.mark.parametrize(("name", "expected"), ROUTES)
def test_addresses_have_their_rule_and_routes(name: str, expected: list[object]) -> None:
    row = json.loads(invoke("plan", EXAMPLE.parent / name, "--addresses", "-f", "json"))["addresses"][1]
    keys = ("gateway", "routing_table", "rule_priority", "main_route", "main_metric")
    assert [row[key] for key in keys] == expected


def test_hosts_show_which_nics_jobs_use(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(EXAMPLE.read_text().replace("nics: 8 x", "nic: {enp67s0np0: {jobs: false}}, nics: 8 x"))
    rows = [line.split() for line in invoke("plan", file, "--hosts").splitlines() if line.startswith("node1:")]
    assert [row[-1] for row in rows] == ["yes", "no", *["yes"] * 6]
    ethernet = invoke("plan", EXAMPLE.parents[1] / "pcie-lending" / "cluster.yaml", "--hosts")
    assert "jobs" not in ethernet  # no jobs are planned on them


def test_no_column_of_a_table_is_cut() -> None:
    lines = invoke("plan", EXAMPLE, "--cables").splitlines()
    ports = "node4:enp231s0np0 leaf1:Eth1/32"
    assert lines[-1].split() == ["C0032", *ports.split(), "3", "m", "400", "Gb/s", "8", "dac-400g", "host-leaf"]


def test_plan_shows_every_part() -> None:
    text = invoke("plan", EXAMPLE)
    for word in ("bnxt_re7", "10.1.0.63/31", "Eth1/32", "228.9 kB", "hosts with broadcom-bcm957608-p1400gd"):
        assert word in text


def test_schema_is_written(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    assert invoke("schema", "--output", file) == ""
    assert file.read_text(encoding="utf-8") == invoke("schema")
    assert json.loads(invoke("schema"))["properties"]["version"]["const"] == 1


def test_classes_state_the_dscp_that_nics_send(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    text = EXAMPLE.read_text()
    assert "dscp: 26," in text
    file.write_text(text.replace("dscp: 26,", "dscp: [24-31, 46],"))
    rows = json.loads(invoke("plan", file, "--classes", "--format", "json"))["classes"]
    assert next((row["class"], row["dscp"], row["sent_dscp"]) for row in rows) == ("roce", "24-31,46", 24)


def test_ethernet_ports_and_bonds_are_no_nics() -> None:
    """Two hosts, each with one fabric NIC and a bond of two ports."""
    file = EXAMPLE.parents[1] / "pcie-lending" / "cluster-bond.yaml"
    text = invoke("validate", file)
    assert text.endswith("2 hosts, 2 NIC ports, 4 Ethernet ports, 2 bonds, 0 switches, 1 cable, 0 warnings\n")
    lines = invoke("plan", file, "--hosts").splitlines()
    assert "Ethernet ports" in lines
    assert [line.split() for line in lines if line.startswith("abel1:eth0")] == [["abel1:eth0", "bond0"]]


def test_the_bottleneck_of_the_bisection_is_stated() -> None:
    """NIC ports of ESnet's card share a slot that carries less than their cables."""
    file = EXAMPLE.parents[1] / "esnet-400g" / "cluster.yaml"
    text = invoke("plan", file, "--fabric")
    assert "between halves of the hosts: 230.5 Gb/s (57.61 % of full bisection, an upper bound)\n" in text
    assert (
        "  bottleneck: PCIe slots. The cables have 400 Gb/s (computed exactly), the PCIe slots of half of the hosts "
        "carry 230.5 Gb/s in one direction, because NIC ports share PCIe slot root1 of node1.\n"
    ) in text
    assert json.loads(invoke("plan", file, "--fabric", "-f", "json"))["bisection"] == [
        {
            "bisection_bandwidth": "230.5 Gb/s",
            "of_full_bisection": "57.61 %",
            "method": "upper bound",
            "cable_bandwidth": "400 Gb/s",
            "cable_method": "exact",
            "slots_carry": "230.5 Gb/s",
            "slot": "PCIe slot root1 of node1",
            "bottleneck": "PCIe slots",
        }
    ]


def test_hosts_in_separate_networks_are_stated_with_their_bisection(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    text = EXAMPLE.read_text()
    assert "  leaf1: {model" in text
    file.write_text(text.replace("  leaf1: {model", "  leaf[1-2]: {model"))
    text = invoke("plan", file, "--fabric")
    assert text.endswith("  hosts are in 2 separate networks: no cable connects their switches\n")
    (row,) = json.loads(invoke("plan", file, "--fabric", "--format", "json"))["bisection"]
    assert (row["bisection_bandwidth"], row["separate_networks"]) == ("0 Gb/s", 2)
    assert "separate networks" not in invoke("plan", EXAMPLE, "--fabric")


def test_titles_and_headings_of_tables_are_not_broken() -> None:
    """A title is as wide as it is, above a narrow table; a heading has at most two lines."""
    assert invoke("plan", EXAMPLE, "--fabric").splitlines()[:4] == [
        "fabric (bandwidth per switch)",
        "              downlink",
        "tier switches bandwidth",
        "─────────────────────────",
    ]
    lines = invoke("plan", EXAMPLE, "--classes").splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["classes", "with", "broadcom-bcm957608-p1400gd", "and", "dell-sonic"],
        ["DSCP", "sent", "NIC", "NIC", "CoS", "switch", "switch", "priority"],
        ["class", "DSCP", "by", "NICs", "priority", "TC", "queue", "TC", "queue", "group", "lossless", "scheduling"],
    ]
    assert "switches only" not in lines[-1]


def test_the_classes_table_explains_its_empty_cells(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    queue = "role: leaf, classes: {storage: {traffic_class: 4, queue: 4, priority_group: 4}}}"
    text = EXAMPLE.read_text().replace("role: leaf}", queue)
    file.write_text(f"{text}  storage: {{dscp: 18, priority: 4, share: 30%}}\n")
    assert invoke("plan", file, "--classes").splitlines()[-1] == "configured on switches only: storage"
