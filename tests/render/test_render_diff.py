"""What `wirespeed diff` finds, and its exit codes."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirespeed import render
from wirespeed.cli.app import app
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.facts import COMPLETE, Gap, Observation, Source, State, assemble_facts
from wirespeed.plan import build
from wirespeed.settings import Place, walk
from wirespeed.units import Length

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node"
CLUSTER = EXAMPLE / "cluster.yaml"


def run(*arguments: str | Path) -> tuple[int, str]:
    """Exit code and standard output of a command."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout


@pytest.fixture
def output_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    assert run("render", CLUSTER, "-o", folder, "--device", "node[1-2],leaf1") == (
        0,
        f"wrote 43 files for 3 devices to {folder}; next: run apply.sh on each host, "
        "follow wirespeed-apply.txt on each switch\n",
    )
    return folder


def test_next_steps_begin_with_the_software(tmp_path: Path) -> None:
    cluster = tmp_path / "software.yaml"
    before, nics, after = CLUSTER.read_text(encoding="utf-8").partition("nics: 8 x broadcom-bcm957608-p1400gd")
    cluster.write_text(f"{before}{nics}, software: {{rocm: 7.1.0, ucx: 1.19.0}}{after}", encoding="utf-8")
    code, output = run("render", cluster, "-o", tmp_path / "out", "--device", "node1")
    assert (code, output.partition("; ")[2]) == (
        0,
        "next: run software-install.sh, then apply.sh on each host, run job-programs.sh as the user of the jobs\n",
    )


def test_json_names_every_file(output_folder: Path) -> None:
    code, output = run("render", CLUSTER, "-o", output_folder, "--device", "leaf1", "--format", "json")
    document = json.loads(output)
    files = document.pop("files")
    assert (code, document) == (
        0,
        {"kind": "rendered-files", "schema": 1, "cluster": "mi300x-4node", "folder": str(output_folder)},
    )
    assert [(file["path"], file["file"], file["mode"]) for file in files] == [
        (path, f"leaf1{path}", "644")
        for path in (
            "/home/admin/wirespeed.cfg",
            "/home/admin/wirespeed-apply.txt",
            "/home/admin/wirespeed-rollback.txt",
        )
    ]
    assert all((output_folder / file["file"]).stat().st_size == file["bytes"] for file in files)


@pytest.mark.parametrize("verb", ["render", "diff"])
@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("nod1", "mi300x-4node: no device 'nod1'; expected a device of the cluster file"),
        ("node[3", "--device: found 'node[3'; expected a name or a node range such as node[001-128,130]"),
    ],
)
def test_a_device_that_is_not_there_is_refused(verb: str, nodes: str, message: str, tmp_path: Path) -> None:
    arguments = ["-o", str(tmp_path / "x")] if verb == "render" else [str(tmp_path)]
    result = CliRunner().invoke(app, [verb, str(CLUSTER), *arguments, "-d", nodes])
    assert isinstance(result.exception, Refusal)
    assert str(result.exception).partition("\n")[0] == message
    assert list(tmp_path.iterdir()) == []


def test_what_was_just_rendered_does_not_differ(output_folder: Path) -> None:
    assert run("diff", CLUSTER, output_folder, "-d", "node[1-2],leaf1") == (0, "43 files compared, no differences\n")


def test_every_difference_of_a_file(output_folder: Path) -> None:
    netplan = output_folder / "node1/etc/netplan/60-wirespeed.yaml"
    netplan.write_text(netplan.read_text().replace("mtu: 9000", "mtu: 1500\x1b[2J", 1))
    (output_folder / "node2/etc/rccl.conf").unlink()
    (output_folder / "node2/etc/left over").write_text("")
    (output_folder / "leaf1/home/admin/wirespeed.cfg").chmod(0o600)
    code, output = run("diff", CLUSTER, output_folder, "-d", "node[1-2],leaf1")
    assert code == 1
    assert output == (
        f"--- {netplan}\n"
        "+++ node1:/etc/netplan/60-wirespeed.yaml (plan of cluster.yaml)\n"
        "@@ -10,7 +10,7 @@\n"
        "       renderer: networkd\n"
        "       optional: true\n"
        "       accept-ra: false\n"
        "-      mtu: 1500\\x1b[2J\n"
        "+      mtu: 9000\n"
        "       addresses: [10.1.0.1/31]\n"
        "       routes:\n"
        "         - {to: default, via: 10.1.0.0, from: 10.1.0.1, table: 101}\n"
        "node2:/etc/rccl.conf: missing\n"
        "node2:/etc/left over: extra\n"
        "leaf1:/home/admin/wirespeed.cfg: mode: 600 in the folder, 644 rendered\n"
    )


