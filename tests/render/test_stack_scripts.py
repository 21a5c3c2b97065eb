"""The scripts that bring an NVIDIA RDMA stack, ConnectX firmware and NCCL, and remove them, run with stand-ins."""

from __future__ import annotations

import subprocess
from os import environ
from pathlib import Path

import pytest

from plan.test_stacks import nvidia
from render.test_software_scripts import System
from wirespeed.catalogue import Catalogue

CLUSTER = """version: 1
name: small
hosts:
  node1:
    model: dell-xe9680-mi300x
    os: {os}
    nics: 8 x nvidia-mcx75310aas-neat
    software: {{{software}}}
switches:
  leaf1: {{model: dell-z9664f, os: dell-sonic, role: leaf}}
cabling: {{pattern: by-host}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
DOCA_25_10 = 'echo "OFED-internal-25.10-1.7.1:"'

RPM = """case "$1" in
-q)
  for name; do :; done
  case "$2" in
  --provides) sed -n "s/^$name == /$name = /p" "$ROOT/installed" ;;
  *) grep -x "$name" "$ROOT/installed" ;;
  esac
  ;;
-qp) basename "${4}" .rpm ;;
-qa) cat "$ROOT/installed" ;;
-Uvh) basename "$2" .rpm >>"$ROOT/installed" ;;
esac"""
FRONT_END = """while [ $# -gt 0 ] && [ "$1" != install ] && [ "$1" != remove ]; do shift; done
case "${1-}" in install) ;; *) exit 0 ;; esac
shift
for one; do
  [ "$one" = -y ] || echo "$one" >>"$ROOT/installed"
  [ "$one" != doca-ofed ] || cp "$ROOT/stack" "$ROOT/bin/ofed_info"
done"""
APT = """[ "$1" = install ] || exit 0
shift 2
for one; do
  echo "$one" >>"$ROOT/installed"
  [ "$one" != doca-ofed ] || cp "$ROOT/stack" "$ROOT/bin/ofed_info"
done"""


def build_system(
    root: Path, os: str, software: str, stack: str = DOCA_25_10, catalogue: Catalogue | None = None
) -> System:
    """A machine without Broadcom's modules, on which installing doca-ofed adds an ofed_info that prints ``stack``."""
    system = System(root, CLUSTER.format(os=os, software=software), catalogue)
    system.dkms()
    system.tool("stack", stack)
    (root / "bin/stack").rename(root / "stack")
    system.tool("mokutil", "echo 'SecureBoot disabled'")
    system.tool("dpkg", "")
    system.tool("apt-get", APT)
    system.tool("rpm", RPM)
    for name in ("dnf", "zypper"):
        system.tool(name, FRONT_END)
    system.tool("dracut", "")
    return system


def install(system: System, *options: str):  # type: ignore[no-untyped-def]
    takes_folder = "--from DIR" in system.scripts["software-install.sh"]
    folder = ("--from", str(system.root / "release")) if takes_folder else ()
    return system.run("software-install.sh", "--yes", *folder, *options)


def list_changes(system: System) -> list[str]:
    """What was changed, in order, without queries."""
    queries = (
        "ofed_info",
        "stack -s",
        "uname",
        "zypper --quiet",
        "mokutil",
        "rpm -q",
        "dkms status",
        "modinfo",
        "mstflint -d 0000:1d:00.0 query",
    )
    lines = [line for line in system.changes() if not line.startswith(queries) and " query" not in line]
    return [" ".join(line.split()) for line in lines]


UBUNTU = "kernel: 6.8.0-111-generic, nic_packages: {doca-ofed: 3.2.1}"
RELEASES = [
    (
        "ubuntu-24.04",
        UBUNTU,
        "doca-host_3.2.1-044000-25.10-ubuntu2404_amd64.deb",
        DOCA_25_10,
        [
            "dpkg -i DIR/doca-host_3.2.1-044000-25.10-ubuntu2404_amd64.deb",
            "apt-get update",
            "apt-get install -y doca-ofed",
        ],
    ),
    (
        "rhel-9.6",
        "kernel: 5.14.0-570.el9, nic_packages: {doca-ofed: 3.2.0}",
        "doca-host-3.2.0-125000_25.10_rhel9.x86_64.rpm",
        'echo "OFED-internal-25.10-1.2.8:"',
        ["rpm -Uvh DIR/doca-host-3.2.0-125000_25.10_rhel9.x86_64.rpm", "dnf makecache", "dnf install -y doca-ofed"],
    ),
    (
        "sles-15.6",
        "kernel: 6.4.0-150600.23.25-default, nic_packages: {doca-ofed: 3.0.0}",
        "doca-host-3.0.0-058000_25.04_sles15sp6.x86_64.rpm",
        'echo "OFED-internal-25.04-0.6.1:"',
        [
            "rpm -Uvh DIR/doca-host-3.0.0-058000_25.04_sles15sp6.x86_64.rpm",
            "zypper --non-interactive refresh",
            "zypper --non-interactive install doca-ofed",
        ],
    ),
]
MLNX_OFED = ("ubuntu-22.04", "kernel: 5.15.0-70-generic, nic_packages: {MLNX_OFED: 24.10-0.7.0.0}")
GOLDEN = Path(__file__).with_name("stacks.txt")


