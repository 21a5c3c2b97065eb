"""What a plan sets beyond thresholds: the PFC watchdog, load balancing, NICs' congestion control.

What the simulator does not model is listed as an assumption.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from planned_scenarios import INCAST, ONE_SWITCH, build_scenario, resolve_parameters
from small_scenarios import wirespeed

from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build

LEAF = "role: leaf"
TO_NODE_1 = INCAST.replace("node3", "node1")
NVIDIA = ("2 x broadcom-bcm957608-p1400gd", "2 x nvidia-mcx613106a-vdat")


MODELS = {
    "eos": "arista-7060dx5-64s",
    "junos": "juniper-qfx5240-64od",
    "cumulus": "nvidia-sn5600",
    "sonic": "nvidia-sn5600",
    "dell-sonic": "dell-z9664f",
}


def planned_scenario(
    folder: Path, *changes: tuple[str, str], system: str = "eos"
) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """The small cluster with its text changed: the scenario as text and as a document, and what was assumed."""
    text = ONE_SWITCH.format(model=MODELS[system], system=system)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    scenario, document = build_scenario(build(read_text(text, "one.yaml")), folder, TO_NODE_1)
    return scenario.text, document, scenario.assumed


def switch_with(settings: str) -> tuple[str, str]:
    return LEAF, f"{LEAF}, {settings}"


def roce_with(parameters: str) -> tuple[str, str]:
    return "congestion: dcqcn-p", f"congestion: dcqcn-p, nic: {{congestion_parameters: {{{parameters}}}}}"


def test_the_watchdog_of_a_platform_is_handed_over(tmp_path: Path) -> None:
    _, document, _ = planned_scenario(tmp_path)
    assert resolve_parameters(document, 1, 3)["pfc"]["watchdog"] == {  # catalogue/software/switch/eos.yaml
        "detection_ns": 10**9,
        "restoration_ns": 2 * 10**9,
        "poll_ns": 2 * 10**8,
        "action": "drop",
    }


def test_the_watchdog_of_a_cluster_file_acts(tmp_path: Path) -> None:
    """A NIC that pauses its switch without end: found stuck at the first look after the detection time."""
    times = "watchdog: {action: forward, detect: 400 ms, restore: 600 ms, poll: 100 ms}"
    _, document, assumed = planned_scenario(tmp_path, switch_with(times))
    assert resolve_parameters(document, 1, 3)["pfc"]["watchdog"]["detection_ns"] == 400_000_000
    assert not any("watchdog" in entry for entry in assumed)
    storm = {"kind": "stuck-nic", "node": 0, "nic_port": 0, "priority": 3, "from_ns": 0, "until_ns": 1_000_000_000}
    stuck = {}
    for name, watchdog in (("on", resolve_parameters(document, 1, 3)["pfc"]["watchdog"]), ("off", None)):
        parameters = {**document["parameters"], "pfc": {**document["parameters"]["pfc"], "watchdog": watchdog}}
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({**document, "parameters": parameters, "faults": [storm]}))
        summary = json.loads(wirespeed(path, "--format", "json").stdout)
        stuck[name] = (summary["watchdog_stuck"], summary["watchdog_drops"])
    assert stuck == {"on": (1, 0), "off": (0, 0)}


@pytest.mark.parametrize(
    ("action", "does"), [("alert", "its action is to report only"), ("errdisable", "its action is to disable the port")]
)
def test_an_action_of_the_watchdog_that_is_not_simulated_is_listed(action: str, does: str, tmp_path: Path) -> None:
    _, document, assumed = planned_scenario(tmp_path, switch_with(f"watchdog: {{action: {action}}}"))
    assert resolve_parameters(document, 1, 3)["pfc"]["watchdog"] is None
    assert f"PFC watchdog of tomahawk4: not simulated ({does})" in assumed


JERICHO = ("arista-7060dx5-64s", "arista-7280dr3-24")


def test_a_switch_that_queues_at_ingress(tmp_path: Path) -> None:
    """Architecture, credit, memory and thresholds are those of its two chips; the unknown time of a credit is
    reported."""
    _, document, _ = planned_scenario(tmp_path)
    assert resolve_parameters(document, 1, 3)["switch"]["architecture"] == {"rule": "shared-buffer"}
    _, document, assumed = planned_scenario(tmp_path, JERICHO)
    switch = resolve_parameters(document, 1, 3)["switch"]
    assert switch["architecture"] == {"rule": "voq", "credit_bytes": 1024, "credit_latency_ns": 0}
    assert (switch["buffer_bytes"], switch["slices"], switch["cell_bytes"]) == (12 << 30, 4, 254)
    assert (switch["alpha_exponent"], switch["xon_offset_bytes"], switch["reserve_bytes"]) == (-5, 1_454_025, 0)
    assert "credit latency of jericho2: 0 ns (no credit_latency in the cluster file)" in assumed
    assert not any(entry.startswith(("buffer of jericho2", "buffer alpha of jericho2")) for entry in assumed)
    path = tmp_path / "voq.json"
    path.write_text(json.dumps(document))
    summary = json.loads(wirespeed(path, "--format", "json").stdout)
    assert (summary["failed"], summary["drops"]) == (0, 0)


def test_what_a_group_may_take_follows_the_speed_of_its_port(tmp_path: Path) -> None:
    """Two ports of a Jericho at 100 Gb/s, the others at 400: each its own share, and distance to XON."""
    slower = switch_with("ports: {Ethernet1/1: {speed: 100 Gb/s}, Ethernet2/1: {speed: 100 Gb/s}}")
    _, document, _ = planned_scenario(tmp_path, JERICHO, slower)
    switches = [resolve_parameters(document, port, 3)["switch"] for port in (1, 3, 5, 7)]
    assert [entry["alpha_exponent"] for entry in switches] == [-6, -6, -5, -5]
    assert [entry["xon_offset_bytes"] for entry in switches] == [363_506, 363_506, 1_454_025, 1_454_025]


def test_what_platforms_do_with_buffers_automatically_is_reported(tmp_path: Path) -> None:
    headroom = "headroom: as planned; headroom that the switch OS allocates itself is not modelled"
    divided = "buffer of tomahawk5: ingress shares limit the classes, egress shares are not simulated"
    assumption = "buffer of tomahawk5: the per-port reservation is included in that of the lossless and lossy groups"
    preset = "lossless groups of tomahawk4: guaranteed buffer 2,540 bytes, XON 9,144 bytes below the threshold (preset"
    of_eos, of_junos, of_jericho = (
        planned_scenario(tmp_path, *changes, system=system)[2]
        for changes, system in (((), "eos"), ((), "junos"), ((JERICHO,), "eos"))
    )
    assert headroom in of_eos and headroom in of_junos
    assert {divided, assumption} <= {*of_junos}
    assert not any(
        "ingress shares" in entry or "(default of" in entry or "per-port reservation" in entry for entry in of_eos
    )
    assert any(entry.startswith(preset) for entry in of_eos)
    assert not any(entry.startswith("guarantee") for entry in of_jericho)


SHARES = {
    "the system's": ("", {"lossless_percent": 66, "lossy_percent": 10}, {"rule": "share", "percent": 24}),
    "the cluster file's": (
        "buffers: {lossless_share: 50%, headroom_share: 20%, lossy_share: 30%}",
        {"lossless_percent": 50, "lossy_percent": 30},
        {"rule": "share", "percent": 20},
    ),
    "both": (
        "buffers: {lossless_share: 60%}",
        {"lossless_percent": 60, "lossy_percent": 10},
        {"rule": "share", "percent": 24},
    ),
}


@pytest.mark.parametrize("case", SHARES)
def test_a_buffer_that_is_divided(case: str, tmp_path: Path) -> None:
    buffers, pools, headroom = SHARES[case]
    _, document, _ = planned_scenario(tmp_path, *([switch_with(buffers)] if buffers else []), system="junos")
    switch = resolve_parameters(document, 1, 3)["switch"]
    assert (switch["pools"], switch["shared_headroom"]) == (pools, headroom)
    path = tmp_path / "divided.json"
    path.write_text(json.dumps(document))
    summary = json.loads(wirespeed(path, "--format", "json").stdout)
    assert (summary["failed"], summary["drops"]) == (0, 0)


def test_one_share_gives_the_other(tmp_path: Path) -> None:
    _, document, assumed = planned_scenario(tmp_path, switch_with("buffers: {lossless_share: 90%}"), system="cumulus")
    switch = resolve_parameters(document, 1, 3)["switch"]
    assert switch["pools"] == {"lossless_percent": 90, "lossy_percent": 10}
    assert "shared_headroom" not in switch
    assert any(entry.endswith(": 10 % for lossy traffic (the remainder)") for entry in assumed)


def test_a_dynamic_threshold_in_the_steps_of_the_device(tmp_path: Path) -> None:
    """Step 7 lets a group take as much as is free, each step more twice that; what is lossy goes by the chip's."""
    text = ONE_SWITCH.format(model=MODELS["junos"], system="junos").replace("node[1-2]", "node[1-4]")
    pauses = {}
    for step, exponent, part in ((None, 3, "8"), (7, 0, "1"), (0, -7, "1/128")):
        buffers = "" if step is None else f", buffers: {{dynamic_threshold: {step}}}"
        plan = build(read_text(text.replace(LEAF, LEAF + buffers), "one.yaml"))
        scenario, document = build_scenario(plan, tmp_path, TO_NODE_1.replace("1 MiB", "16 MiB"))
        assert resolve_parameters(document, 1, 3)["switch"]["alpha_exponent"] == exponent
        assert resolve_parameters(document, 1, 0)["switch"]["alpha_exponent"] == 0  # chips/tomahawk5.yaml
        assert any(
            f"of lossless groups of tomahawk5: {part} times the free buffer" in entry for entry in scenario.assumed
        )
        path = tmp_path / "thresholds.json"
        path.write_text(scenario.text)
        pauses[exponent] = json.loads(wirespeed(path, "--format", "json").stdout)["pfc_pauses"]
    assert pauses[3] == pauses[0] == 0 < pauses[-7]


