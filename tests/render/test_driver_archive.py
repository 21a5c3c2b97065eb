"""The step that compiles the NIC drivers of a source archive, run against a system of stand-ins."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from render.test_software_scripts import CLUSTER, System, install

VERSION = "1.10.2-227.0.130.0"
ARCHIVE = f"netxtreme-bnxt_en-{VERSION}"
# Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA: Installing the Layer 2 and RoCE Driver
SOFTWARE = f"kernel: 5.15.0-102-generic, nic_packages: {{netxtreme-bnxt_en: {VERSION}, libbnxt_re: 227.0.130.0}}"
OLD = "kernel: 6.8.0-111-generic, nic_packages: {netxtreme-peer-mem: 234.0.154.0, libbnxt_re: 234.0.154.0}"
MAKE = """updates="$ROOT/lib/modules/$(uname -r)/updates"
case "$PWD:${1-}" in
*/netxtreme-*:install)
  mkdir -p "$updates/drivers/infiniband/hw/bnxt_re"
  : >"$updates/bnxt_en.ko"
  : >"$updates/drivers/infiniband/hw/bnxt_re/bnxt_re.ko"
  ;;
esac"""
"""Paths of bnxt_en/Makefile and bnxt_re/Makefile of release 233.2.77.9, where the folder updates exists."""


@pytest.fixture
def system(tmp_path: Path) -> System:
    return build_system(tmp_path, SOFTWARE, ARCHIVE, "libbnxt_re-227.0.130.0")


def build_system(tmp_path: Path, software: str, *names: str) -> System:
    """A system of the planned software, with archives of these names."""
    assert OLD in CLUSTER
    system = System(tmp_path, CLUSTER.replace(OLD, software))
    for name in names:
        folder = tmp_path / name
        folder.mkdir()
        for script in ("autogen.sh", "configure"):
            (folder / script).write_text("#!/bin/sh\n")
            (folder / script).chmod(0o755)
        archive = tmp_path / "release" / f"{name}.tar.gz"
        subprocess.run(["tar", "-czf", archive, "-C", tmp_path, name], check=True)
    system.tool("make", MAKE)
    system.tool("depmod", "")
    return system


def test_the_archive_is_compiled_once(system: System, tmp_path: Path) -> None:
    dkms_module = tmp_path / f"lib/modules/{os.uname().release}/updates/dkms/bnxt_en.ko"
    dkms_module.parent.mkdir(parents=True)
    dkms_module.touch()
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    changes = system.changes()
    assert changes[:2] == ["dkms remove bnxt_en/1.10.3.234.0.171.0 --all", "dkms remove bnxt_re/234.0.171.0 --all"]
    assert changes[2].startswith("apt-get install -y linux-headers-") and " dkms " not in changes[2]
    assert changes[3:6] == ["make ", "make install", "depmod -a"]
    assert (install(system).returncode, system.changes()) == (0, [])
    assert system.run("software-remove.sh", "--yes").returncode == 0
    updates = tmp_path / f"lib/modules/{os.uname().release}/updates"
    assert [file.relative_to(updates).as_posix() for file in updates.rglob("*.ko")] == ["dkms/bnxt_en.ko"]


def test_an_archive_that_installs_no_module_is_an_error(system: System) -> None:
    system.tool("make", "")
    result = install(system)
    assert result.returncode == 1
    assert "make install put none of bnxt_en bnxt_re into " in result.stderr


def test_without_yes_nothing_is_compiled(system: System) -> None:
    result = system.run("software-install.sh")
    assert (result.returncode, result.stderr, system.changes()) == (0, "", [])
    assert f"would compile DIR/netxtreme-bnxt_en-*.tar.gz for the kernel {os.uname().release}" in result.stdout


def test_the_archive_with_a_peer_memory_client_is_for_every_kernel(tmp_path: Path) -> None:
    """Broadcom 957608-AN210, appendix A.1; the kernel 6.8 has no client."""
    release = "234.0.154.0"
    packages = f"{{netxtreme-peer-mem-source: {release}, libbnxt_re: {release}}}"
    software = f"kernel: 6.8.0-111-generic, nic_packages: {packages}"
    system = build_system(tmp_path, software, f"netxtreme-peer-mem-{release}")
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    changes = system.changes()
    assert changes[changes.index("make ") :][:3] == ["make ", "make install", "depmod -a"]
    assert (install(system).returncode, system.changes()) == (0, [])
