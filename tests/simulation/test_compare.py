"""Scenarios under every congestion control: what runs, what is set for it, what is computed, and what is printed."""

import csv
import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import command_line
from wirespeed.errors import Refusal
from wirespeed.results.algorithm_comparison import Run
from wirespeed.simulation import ALGORITHMS, compare
from wirespeed.simulation.compare import read_scenario

INCAST: dict[str, Any] = {
    "name": "three to one",
    "hosts": 4,
    "switches": 1,
    "link_gbps": 100,
    "link_delay_ns": 3000,
    "links": [[0, 4], [1, 4], [2, 4], [3, 4]],
    "flows": [{"src": host, "dst": 3, "bytes": 2_000_000} for host in range(3)],
    "parameters": {"marking": {"kmin_bytes": 400_000, "kmax_bytes": 1_600_000}},
}


ULTRA_ETHERNET = {"nscc", "rccc", "nscc+rccc"}
UNMARKED = {"devices.marking.enabled": [(True,), (False,)]}


def list_changes(run: Run) -> dict[str, Any]:
    """Parameter → new value; of single devices the old and new values."""
    return {
        f"devices.{change.parameter}" if change.single_devices else change.parameter: (
            [change.before, change.after] if change.single_devices else change.after[0]
        )
        for change in run.changes
    }


@pytest.fixture
def incast(tmp_path: Path) -> Path:
    path = tmp_path / "incast.json"
    path.write_text(json.dumps(INCAST))
    return path


def test_every_algorithm_in_its_order_with_what_it_expects(incast: Path) -> None:
    comparison = compare([read_scenario(incast)], ALGORITHMS, "roce", 1, jobs=2)
    assert [run.algorithm for run in comparison.runs] == list(ALGORITHMS)
    for run in comparison.runs:
        assert (run.scenario, run.flows, run.completed, run.failed, run.drops) == ("three to one", 3, 3, 0, 0)
        # 6 MB over one link of 100 Gb/s, and rates that are not all the same.
        assert run.goodput_gbps is not None and 5 < run.goodput_gbps < 98.5
        assert run.jain is not None and 0.5 < run.jain <= 1
        assert run.fct_us is not None and run.fct_us.max == run.end_us
    by_name = {run.algorithm: run for run in comparison.runs}
    (marking,) = by_name["dctcp"].changes
    assert (marking.parameter, marking.before, marking.after) == ("marking.kmax_bytes", (1_600_000,), (400_000,))
    step = {"marking.kmax_bytes": 400_000}
    assert list_changes(by_name["dcqcn-d"]) == {**step, "notification.interval_ns": 0}
    assert {name for name, run in by_name.items() if run.changes} == {"dctcp", "dcqcn-d", *ULTRA_ETHERNET}
    assert not any(run.warnings for run in by_name.values())
    ultra = list_changes(by_name["nscc"])
    assert (ultra["pfc.lossless_priorities"], ultra["ecmp.balance"]) == (0, "entropy")
    assert "transport.rx_depth" not in ultra, "as it is in the preset"
    timeout = ultra["transport.reordering"]["ns"]
    for name in ULTRA_ETHERNET:
        credit = {} if name == "nscc" else {"congestion.credit_timeout_ns": timeout, **UNMARKED}
        assert list_changes(by_name[name]) == {**ultra, **credit}
        assert (by_name[name].pfc_pauses, by_name[name].trims > 0) == (0, True)
    assert {name for name, run in by_name.items() if run.trims} == ULTRA_ETHERNET
    assert by_name["nscc"].ecn_marks > 0, "the only queue is that of a downlink"
    assert by_name["rccc"].ecn_marks == by_name["nscc+rccc"].ecn_marks == 0
    assert by_name["hpcc"].max_queue_bytes < by_name["line-rate"].max_queue_bytes / 2


def test_the_number_of_jobs_changes_nothing(incast: Path) -> None:
    serial = compare([read_scenario(incast)] * 2, ("dcqcn", "dctcp", "hpcc"), "roce", 3, jobs=1)
    assert compare([read_scenario(incast)] * 2, ("dcqcn", "dctcp", "hpcc"), "roce", 3, jobs=4) == serial
    assert len(serial.runs) == 6 and serial.runs[:3] == serial.runs[3:]