@pytest.mark.parametrize(("os", "software", "file", "stack_output", "does"), RELEASES, ids=[row[0] for row in RELEASES])
def test_a_stack_is_installed_once(
    tmp_path: Path, os: str, software: str, file: str, stack_output: str, does: list[str]
) -> None:
    system = build_system(tmp_path, os, software, stack_output)
    missing = install(system)
    assert missing.returncode == 1
    assert "no file doca-host" in missing.stderr
    (tmp_path / "release" / file).touch()
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    changes = list_changes(system)
    assert changes[-len(does) - 1 : -1] == does
    assert changes[-1].startswith(("update-initramfs", "dracut"))
    assert "reboot now, instead of restarting openibd" in result.stdout
    second_result = install(system)
    assert (second_result.returncode, list_changes(system)) == (0, [])
    assert "reboot now" not in second_result.stdout


def test_what_would_be_done(tmp_path: Path) -> None:
    """``stacks.txt`` is what the scripts print: ``WIRESPEED_ACCEPT=1`` writes it again; read the difference."""
    sections = []
    for number, (system, software, *_) in enumerate((*RELEASES, MLNX_OFED)):
        folder = tmp_path / str(number)
        folder.mkdir()
        host = build_system(
            folder, system, f"{software}, nic_firmware: 28.39.3004, cuda: 12.2", catalogue=nvidia("9.0")
        )
        host.tool("uname", "echo KERNEL")
        host.tool("modinfo", "exit 1")
        for script in ("software-install.sh", "software-remove.sh"):
            completed = host.run(script)
            assert (completed.returncode, completed.stderr) == (0, "")
            sections.append(f"=== {system}, {software}: {script}\n{completed.stdout}")
        assert list_changes(host) == []
    text = "\n".join(sections)
    if environ.get("WIRESPEED_ACCEPT"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_nothing_is_done_without_yes(tmp_path: Path) -> None:
    system = build_system(tmp_path, "ubuntu-24.04", UBUNTU)
    result = system.run("software-install.sh")
    assert (result.returncode, result.stderr, list_changes(system)) == (0, "", [])
    assert "  would run: dpkg -i DIR/doca-host_3.2.1-*-25.10-ubuntu2404_amd64.deb" in result.stdout.splitlines()


def test_another_release_goes_first_and_requires_a_reboot(tmp_path: Path) -> None:
    system = build_system(tmp_path, "ubuntu-24.04", UBUNTU)
    (tmp_path / "release/doca-host_3.2.1-044000-25.10-ubuntu2404_amd64.deb").touch()
    system.tool("ofed_info", 'echo "OFED-internal-25.10-1.2.8:"')
    system.tool("dpkg-query", 'case "$*" in *Package*) cat "$ROOT/installed" ;; *) exit 1 ;; esac')
    (tmp_path / "installed").write_text("doca-ofed\nlibibverbs1\ndoca-host\n")
    uninstaller = tmp_path / "usr/sbin/ofed_uninstall.sh"
    uninstaller.write_text('#!/bin/sh\necho "ofed_uninstall $*" >>"$ROOT/log"\nrm -- "$0" "$ROOT/bin/ofed_info"\n')
    uninstaller.chmod(0o755)
    result = install(system)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (3, "reboot, then run this script again")
    assert list_changes(system) == [
        "apt-get purge -y doca-ofed doca-host",
        "ofed_uninstall --force",
        "apt-get autoremove -y",
    ]
    assert install(system).returncode == 0


def test_a_stack_that_reports_another_version_stops_it(tmp_path: Path) -> None:
    system = build_system(tmp_path, "ubuntu-24.04", UBUNTU, 'echo "OFED-internal-26.01-1.0.0:"')
    (tmp_path / "release/doca-host_3.2.1-044000-25.10-ubuntu2404_amd64.deb").touch()
    result = install(system)
    assert result.returncode == 1
    assert "ofed_info -s prints OFED-internal-26.01-1.0.0:, and OFED-internal-25.10-1.7.1 is planned" in result.stderr


def test_the_installer_of_mlnx_ofed(tmp_path: Path) -> None:
    system = build_system(
        tmp_path, "ubuntu-22.04", "kernel: 5.15.0-70-generic, nic_packages: {MLNX_OFED: 24.10-0.7.0.0}"
    )
    name = "MLNX_OFED_LINUX-24.10-0.7.0.0-ubuntu22.04-x86_64"
    folder = tmp_path / name
    folder.mkdir()
    installer = folder / "mlnxofedinstall"
    stand_in = "#!/bin/sh\\necho MLNX_OFED_LINUX-24.10-0.7.0.0:\\n"
    installer.write_text(
        f'#!/bin/sh\necho "mlnxofedinstall $*" >>"$ROOT/log"\n'
        f'printf \'{stand_in}\' >"$ROOT/bin/ofed_info"\nchmod +x "$ROOT/bin/ofed_info"\n'
    )
    installer.chmod(0o755)
    subprocess.run(["tar", "-czf", tmp_path / "release" / f"{name}.tgz", "-C", tmp_path, name], check=True)
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    assert "mlnxofedinstall --force --without-fw-update --add-kernel-support" in list_changes(system)
    assert install(system).returncode == 0
    assert list_changes(system) == []


def test_the_rollback(tmp_path: Path) -> None:
    system = build_system(tmp_path, "rhel-9.6", RELEASES[1][1], RELEASES[1][3])
    (tmp_path / "release" / RELEASES[1][2]).touch()
    assert install(system).returncode == 0
    uninstaller = tmp_path / "usr/sbin/ofed_uninstall.sh"
    uninstaller.write_text('#!/bin/sh\necho "ofed_uninstall $*" >>"$ROOT/log"\n')
    uninstaller.chmod(0o755)
    result = system.run("software-remove.sh", "--yes")
    assert (result.returncode, result.stderr) == (0, "")
    assert list_changes(system)[1:4] == [
        "dnf remove -y doca-host-3.2.0-125000_25.10_rhel9.x86_64 doca-ofed",
        "ofed_uninstall --force",
        "dnf autoremove -y",
    ]
    assert list_changes(system)[-1].startswith("dracut -f /boot/initramfs-")
    second_result = system.run("software-remove.sh", "--yes")
    assert second_result.returncode == 0
    assert not [line for line in list_changes(system) if "doca" in line or "ofed" in line]


def test_secure_boot_is_reported(tmp_path: Path) -> None:
    system = build_system(tmp_path, "ubuntu-24.04", UBUNTU)
    system.tool("mokutil", "echo 'SecureBoot enabled'")
    assert "Secure Boot is on: enrol the key" in system.run("software-install.sh").stdout


MSTFLINT = """case "$3" in
query) echo "FW Version:            $(cat "$ROOT/fw-$2" 2>/dev/null || echo 28.36.1010)" ;;
*) [ "$2" != "${REFUSES-}" ] || { echo "-E- PSID mismatch." >&2; exit 1; }
   echo 28.39.3004 >"$ROOT/fw-$2" ;;
esac"""
FIRMWARE = "kernel: 5.15.0-102-generic, nic_firmware: 28.39.3004"
IMAGE = "fw-ConnectX7-rel-28_39_3004-MCX75310AAS-NEA_Ax-UEFI-14.32.17-FlexBoot-3.7.300.signed.bin"


def test_firmware_is_burnt_where_it_is_another_and_remembered(tmp_path: Path) -> None:
    system = build_system(tmp_path, "ubuntu-22.04", FIRMWARE)
    system.tool("mstflint", MSTFLINT)
    (tmp_path / "fw-0000:43:00.0").write_text("28.39.3004\n")
    missing = install(system)
    assert (missing.returncode, "no firmware file for enp29s0np0" in missing.stderr) == (1, True)
    (tmp_path / "release" / IMAGE).touch()
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    burnt = [line for line in list_changes(system) if line.startswith("mstflint")]
    assert len(burnt) == 7  # of eight, one has it
    assert burnt[0] == f"mstflint -d 0000:1d:00.0 -i DIR/{IMAGE} -y burn"
    assert "reboot now;" in result.stdout
    second_result = install(system)
    assert (second_result.returncode, list_changes(system), "reboot now" in second_result.stdout) == (0, [], False)
    removal = system.run("software-remove.sh")
    assert "enp29s0np0 0000:1d:00.0 28.36.1010" in removal.stdout.splitlines()


def test_firmware_for_another_psid_stops_it(tmp_path: Path) -> None:
    system = build_system(tmp_path, "ubuntu-22.04", FIRMWARE)
    system.tool("mstflint", MSTFLINT.replace("${REFUSES-}", "0000:1d:00.0"))
    (tmp_path / "release" / IMAGE).touch()
    result = install(system)
    assert result.returncode == 1
    assert result.stderr.splitlines() == ["-E- PSID mismatch.", "software-install.sh: enp29s0np0 was not flashed"]


def test_the_peer_memory_module_is_compiled_again_where_it_is_empty(tmp_path: Path) -> None:
    system = build_system(tmp_path, "ubuntu-24.04", UBUNTU, catalogue=nvidia("9.0"))
    (tmp_path / "release/doca-host_3.2.1-044000-25.10-ubuntu2404_amd64.deb").touch()
    system.tool("modinfo", 'cat "$ROOT/depends"')
    (tmp_path / "depends").write_text("nvidia\n")
    assert "dkms has no nvidia" in install(system).stderr
    (tmp_path / "dkms").write_text(
        "mlnx-ofed-kernel/25.10.OFED.25.10.1.7.1.1, 6.8.0-111-generic, x86_64: installed\n"
        "nvidia/580.95.05, 6.8.0-111-generic, x86_64: installed\n"
    )
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    built_modules = [line.rpartition(" ")[0] for line in list_changes(system) if line.startswith("dkms")]
    assert built_modules == ["dkms build --force nvidia/580.95.05 -k", "dkms install --force nvidia/580.95.05 -k"]
    (tmp_path / "depends").write_text("nvidia,ib_uverbs\n")
    second_result = install(system)
    assert (second_result.returncode, list_changes(system)) == (0, [])


NCCL = "cuda: 12.2, nccl: 2.18.3"
PINNED = [
    ("ubuntu-22.04", "apt-get install -y libnccl-dev=2.18.3-1+cuda12.2 libnccl2=2.18.3-1+cuda12.2"),
    ("rhel-9.4", "dnf install -y libnccl-devel-2.18.3-1+cuda12.2 libnccl-2.18.3-1+cuda12.2"),
]


@pytest.mark.parametrize(("os", "does"), PINNED, ids=[row[0] for row in PINNED])
def test_nccl_is_installed_in_its_version(tmp_path: Path, os: str, does: str) -> None:
    system = build_system(tmp_path, os, NCCL, catalogue=nvidia("9.0"))
    package_query = 'case "$*" in *nccl*) [ ! -e "$ROOT/nccl" ] || printf 2.18.3-1+cuda12.2 ;; *) printf "ii " ;; esac'
    system.tool("dpkg-query", package_query)
    system.tool("rpm", package_query)
    system.tool("dnf", 'case "$*" in *repoquery*) echo 12.2 ;; esac')
    system.tool("apt-cache", "echo '  Candidate: 12.2'")
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    assert does in list_changes(system)
    (tmp_path / "nccl").touch()
    assert install(system).returncode == 0
    assert list_changes(system) == []


def test_nccl_for_a_system_without_packages_is_an_archive(tmp_path: Path) -> None:
    system = build_system(tmp_path, "sles-15.6", NCCL, catalogue=nvidia("9.0"))
    name = "nccl_2.18.3-1+cuda12.2_x86_64"
    for folder in ("lib/pkgconfig", "include"):
        (tmp_path / name / folder).mkdir(parents=True)
    (tmp_path / name / "lib/libnccl.so.2.18.3").touch()
    (tmp_path / name / "include/nccl.h").touch()
    (tmp_path / "usr/local").mkdir()
    system.tool("zypper", f"case \"$*\" in *info*) echo 'Version : 12.2' ;; esac\n{FRONT_END}")
    missing = install(system)
    assert (missing.returncode, f"no file {name}.txz in" in missing.stderr) == (1, True)
    subprocess.run(["tar", "-cJf", tmp_path / "release" / f"{name}.txz", "-C", tmp_path, name], check=True)
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "usr/local/lib/libnccl.so.2.18.3").exists()
    assert install(system).returncode == 0
    assert list_changes(system) == []
    assert system.run("software-remove.sh", "--yes").returncode == 0
    assert [file.name for file in (tmp_path / "usr/local").rglob("*") if file.is_file()] == []
