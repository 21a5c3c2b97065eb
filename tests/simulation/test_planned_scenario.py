"""A cluster file through the simulator: the scenario equals what is rendered, and lists what is not known."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from planned_scenarios import INCAST, ONE_SWITCH, build_scenario, resolve_parameters, shown_headroom, traffic
from small_scenarios import wirespeed, write_scenario

from wirespeed.catalogue import load
from wirespeed.cli.exit import Exit
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.render import files, simulator_mappings
from wirespeed.results.json import plain
from wirespeed.results.simulation import from_json
from wirespeed.simulation.planned_scenario import plan_scenario
from wirespeed.simulation.result_folder import open_folder
from wirespeed.simulation.workload import read_traffic, spread_flows, traffic_schema
from wirespeed.wire import path_mtu_fitting

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
GOLDEN = Path(__file__).parent / "golden"
CATALOGUE = load()


# The marking of RoCE's queue in a file: minimum, maximum, percent; what one of its units is in bytes.
MARKING_LINES = {
    "dell-sonic": (r"minimum-threshold (\d+) maximum-threshold (\d+) drop-probability (\d+)", 1000),
    "supermicro-sonic": (r"minimum-threshold (\d+) maximum-threshold (\d+) drop-probability (\d+)", 1000),
    "eos": (r"minimum-threshold (\d+) kbytes maximum-threshold (\d+) kbytes max-mark-probability (\d+)", 1000),
    "nxos": (r"minimum-threshold (\d+) kbytes maximum-threshold (\d+) kbytes drop-probability (\d+)", 1000),
    "sonic": (
        r'(?=[^}]*"green_min_threshold": "(\d+)")(?=[^}]*"green_max_threshold": "(\d+)")'
        r'(?=[^}]*"green_drop_probability": "(\d+)")',
        1,
    ),
    "cumulus": (
        r"(?s)(?=.*traffic-class 3 min-threshold (\d+))(?=.*traffic-class 3 max-threshold (\d+))"
        r"(?=.*traffic-class 3 probability (\d+))",
        1,
    ),
}
SYSTEMS = [
    next((model, system) for model, switch in CATALOGUE.switches.items() if system in switch.lossless_systems)
    for system in CATALOGUE.switch_systems
]


@pytest.mark.parametrize(("model", "system"), SYSTEMS, ids=[system for _, system in SYSTEMS])
def test_thresholds_are_those_rendered(model: str, system: str, tmp_path: Path) -> None:
    plan = build(read_text(ONE_SWITCH.format(model=model, system=system), "one.yaml"))
    rendered = "\n".join(file.text for file in files(plan, ["leaf1"]))
    scenario, document = build_scenario(plan, tmp_path, INCAST.replace("node3", "node1"))
    parameters = resolve_parameters(document, 1, 3)
    marking = parameters["marking"]
    assert marking["enabled"]
    if system == "junos":  # percent of a buffer that changes with the load
        (limits,) = re.findall(r"fill-level \[ (\d+) (\d+) \]", rendered)
        ratio = marking["kmin_bytes"] / marking["kmax_bytes"]
        assert ratio == pytest.approx(int(limits[0]) / int(limits[1]), rel=1e-6)
        assert any(entry.startswith("ECN thresholds of ") for entry in scenario.assumed)
    else:
        pattern, unit = MARKING_LINES[system]
        match = re.search(pattern, rendered)
        assert match is not None, rendered
        low, high, percent = (int(group) for group in match.groups())
        assert (marking["kmin_bytes"], marking["kmax_bytes"]) == (low * unit, high * unit)
        assert marking["pmax"] == percent / 100
    assert not resolve_parameters(document, 1, 0)["marking"]["enabled"]
    assert parameters["pfc"]["lossless_priorities"] == 1 << 3
    assert parameters["scheduler"]["strict_priorities"] == 1 << 6
    assert parameters["scheduler"]["weights"][3] == 50


@pytest.mark.parametrize(("cluster", "framing"), [("cluster-ipv6", {"ip": "ipv6"}), ("cluster-rail24", None)])
def test_packets_are_those_of_the_addresses(cluster: str, framing: dict[str, str] | None, tmp_path: Path) -> None:
    """Over IPv6 where addresses are; a VLAN of the leaf's ports tags nothing. A full packet fits the interface."""
    plan = build(read(EXAMPLES / "mi300x-4node" / f"{cluster}.yaml"))
    _, document = build_scenario(plan, tmp_path)
    assert document["parameters"].get("framing") == framing
    assert any(port.vlan for port in plan.switches["leaf1"].ports.values()) == (framing is None)
    (mtu,) = {nic.link.mtu for host in plan.hosts.values() for nic in host.nics.values() if nic.link.mtu}
    assert document["parameters"]["transport"]["mtu_bytes"] == path_mtu_fitting(mtu, ipv6=framing is not None)