def test_devices_run_the_algorithm_of_the_row(tmp_path: Path) -> None:
    """Whatever the scenario lays over single devices, but for priorities that no algorithm slows."""
    overrides = [
        {"nodes": [0, 1], "parameters": {"congestion": {"algorithm": "dcqcn"}, "notification": {"interval_ns": 4000}}},
        {"nodes": [4], "parameters": {"marking": {"kmin_bytes": 300_000, "kmax_bytes": 1_200_000}}},
        {"nodes": [4], "priorities": [5], "parameters": {"marking": {"kmax_bytes": 1_300_000}}},
        {"nodes": [2], "priorities": [3], "parameters": {"congestion": {"algorithm": "line-rate"}}},
    ]
    expected_devices = {
        algorithm: [
            {"nodes": [0, 1], "parameters": notified},
            {"nodes": [4], "parameters": {"marking": marked}},
            {"nodes": [4], "priorities": [5], "parameters": {"marking": by_priority}},
            overrides[3],
        ]
        for algorithm, notified, marked, by_priority in (
            (
                "hpcc",
                {"notification": {"interval_ns": 4000}},
                overrides[1]["parameters"]["marking"],
                {"kmax_bytes": 1_300_000},
            ),
            ("dctcp", {"notification": {"interval_ns": 4000}}, {"kmin_bytes": 300_000, "kmax_bytes": 300_000}, {}),
            ("dcqcn-d", {"notification": {}}, {"kmin_bytes": 300_000, "kmax_bytes": 300_000}, {}),
        )
    }
    for algorithm, devices in expected_devices.items():
        with_overrides, expected = tmp_path / f"{algorithm}.json", tmp_path / f"{algorithm}-expected.json"
        with_overrides.write_text(json.dumps({**INCAST, "devices": overrides}))
        expected.write_text(json.dumps({**INCAST, "devices": devices}))
        (run,) = compare([read_scenario(with_overrides)], (algorithm,), "roce", 1).runs
        (expected_run,) = compare([read_scenario(expected)], (algorithm,), "roce", 1).runs
        assert run.tables_sha256 == expected_run.tables_sha256, algorithm
    assert list_changes(run) == {
        "marking.kmax_bytes": 400_000,
        "notification.interval_ns": 0,
        "devices.marking.kmax_bytes": [(1_200_000, 1_300_000), (300_000,)],
        "devices.notification.interval_ns": [(4000,), (0,)],
    }


def test_as_is_sets_nothing(incast: Path) -> None:
    (run,) = compare([read_scenario(incast)], ("dctcp",), "roce", 1, as_is=True).runs
    assert run.changes == ()


def test_a_scenario_keeps_the_parameters_of_its_own_algorithm(tmp_path: Path) -> None:
    def with_step(gigabits: int | None) -> Path:
        overrides = {} if gigabits is None else {"rai_bps": gigabits * 10**9}
        path = tmp_path / f"{gigabits}.json"
        path.write_text(json.dumps({**INCAST, "parameters": {"congestion": {"algorithm": "dcqcn", **overrides}}}))
        return path

    algorithms = ("dcqcn", "swift")
    slow, fast = (compare([read_scenario(with_step(step))], algorithms, "roce", 1).runs for step in (None, 2))
    assert slow[0].end_us > 1.2 * fast[0].end_us
    assert slow[1] == fast[1]


def test_one_refusal_for_all_runs(tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps({**INCAST, "flows": [{"src": 0, "dst": 9, "bytes": 1}]}))
    with pytest.raises(Refusal) as refusal:
        compare([read_scenario(path)], ("dcqcn", "hpcc"), "roce", 1)
    assert [str(problem) for problem in refusal.value.problems] == [
        f"{path}: flows[0].dst: found 9; expected a host, 0 to 3"
    ]


def test_an_interruption_ends_the_run_and_those_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps({**INCAST, "flows": [{"src": 0, "dst": 3, "bytes": 10**11}]}))
    (run,) = compare(
        [read_scenario(path)], ALGORITHMS, "roce", 1, jobs=1, on_progress=lambda completed, total: completed == total
    ).runs
    assert (run.algorithm, run.complete, run.completed, run.failed) == (ALGORITHMS[0], False, 0, 0)
    assert (run.fct_us, run.goodput_gbps, run.jain) == (None, None, None)


