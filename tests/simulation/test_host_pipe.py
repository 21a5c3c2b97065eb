"""PCIe of a cluster file in the simulator: slots too narrow, writes in order, few reads; and healthy ones, which change
nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from planned_scenarios import build_scenario

from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.simulation.run import run

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTER = """\
version: 1
name: slots
hosts:
  node[1-2]: {{model: {model}, os: ubuntu-22.04, nics: 1 x {nic}{more}}}
switches:
  leaf1: {{model: arista-7060dx5-64s, os: eos, role: leaf}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
classes:
  roce: {{dscp: 26, priority: 3, lossless: true, share: 50%{of_class}}}
  cnp: {{dscp: 48, priority: 6, strict: true}}
"""
TRAFFIC = "version: 1\n{more}traffic:\n  - {{pattern: pairs, from: node1, to: node2, size: 8 MiB}}\n"
R740 = ("dell-r740-xeon-5218", "nvidia-mcx623106an-cdat")  # 100 Gb/s behind generation 3
R6525 = ("dell-r6525", "nvidia-mcx623105an-vdat")  # 200 Gb/s behind generation 4, EPYC


def cluster(part: tuple[str, str], extra: str = "", of_class: str = "") -> str:
    return CLUSTER.format(model=part[0], nic=part[1], more=extra, of_class=of_class)


def ran(folder: Path, text: str, options: str = "") -> tuple[dict[str, Any], tuple[str, ...], float, int]:
    """The pipe of all NICs, what was assumed of it, Gb/s of payload and pauses that NICs sent."""
    folder.mkdir(exist_ok=True)
    scenario, document = build_scenario(build(read_text(text, "slots.yaml")), folder, TRAFFIC.format(more=options))
    path = folder / "scenario.json"
    path.write_text(scenario.text, encoding="utf-8")
    result = run(path, "roce", 1)
    assert (result.summary.failed, result.summary.drops) == (0, 0)
    (flow,) = result.tables["flows"].to_pylist()
    queues = result.tables["queues"].to_pylist()
    nics = {2 * number for number, link in enumerate(document["links"]) if link["a"] < 2}
    pauses = sum(row["xoff_sent"] for row in queues if row["port"] in nics)
    entries = tuple(
        entry for entry in scenario.assumed if "PCIe" in entry or "receive buffer" in entry or "ordering" in entry
    )
    took = flow["end_ps"] - flow["start_ps"]
    return document["parameters"].get("nic", {}).get("pipe"), entries, 8_000 * flow["bytes"] / took, pauses


def test_a_slot_too_narrow(tmp_path: Path) -> None:
    """A port of 100 Gb/s behind 8 lanes of generation 3 receives 57.6 Gb/s, 256 bytes in 280 of 63.0 Gb/s."""
    pipe, assumptions, rate, pauses = ran(tmp_path, cluster(R740))
    assert (pipe, assumptions, pauses) == (None, (), 0)
    assert rate > 95
    pipe, assumptions, rate, pauses = ran(tmp_path, cluster(R740, ", nic: {ens7f0np0: {slot: gen3 x8}}"))
    assert (pipe["pcie"]["generation"], pipe["pcie"]["width"]) == (3, 8)
    assert rate == pytest.approx(57.6, rel=0.01)
    assert assumptions == (
        "PCIe of nvidia-mcx623106an-cdat (gen3 x8): MaxPayload 256 bytes, MaxReadRequest 4,096 bytes, 256 "
        "outstanding reads, 547 ns round trip",
        f"receive buffer of nvidia-mcx623106an-cdat: {pipe['receive_buffer_bytes']:,} bytes (not published; "
        "the minimum for lossless operation at full rate)",
    )


def test_a_receiver_alone_pauses_its_switch(tmp_path: Path) -> None:
    """What the sender's healthy slot gives is more than the receiver's takes."""
    except_one = cluster(R740).replace(
        "}\nswitches", ", except: {node2: {nic: {ens7f0np0: {slot: gen3 x8}}}}}\nswitches"
    )
    _, document = build_scenario(build(read_text(except_one, "slots.yaml")), tmp_path, TRAFFIC.format(more=""))
    pipes = [device["parameters"]["nic"]["pipe"] for device in document["devices"] if "nic" in device["parameters"]]
    base = document["parameters"]["nic"]["pipe"]
    assert sorted(pipe is None for pipe in [base, *pipes]) == [False, True]
    _, _, rate, pauses = ran(tmp_path, except_one)
    assert rate == pytest.approx(57.6, rel=0.01)
    assert pauses > 0


def test_writes_in_order(tmp_path: Path) -> None:
    """Relaxed ordering off in the NIC: what was measured of the CPU, the judge's own figure; on: the wire's."""
    pipe, _, rate, _ = ran(tmp_path, cluster(R6525))
    assert pipe is None
    assert rate > 190
    pipe, _, rate, pauses = ran(tmp_path, cluster(R6525, ", nvm: {relaxed_ordering: false}"))
    assert pipe["pcie"]["ordered_writes"] == {"rule": "measured", "bps": 150_000_000_000}
    assert rate == pytest.approx(150, rel=0.01)
    assert pauses > 0
    unknown = "writes with strict ordering in dell-r740-xeon-5218: not limited (the rate of its CPU is not known)"
    assert ran(tmp_path, cluster(R740, ", nvm: {relaxed_ordering: false}"))[:2] == (None, (unknown,))


def test_few_reads(tmp_path: Path) -> None:
    """The option of the NIC, and the time that the traffic file sets instead, for 4,096 bytes."""
    few_reads = cluster(R6525, ", nvm: {outstanding_reads: 2}")
    rows = [
        (few_reads, "", 2 * 4096 * 8 / 547, 2),
        (few_reads, "host_pipe: {tags: 1, round_trip: 1000 ns}\n", 4096 * 8 / 1000, 1),
        (cluster(R6525), "host_pipe: {tags: 3}\n", 3 * 4096 * 8 / 547, 3),
    ]
    for text, extra, expected, tags in rows:
        pipe, _, rate, pauses = ran(tmp_path, text, extra)
        assert (pipe["pcie"]["reads"]["tags"], pauses) == (tags, 0)
        assert rate == pytest.approx(expected, rel=0.01)
    assert ran(tmp_path, few_reads, "host_pipe: {tags: 64}\n")[0] is None


def test_the_sizes_of_packets(tmp_path: Path) -> None:
    """As planned for a slot: data of 63.0 Gb/s with 24 bytes for each write; 16 outstanding requests."""
    slot = ", nic: {{ens7f0np0: {{slot: gen3 x8, max_payload: {}, max_read_request: 4096}}}}"
    for size in (128, 256, 512):
        pipe, assumptions, rate, _ = ran(tmp_path, cluster(R740, slot.format(size)))
        assert (pipe["pcie"]["max_payload_bytes"], pipe["pcie"]["reads"]["max_read_request_bytes"]) == (size, 4096)
        assert assumptions[0].endswith("(gen3 x8): 256 outstanding reads, 547 ns round trip")
        assert rate == pytest.approx(63.0 * size / (size + 24), rel=0.01)
    request = ", nic: {{enp33s0f0np0: {{max_read_request: {}}}}}"
    for size in (512, 256):
        pipe, _, rate, _ = ran(tmp_path, cluster(R6525, request.format(size)), "host_pipe: {tags: 16}\n")
        assert pipe["pcie"]["reads"]["max_read_request_bytes"] == size
        assert rate == pytest.approx(16 * size * 8 / 547, rel=0.01)
    assert ran(tmp_path, cluster(R6525, request.format(4096)), "host_pipe: {tags: 16}\n")[0] is None


def test_the_receive_buffer(tmp_path: Path) -> None:
    """That of the traffic file before the plan's, and the plan's before one that is computed."""
    narrow = ", nic: {ens7f0np0: {slot: gen3 x8}}"
    planned = cluster(R740, narrow, ", nic: {buffer: 1, buffer_size: 130944 B}")
    for text, extra, size in (
        (planned, "", 130_944),
        (planned, "host_pipe: {receive_buffer: 256 KiB}\n", 262_144),
        (cluster(R740, narrow), "host_pipe: {receive_buffer: 256 KiB}\n", 262_144),
    ):
        pipe, assumptions, rate, _ = ran(tmp_path, text, extra)
        assert pipe["receive_buffer_bytes"] == size
        assert pipe["receive_buffer_bytes"] > pipe["xoff_bytes"] > pipe["xon_bytes"]
        assert len(assumptions) == 1
        assert rate == pytest.approx(57.6, rel=0.03)  # the last 256 KiB are acknowledged before they are in memory


def test_a_slow_receiver_pauses_as_a_narrow_slot_does(tmp_path: Path) -> None:
    """Two lossless priorities: the headroom of both is above XOFF, whichever of the two gives the buffer."""
    narrow_slot = ", nic: {ens7f0np0: {slot: gen3 x8}}"
    text = (
        cluster(R740, narrow_slot)
        + "  storage: {dscp: 20, priority: 4, lossless: true, share: 20%, nic: {traffic_class: 2}}\n"
    )
    text = text.replace("role: leaf", "role: leaf, classes: {storage: {traffic_class: 4, queue: 4}}")
    plan = build(read_text(text, "slots.yaml"))
    _, document = build_scenario(plan, tmp_path, TRAFFIC.format(more="host_pipe: {receive_buffer: 1 MB}\n"))
    fault = "faults:\n  - {kind: slow-receiver, port: node2:ens7f0np0, rate: 1 Gb/s, receive_buffer: 1 MB}\n"
    _, faulty = build_scenario(plan, tmp_path, TRAFFIC.format(more=fault))
    keys = ("receive_buffer_bytes", "xoff_bytes", "xon_bytes")
    pipes = [document["parameters"]["nic"]["pipe"], faulty["devices"][-1]["parameters"]["nic"]["pipe"]]
    first, second = ([pipe[key] for key in keys] for pipe in pipes)
    assert first == second == [1_000_000, 1_000_000 - 2 * 52_768, 1_000_000 - 2 * 52_768 - 9000]


REFUSED = {
    "{receive_buffer: 4 KiB}": r"traffic.yaml:2: found 4,096 bytes; expected at least ([0-9,]+)\n"
    "  hint: the headroom of nvidia-mcx623106an-cdat's cable and an MTU",
    "{receive_buffer: 4 GiB}": "traffic.yaml:2: found 4,294,967,296 bytes; expected at most 2,147,483,648",
    "{tags: 16385, round_trip: 2 s}": "traffic.yaml:2: found 16,385 tags; expected at most 16,384\n"
    ".*traffic.yaml:2: found 2 s; expected more than 0 s, at most 1 s",
    "{tag: 1}": "traffic.yaml:2: found the unknown key 'tag'; expected one of receive_buffer, round_trip, tags\n"
    "  hint: did you mean 'tags'?",
}


@pytest.mark.parametrize("entry", list(REFUSED))
def test_refusals(entry: str, tmp_path: Path) -> None:
    plan = build(read_text(cluster(R740, ", nic: {ens7f0np0: {slot: gen3 x8}}"), "slots.yaml"))
    with pytest.raises(Refusal, match=REFUSED[entry]):
        build_scenario(plan, tmp_path, TRAFFIC.format(more=f"host_pipe: {entry}\n"))


@pytest.mark.parametrize("example", ["mi300x-4node", "arista-leaf-spine", "bluebonnet-64node"])
def test_healthy_slots_are_in_no_scenario(example: str, tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / example / "cluster.yaml"))
    scenario, document = build_scenario(
        plan, tmp_path, "version: 1\ntraffic:\n  - {pattern: permutation, size: 4 kB}\n"
    )
    assert "nic" not in document["parameters"]
    assert not any("nic" in device["parameters"] for device in document["devices"])
    assert not any("PCIe" in entry for entry in scenario.assumed)


def test_ports_of_a_card_are_assumed_to_have_the_full_link(tmp_path: Path) -> None:
    """Two ports of 200 Gb/s in one slot of generation 4: each has the link alone here, and that is assumed."""
    plan = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"))
    scenario, _ = build_scenario(
        plan, tmp_path, "version: 1\ntraffic:\n  - {pattern: permutation, size: 4 kB, protocol: tcp}\n"
    )
    assert "ports of nvidia-mcx613106a-vdat: each has the full PCIe link of its card" in scenario.assumed
