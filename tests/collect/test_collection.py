"""Collecting from this machine: whatever it is, it is read, and each unknown value has a reason."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from wirespeed.collect import Machine, collect_local, collect_machines, list_published_commands, open_bundle, read_facts
from wirespeed.collect.bundle_writer import Writer
from wirespeed.collect.commands import list_invocations
from wirespeed.platforms import Command, platforms
from wirespeed.reach import CommandResult, Status, run
from wirespeed.settings import Host, Nic, Switch


def test_this_machine(tmp_path: Path) -> None:
    messages: list[str] = []
    collect_local(tmp_path / "here.tar.gz", progress=messages.append)
    manifest = open_bundle(tmp_path / "here.tar.gz").manifest
    (device,) = manifest.devices
    assert device.name == os.uname().nodename
    assert device.platforms[0] == ("host", "ubuntu")
    assert manifest.complete
    assert "uname -r" in messages
    facts = read_facts(tmp_path / "here.tar.gz")
    host = facts.devices[device.name]
    assert isinstance(host, Host)
    assert host.kernel.version == os.uname().release
    assert host.kernel.command_line == tuple(Path("/proc/cmdline").read_text().split())
    for entry in device.outputs:
        assert entry.status == "ok" or entry.detail


def test_every_command_of_the_system_is_recorded_in_order(tmp_path: Path) -> None:
    collect_local(tmp_path / "b", name="node1")
    (device,) = open_bundle(tmp_path / "b").manifest.devices
    assert device.name == "node1"
    once = [command.id for command in platforms()["host", "ubuntu"].commands if not command.per_nic]
    assert [entry.command for entry in device.outputs][: len(once)] == once


@pytest.mark.parametrize(
    ("user", "sudo_user", "home"),
    [
        (1000, None, "/home/bob"),
        (1000, "alice", "/home/bob"),  # a variable of an earlier sudo
        (0, "alice", "/home/alice"),
        (0, "root", "/home/bob"),
        (0, "nobody-here", "/home/bob"),
        (0, None, "/home/bob"),
    ],
)
def test_programs_of_jobs_are_looked_for_in_the_home_of_who_called_sudo(
    monkeypatch: pytest.MonkeyPatch, user: int, sudo_user: str | None, home: str
) -> None:
    module = sys.modules["wirespeed.collect.collection"]
    monkeypatch.setenv("HOME", "/home/bob")
    monkeypatch.delenv("SUDO_USER", raising=False)
    if sudo_user is not None:
        monkeypatch.setenv("SUDO_USER", sudo_user)
    monkeypatch.setattr(module.os, "geteuid", lambda: user)
    users = {"alice": SimpleNamespace(pw_dir="/home/alice")}
    monkeypatch.setattr(module.pwd, "getpwnam", users.__getitem__)
    assert module._find_home() == home
    machine = Machine("node1", ("host", "ubuntu"), run, home=module._find_home())
    command = next(command for command in platforms()["host", "ubuntu"].commands if command.id == "job-programs")
    (invocation,) = list_invocations(command, {}, machine.home)
    assert invocation.arguments[-1] == f"{home}/perftest/bin/ib_write_bw"


def test_without_a_home_folder_programs_of_jobs_are_not_looked_for() -> None:
    command = next(command for command in platforms()["host", "ubuntu"].commands if command.id == "job-programs")
    (invocation,) = list_invocations(command, {})
    assert (invocation.arguments, invocation.reason) == ((), "the home folder of the jobs' user is not known")


def test_a_command_gets_no_more_than_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timeouts: list[float] = []

    def record(arguments: tuple[str, ...], timeout_s: float, exits: object, stop: threading.Event) -> CommandResult:
        timeouts.append(timeout_s)
        return run(arguments, timeout_s, (0,), stop=stop)

    monkeypatch.setattr(sys.modules["wirespeed.collect.collection"], "run", record)
    collect_local(tmp_path / "b", limit_s=3)
    assert set(timeouts) == {3}


def test_ctrl_c_keeps_what_was_collected(tmp_path: Path) -> None:
    def interrupt(command: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect_local(tmp_path / "b", progress=interrupt)
    manifest = open_bundle(tmp_path / "b").manifest
    assert manifest.complete is False
    assert len(manifest.devices[0].outputs) == 1


def test_all_commands_are_published_and_none_changes_anything() -> None:
    commands: list[Command] = [command for platform in platforms().values() for command in platform.commands]
    assert {(command.platform.split()[0], command.id) for command in list_published_commands()} == {
        (kind, command.id) for (kind, _), platform in platforms().items() for command in platform.commands
    }
    # A word that writes, on a system where one of these commands could be made to.
    writes = {
        "set",
        "add",
        "del",
        "replace",
        "flush",
        "-G",
        "-C",
        "-A",
        "-K",
        "--setoption",
        "write",
        "configure",
        "-exec",
        "-delete",
    }
    writes |= {"-fprint", "-spms", "connect", "available", "borrow", "return", "remove"}
    assert [command.id for command in commands if writes & set(command.run)] == []
    allowed = {
        "cat",
        "grep",
        "ls",
        "ip",
        "rdma",
        "uname",
        "sysctl",
        "dmesg",
        "lspci",
        "ethtool",
        "tc",
        "nft",
        "iptables",
    }
    allowed |= {"systemctl", "dkms", "rocm-smi", "ibv_devinfo", "niccli", "show", "sonic-cli"}
    allowed |= {"bnxtqos", "bnxtnvm", "dcb", "devlink", "mlnx_qos", "mlxconfig", "mstconfig", "nvidia-smi", "find"}
    allowed |= {"vtysh", "sonic-cfggen", "sonic-db-dump", "nv", "lldpctl"}
    allowed |= {"/opt/DIS/sbin/dis_config", "/opt/DIS/sbin/smartio_tool"}
    allowed |= {"dmidecode", "lscpu", "ofed_info", "ibv_devices", "ucx_info", "ompi_info", "ib_write_bw", "iperf3"}
    assert {command.run[0] for command in commands} <= allowed


def test_the_published_list_is_a_document(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from wirespeed.cli.app import app

    result = CliRunner().invoke(app, ["collect", "--show-commands", "--format", "json"])
    document = json.loads(result.stdout)
    assert (document["kind"], document["schema"]) == ("commands", 1)
    assert {"platform": "host rhel, sles, ubuntu", "id": "uname", "run": "uname -r"}.items() <= document["commands"][
        [command["id"] for command in document["commands"]].index("uname")
    ].items()


def test_a_fallback_runs_only_where_its_command_did_not_answer(tmp_path: Path) -> None:
    """Port a has an older tool, port b the newest."""
    module = sys.modules["wirespeed.collect.collection"]
    command_lines: list[str] = []

    def answer(arguments: tuple[str, ...], timeout_s: float, exits: object, stop: threading.Event) -> CommandResult:
        command_lines.append(" ".join(arguments))
        return run(("false" if arguments == ("new", "a") else "true",), timeout_s, (0,), stop=stop)

    new = Command("new", ("new", "{interface}"), (), per_nic=True)
    old = Command("old", ("old", "{interface}"), (), per_nic=True, fallback_for="new")
    nics = {"a": Nic(), "b": Nic()}
    with Writer(tmp_path / "b") as writer:
        writer.add_device("h", (("host", "ubuntu"),))
        collector = module._Collector(writer, Machine("h", ("host", "ubuntu"), answer), None, lambda _: None)
        collector._run_with_fallbacks(
            [invocation for command in (old, new) for invocation in list_invocations(command, nics)]
        )
    assert sorted(command_lines[:2]) == ["new a", "new b"]
    assert command_lines[2:] == ["old a"]


def test_only_the_network_of_a_lab_host_is_collected(tmp_path: Path) -> None:
    ran: list[str] = []

    def answer(
        arguments: Sequence[str], timeout_s: float, exits: Sequence[int] = (0,), *, stop: threading.Event
    ) -> CommandResult:
        ran.append(" ".join(arguments))
        return CommandResult(Status.OK, b"[ ]", b"", 0, datetime(2025, 1, 2, tzinfo=UTC), 0.0)

    machine = Machine("node1", ("host", "ubuntu"), answer, network=True)
    leaf = Machine("leaf1", ("switch", "linux"), answer, network=True, unreachable_reason="it is off")
    collect_machines(tmp_path / "b", (machine, leaf), "small")
    assert {command_line.split()[0] for command_line in ran} == {"ip", "iptables", "nft", "sysctl"}
    manifest = open_bundle(tmp_path / "b").manifest
    assert (manifest.cluster, manifest.complete) == ("small", True)
    statuses = {device.name: {entry.status for entry in device.outputs} for device in manifest.devices}
    assert statuses == {"node1": {"ok", "not-applicable"}, "leaf1": {"failed"}}
    assert {entry.detail for entry in manifest.devices[1].outputs} == {"it is off"}
    assert isinstance(read_facts(tmp_path / "b").devices["leaf1"], Switch)
