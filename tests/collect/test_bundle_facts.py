"""A bundle read into facts: what each output shows, and why the rest is not known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.collect.bundle_writer import Writer
from wirespeed.collect.manifest import NAME, Entry
from wirespeed.errors import Refusal
from wirespeed.plan import Plan
from wirespeed.plan.locate import locate
from wirespeed.platforms import platforms
from wirespeed.settings import ENTITIES, Place, list_settings, walk

HOST = (("host", "ubuntu"),)
H = Place("h")
SETTINGS = {path: setting for entity in ENTITIES for path, setting in list_settings(entity).items()}


def bundle(folder: Path, *outputs: tuple[Entry, str | None]) -> Path:
    with Writer(folder) as writer:
        writer.add_device("h", HOST)
        for order, (entry, text) in enumerate(outputs):
            writer.write_output("h", entry, None if text is None else text.encode(), order=order)
    return folder


def ok(command: str, text: str, exit_code: int = 0) -> tuple[Entry, str]:
    return Entry(command, command, "ok", None, exit_code=exit_code), text


@pytest.mark.parametrize(
    ("entry", "text", "reason"),
    [
        (
            Entry("dmesg", "dmesg", "permission", None, detail="dmesg: read kernel buffer failed"),
            "",
            "dmesg: permission: dmesg: read kernel buffer failed",
        ),
        (Entry("dmesg", "dmesg", "permission", None), "", "dmesg: permission denied"),
        (
            Entry("dmesg", "dmesg", "missing", None, detail="dmesg is not installed"),
            None,
            "dmesg is not installed",
        ),
        (Entry("dmesg", "dmesg", "timeout", None, detail="no answer within 10 s"), "x", "dmesg: no answer within 10 s"),
        (Entry("dmesg", "dmesg", "failed", None, exit_code=1), "", "dmesg: it failed"),
        (Entry("uname", "uname -r", "ok", None, exit_code=0), "6.1\n", "dmesg: it was not run"),
    ],
)
def test_what_was_not_read_gives_the_reason(tmp_path: Path, entry: Entry, text: str | None, reason: str) -> None:
    facts = read_facts(bundle(tmp_path / "b", (entry, text)))
    assert facts.value(H, "host.kernel.errors") is None
    assert facts.find_missing_reason(H, "host.kernel.errors") == reason


def test_a_command_that_shows_half_reports_it_for_the_other_half(tmp_path: Path) -> None:
    text = "0000:1d:00.0 Ethernet controller: Broadcom Inc. BCM57608\n\tCapabilities: <access denied>\n\n"
    facts = read_facts(bundle(tmp_path / "b", ok("lspci", text)))
    assert facts.complete(H, "host.pcie")
    reason = "lspci: permission: withheld from this user: <access denied>"
    assert facts.find_missing_reason(H.child("pcie", "0000:1d:00.0"), "pcie.acs") == reason


def test_nics_with_one_reason_are_named_together(tmp_path: Path) -> None:
    lacking = [
        (Entry(f"ethtool-fec@{name}", "ethtool", "failed", None, detail="netlink error"), "")
        for name in ("eth0", "eth1")
    ]
    facts = read_facts(bundle(tmp_path / "b", *lacking))
    assert (
        facts.find_missing_reason(H.child("nic", "eth0"), "nic.link.fec") == "ethtool-fec on eth0, eth1: netlink error"
    )


def test_an_interrupted_bundle_reports_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Writer(tmp_path / "b") as writer:
        writer.add_device("h", HOST)
        raise KeyboardInterrupt
    facts = read_facts(tmp_path / "b")
    assert facts.find_missing_reason(H, "host.kernel.version") == "uname: collecting was interrupted before it ran"


def test_a_value_names_its_file_and_line(tmp_path: Path) -> None:
    facts = read_facts(bundle(tmp_path / "b", ok("sysctl", "kernel.numa_balancing = 1\n")))
    reading = facts.reading(H.child("sysctl", "kernel.numa_balancing"), "sysctl.value")
    assert reading is not None
    assert str(reading.source) == "sysctl (h/sysctl.out:1)"


@pytest.mark.parametrize(("exit_code", "expected"), [(1, False), (0, None)])
def test_the_exit_code_reaches_the_parser(tmp_path: Path, exit_code: int, expected: bool | None) -> None:
    """grep that found nothing ends with 1; nothing with 0 is an output that was cut."""
    facts = read_facts(bundle(tmp_path / "b", ok("kallsyms", "", exit_code)))
    assert facts.value(H, "host.peer_memory") is expected


JOB = "/proc/7/environ:NCCL_IB_GID_INDEX=5\n"


@pytest.mark.parametrize(
    ("mvapich2", "job", "row"),
    [
        ("MV2_DEFAULT_GID_INDEX = 3\n", "", 3),
        ("", "", 3),
        ("MV2_DEFAULT_GID_INDEX = 1\n", "", None),  # no file states which library jobs use
        ("MV2_DEFAULT_GID_INDEX = 1\n", JOB, 5),  # a job that runs does
    ],
)
def test_libraries_that_differ_leave_a_setting_unknown(
    tmp_path: Path, mvapich2: str, job: str, row: int | None
) -> None:
    folder = tmp_path / "b"
    launchers = (("launcher", "mvapich2"), ("launcher", "nccl"))
    texts = {"mvapich2-conf": mvapich2, "rccl-conf": "NCCL_IB_GID_INDEX=3\n", "nccl-job": job}
    with Writer(folder) as writer:
        writer.add_device("h", (*HOST, *launchers))
        for order, (command, text) in enumerate(texts.items()):
            writer.write_output("h", Entry(command, command, "ok", None, exit_code=0), text.encode(), order=order)
    facts = read_facts(folder)
    assert facts.value(H, "host.launch.gid_index") == row
    if row is None:
        assert "mvapich2 has another value than other libraries of the host" in (
            facts.find_missing_reason(H, "host.launch.gid_index") or ""
        )


def test_a_platform_unknown_here_is_refused(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    text = (folder / NAME).read_text()
    (folder / NAME).write_text(text.replace('"ubuntu"', '"plan9"'))
    with pytest.raises(Refusal) as refusal:
        read_facts(folder)
    assert (
        str(refusal.value)
        == f"{folder}: manifest.json: found platform host plan9 of h; expected one of rhel, sles, ubuntu"
    )


def test_a_planned_cluster_is_read_back_as_planned(tmp_path: Path, plan: Plan) -> None:
    write_planned_bundle(plan, tmp_path / "b.tar.gz")
    facts = read_facts(tmp_path / "b.tar.gz")
    plan = locate(plan, facts)
    assert list(facts.devices) == list(plan.devices)
    wrong = {
        path: (str(place), value, facts.value(place, path))
        for name, device in plan.devices.items()
        for place, path, value in walk(device, Place(name))
        if value is not None
        and facts.value(place, path) is not None
        and not SETTINGS[path].compare.holds(value, facts.value(place, path))
    }
    assert wrong == {}
    not_shown = {
        path
        for name, device in plan.devices.items()
        for place, path, value in walk(device, Place(name))
        if value is not None and facts.value(place, path) is None
    }
    # Words for a person, identity that no device knows of itself, and what its platform declares it cannot show.
    assert not_shown <= {
        "bios.menu",
        "bios.menu_value",
        "bios.why",
        "bios.source",
        "host.model",
        "host.recommended_memory",
        "host.launch.library",
        "host.launch.launcher",
        "nic.rail",
        "nic.model",
        "nic.qos.trust",
        "nic.qos.willing",
        "nic.gpu",
        "gpu.model",
        "pcie.socket",
        "pcie.switch",
        "switch.model",
        "switch.os",
        "switch.chip",
        "port.link.lanes",
        "port.cable_length",
        "port.qos.tc_pg",
        "port.qos.pfc_pg",
    }


@pytest.mark.slow
def test_a_planned_cluster_is_the_same_bytes_every_time(tmp_path: Path, plan: Plan) -> None:
    write_planned_bundle(plan, tmp_path / "a.tar.gz")
    write_planned_bundle(plan, tmp_path / "b.tar.gz")
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()


def test_every_planned_kernel_parameter_is_collected(plan: Plan) -> None:
    (pattern,) = (command.run[-1] for command in platforms()["host", "ubuntu"].commands if command.id == "sysctl")
    keys = {key for host in plan.hosts.values() for key in host.sysctls}
    assert {key for key in keys if not re.search(pattern, key)} == set()


@pytest.mark.parametrize(("command", "marked"), [("niccli-qos", False), ("niccli-getqos", False), ("bnxtqos", True)])
def test_a_command_whose_form_is_from_memory_marks_what_it_shows(tmp_path: Path, command: str, marked: bool) -> None:
    with Writer(tmp_path / "b") as writer:
        writer.add_device("h", (*HOST, ("nic", "bnxt")))
        entry, text = ok(f"{command}@eth0", "IEEE 8021QAZ PFC TLV:\n         PFC enabled: 3\n")
        writer.write_output("h", entry, text.encode(), order=0)
    facts = read_facts(tmp_path / "b")
    assert facts.value(H.child("nic", "eth0"), "nic.qos.pfc") == {3}
    assert (("h", "nic.qos.pfc") in facts.unverified) is marked


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("uname.out", "uname: the bundle has no readable node1/uname.out"),
        ("uname.err", "uname: the bundle has no readable node1/uname.err"),
    ],
)
def test_a_lost_file_leaves_the_other_outputs(tmp_path: Path, name: str, reason: str) -> None:
    """Also without its messages an output is unknown: they can change its meaning."""
    with Writer(tmp_path / "bundle", "lab") as writer:
        writer.add_device("node1", (("host", "ubuntu"),))
        writer.write_output("node1", Entry("uname", "uname -r", "ok", None), b"6.8.0\n", b"warning\n", order=1)
        writer.write_output("node1", Entry("meminfo", "grep MemTotal", "ok", None), b"MemTotal: 16 kB\n", order=2)
    (tmp_path / "bundle" / "node1" / name).unlink()
    facts = read_facts(tmp_path / "bundle")
    assert facts.reading(Place("node1"), "host.memory") is not None
    assert facts.reading(Place("node1"), "host.kernel.version") is None
    assert reason in [str(gap) for gap in facts.gaps["node1", "host.kernel.version"]]


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    with Writer(tmp_path / "bundle", "lab") as writer:
        writer.add_device("node1", (("host", "ubuntu"),))
        writer.write_output("node1", Entry("meminfo", "cat /proc/meminfo", "ok", None), b"\x00\xff\x80", order=1)
    facts = read_facts(tmp_path / "bundle")
    assert [str(gap) for gap in facts.gaps["node1", "host.memory"]] == [
        "meminfo: its output contains bytes that are not text"
    ]
