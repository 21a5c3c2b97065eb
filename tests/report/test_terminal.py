"""Results in a terminal, as text a person reads."""

import dataclasses
import io
from functools import partial

import history_sample
import pytest
import report_sample as sample
from rich.console import Console

from wirespeed.report import peers, ranking, terminal
from wirespeed.report.runs import count_verdicts, overall_verdict
from wirespeed.results.benchmarks import Metric, RunStatus
from wirespeed.results.findings import Finding, Impact, Status
from wirespeed.results.peers import CellPattern, Kind, Peers, Suspect
from wirespeed.results.verdicts import Judgement


def print_report(show, content, width=80, titles=None, **options):
    stream = io.StringIO()
    arguments = () if titles is None else (titles,)
    show(content, Console(file=stream, width=width, highlight=False, **options), *arguments)
    return stream.getvalue()


FINDINGS = r"""
node1
FAIL    nic.pcie-width node1:enp29s0np0 (bnxt_re0, 0000:1d:00.0)
                 the NIC's PCIe link is narrower than its slot
        expected 16 lanes
        found    8 lanes
        impact   estimated -197 Gb/s: x8 at 32 GT/s carries 202.6 Gb/s of the
                 line's 400 Gb/s
        evidence node1: lspci -vvv, node1/lspci.out:412
        fix      Reseat the NIC and its riser (the host goes down)

node2
FAIL    host.sysctl node2:net.ipv4.conf.enp67s0np0.rp_filter
                 strict reverse path filtering drops packets that come back by
                 another interface
        expected 2
        found    1
        evidence node2: sysctl -a, node2/sysctl.out:7
        fix      Set it
                 sysctl -w net.ipv4.conf.enp67s0np0.rp_filter=2
WARN    nic.ring node2:enp29s0np0
                 the receive ring is short
        expected 8191
        found    2047
                 why a warning: the output format was not verified on a device
                 for nic.ring.receive
UNKNOWN nic.nvm node2:enp29s0np0, node2:enp67s0np0
                 relaxed ordering is on in the NIC's NVM
        found    not read: niccli: permission denied
        evidence node2: niccli --dev enp29s0np0 nvm, node2/nvm@enp29s0np0.out
        evidence node2: niccli --dev enp67s0np0 nvm, node2/nvm@enp67s0np0.out

leaf1
ERROR   port.mtu leaf1 \x1b[31mEth1/1\x07 </script><script>alert(1)</script> \u202eevil
                 the port's MTU
        found    internal error in the check: KeyError: 'mtu'

2 fail  1 warn  2 unknown  1 error  1 pass  1 skip
"""


def test_findings_by_device():
    assert print_report(terminal.findings, sample.FINDINGS) == FINDINGS


def test_what_a_device_printed_never_reaches_the_terminal_raw():
    text = print_report(terminal.report, sample.REPORT, force_terminal=True, no_color=True)
    assert "\x1b[31m" not in text
    assert "\x07" not in text
    assert "\u202e" not in text


def test_lines_of_a_value_are_printed_below_each_other():
    finding = dataclasses.replace(sample.FINDINGS[0], found="mlx5_core: error\nbnxt_en: error\nand 1 more line")
    lines = print_report(terminal.findings, [finding]).splitlines()
    start = lines.index("        found    mlx5_core: error")
    assert lines[start + 1 : start + 3] == ["                 bnxt_en: error", "                 and 1 more line"]


def test_colour_is_only_decoration():
    plain = print_report(terminal.findings, sample.FINDINGS)
    coloured = print_report(terminal.findings, sample.FINDINGS, force_terminal=True, color_system="truecolor")
    assert "\x1b[1;31mFAIL" in coloured
    assert "".join(part.split("m", 1)[-1] for part in coloured.split("\x1b[")) == plain


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_command_stays_on_one_line_at_any_width(width):
    command = "sysctl -w net.ipv4.conf.enp67s0np0.rp_filter=2"
    assert command in [row.strip() for row in print_report(terminal.findings, sample.FINDINGS, width).splitlines()]


def test_many_places_of_one_kind_are_one_entry():
    findings = [dataclasses.replace(sample.BUFFER, place=f"eth{index}") for index in range(6)]
    assert "WARN    nic.ring node2:eth0, node2:eth1, node2:eth2, node2:eth3 and 2 more\n" in print_report(
        terminal.findings, findings
    )
    assert print_report(terminal.findings, findings).endswith("0 fail  6 warn  0 unknown  0 error  0 pass  0 skip\n")


def test_failures_are_counted_by_check_and_by_place():
    failed = [
        Finding(check, Status.FAIL, "node1", place, "")
        for check, place in (("nic.mtu", "eth0"), ("nic.mtu", "eth1"), ("nic.ring", "eth0"))
    ]
    assert "\n3 fail (2 checks at 3 places)  0 warn" in print_report(terminal.findings, failed)