def wirespeed(*arguments: str | Path) -> CompletedProcess[str]:
    return command_line.wirespeed("sim", "compare", *arguments)


def test_printed(incast: Path) -> None:
    arguments = [incast, "--algorithm", "dcqcn-d,line-rate", "--algorithm", "hpcc"]
    table = wirespeed(*arguments)
    assert (table.returncode, table.stderr) == (0, "")
    lines = table.stdout.splitlines()
    assert lines[0] == "three to one  preset roce, seed 1"
    assert lines[1].split() == [
        "algorithm",
        "mean",
        "p50",
        "p99",
        "max",
        "ECN",
        "CNPs",
        "max",
        "queue",
        "goodput",
        "fairness",
    ]
    assert lines[2].split() == ["µs", "µs", "µs", "µs", "marks", "MiB", "Gb/s", "(Jain)"]
    assert [line.split()[0] for line in lines[3:6]] == ["dcqcn-d", "line-rate", "hpcc"]
    assert len({len(line) for line in lines[1:6]}) == 1
    assert lines[6:] == [
        "  all runs: 3/3 flows completed, 0 PFC pauses, 0 packets lost, 0 retransmissions",
        "  line-rate: no congestion control, senders keep the line rate",
        "  changed for dcqcn-d:",
        "    ECN maximum threshold 1,600,000 → 400,000 bytes",
        "    minimum interval of CNPs 50 → 0 µs",
    ]

    document = json.loads(wirespeed(*arguments, "--format", "json").stdout)
    assert (document["kind"], document["schema"]) == ("simulation-comparison", 1)
    rows = list(csv.DictReader(wirespeed(*arguments, "--format", "csv").stdout.splitlines()))
    assert [row["algorithm"] for row in rows] == [run["algorithm"] for run in document["runs"]]
    for row, run in zip(rows, document["runs"], strict=True):
        assert (int(row["ecn_marks"]), float(row["fct_p99_us"])) == (run["ecn_marks"], run["fct_us"]["p99"])
        assert (row["complete"], float(row["jain"])) == ("true", run["jain"])
    assert rows[0]["changes"] == "marking.kmax_bytes=1600000->400000 notification.interval_ns=50000->0"


def test_what_an_algorithm_was_made_for_holds_for_single_devices(tmp_path: Path) -> None:
    path = tmp_path / "devices.json"
    overrides = {"pfc": {"lossless_priorities": 8, "generation_delay_ns": 100}, "ecmp": {"balance": "flow"}}
    path.write_text(json.dumps({**INCAST, "devices": [{"nodes": [4], "parameters": overrides}]}))
    (run,) = compare([read_scenario(path)], ("nscc",), "roce", 1).runs
    changes = list_changes(run)
    assert changes["devices.ecmp.balance"] == [("flow",), ("entropy",)]
    assert changes["devices.pfc.lossless_priorities"] == [(8,), (0,)]
    assert (run.pfc_pauses, run.drops, run.trims > 0, run.completed) == (0, 0, True, 3)


def test_what_is_set_is_reported_as_in_a_scenario(incast: Path) -> None:
    """Two links of 3 us in each direction, 4178 bytes of data and 86 of the ACK: 12.682 us at 100 Gb/s,
    39 packets of 4158 bytes."""
    table = wirespeed(incast, "--algorithm", "nscc")
    assert (table.returncode, table.stderr) == (0, "")
    assert table.stdout.splitlines()[4:] == [
        "  changed for nscc:",
        "    ECN minimum threshold 400,000 → 33,264 bytes",
        "    ECN maximum threshold 1,600,000 → 133,056 bytes",
        "    ECN probability at the maximum threshold 20 % → 100 %",
        "    link speed of the ECN thresholds 400 Gb/s → 100 Gb/s",
        "    load balancing flow → entropy",
        "    lossless priorities 3 → none",
        "    loss recovery go-back-n → selective-repeat",
        "    priority of ACKs that of the data → 7",
        "    reordering none → time 92.838 µs",
        "    ACK timeout 67,108.9 → 131.1 µs",
        "    packet trimming off → to 64 bytes, priority 5, queues above 12.973 µs",
    ]
    (row,) = csv.DictReader(wirespeed(incast, "--algorithm", "nscc", "--format", "csv").stdout.splitlines())
    trimming = '{"priority": 5, "trimmed_bytes": 64, "queue_ns": 12973}'
    assert row["changes"].endswith(f" switch.trimming=null->{trimming}")
    assert int(row["trims"]) > 0 and row["drops"] == "0"