def test_a_device_without_files_lacks_every_file(output_folder: Path) -> None:
    shutil.rmtree(output_folder / "node2")
    code, output = run("diff", CLUSTER, output_folder, "-d", "node2", "--format", "json")
    document = json.loads(output)
    assert (code, document["kind"], document["schema"]) == (1, "file-differences", 1)
    assert {(difference["device"], difference["kind"]) for difference in document["differences"]} == {
        ("node2", "missing")
    }
    assert len(document["differences"]) == 20


def test_a_changed_cluster_file_is_seen(output_folder: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.yaml"
    changed.write_text(CLUSTER.read_text().replace("dscp: 26", "dscp: 24"))
    code, output = run("diff", changed, output_folder, "-d", "node1")
    assert code == 1
    assert "-ROCE_DSCP=26\n+ROCE_DSCP=24\n" in output


def test_the_healthy_bundle_has_no_other_setting_than_intended(healthy_bundle: Callable[[str], Path]) -> None:
    code, output = run("diff", CLUSTER, healthy_bundle(EXAMPLE.name), "--format", "json")
    differences = json.loads(output)["differences"]
    assert [difference for difference in differences if difference["kind"] != "unread"] == []
    assert code == (3 if differences else 0)


def test_text_states_each_difference_on_a_line(healthy_bundle: Callable[[str], Path], tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(healthy_bundle(EXAMPLE.name), bundle)
    config = bundle / "leaf1/running-config.out"
    text = config.read_text()
    assert text.count("dscp 26 traffic-class 3\n") == 1
    config.write_text(text.replace("dscp 26 traffic-class 3\n", "dscp 26 traffic-class 2\n"))
    code, output = run("diff", CLUSTER, bundle, "-d", "leaf1")
    assert code == 1
    first, *differences = output.splitlines()
    assert first.startswith("leaf1:Eth1/1 port.qos.dscp_tc: expected 26 -> 3, found 26 -> 2 (running-config (leaf1/")
    assert len(differences) == 31


@pytest.mark.parametrize(
    ("file", "old", "new", "lines"),
    [
        (
            "leaf1/pfc-status.out",
            r"Et1/1 +E - - +5 ",
            "Et1/1        D - -   -  ",
            [
                "leaf1:Ethernet1/1 port.qos.pfc: not read "
                "(only the configured value was read, not the value in effect)",
                "no differences in the settings that were read",
            ],
        ),
        (
            "leaf1/lldp-neighbors.out",
            '"port": "Ethernet1/1"',
            '"port": "Ethernet9/1"',
            [
                *(
                    f"leaf1:Ethernet1/1 port.neighbour.{end}: not read "
                    "(the collected output does not contain its value)"
                    for end in ("device", "port")
                ),
                "no differences in the settings that were read",
            ],
        ),
    ],
)
def test_a_setting_that_the_output_shows_only_of_others_is_unread(
    file: str, old: str, new: str, lines: list[str], healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    """The exit code is that of `wirespeed check`."""
    cluster = EXAMPLE.parent / "arista-leaf-spine" / "cluster.yaml"
    bundle = tmp_path / "bundle"
    shutil.copytree(healthy_bundle("arista-leaf-spine"), bundle)
    text = (bundle / file).read_text(encoding="utf-8")
    changed = re.sub(old, new, text)
    assert changed != text
    (bundle / file).write_text(changed, encoding="utf-8")
    code, output = run("diff", cluster, bundle)
    assert (code, output.splitlines()) == (3, lines)
    assert run("check", cluster, bundle)[0] == 3


def test_settings_found_otherwise_absent_or_unread() -> None:
    plan = build(read(CLUSTER))
    node = Place("node1")
    nic = node.child("nic", "enp29s0np0")
    rule = node.child("rule", "from 10.1.0.1/32")
    source = Source("node1", "c", "node1/c.out", 7)
    observations = [
        *(
            Observation(place, path, value, source)
            for place, path, value in walk(plan.hosts["node1"], node)
            if value is not None and place != rule and path != "nic.link.fec"
        ),
        Observation(nic, "nic.link.mtu", 1500, source),
        Observation(node, "host.rules", COMPLETE, source),
    ]
    last = {(observation.place, observation.path): observation for observation in observations}
    facts = assemble_facts(last.values(), {("node1", "nic.link.fec"): (Gap("fec", "permission denied"),)})
    differences = list(render.compare_settings(plan, facts, ["node1", "node2"]))
    position = "c (node1/c.out:7)"
    assert [
        (
            str(difference.place),
            difference.path,
            difference.kind,
            difference.intended,
            difference.found,
            difference.source,
        )
        for difference in differences
    ] == [
        ("node1 nic enp29s0np0", "nic.link.mtu", "different", 9000, 1500, position),
        *(
            (f"node1 nic {interface}", "nic.link.fec", "unread", "rs", None, "fec: permission denied")
            for interface in plan.hosts["node1"].nics
        ),
        ("node1 rule from 10.1.0.1/32", "host.rules", "absent", "present", "absent", position),
        ("node2", "", "unread", None, None, "not in the bundle"),
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({State.RUNNING: 9000, State.CONFIGURED: 1500}, [("configured", 1500)]),
        ({State.RUNNING: 1500, State.CONFIGURED: 9000}, [("running", 1500)]),
        (
            {State.RUNNING: 1500, State.CONFIGURED: 1500, State.PERSISTENT: 2000},
            [("running", 1500), ("persistent", 2000)],
        ),
        ({State.RUNNING: 9000, State.ASSUMED: 1500}, []),
    ],
)
def test_a_configured_value_counts_beside_the_one_in_effect(
    values: dict[State, int], expected: list[tuple[str, int]]
) -> None:
    plan = build(read(CLUSTER))
    nic = Place("node1").child("nic", "enp29s0np0")
    observations = [
        Observation(nic, "nic.link.mtu", value, Source("node1", state.name, "c.out", 7), state)
        for state, value in values.items()
    ]
    differences = render.compare_settings(plan, assemble_facts(observations, {}), ["node1"])
    found = [
        (difference.state.name.lower(), difference.found) for difference in differences if difference.state is not None
    ]
    assert found == expected


@pytest.mark.parametrize(("metres", "is_different"), [(5, False), (40, True)])
def test_a_cable_length_above_all_cables_of_the_switch_differs(metres: int, is_different: bool) -> None:
    port = Place("leaf1").child("port", "Eth1/1")
    reading = Observation(port, "port.cable_length", Length.from_unit(metres, "m"), Source("leaf1", "c", "c.out", 7))
    differences = render.compare_settings(build(read(CLUSTER)), assemble_facts([reading], {}), ["leaf1"])
    kinds = {
        difference.kind for difference in differences if (difference.place, difference.path) == (port, reading.path)
    }
    assert kinds == ({"different"} if is_different else set())


@pytest.mark.parametrize(
    ("device", "expected"),
    [("node2", "node2:enp67s0np0"), (None, "enp67s0np0")],
)
def test_a_neighbours_port_has_its_device(device: str | None, expected: str) -> None:
    plan = build(read(CLUSTER))
    port = Place("leaf1").child("port", "Eth1/1")
    source = Source("leaf1", "c", "leaf1/c.out", 7)
    readings = {"port.neighbour.device": device, "port.neighbour.port": "enp67s0np0"}
    facts = assemble_facts(
        [Observation(port, path, value, source) for path, value in readings.items() if value is not None], {}
    )
    differences = {difference.path: difference for difference in render.compare_settings(plan, facts, ["leaf1"])}
    difference = differences["port.neighbour.port"]
    assert (difference.intended, difference.found) == ("node1:enp29s0np0", expected)


@pytest.mark.parametrize("first", ["fw-9c:63:c0:00:00:01", "node1"])
def test_one_of_several_neighbours_is_the_planned_one(first: str) -> None:
    plan = build(read(CLUSTER))
    port = Place("leaf1").child("port", "Eth1/1")
    source = Source("leaf1", "c", "leaf1/c.out", 7)
    neighbours = {"fw-9c:63:c0:00:00:01": "9c:63:c0:00:00:01", "node1": "enp29s0np0"}
    ordered = sorted(neighbours.items(), key=lambda entry: entry[0] != first)
    observations = [
        Observation(port, path, value, source)
        for names in ordered
        for path, value in zip(("port.neighbour.device", "port.neighbour.port"), names, strict=True)
    ]
    facts = assemble_facts(observations, {})
    assert not [value for value in render.compare_settings(plan, facts, ["leaf1"]) if "neighbour" in value.path]


def test_two_plans_and_two_folders_are_refused(output_folder: Path) -> None:
    for arguments, description in (
        ((CLUSTER, CLUSTER), "a cluster file"),
        ((output_folder, output_folder), "a folder of rendered files"),
    ):
        result = CliRunner().invoke(app, ["diff", *map(str, arguments)])
        assert isinstance(result.exception, Refusal)
        (problem,) = result.exception.problems
        assert problem.found == description and "wirespeed diff" in str(problem.hint)


def test_two_bundles_are_refused(healthy_bundle: Callable[[str], Path]) -> None:
    bundle = healthy_bundle("mi300x-4node")
    result = CliRunner().invoke(app, ["diff", str(bundle), str(bundle)])
    assert isinstance(result.exception, Refusal)
    (problem,) = result.exception.problems
    assert (problem.found, problem.hint) == (
        "not a cluster file",
        "compare each bundle with the cluster file: `wirespeed diff CLUSTER.yaml BUNDLE`",
    )