def test_nothing_found_still_counts():
    assert print_report(terminal.findings, ()) == "\n0 fail  0 warn  0 unknown  0 error  0 pass  0 skip\n"


def test_a_device_of_which_nothing_was_read_is_one_line():
    unread = [
        Finding(f"nic.check{number}", Status.UNKNOWN, "node3", "eth0", "", found="not read") for number in range(9)
    ]
    findings = (*unread, Finding("nic.ring", Status.SKIP, "node3", "eth0", ""), sample.BUFFER)
    text = print_report(terminal.findings, findings)
    assert "node3\nUNKNOWN nothing was read: 9 findings unknown\n" in text
    assert "nic.check" not in text
    assert text.endswith("0 fail  1 warn  9 unknown  0 error  0 pass  1 skip\n")
    assert print_report(partial(terminal.findings, verbose=True), findings).count("UNKNOWN nic.check") == 9


def test_findings_of_few_checks_are_listed():
    """As with --only, or where one command was missing."""
    unknown = [
        Finding(f"nic.check{number}", Status.UNKNOWN, "node3", place, "", found="not read")
        for number in range(3)
        for place in ("eth0", "eth1")
    ]
    assert print_report(terminal.findings, unknown).count("UNKNOWN nic.check") == 3


def failed_findings(check, places, impact):
    return [Finding(check, Status.FAIL, f"node{index}", "eth0", "", impact=impact) for index in range(places)]


def test_first_steps_begin_with_the_largest_impact_then_the_most_locations():
    findings = (
        *failed_findings("a.narrow", 1, None),
        *failed_findings("b.wide", 6, None),
        *failed_findings("c.slow", 2, Impact(3.5, "µs", "")),
        *failed_findings("d.half", 1, Impact(197.4, "Gb/s", "")),
        sample.BUFFER,
    )
    assert [
        row.split() for row in print_report(terminal.print_first_steps, findings).splitlines() if row[:1].isdigit()
    ] == [
        ["1", "d.half", "1", "node0:eth0", "-197", "Gb/s"],
        ["2", "c.slow", "2", "node0:eth0,", "node1:eth0", "+3.5", "µs"],
        ["3", "b.wide", "6", "node0:eth0,", "node1:eth0,", "node2:eth0,", "not", "computed"],
        ["4", "a.narrow", "1", "node0:eth0", "not", "computed"],
    ]


JUDGED = """
All-reduce, 16 GPUs
rccl-tests all_reduce, 16 ranks, bench/all_reduce.log

busbw out-of-place in GB/s
limited by (physical): line = 400 Gb/s × 4096 / 4190 / 8
limited by (reachable): ring
                   physical      % of  reachable       % of
  size  measured      limit  physical      limit  reachable  verdict
────────────────────────────────────────────────────────────────────
 1 GiB     360.0      391.2    92.0 %      371.6     96.9 %  pass
16 GiB     300.0      391.2    76.7 %      371.6     80.7 %  warn

busbw in-place in GB/s
limited by (physical): line = 400 Gb/s × 4096 / 4190 / 8
limited by (reachable): ring
                    physical      % of  reachable       % of
   size  measured      limit  physical      limit  reachable  verdict
─────────────────────────────────────────────────────────────────────
256 MiB     357.6      391.2    91.4 %      371.6     96.2 %  pass
  1 GiB     374.2      391.2    95.6 %      371.6    100.7 %  pass
 16 GiB     379.6      391.2    97.0 %      371.6    102.2 %  pass
        warn     16 GiB: less than the profile requires
        assumed  path MTU 4096 bytes
        assumed  ring algorithm
        note     reconstructed
"""


def test_judged_runs_keep_both_limits_apart():
    text = print_report(terminal.print_judged_runs, (sample.RUN,))
    assert "\n".join(row.rstrip() for row in text.splitlines()) + "\n" == JUDGED


def test_where_the_limiting_term_changes_it_has_sizes_above_the_table():
    slot = dataclasses.replace(sample.verdict(2**28, 350.0), reachable=None)
    slot = dataclasses.replace(slot, physical=dataclasses.replace(slot.physical, bottleneck="pcie"))
    rows = (slot, sample.verdict(2**30, 360.0), sample.verdict(2**31, 361.0))
    text = print_report(terminal.print_judged_runs, (dataclasses.replace(sample.RUN, verdicts=rows),))
    assert (
        "busbw out-of-place in GB/s\n"
        "limited by (physical): pcie (256 MiB), line (1 GiB to 2 GiB)\n"
        "limited by (reachable): pcie (256 MiB), ring (1 GiB to 2 GiB)\n"
    ) in text
    assert "  limited by" not in text