def test_one_leaf_of_two_with_another_threshold(tmp_path: Path) -> None:
    text = ONE_SWITCH.format(model=MODELS["junos"], system="junos").replace("leaf1:", "leaf[1-2]:")
    plan = build(read_text(text.replace("by-host", "by-rail").replace("link-31", "rail-24"), "one.yaml"))
    leaf = plan.switches["leaf2"]
    wrong = replace(leaf, buffers=replace(leaf.buffers, dynamic_threshold=7))
    _, document = build_scenario(replace(plan, switches={**plan.switches, "leaf2": wrong}), tmp_path, TO_NODE_1)
    exponents = {}
    for number, link in enumerate(document["links"]):
        for side, end in enumerate("ab"):
            name = document["node_names"][link[end]]
            if name.startswith("leaf"):
                exponents[name] = resolve_parameters(document, 2 * number + side, 3)["switch"]["alpha_exponent"]
    assert exponents == {"leaf1": 3, "leaf2": 0}


def test_a_threshold_beyond_the_steps_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        planned_scenario(tmp_path, switch_with("buffers: {dynamic_threshold: 11}"), system="junos")
    assert str(refusal.value) == ("one.yaml:7: found a dynamic threshold of 11 with Junos OS Evolved; expected 0 to 10")


DEFAULT_BUFFER = "buffer of spectrum4: 50 % lossless, 50 % lossy (default of NVIDIA Cumulus Linux)"


