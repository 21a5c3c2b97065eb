"""What a plan sets beyond thresholds: the PFC watchdog, load balancing, NICs' congestion control.

Where the simulator has nothing for it, that is said.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from planned_scenarios import INCAST, ONE, made, settled
from small_scenarios import wirespeed

from wirespeed.cluster import read_text
from wirespeed.plan import build

LEAF = "role: leaf"
TO_NODE_1 = INCAST.replace("node3", "node1")
NVIDIA = ("2 x broadcom-bcm957608-p1400gd", "2 x nvidia-mcx613106a-vdat")


def handed(folder: Path, *changes: tuple[str, str], system: str = "eos") -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """The small cluster with its text changed: the scenario as text and as a document, and what was assumed."""
    model = {"eos": "arista-7060dx5-64s", "junos": "juniper-qfx5240-64od"}[system]
    text = ONE.format(model=model, system=system)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    scenario, document = made(build(read_text(text, "one.yaml")), folder, TO_NODE_1)
    return scenario.text, document, scenario.assumed


def switch_with(more: str) -> tuple[str, str]:
    return LEAF, f"{LEAF}, {more}"


def roce_with(more: str) -> tuple[str, str]:
    return "congestion: dcqcn-p", f"congestion: dcqcn-p, nic: {{congestion_parameters: {{{more}}}}}"


def test_the_watchdog_of_a_platform_is_handed_over(tmp_path: Path) -> None:
    _, document, _ = handed(tmp_path)
    assert settled(document, 1, 3)["pfc"]["watchdog"] == {  # catalogue/software/switch/eos.yaml
        "detection_ns": 10**9,
        "restoration_ns": 2 * 10**9,
        "poll_ns": 2 * 10**8,
        "action": "drop",
    }


def test_the_watchdog_of_a_cluster_file_acts(tmp_path: Path) -> None:
    """A NIC that pauses its switch without end: found stuck at the first look after the detection time."""
    times = "watchdog: {action: forward, detect: 400 ms, restore: 600 ms, poll: 100 ms}"
    _, document, assumed = handed(tmp_path, switch_with(times))
    assert settled(document, 1, 3)["pfc"]["watchdog"]["detection_ns"] == 400_000_000
    assert not any("watchdog" in one for one in assumed)
    storm = {"kind": "stuck-nic", "node": 0, "nic_port": 0, "priority": 3, "from_ns": 0, "until_ns": 1_000_000_000}
    stuck = {}
    for name, watchdog in (("on", settled(document, 1, 3)["pfc"]["watchdog"]), ("off", None)):
        parameters = {**document["parameters"], "pfc": {**document["parameters"]["pfc"], "watchdog": watchdog}}
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({**document, "parameters": parameters, "faults": [storm]}))
        summary = json.loads(wirespeed(path, "--format", "json").stdout)
        stuck[name] = (summary["watchdog_stuck"], summary["watchdog_drops"])
    assert stuck == {"on": (1, 0), "off": (0, 0)}


@pytest.mark.parametrize(("action", "does"), [("alert", "only report"), ("errdisable", "switch the port off")])
def test_what_a_watchdog_does_that_is_not_simulated_is_said(action: str, does: str, tmp_path: Path) -> None:
    _, document, assumed = handed(tmp_path, switch_with(f"watchdog: {{action: {action}}}"))
    assert settled(document, 1, 3)["pfc"]["watchdog"] is None
    assert f"the PFC watchdog of tomahawk4 does nothing here: it would {does}" in assumed


def test_a_switch_that_queues_at_ingress(tmp_path: Path) -> None:
    """Architecture and credit are the chip's; that nobody says how long a credit takes is said."""
    _, document, _ = handed(tmp_path)
    assert settled(document, 1, 3)["switch"]["architecture"] == {"rule": "shared-buffer"}
    _, document, assumed = handed(tmp_path, ("arista-7060dx5-64s", "arista-7280dr3-24"))
    voq = {"rule": "voq", "credit_bytes": 1024, "credit_latency_ns": 0}
    assert settled(document, 1, 3)["switch"]["architecture"] == voq
    assert "credits of jericho2 take no time, and its ports belong to its cores in their order" in assumed
    path = tmp_path / "voq.json"
    path.write_text(json.dumps(document))
    summary = json.loads(wirespeed(path, "--format", "json").stdout)
    assert (summary["failed"], summary["drops"]) == (0, 0)