def test_a_term_that_limits_both_is_in_the_heading():
    rows = [sample.verdict(2**30, 360.0), sample.verdict(2**31, 361.0)]
    rows = tuple(
        dataclasses.replace(row, physical=dataclasses.replace(row.physical, bottleneck="ring")) for row in rows
    )
    text = print_report(terminal.print_judged_runs, (dataclasses.replace(sample.RUN, verdicts=rows),))
    assert "busbw out-of-place in GB/s, limited by: ring\n" in text


def test_values_that_are_not_judged_count_where_others_of_their_metric_are():
    """The times beside judged bandwidths are of the same messages; a run of times alone counts them."""
    smaller = dataclasses.replace(sample.verdict(2**20, 1.0), judgement=Judgement.SKIP)
    time = dataclasses.replace(smaller, measurement=smaller.measurement._replace(metric=Metric.TIME))
    run_of_times = dataclasses.replace(sample.RUN, verdicts=(time,))
    run = dataclasses.replace(sample.RUN, verdicts=(sample.verdict(2**30, 360.0), smaller, time))
    assert count_verdicts([run_of_times]) == {Judgement.SKIP: 1}
    assert count_verdicts([run]) == {Judgement.PASS: 1, Judgement.SKIP: 1}
    assert overall_verdict([run], (), Judgement.PASS) == (
        "PASS: 1 pass of 1 judged measurement; 1 not judged (no verdict)"
    )


def test_where_the_limiting_term_alternates_it_has_a_column():
    slot = dataclasses.replace(sample.verdict(2**28, 350.0), reachable=None)
    slot = dataclasses.replace(slot, physical=dataclasses.replace(slot.physical, bottleneck="pcie"))
    last = dataclasses.replace(slot, measurement=slot.measurement._replace(size_bytes=2**31))
    run = dataclasses.replace(sample.RUN, verdicts=(slot, sample.verdict(2**30, 360.0), last))
    text = print_report(terminal.print_judged_runs, (run,))
    assert "busbw out-of-place in GB/s\n" in text
    rows = [row.split() for row in text.splitlines() if "iB" in row]
    assert rows[0][:4] == ["256", "MiB", "350.0", "391.2"]
    assert [row[-2:] for row in rows] == [["pcie", "pass"], ["ring", "pass"], ["pcie", "pass"]]


def test_labels_of_one_value_each_are_one_table():
    rows = tuple(
        dataclasses.replace(row, measurement=row.measurement._replace(label=label))
        for label, row in (("node1 -> node2", sample.verdict(2**30, 360.0)), ("a", sample.verdict(2**30, 1.0)))
    )
    text = print_report(terminal.print_judged_runs, (dataclasses.replace(sample.RUN, verdicts=rows),))
    heading = "busbw in GB/s, 1 GiB, physical limit 391.2, reachable limit 371.6 limited by (physical): line"
    assert heading in " ".join(text.split())
    assert [row.split()[:4] for row in text.splitlines() if "92.0 %" in row] == [["node1", "->", "node2", "360.0"]]


def test_a_run_that_failed_reports_it():
    run = dataclasses.replace(sample.RUN, status=RunStatus.FAILED, error="Test NCCL failure", verdicts=())
    assert "        failed   Test NCCL failure\n" in print_report(terminal.print_judged_runs, (run,))
    run = dataclasses.replace(run, failures=("NIC-05",))
    text = print_report(terminal.print_judged_runs, (run,), titles={"NIC-05": "A job uses a wrong GID index"})
    assert "causes   likely, most likely first" in text
    assert f"{chr(32) * 17}NIC-05 A job uses a wrong GID index\n" in text
    proven = dataclasses.replace(run, proven_failures=("NIC-05",))
    assert "causes   proven by the log" in print_report(terminal.print_judged_runs, (proven,))
    partly = dataclasses.replace(proven, failures=("NIC-05", "SW-01"))
    text = print_report(terminal.print_judged_runs, (partly,))
    assert "causes   the first one proven by the log, the others likely" in text
    run = dataclasses.replace(sample.RUN, status=RunStatus.TRUNCATED)
    assert "        truncated the log ends before the run does\n" in print_report(terminal.print_judged_runs, (run,))


def test_the_whole_report_as_a_file():
    text = terminal.text(sample.REPORT)
    assert text == terminal.text(sample.REPORT)
    assert text.startswith("two-nodes, recorded 2026-11-20 10:00 UTC\n  host: 2 × dell-xe9680-mi300x\n")
    assert "What to do first" in text
    assert not [row for row in text.splitlines() if row != row.rstrip()]