def test_pools_that_a_system_makes_by_itself(tmp_path: Path) -> None:
    """Nothing rendered divides the buffer; RoCE without losses does."""
    _, document, assumed = planned_scenario(tmp_path, system="cumulus")
    assert resolve_parameters(document, 1, 3)["switch"]["pools"] == {"lossless_percent": 50, "lossy_percent": 50}
    assert DEFAULT_BUFFER in assumed
    assert "buffer of spectrum4: ingress shares limit the classes, egress shares are not simulated" in assumed
    lossy = ("lossless: true, share: 50%, congestion: dcqcn-p", "share: 50%")
    _, document, assumed = planned_scenario(tmp_path, lossy, system="cumulus")
    assert resolve_parameters(document, 1, 3)["switch"].get("pools") is None
    assert DEFAULT_BUFFER not in assumed


@pytest.mark.parametrize("system", ["eos", "sonic"])
def test_a_buffer_that_is_not_divided(system: str, tmp_path: Path) -> None:
    switch = resolve_parameters(planned_scenario(tmp_path, system=system)[1], 1, 3)["switch"]
    assert not {"pools", "shared_headroom"} & switch.keys()


def test_headroom_that_the_groups_share(tmp_path: Path) -> None:
    """The key of the cluster file, in bytes; without it each group has its own."""
    _, document, _ = planned_scenario(tmp_path, switch_with("buffers: {shared_headroom: 3500 kB}"), system="dell-sonic")
    switch = resolve_parameters(document, 1, 3)["switch"]
    assert switch["shared_headroom"] == {"rule": "fixed", "bytes": 3_500_000}
    _, document, _ = planned_scenario(tmp_path, system="dell-sonic")
    assert "shared_headroom" not in resolve_parameters(document, 1, 3)["switch"]


