"""A report on one page: what a colleague reads in a ticket."""

import dataclasses
import os
import textwrap
from pathlib import Path

import history_sample
import report_sample as sample

from wirespeed.report import ticket
from wirespeed.results.findings import Fix
from wirespeed.results.peers import Peers
from wirespeed.results.report import Input
from wirespeed.results.verdicts import Judgement

GOLDEN = Path(__file__).parent / "ticket.md"
CLEAN = dataclasses.replace(
    history_sample.WHOLE, peers=history_sample.WHOLE.peers and (Peers(history_sample.PEERS.matrices[:2]),)
)


def page(report):
    """Lines of the page as it is printed, wrapped at 110 columns."""
    return [part for line in ticket.text(report).splitlines() for part in textwrap.wrap(line, 110) or [""]]


def test_the_page():
    text = ticket.text(CLEAN)
    if os.environ.get("WIRESPEED_ACCEPT") == "1":
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_however_much_there_is_it_is_a_page():
    """80 lines of 110 columns: A4 at 8.5 points."""
    findings = tuple(
        dataclasses.replace(finding, check=f"nic.check-{number}", evidence=("node1: " + 40 * "x" + "/lspci.out:7",))
        for number in range(40)
        for finding in (sample.WIDTH, sample.FILTER)
    )
    runs = tuple(dataclasses.replace(sample.RUN, file=f"bench/{number}.log") for number in range(40))
    long_report = dataclasses.replace(
        history_sample.WHOLE,
        findings=findings,
        runs=runs,
        peers=10 * history_sample.WHOLE.peers,
        inputs=tuple(Input(f"{number}.log", "a log") for number in range(50)),
    )
    assert len(page(long_report)) <= 80
    assert "more in the full report" in ticket.text(long_report)


def test_what_is_left_out_is_counted():
    inputs = tuple(Input(f"{number}.log", "a log") for number in range(50))
    text = ticket.text(dataclasses.replace(sample.REPORT, inputs=inputs))
    assert "46 more in the full report" in text


def test_a_step_names_the_location_of_each_finding():
    fix = Fix("set the MTU of the port", commands=("mtu 9214",))
    finding = dataclasses.replace(sample.WIDTH, check="port.mtu", device="spine1", place="port Eth1/1", fix=(fix,))

    def first_step(*places):
        findings = tuple(dataclasses.replace(finding, device=device, place=place) for device, place in places)
        text = ticket.text(dataclasses.replace(CLEAN, findings=findings, runs=(), peers=()))
        return text.partition("## Next\n\n")[2].splitlines()[0]

    end = "`port.mtu`: set the MTU of the port"
    assert first_step(("spine1", "port Eth1/1")) == f"1. `spine1:Eth1/1`, {end}"
    assert (
        first_step(("spine1", "port Eth1/1"), ("leaf1", "port Eth1/2")) == f"1. `spine1:Eth1/1`, `leaf1:Eth1/2`, {end}"
    )
    places = [("spine1", f"port Eth1/{number}") for number in range(5)]
    assert first_step(*places) == f"1. `spine1` (5 places), {end}"
    assert first_step(("leaf1", "switch")) == f"1. `leaf1`, {end}"


def test_places_with_other_values_are_listed_with_their_own():
    """Two cables that are swapped: what one port expects, the other one has."""
    finding = dataclasses.replace(sample.WIDTH, check="port.cabling", device="leaf1", evidence=(), impact=None)

    def row(*ports):
        findings = tuple(
            dataclasses.replace(finding, place=f"port Eth1/{port}", expected=expected, found=found)
            for port, expected, found in ports
        )
        text = ticket.text(dataclasses.replace(CLEAN, findings=findings, runs=(), peers=()))
        return text.partition("## Failed checks\n\n")[2].splitlines()[0]

    swapped = ((1, "node1", "node2"), (2, "node2", "node1"))
    first, second = "expected `node1`, found `node2`", "expected `node2`, found `node1`"
    assert row(*swapped) == f"- `port.cabling` at `leaf1:Eth1/1`: {first}; `leaf1:Eth1/2`: {second}"
    equal_ports = ((1, "node1", "node2"), (2, "node1", "node2"), (3, "node1", "node2"))
    assert row(*equal_ports) == f"- `port.cabling` at `leaf1:Eth1/1`, `leaf1:Eth1/2`: {first}; 1 more place"


def test_device_text_is_neither_markup_nor_control():
    text = ticket.text(dataclasses.replace(history_sample.WHOLE, peers=(Peers((history_sample.hostile_matrix(),)),)))
    assert "\x1b" not in text
    outside = "".join(part for number, part in enumerate(text.split("`")) if number % 2 == 0)
    assert "<script>" not in outside


def test_backticks_do_not_end_code():
    finding = dataclasses.replace(sample.FILTER, found="`rm -rf` ``x``")
    text = ticket.text(dataclasses.replace(sample.REPORT, findings=(finding,)))
    assert "found ``` `rm -rf` ``x`` ```" in text


def test_a_command_in_a_reason_is_code():
    reason = "TCP sockets (NET/Socket; `wirespeed explain NCCL-01`), a lone ` and **"
    failed = dataclasses.replace(sample.verdict(2**30, 1.0), judgement=Judgement.FAIL, reason=reason)
    text = ticket.text(dataclasses.replace(sample.REPORT, runs=(dataclasses.replace(sample.RUN, verdicts=(failed,)),)))
    assert "TCP sockets (NET/Socket; `wirespeed explain NCCL-01`), a lone \\` and \\*\\*" in text


def test_a_suspect_brings_the_commands_that_measure_it_again():
    matrix = history_sample.LEAVES
    suspect = dataclasses.replace(matrix.suspects[0], retest=("wirespeed bench run matrix --hosts 'node[1-4]'",))
    once = dataclasses.replace(matrix, suspects=(suspect,))
    report = dataclasses.replace(sample.REPORT, findings=(), peers=(Peers((once,)),))
    assert (
        "## Next\n\nRepeat to confirm the suspects:\n\n```\nwirespeed bench run matrix --hosts 'node[1-4]'\n```\n"
        in ticket.text(report)
    )


def test_runs_that_pass_are_listed_too():
    run = dataclasses.replace(sample.RUN, verdicts=(sample.verdict(2**30, 360.0),))
    text = ticket.text(dataclasses.replace(sample.REPORT, runs=(run,)))
    assert "- **pass** `All-reduce, 16 GPUs`, 16 ranks busbw 1 GiB out-of-place: found 360.0 GB/s" in text


def test_the_next_steps_of_failed_runs():
    slow = dataclasses.replace(sample.RUN, repeat=("on node1: ib_write_bw", "on node2: ib_write_bw node1"))
    failed = dataclasses.replace(sample.RUN, verdicts=(), error="unhandled system error", failures=("OS-05", "NIC-05"))
    report = dataclasses.replace(CLEAN, findings=(), peers=(), runs=(slow, failed))
    following = ticket.text(report).partition("## Next")[2]
    assert "on node1: ib_write_bw\non node2: ib_write_bw node1\n" in following
    assert "wirespeed explain OS-05\nwirespeed explain NIC-05\n" in following