def test_a_measurement_without_limits_has_empty_cells():
    bare = dataclasses.replace(
        sample.verdict(2**30, 12.5, Judgement.UNKNOWN),
        physical=None,
        reachable=None,
        fraction_of_physical=None,
        fraction_of_reachable=None,
        reason="no limit is known",
    )
    text = print_report(terminal.print_judged_runs, (dataclasses.replace(sample.RUN, verdicts=(bare,), notes=()),))
    assert [row.split() for row in text.splitlines() if "GiB" in row] == [["1", "GiB", "12.50", "unknown"]]
    assert "        unknown  no limit is known\n" in text


def test_topology_in_a_few_lines():
    assert print_report(terminal.topology, sample.TOPOLOGY) == (
        "  host: 2 × dell-xe9680-mi300x\n  leaf: 1 × dell-z9664f\n  4 cables at 400 Gb/s\n"
    )


def test_only_the_status_of_a_verdict_is_coloured():
    coloured = print_report(terminal.print_judged_runs, [sample.RUN], 200, force_terminal=True, color_system="standard")
    rows = [row.strip() for row in coloured.splitlines() if row.strip()[:5] in ("1 GiB", "16 Gi")]
    assert rows[:2] == [
        "1 GiB     360.0      391.2    92.0 %      371.6     96.9 %  \x1b[32mpass   \x1b[0m",
        "16 GiB     300.0      391.2    76.7 %      371.6     80.7 %  \x1b[33mwarn   \x1b[0m",
    ]


def test_without_an_impact_what_stops_traffic_comes_before_what_slows_it():
    checks = ["host.memlock", "qos.ecn", "pcie.acs", "qos.pfc", "address.rp-filter"]
    findings = [Finding(check, Status.FAIL, "node1", "", check) for check in checks]
    assert [group.check for group in ranking.rank_first_steps(findings)] == [
        "address.rp-filter",
        "qos.pfc",
        "pcie.acs",
        "qos.ecn",
        "host.memlock",
    ]


def test_each_problem_of_a_check_has_its_own_impact_and_order():
    def rule(place, summary, *impact):
        estimate = Impact(impact[0], "Gb/s", "") if impact else None
        return Finding("address.rule", Status.FAIL, "node1", place, summary, impact=estimate)

    earlier = [rule(f"rule {number}", "another rule comes first") for number in range(6)]
    absent = rule("rule 7", "the rule is not present", 392.15)
    ranked = ranking.rank_first_steps([*earlier, absent])
    assert [(group.first.summary, len(group.findings), group.impact_label) for group in ranked] == [
        ("the rule is not present", 1, "estimated impact"),
        ("another rule comes first", 6, "largest estimated impact; 6 without an estimate"),
    ]
    labels = {
        (392.15, 392.15): "estimated impact, each",
        (392.15, 200.0): "largest estimated impact",
    }
    for impacts, label in labels.items():
        findings = [rule(str(number), "same", value) for number, value in enumerate(impacts)]
        assert ranking.rank_first_steps(findings)[0].impact_label == label


@pytest.mark.parametrize(
    ("kind", "direction", "name", "expected"),
    [
        (Kind.HOST, CellPattern.ALL, "node2", "host node2: 52.0 % of its peers"),
        (Kind.NIC, CellPattern.SENDS, "node2:nic1", "NIC node2:nic1 as sender: 52.0 % of its peers"),
        (Kind.LEAVES, CellPattern.SENDS, "leaf1 to leaf2", "leaves leaf1 to leaf2: 52.0 % of its peers"),
    ],
)
def test_what_a_suspect_is_called(kind, direction, name, expected):
    suspect = Suspect(kind, direction, name, "", 0.52, 1, 1, False)
    assert peers.suspect_title(suspect, history_sample.PEERS.matrices[0]) == expected


def test_a_latency_is_a_multiple_of_that_of_its_peers():
    matrix = dataclasses.replace(history_sample.PEERS.matrices[0], lower_is_better=True)
    suspect = Suspect(Kind.HOST, CellPattern.ALL, "node3", "", 0.795, 1, 1, False)
    assert peers.suspect_title(suspect, matrix) == "host node3: 1.26 × its peers"


def test_results_of_a_suspect_that_are_not_printed_are_counted() -> None:
    """JSON lists 12 of 22."""
    matrix = history_sample.PEERS.matrices[0]
    evidence = tuple(f"node5 -> node{number}: 23000 MiB/s (pairs.log:{number})" for number in range(12))
    suspect = Suspect(Kind.HOST, CellPattern.ALL, "node5", "22 of 22 cells slow", 0.5, 22, 22, False, evidence=evidence)
    text = print_report(
        peers.peers, Peers((dataclasses.replace(matrix, suspects=(dataclasses.replace(suspect, results=22),)),))
    )
    assert "22 of 22 cells slow\n    node5 -> node0: " in text
    assert text.count("node5 -> node") == 4
    assert "    the 4 slowest of 22 results of the slow cells\n" in text