def test_headroom_that_too_many_share_loses_packets(tmp_path: Path) -> None:
    """Room for one group lasts while one port pauses. Where seven do, each with 300 m of cable to drain, it does not;
    the same size for every group does."""
    text = ONE_SWITCH.format(model=MODELS["dell-sonic"], system="dell-sonic").replace("node[1-2]", "node[1-8]")
    text = text.replace("cable: dac-400g, length: 3 m", "length: 300 m").replace(", congestion: dcqcn-p", "")
    drops = {}
    for size in ("", ", buffers: {shared_headroom: 1350 kB}"):
        plan = build(read_text(text.replace(LEAF, LEAF + size), "one.yaml"))
        scenario, _ = build_scenario(plan, tmp_path, TO_NODE_1.replace("1 MiB", "64 MiB"))
        path = tmp_path / "shared.json"
        path.write_text(scenario.text)
        drops[size] = json.loads(wirespeed(path, "--format", "json").stdout)["drops"]
    private_drops, shared = drops.values()
    assert private_drops == 0 < shared


LATENCIES = {
    "the catalogue's": (
        (),
        "junos",
        750,
        0,
        "switch latency of juniper-qfx5240-64od: 750 ns from the last bit received (catalogue)",
    ),
    "nobody's": ((), "eos", 0, 0, "switch latency of arista-7060dx5-64s: 0 ns (not in cluster file or catalogue)"),
    "the cluster file's": ((switch_with("latency: 1.3 us"),), "eos", 1300, 0, None),
    "before the catalogue's": ((switch_with("latency: 560 ns"),), "junos", 560, 0, None),
    "a credit's part": ((JERICHO, switch_with("latency: 3.5 us, credit_latency: 2 us")), "eos", 1500, 2000, None),
}


@pytest.mark.parametrize("case", LATENCIES)
def test_the_latency_of_a_switch(case: str, tmp_path: Path) -> None:
    """The part of credits is taken out of it: both together are what a frame takes. Its headroom holds what comes
    meanwhile, so that nothing is lost."""
    changes, system, latency_ns, credit_ns, assumption = LATENCIES[case]
    _, document, assumed = planned_scenario(tmp_path, *changes, system=system)
    switch = resolve_parameters(document, 1, 3)["switch"]
    assert (switch["latency_ns"], switch["architecture"].get("credit_latency_ns", 0)) == (latency_ns, credit_ns)
    lines = [entry for entry in assumed if entry.startswith("switch latency")]
    assert [line.startswith(assumption or "") for line in lines] == [True] * (assumption is not None)
    without_latency = [{"latency_ns": 0, "architecture": {**switch["architecture"], "credit_latency_ns": 0}}]
    if switch["architecture"]["rule"] != "voq":
        without_latency[0].pop("architecture")
    ends = []
    for changed in ({}, without_latency[0]):
        last = {"nodes": [2], "parameters": {"switch": changed}}
        path = tmp_path / "latency.json"
        path.write_text(json.dumps({**document, "devices": [*document["devices"], last], "flows": [PAIR]}))
        summary = json.loads(wirespeed(path, "--format", "json").stdout)
        assert (summary["failed"], summary["drops"]) == (0, 0)
        ends.append(summary["fct_us"]["min"])
    assert ends[0] - ends[1] == pytest.approx(2 * (latency_ns + credit_ns) / 1000, abs=1e-9)  # round trip