@pytest.mark.parametrize(
    ("network", "parameters", "packets", "bytes_", "gbps"),
    [
        # 682 ns for the frames and two links as a round trip; in packets of 4158 bytes.
        ({"link_delay_ns": 3000}, {}, 39, 4158, 100),
        ({"link_delay_ns": 300}, {}, 6, 4158, 100),
        ({"link_delay_ns": 30_000}, {}, 363, 4158, 100),
        # 170 ns, and four times as many bits.
        ({"link_delay_ns": 3000, "link_gbps": 400}, {}, 147, 4158, 400),
        # The slowest port is the reference; the longest path uses it.
        ({"links": [{"a": 0, "b": 4, "gbps": 10}, *INCAST["links"][1:]]}, {}, 5, 4158, 10),
        # Of 1024 bytes, with 20 bytes of IPv6 more: 203 ns.
        ({}, {"framing": {"ip": "ipv6"}, "transport": {"mtu_bytes": 1024}}, 138, 1106, 100),
        # What is configured holds.
        ({}, {"congestion": {"algorithm": "nscc", "config_base_rtt_ns": 24_000}}, 73, 4158, 100),
    ],
)
def test_ultra_ethernet_gets_queues_of_the_scenarios_own_bandwidth_delay_product(
    tmp_path: Path, network: dict[str, Any], parameters: dict[str, Any], packets: int, bytes_: int, gbps: int
) -> None:
    path = tmp_path / "network.json"
    path.write_text(json.dumps({**INCAST, **network, "parameters": parameters}))
    (run,) = compare([read_scenario(path)], ("nscc",), "roce", 1).runs
    queue_ns = -(-packets * bytes_ * 8 // gbps)
    timeout = 15_000 + 6 * queue_ns
    changes = list_changes(run)
    assert changes["switch.trimming"] == {"priority": 5, "trimmed_bytes": 64, "queue_ns": queue_ns}
    marks = {"kmin_bytes": -(-packets // 5) * bytes_, "kmax_bytes": -(-4 * packets // 5) * bytes_, "pmax": 1.0}
    marking = {key.removeprefix("marking."): value for key, value in changes.items() if key.startswith("marking.")}
    assert {"reference_gbps": 400, **marking} == {**marks, "reference_gbps": gbps}
    assert changes["transport.reordering"] == {"rule": "time", "ns": timeout}
    assert timeout <= 4096 << changes["transport.ack_timeout"] < 2 * timeout
    assert (run.completed, run.drops, run.losses) == (3, 0, 0)


def test_the_window_sees_what_credit_does_not(tmp_path: Path) -> None:
    """Two hosts write to two others over one link: each receiver grants all that its overrides link carries."""
    path = tmp_path / "uplink.json"
    links = [[0, 4], [1, 4], [2, 5], [3, 5], [4, 5]]
    flows = [{"src": host, "dst": 2 + host, "bytes": 8_000_000} for host in range(2)]
    path.write_text(json.dumps({**INCAST, "switches": 2, "links": links, "flows": flows}))
    credit, combined = compare([read_scenario(path)], ("rccc", "nscc+rccc"), "roce", 1).runs
    assert credit.changes == combined.changes
    assert min(credit.ecn_marks, combined.ecn_marks) > 0, "the link between the switches is no downlink"
    assert combined.trims * 5 < credit.trims
    assert (combined.completed, combined.failed, combined.drops) == (2, 0, 0)


def test_a_row_keeps_the_parameters_of_its_own_kind_alone(tmp_path: Path) -> None:
    """A scenario of both has parameters for the row of both, not for that of credit alone."""

    def with_nscc(nscc: dict[str, Any] | None) -> Path:
        path = tmp_path / f"{nscc}.json"
        overrides = {"algorithm": "rccc", "max_wnd_bdp": 0.5, "credit_timeout_ns": 70_000, "nscc": nscc}
        path.write_text(json.dumps({**INCAST, "parameters": {"congestion": overrides}}))
        return path

    rows = ("rccc", "nscc+rccc")
    (credit, combined), (other_credit, other_combined) = (
        compare([read_scenario(with_nscc(entry))], rows, "roce", 1).runs for entry in (None, {})
    )
    timeout = "congestion.credit_timeout_ns"
    assert timeout not in list_changes(credit) and timeout not in list_changes(other_combined)
    assert list_changes(other_credit)[timeout] == list_changes(combined)[timeout]
    assert credit.tables_sha256 != other_credit.tables_sha256
    assert combined.tables_sha256 != other_combined.tables_sha256


def test_what_has_no_longest_path_keeps_its_queues(tmp_path: Path) -> None:
    path = tmp_path / "datagrams.json"
    flows = [{**flow, "service": "udp", "priority": 0} for flow in INCAST["flows"]]
    path.write_text(json.dumps({**INCAST, "flows": flows}))
    (run,) = compare([read_scenario(path)], ("nscc",), "roce", 1).runs
    changes = list_changes(run)
    assert [key for key in changes if key.startswith(("marking", "switch"))] == ["marking.pmax"]
    assert run.trims == 0


def test_a_failed_flow_fails_the_comparison(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    links = [{"a": 0, "b": 4, "loss": 1.0}, *INCAST["links"][1:]]
    parameters = {"transport": {"ack_timeout": 1, "retry_count": 1}}
    path.write_text(json.dumps({**INCAST, "links": links, "parameters": parameters}))
    result = wirespeed(path, "--algorithm", "dctcp,swift")
    assert result.returncode == 1
    assert [line.split()[:2] for line in result.stdout.splitlines()[3:5]] == [["dctcp", "2/3"], ["swift", "2/3"]]
    assert "  dctcp, swift: 1 of 3 flows failed" in result.stdout.splitlines()


def test_flows_that_the_end_of_the_run_cut_off_are_counted(incast: Path) -> None:
    result = wirespeed(incast, "--algorithm", "dctcp,swift", "--until", "100us")
    assert result.returncode == 0
    document = json.loads(wirespeed(incast, "--algorithm", "dctcp", "--until", "100us", "-f", "json").stdout)
    run = document["runs"][0]
    assert (run["completed"], run["failed"], run["unfinished"]) == (0, 0, 3)
    note = "  dctcp, swift: 3 of 3 flows in progress when --until stopped the run; give a later time"
    assert note in result.stdout.splitlines()


def test_scenarios_of_the_same_name_are_distinguished_by_file(incast: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    copy.write_text(incast.read_text())
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "incast.json").write_text(incast.read_text())
    for files, names in (
        ((incast, copy, incast), ["incast.json", "copy.json"]),
        ((incast, folder / "incast.json"), [incast, folder / "incast.json"]),
    ):
        runs = json.loads(wirespeed(*files, "--algorithm", "dctcp", "-f", "json").stdout)["runs"]
        assert [run["scenario"] for run in runs] == [f"{INCAST['name']} ({name})" for name in names]


def test_refused(incast: Path) -> None:
    refused = wirespeed(incast, "--algorithm", "dcqcn-q", "--until", "soon")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--algorithm: no algorithm named 'dcqcn-q'; expected one of line-rate, dcqcn, " in refused.stderr
    assert "--until: found 'soon'; expected a time with its unit (ns, us, ms or s), such as 10us" in refused.stderr


CLUSTER = Path(__file__).parents[2] / "examples/mi300x-4node/cluster.yaml"


@pytest.fixture
def planned_files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A cluster with DCQCN-P, the same with DCQCN-D, and a traffic file."""
    step, traffic = tmp_path / "step.yaml", tmp_path / "incast.yaml"
    step.write_text(CLUSTER.read_text().replace("dcqcn-p", "dcqcn-d"))
    traffic.write_text("version: 1\ntraffic:\n- {pattern: incast, to: node1, size: 1 MiB, rails: [1]}\n")
    return CLUSTER, step, traffic


def test_a_cluster_file_gives_each_algorithm_the_planned_thresholds(planned_files: tuple[Path, Path, Path]) -> None:
    """Whatever congestion control the file has: a row is the run of the cluster that is planned with it."""
    *clusters, traffic = planned_files
    rows = [
        json.loads(wirespeed(cluster, "-t", traffic, "--algorithm", "dcqcn-p,dcqcn-d", "-f", "json").stdout)["runs"]
        for cluster in clusters
    ]
    for slope, step in rows:
        assert (slope["ecn_marks"], step["ecn_marks"]) == (19, 389)
        assert slope["warnings"] == step["warnings"] == []
    (slope, changed_to_step), (changed_to_slope, step) = rows
    assert slope["changes"] == step["changes"] == []
    assert slope["tables_sha256"] == changed_to_slope["tables_sha256"]
    assert step["tables_sha256"] == changed_to_step["tables_sha256"]
    for run, before, after in ((changed_to_step, 2_097_000, 1_048_000), (changed_to_slope, 1_048_000, 2_097_000)):
        (change,) = [change for change in run["changes"] if change["parameter"] == "marking.kmax_bytes"]
        assert (change["before"], change["after"]) == ([before], [after])


def test_an_algorithm_that_simulates_that_of_the_plan_is_named(
    planned_files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    """NVIDIA's NICs have other parameters: ``sim run`` does not simulate DCQCN as published."""
    nvidia = tmp_path / "nvidia.yaml"
    text = CLUSTER.read_text(encoding="utf-8").replace("dell-xe9680-mi300x", "nvidia-dgx-h100")
    nvidia.write_text(text.replace("broadcom-bcm957608-p1400gd", "nvidia-mcx75310aas-neat"), encoding="utf-8")
    warning = (
        "`wirespeed sim run` simulates dcqcn-p of this cluster's NICs with dcqcn-nvidia; "
        "compare with `--algorithm dcqcn-nvidia`"
    )
    for options in ((), ("--as-is",)):
        result = wirespeed(
            nvidia, "-t", planned_files[2], "--algorithm", "dcqcn-p,dcqcn-nvidia", "-f", "json", *options
        )
        assert [run["warnings"] for run in json.loads(result.stdout)["runs"]] == [[warning], []]


def test_a_slope_cannot_be_derived_from_a_step(planned_files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    _, cluster, traffic = planned_files
    scenario = tmp_path / "step.json"
    command_line.wirespeed("sim", "run", cluster, "-t", traffic, "--write-scenario", scenario)
    table = wirespeed(scenario, "--algorithm", "dcqcn,dcqcn-p,dcqcn-d,hpcc").stdout.splitlines()
    assert table[8:] == [
        "  warning for dcqcn, dcqcn-p: expects an ECN slope (minimum below maximum threshold), but the scenario has a"
        " step at 1,048,000 bytes; a cluster file with --traffic gives the planned slope"
    ], "nothing was changed for dcqcn-d"


def test_thresholds_of_the_cluster_file_that_fit_no_other_algorithm(
    planned_files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    cluster, _, traffic = planned_files
    explicit = tmp_path / "explicit.yaml"
    explicit.write_text(
        cluster.read_text().replace("model: dell-z9664f", "model: dell-z9664f, ecn: {minimum: 1 MiB, maximum: 2 MiB}")
    )
    table = wirespeed(explicit, "-t", traffic, "--algorithm", "dcqcn-p,dcqcn-d").stdout.splitlines()
    assert table[-1] == (
        f"  warning for dcqcn-d: the plan has no ECN thresholds for this algorithm: {explicit}:7: found ECN minimum"
        " 1 MiB, maximum 2 MiB, probability 100% with dcqcn-d; expected a step: minimum = maximum and 100%; the step"
        " is at the minimum threshold"
    )
    assert "    ECN maximum threshold 2,097,000 → 1,049,000 bytes" in table


def test_options_that_do_not_apply(planned_files: tuple[Path, Path, Path], incast: Path) -> None:
    cluster, _, traffic = planned_files
    for arguments, problem in (
        ([cluster], f"error: {cluster}: --traffic is missing"),
        ([incast, "-t", traffic], "error: --traffic: does not apply to scenarios, which contain their flows"),
        ([incast.parent], f"error: {incast.parent}: found a folder; expected a cluster file or a scenario"),
        ([cluster, "-t", traffic, "--preset", "hpcc"], "error: --preset: hpcc does not apply to a cluster file"),
    ):
        refused = wirespeed(*arguments)
        assert (refused.returncode, refused.stdout) == (2, "") and problem in refused.stderr