def test_headroom_is_the_plan_s(tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "arista-leaf-spine" / "cluster.yaml"))
    text = "version: 1\ntraffic:\n  - {pattern: permutation, size: 4 kB}\n"
    _, document = build_scenario(plan, tmp_path, text)
    names = (*plan.hosts, *plan.switches)
    checked = 0
    for number, cable in enumerate(plan.cables):
        for side, end in enumerate((cable.a, cable.b)):
            link = document["links"][number]
            assert names[link["ab"[side]]] == end.device
            value = shown_headroom(plan, end.device, end.port, cable)
            if value is not None:
                priority = next(
                    int(traffic_class.priority) for traffic_class in plan.classes.values() if traffic_class.lossless
                )
                headroom = resolve_parameters(document, 2 * number + side, priority)["switch"]["headroom"]
                assert f"{headroom['bytes']:,} B" == value.partition(" (")[0]
                checked += 1
    assert checked == 20  # every port of a switch


def test_a_scenario_to_read(tmp_path: Path) -> None:
    """The scenario of four nodes under an incast is the recorded one; WIRESPEED_ACCEPT=1 records it."""
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    scenario, _ = build_scenario(plan, tmp_path)
    path = GOLDEN / "mi300x-4node-incast.json"
    if os.environ.get("WIRESPEED_ACCEPT"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(scenario.text, encoding="utf-8")
    assert scenario.text == path.read_text(encoding="utf-8")


CLUSTERS = sorted(
    path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.glob("*/cluster*.yaml") if "scale" not in path.parts[-2]
)


def test_a_nic_without_a_cable_sends_nothing(tmp_path: Path) -> None:
    """Not as one of all, and not by its name."""
    plan = build(read(EXAMPLES / "pcie-lending" / "cluster.yaml"))
    _, document = build_scenario(plan, tmp_path, "version: 1\ntraffic:\n  - {pattern: all-to-all, size: 4 kB}\n")
    assert [(flow["src_port"], flow["dst_port"]) for flow in document["flows"]] == [(0, 0)] * 2
    with pytest.raises(Refusal) as refusal:
        build_scenario(
            plan, tmp_path, "version: 1\ntraffic:\n  - {pattern: pairs, from: 'abel1:eth0', to: abel2, size: 4 kB}\n"
        )
    assert str(refusal.value).endswith(":3: found the NIC 'eth0' of abel1; expected one with a cable")


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_example_runs(cluster: str, tmp_path: Path) -> None:
    """Without congestion control's help: what is lossless loses nothing with the headroom of the plan."""
    text = "version: 1\ntraffic:\n  - {pattern: permutation, size: 64 kB, rails: [1]}\n"
    completed = wirespeed(EXAMPLES / cluster, "--traffic", str(traffic(tmp_path, text)), "--format", "json")
    assert completed.returncode == Exit.PASSED, completed.stderr
    summary = json.loads(completed.stdout)
    assert (summary["failed"], summary["drops"]) == (0, 0)
    assert summary["assumed"]


def test_a_story(tmp_path: Path) -> None:
    """Names in options and tables, the plan in the summary; the saved scenario gives the same tables."""
    target, saved = tmp_path / "out", tmp_path / "saved.json"
    cluster, traffic_file = EXAMPLES / "mi300x-4node" / "cluster.yaml", traffic(tmp_path, INCAST)
    completed = wirespeed(
        *(cluster, "-t", str(traffic_file), "-o", str(target), "--write-scenario", str(saved)),
        *("--pcap", "leaf1:Eth1/1"),
    )
    assert (completed.returncode, completed.stderr) == (Exit.PASSED, f"tables in {target}\n")
    lines = completed.stdout.splitlines()
    assert lines[0] == "mi300x-4node (traffic incast)  preset roce, seed 1"
    assert lines[1].startswith("  plan             cluster.yaml ")
    assumed = [line for line in lines if "switch latency of dell-z9664f: 0 ns (not in cluster file or" in line]
    assert len(assumed) == 1
    assert sum(line.startswith("  assumed ") for line in lines) == 1
    assert (target / "leaf1_Eth1_1.pcap").stat().st_size > 1 << 20
    names = pq.read_table(target / "names.parquet").to_pylist()
    assert names[1] == {"port": 1, "node": 4, "device": "leaf1", "interface": "Eth1/1"}
    summary = json.loads((target / "summary.json").read_text())
    assert plain(from_json((target / "summary.json").read_text(), "summary.json").source) == summary["source"]
    source = summary["source"]
    assert (source["plan"], source["cluster"], source["traffic"]) == ("mi300x-4node", "cluster.yaml", "traffic.yaml")
    second = tmp_path / "again"
    arguments = (saved, "-o", str(second), "--pcap", "leaf1:Eth1/1", "--format", "json")
    repeated = json.loads(wirespeed(*arguments).stdout)
    assert repeated["tables_sha256"] == summary["tables_sha256"]
    assert repeated["source"] is None
    assert repeated["assumed"] == summary["assumed"] == json.loads(saved.read_text())["assumed"] != []
    by_number = wirespeed(saved, "-o", str(tmp_path / "wrong"), "--series", "port:99:1")
    assert by_number.stderr == (
        "error: --series: found '99:1'; expected a node of the scenario, 0 to 4\n"
        "  hint: or the name of a port, such as leaf1:Eth1/1\n"
    )
    assert pq.read_table(second / "names.parquet").to_pylist() == names
    assert (second / "leaf1_Eth1_1.pcap").read_bytes() == (target / "leaf1_Eth1_1.pcap").read_bytes()
    assert open_folder(second).network() == open_folder(target).network()
    assert source["cluster_sha256"] in json.loads(saved.read_text())["desc"]


def test_permutations_follow_the_seed(tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    text = "version: 1\ntraffic:\n  - {pattern: permutation, size: 4 kB}\n"
    demand = read_traffic(traffic(tmp_path, text))
    pairs_of_seed = {
        seed: [(entry.source, entry.target) for entry in spread_flows(plan, demand, seed)] for seed in range(20)
    }
    for pairs in pairs_of_seed.values():
        assert len(pairs) == 32
        for place in (0, 1):
            assert len({pair[place] for pair in pairs}) == 32
        assert all(entry.host != peer.host and entry.interface == peer.interface for entry, peer in pairs)
    assert pairs_of_seed[1] == [(entry.source, entry.target) for entry in spread_flows(plan, demand, 1)]
    assert len({tuple(pairs) for pairs in pairs_of_seed.values()}) > 1


def test_a_background_keeps_its_rate(tmp_path: Path) -> None:
    text = (
        "version: 1\ntraffic:\n  - {pattern: background, from: node2:enp29s0np0, to: node3, size: 62500 B,\n"
        "     rate: 50 Gb/s, start: 10 us, until: 50 us, verb: read, udp_source_port: 65535, queue_pairs: 2}\n"
    )
    _, document = build_scenario(build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml")), tmp_path, text)
    assert document["queue_pairs"] == [
        {"a": 1, "b": 2, "a_port": 0, "b_port": 0, "priority": 3, "udp_source_port": port} for port in (65535, 49152)
    ]
    assert [(operation["queue_pair"], operation["at_ns"]) for operation in document["operations"]] == [
        (queue_pair, start_ns) for queue_pair in (0, 1) for start_ns in (10_000, 20_000, 30_000, 40_000)
    ]
    assert {(operation["side"], operation["verb"], operation["bytes"]) for operation in document["operations"]} == {
        ("b", "read", 62500)
    }


def test_tcp_and_udp_beside_roce(tmp_path: Path) -> None:
    """In a lossy class, and in packets of the interface's size."""
    text = (
        "version: 1\ntraffic:\n  - {pattern: incast, to: node1, size: 2 MB, rails: [1], start: 100 us}\n"
        "  - {pattern: incast, to: node1, size: 1 GB, rails: [1], protocol: tcp, queue_pairs: 4}\n"
        "  - {pattern: background, from: node2, to: node3, rails: [2], protocol: udp, size: 4 kB, rate: 1 Gb/s,\n"
        "     until: 200 us}\n"
    )
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    _, document = build_scenario(plan, tmp_path, text)
    (mtu,) = {nic.link.mtu for host in plan.hosts.values() for nic in host.nics.values()}
    assert document["parameters"]["sockets"] == {"mtu_bytes": mtu}
    lossy = next(int(traffic_class.priority) for traffic_class in plan.classes.values() if not traffic_class.lossless)
    services = [(flow.get("service"), flow["priority"]) for flow in document["flows"]]
    assert services == [(None, 3)] * 3 + [("tcp", lossy)] * 12
    assert [(pair["service"], pair["priority"]) for pair in document["queue_pairs"]] == [("udp", lossy)]
    assert not any("verb" in flow for flow in (*document["flows"], *document["operations"]))


REFUSED = {
    "{pattern: incast, to: node1, size: 1 kB, protocol: tcp, verb: read}": (
        "traffic.yaml:3: found 'verb' with tcp; expected no verb: sockets send"
    ),
    "{pattern: incats, to: node1, size: 1 kB}": (
        "traffic.yaml:3: found pattern: 'incats'; expected pairs or permutation or incast or all-to-all or background\n"
        "  hint: did you mean 'incast'?"
    ),
    "{pattern: incast, to: node1, sise: 1 kB}": (
        "traffic.yaml:3: missing key 'size' (size of each message; every queue pair sends `messages` of them)\n"
        "  hint: add a value such as `size: 64 KiB`\n"
        "traffic.yaml:3: found the unknown key 'sise'; expected one of class, from, hosts, messages, pattern, "
        "protocol, queue_pairs, rails, rate, size, start, to, udp_source_port, until, verb\n  hint: "
        "did you mean 'size'?"
    ),
    "{pattern: incast, to: node1, size: 1 kB, udp_source_port: 70000}": (
        "traffic.yaml:3: found udp_source_port: '70000'; expected a UDP port, at most 65535"
    ),
    "{pattern: incast, to: nod1, size: 1 kB}": (
        "traffic.yaml:3: found the host 'nod1'; expected a host of the cluster\n  hint: did you mean 'node1'?"
    ),
    "{pattern: incast, size: 1 kB}": "traffic.yaml:3: found incast without 'to'; expected 'to' in the same entry",
    "{pattern: incast, to: 'node[1-2]', size: 1 kB}": "traffic.yaml:3: found 2 receivers; expected one",
    "{pattern: pairs, from: 'node[1-2]', to: node3, size: 1 kB}": (
        "traffic.yaml:3: found 1 receivers of 2 senders; expected as many of both"
    ),
    "{pattern: pairs, from: node1, to: node1, size: 1 kB}": (
        "traffic.yaml:3: found pairs with node1 as sender and receiver; expected a receiver that differs from the "
        "sender"
    ),
    "{pattern: incast, from: 'node[1-3]', to: node2, size: 1 kB}": (
        "traffic.yaml:3: found incast with node2 as sender and receiver; expected a receiver that differs from the "
        "sender\n  hint: remove node2 from `from`"
    ),
    "{pattern: incast, hosts: 'node[1-3]', to: node2, size: 1 kB}": (
        "traffic.yaml:3: found 'hosts' with incast; expected incast without 'hosts'\n"
        "  hint: incast uses from, messages, to, and the keys of every pattern, such as size and class"
    ),
    "{pattern: pairs, from: node1, to: node2, size: 1 kB, rails: [9]}": (
        "traffic.yaml:3: found rail 9 of node[1-2]; expected one of 1, 2, 3, 4, 5, 6, 7, 8"
    ),
    "{pattern: permutation, hosts: 'node[1-4]', size: 1 kB, rails: [1, 9]}": (
        "traffic.yaml:3: found rail 9 of node[1-4]; expected one of 1, 2, 3, 4, 5, 6, 7, 8"
    ),
    "{pattern: pairs, from: 'node1:enp29s0np1', to: node2, size: 1 kB}": (
        "traffic.yaml:3: found the NIC 'enp29s0np1'; expected one of enp29s0np0, enp67s0np0, enp86s0np0, enp105s0np0, "
        "enp159s0np0, enp195s0np0, enp213s0np0, enp231s0np0\n  hint: did you mean 'enp29s0np0'?"
    ),
    "{pattern: all-to-all, size: 1 kB, class: rocce}": (
        "traffic.yaml:3: found the class 'rocce'; expected one of roce, cnp, default\n  hint: did you mean 'roce'?"
    ),
    "{pattern: all-to-all, size: 1 kB, rate: 1 Gb/s}": (
        "traffic.yaml:3: found 'rate' with all-to-all; expected all-to-all without 'rate'\n"
        "  hint: all-to-all uses hosts, messages, and the keys of every pattern, such as size and class"
    ),
    "{pattern: all-to-all, size: 1 kB, start: 1000001 s}": (
        "traffic.yaml:3: found start 1,000,001.0 s; expected at most 1,000,000 s"
    ),
    "{pattern: background, from: node1, to: node2, size: 1 kB, rate: 1 kb/s, until: 1000000.1 s}": (
        "traffic.yaml:3: found until 1,000,000.1 s; expected at most 1,000,000 s"
    ),
    "{pattern: background, from: node1, to: node2, size: 1 kB, rate: 400 Gb/s, until: 1 s}": (
        "traffic.yaml:3: found 50,000,000 messages; expected at most 1,000,000\n"
        "  hint: a larger size, a lower rate or an earlier end"
    ),
}


@pytest.mark.parametrize("entry", list(REFUSED))
def test_refusals(entry: str, tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    with pytest.raises(Refusal) as refusal:
        build_scenario(plan, tmp_path, f"version: 1\ntraffic:\n  - {entry}\n")
    assert str(refusal.value).replace(f"{tmp_path}/", "") == REFUSED[entry]


MISTAKES = """\
version: 1
traffic:
  - {pattern: pairs, from: node1, to: nod2, size: 1 GB, sise: 3}
  - {pattern: incast, to: [node1], size: 1 MB, class: rocce}
faults:
  - {kind: link-down, node: spine9, convergence: 1 ms}
  - {kind: bit-errors, ber: 1e-5, fec: none}
  - {kind: link-down, detection: 1 us, convergence: 1 ms}
  - {kind: mis-wired, ports: [x, y]}
  - {kind: cnp-delay, port: node1:enp29, delay: 3 us}
"""
VALUES = [
    "3: found the unknown key 'sise'",
    "4: found to: a list",
    "6: missing key 'detection'",
    "7: missing key 'port'",
    "9: found kind: 'mis-wired'",
]
NAMES = [
    "3: found the host 'nod2'",
    "4: found the class 'rocce'",
    "6: found the node 'spine9'",
    "10: found the port 'node1:enp29'",
]


def test_all_mistakes_of_a_file_are_reported_together(tmp_path: Path) -> None:
    cluster = EXAMPLES / "mi300x-4node" / "cluster.yaml"
    plan = build(read(cluster))
    with pytest.raises(Refusal) as refusal:
        plan_scenario(cluster, plan, traffic(tmp_path, MISTAKES), 1, simulator_mappings())
    starts = [str(problem).rpartition("traffic.yaml:")[2].partition(";")[0] for problem in refusal.value.problems]
    assert [start.partition(" (")[0] for start in starts] == [*VALUES, *NAMES]


def test_mistakes_of_traffic_and_faults_are_reported_together(tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    text = (
        "version: 1\ntraffic:\n  - {pattern: incast, to: nod1, size: 1 kB}\n"
        "faults:\n  - {kind: cnp-delay, port: node1:enp29, delay: 3 us}\n"
    )
    with pytest.raises(Refusal) as refusal:
        build_scenario(plan, tmp_path, text)
    places = [(problem.location.rpartition(":")[2], problem.found) for problem in refusal.value.problems]
    assert places == [("3", "the host 'nod1'"), ("5", "the port 'node1:enp29'")]


def test_files_and_options_that_do_not_go_together(tmp_path: Path) -> None:
    cluster, traffic_file = EXAMPLES / "mi300x-4node" / "cluster.yaml", traffic(tmp_path, INCAST)
    scenario = EXAMPLES / "simulator" / "incast.json"
    existing = tmp_path / "there.json"
    existing.write_text("kept")
    log = tmp_path / "all_reduce.log"
    log.write_text("# nThread 1 nGpus 1\nnode1:1203:1203 [0] NCCL INFO Bootstrap\n")
    results = tmp_path / "results"
    results.mkdir()
    (results / "summary.json").write_text("{}")
    rows = [
        ((cluster,), f"error: {cluster}: --traffic is missing"),
        (
            (log,),
            f"error: {log}: found text without YAML keys; expected a cluster file (.yaml) or a scenario (.json)\n",
        ),
        ((tmp_path,), f"error: {tmp_path}: found a folder; expected a cluster file or a scenario\n"),
        (
            (results,),
            f"error: {results}: found a result folder; expected a cluster file or a scenario\n"
            f"  hint: `wirespeed report {results}` shows the result\n",
        ),
        (
            (traffic_file,),
            f"error: {traffic_file}: found a traffic file; expected a cluster file\n  hint: `wirespeed sim run CLUSTER",
        ),
        (
            (scenario, "-t", str(traffic_file)),
            f"error: --traffic: does not apply to the scenario {scenario}, which contains",
        ),
        (
            (cluster, "-t", str(traffic_file), "--preset", "hpcc"),
            "error: --preset: hpcc does not apply to a cluster file",
        ),
        (
            (cluster, "-t", str(traffic_file), "-o", str(tmp_path / "out"), "--series", "port:leaf1:Eth1/33"),
            "error: --series: found 'leaf1:Eth1/33'; expected a port: leaf1:Eth1/1, leaf1:Eth1/2, ",
        ),
        ((cluster, "-t", str(write_scenario(tmp_path, {}))), "error: "),
        (
            (cluster, "-t", str(traffic_file), "--write-scenario", str(traffic_file), "--force"),
            f"error: --write-scenario: {traffic_file} is an input of this run",
        ),
        (
            (cluster, "-t", str(traffic_file), "--write-scenario", str(existing)),
            f"error: --write-scenario: {existing} exists",
        ),
    ]
    for arguments, message in rows:
        completed = wirespeed(*arguments)
        assert (completed.returncode, completed.stderr[: len(message)]) == (Exit.REFUSED, message), completed.stderr
    assert (traffic_file.read_text(), existing.read_text()) == (INCAST, "kept")


def test_the_schema_names_every_key() -> None:
    entry = traffic_schema()["$defs"]["Entry"]["properties"]
    assert {"from", "to", "hosts", "class", "size"} <= set(entry)
    assert {"description", "anyOf"} <= set(entry["from"])


@pytest.mark.lab
def test_the_largest_example_loads(tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "scale-32768" / "cluster.yaml"))
    scenario, document = build_scenario(
        plan, tmp_path, "version: 1\ntraffic:\n  - {pattern: permutation, size: 4 kB, rails: [1]}\n"
    )
    assert (document["hosts"], document["switches"], len(document["flows"])) == (4096, 2560, 4096)
    path = tmp_path / "large.json"
    path.write_text(scenario.text)
    completed = wirespeed(path, "--format", "json")
    assert (completed.returncode, json.loads(completed.stdout)["drops"]) == (Exit.PASSED, 0)