PAIR = {"src": 1, "dst": 0, "bytes": 4096, "src_port": 0, "dst_port": 0, "priority": 3, "start_ns": 10_000_000}


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
    _, document, assumed = planned_scenario(tmp_path, change, system="junos")
    assert resolve_parameters(document, 1, 3)["ecmp"] == BALANCES[mode]
    name = mode.partition(",")[0]
    assumption = f"load balancing {name} of tomahawk5: uses the queue depth of the ports, not their load"
    assert (assumption in assumed) == (name != "static")
    assert any("a flow keeps its port until" in entry for entry in assumed) == (name == "assigned-flow")


def test_parameters_of_broadcom_s_congestion_control(tmp_path: Path) -> None:
    """Parameters have their names without units. Parameters of the receiver, unknown parameters and values out of range
    are treated separately."""
    parameters = "g: 6, rtt: 80, init_cp: 512, min_time_bet_cnp: 4, cr_min_th: 0, tr_lb: 7, tcp_cp: 1"
    _, document, assumed = planned_scenario(tmp_path, roce_with(parameters))
    resolved = resolve_parameters(document, 0, 3)
    assert resolved["congestion"] == {"algorithm": "dcqcn-p", "g": 6, "init_cp": 512, "rtt_us": 80}
    assert resolved["notification"] == {"priority": 6, "interval_ns": 4000}
    assert resolve_parameters(document, 0, 0)["congestion"] == {"algorithm": "line-rate"}
    nic = "broadcom-bcm957608-p1400gd"
    assert f"tcp_cp, tr_lb of {nic}: dcqcn-p of the simulator has no such parameter" in assumed
    assert (f"cr_min_th 0 of {nic} is not used: dcqcn-p takes at least 1") in assumed
    assert "parameters of dcqcn-p other than g, init_cp, rtt_us: simulator defaults, not in the plan" in assumed


def test_parameters_of_nvidia_s_congestion_control(tmp_path: Path) -> None:
    parameters = "rpg_ai_rate: 50, clamp_tgt_rate: 1, rpg_time_reset: 200, rpg_max_rate: 0"
    _, document, assumed = planned_scenario(tmp_path, NVIDIA, roce_with(parameters))
    assert resolve_parameters(document, 0, 3)["congestion"] == {
        "algorithm": "dcqcn-nvidia",
        "clamp_tgt_rate": True,
        "rpg_ai_rate_mbps": 50,
        "rpg_time_reset_us": 200,
    }
    assert "rpg_max_rate of nvidia-mcx613106a-vdat: dcqcn-nvidia of the simulator has no such parameter" in assumed


@pytest.mark.parametrize(
    ("changes", "algorithm"),
    [((), "dcqcn-p"), ((NVIDIA,), "dcqcn-nvidia (simulates dcqcn-p of nvidia-mcx613106a-vdat)")],
    ids=["broadcom", "nvidia"],
)
def test_without_parameters_defaults_are_used_and_listed(changes: Any, algorithm: str, tmp_path: Path) -> None:
    _, document, assumed = planned_scenario(tmp_path, *changes)
    congestion = resolve_parameters(document, 0, 3)["congestion"]
    assert set(congestion) == {"algorithm"}
    text = f"parameters of {algorithm} are the simulator's defaults: not set in the cluster file"
    assert text in assumed


def test_parameters_change_the_run(tmp_path: Path) -> None:
    """Two writers to one, marked from the first packet on: a deeper cut leaves them slower."""
    ends = []
    for divider in (1, 200):
        _, document, _ = planned_scenario(tmp_path, roce_with(f"red_div: {divider}"))
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