BALANCES = {
    "static": {"balance": "flow"},
    "flowlet": {"balance": "adaptive", "adaptive_gap_ns": 256_000},
    "flowlet, flowlet_gap: 128 us": {"balance": "adaptive", "adaptive_gap_ns": 128_000},
    "per-packet": {"balance": "adaptive", "adaptive_gap_ns": 0},
    "assigned-flow": {"balance": "adaptive", "adaptive_gap_ns": 1_000_000_000},
}


@pytest.mark.parametrize("mode", BALANCES)
def test_load_balancing_is_handed_over(mode: str, tmp_path: Path) -> None:
    change = switch_with(f"load_balancing: {{mode: {mode}}}")
    _, document, assumed = handed(tmp_path, change, system="junos")
    assert settled(document, 1, 3)["ecmp"] == BALANCES[mode]
    name = mode.partition(",")[0]
    said = f"load balancing {name} of tomahawk5 goes by the queues of the ports; their load counts for nothing"
    assert (said in assumed) == (name != "static")
    assert any("keeps its assigned port until" in one for one in assumed) == (name == "assigned-flow")


def test_parameters_of_broadcom_s_congestion_control(tmp_path: Path) -> None:
    """By their names, units behind; what the receiver has, what is unknown and what is out of range go other ways."""
    sent = "g: 6, rtt: 80, init_cp: 512, min_time_bet_cnp: 4, cr_min_th: 0, tr_lb: 7, tcp_cp: 1"
    _, document, assumed = handed(tmp_path, roce_with(sent))
    found = settled(document, 0, 3)
    assert found["congestion"] == {"algorithm": "dcqcn-p", "g": 6, "init_cp": 512, "rtt_us": 80}
    assert found["notification"] == {"priority": 6, "interval_ns": 4000}
    assert settled(document, 0, 0)["congestion"] == {"algorithm": "line-rate"}
    nic = "broadcom-bcm957608-p1400gd"
    assert f"tcp_cp, tr_lb of {nic}: dcqcn-p has no such parameter here" in assumed
    assert (
        f"cr_min_th 0 of {nic} is not taken over: dcqcn-p takes 1 to 62500, line rate in 64 bytes per RTT"
    ) in assumed
    assert "parameters of dcqcn-p other than g, init_cp, rtt_us are the simulator's: not in the plan" in assumed


def test_parameters_of_nvidia_s_congestion_control(tmp_path: Path) -> None:
    sent = "rpg_ai_rate: 50, clamp_tgt_rate: 1, rpg_time_reset: 200, rpg_max_rate: 0"
    _, document, assumed = handed(tmp_path, NVIDIA, roce_with(sent))
    assert settled(document, 0, 3)["congestion"] == {
        "algorithm": "dcqcn-nvidia",
        "clamp_tgt_rate": True,
        "rpg_ai_rate_mbps": 50,
        "rpg_time_reset_us": 200,
    }
    assert "rpg_max_rate of nvidia-mcx613106a-vdat: dcqcn-nvidia has no such parameter here" in assumed


@pytest.mark.parametrize("changes", [(), (NVIDIA,)], ids=["broadcom", "nvidia"])
def test_without_parameters_the_simulator_s_are_used_and_said(changes: Any, tmp_path: Path) -> None:
    _, document, assumed = handed(tmp_path, *changes)
    found = settled(document, 0, 3)["congestion"]
    assert set(found) == {"algorithm"}
    text = f"parameters of {found['algorithm']} are the simulator's: the plan sets none of the NIC's own"
    assert text in assumed


def test_parameters_change_the_run(tmp_path: Path) -> None:
    """Two writers to one, marked from the first packet on: a deeper cut leaves them slower."""
    ends = []
    for divider in (1, 200):
        _, document, _ = handed(tmp_path, roce_with(f"red_div: {divider}"))
        port = {"kmin_bytes": 0, "kmax_bytes": 100_000}
        document["devices"].append({"nodes": [2], "priorities": [3], "parameters": {"marking": port}})
        document["flows"] = [
            {"src": 1, "dst": 0, "bytes": 1 << 22, "src_port": port, "dst_port": 0, "priority": 3} for port in (0, 1)
        ]
        document.pop("queue_pairs", None)
        document.pop("operations", None)
        path = tmp_path / f"{divider}.json"
        path.write_text(json.dumps(document))
        ends.append(json.loads(wirespeed(path, "--format", "json").stdout)["fct_us"]["mean"])
    assert ends[0] > 1.2 * ends[1]
