"""Configuration and start command of a machine, without starting one; what is refused."""

from __future__ import annotations

import os
import stat
import struct
import subprocess
from pathlib import Path

import pytest
from labs import EXAMPLES

from wirespeed import lab, render
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.lab.rdma import access, initrd
from wirespeed.lab.rdma.design import list_machines, use_machines
from wirespeed.lab.rdma.kernel import kernel
from wirespeed.lab.rdma.machine import Machine, Nic
from wirespeed.plan import build

NIC = Nic("eth1", "02:00:00:00:00:01", 9000, "tap1", "rxe0", 3)


def folder_with(root: Path, release: str, *modules: str) -> Path:
    """A kernel as a package holds it."""
    (root / "boot").mkdir(parents=True)
    (root / "boot" / f"vmlinuz-{release}").touch()
    for module in modules:
        path = root / "lib/modules" / release / "kernel" / module
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def test_the_newest_kernel_with_soft_roce_is_taken(tmp_path: Path) -> None:
    for release in ("6.1.0-9-amd64", "6.1.0-56-amd64"):
        folder_with(tmp_path / release, release, "drivers/infiniband/sw/rxe/rdma_rxe.ko")
        for path in (tmp_path / release).glob("*/**/*"):
            if path.is_file():
                new = tmp_path / "all" / path.relative_to(tmp_path / release)
                new.parent.mkdir(parents=True, exist_ok=True)
                path.rename(new)
    newest = kernel(tmp_path / "all", print)
    assert (newest.release, newest.image.name) == ("6.1.0-56-amd64", "vmlinuz-6.1.0-56-amd64")


NEEDED = ("drivers/virtio/virtio_pci.ko", "net/9p/9pnet_virtio.ko", "fs/9p/9p.ko", "fs/overlayfs/overlay.ko")
RXE = "drivers/infiniband/sw/rxe/rdma_rxe.ko"


def test_a_downloaded_kernel_precedes_the_installed_one(tmp_path: Path) -> None:
    installed = folder_with(tmp_path / "here", "6.12.48-amd64", *(f"{name}.xz" for name in (*NEEDED, RXE)))
    cache = tmp_path / "cache"
    assert kernel(None, print, cache, installed).release == "6.12.48-amd64"
    folder_with(cache / "linux-image-6.1.0-56-amd64_1.deb", "6.1.0-56-amd64", RXE)
    assert kernel(None, print, cache, installed).release == "6.1.0-56-amd64"


def test_modules_may_be_built_in(tmp_path: Path) -> None:
    installed = folder_with(tmp_path / "here", "6.12.48", *NEEDED[1:], RXE)
    (installed / "lib/modules/6.12.48/modules.builtin").write_text(f"kernel/{NEEDED[0]}\n")
    assert kernel(None, print, tmp_path / "cache", installed).release == "6.12.48"


@pytest.mark.parametrize("modules", [NEEDED, (*NEEDED[1:], RXE), (*NEEDED, f"{RXE}.zst")])
def test_an_installed_kernel_that_does_not_fit_is_left(
    modules: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then one is to be downloaded, for which there is no apt here."""
    monkeypatch.setenv("PATH", str(tmp_path))
    installed = folder_with(tmp_path / "here", "6.12.48", *modules)
    with pytest.raises(Refusal) as refusal:
        kernel(None, print, tmp_path / "cache", installed)
    assert str(refusal.value).startswith("lab rdma: no apt-get here to get a kernel with (apt); expected --kernel\n")


@pytest.mark.parametrize(
    ("release", "modules", "found", "expected"),
    [
        ("", (), "no boot/vmlinuz-RELEASE beside lib/modules/RELEASE in HERE", "both"),
        (
            "6.1.0-56-cloud-amd64",
            ("net/veth.ko",),
            "6.1.0-56-cloud-amd64 without the module rdma_rxe",
            "a kernel with soft-RoCE",
        ),
    ],
)
def test_a_folder_that_is_no_kernel_is_refused(
    tmp_path: Path, release: str, modules: tuple[str, ...], found: str, expected: str
) -> None:
    if release:
        folder_with(tmp_path, release, *modules)
    with pytest.raises(Refusal) as caught:
        kernel(tmp_path, print)
    (problem,) = caught.value.problems
    assert (problem.location, problem.found.replace(str(tmp_path), "HERE"), problem.expected) == (
        "--kernel",
        found,
        expected,
    )
    assert "--kernel FILE.deb" in (problem.hint or "")


def test_a_file_that_is_no_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vmlinuz").touch()
    with pytest.raises(
        Refusal, match=r"found .*/vmlinuz; expected a folder with boot/ and lib/modules/, or a .deb file"
    ):
        kernel(tmp_path / "vmlinuz", print)


def test_a_busybox_with_libraries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dynamic = tmp_path / "busybox"
    dynamic.write_bytes(b"\x7fELF" + b"\0" * 500 + b"/lib64/ld-linux-x86-64.so.2\0")
    monkeypatch.setattr(initrd.shutil, "which", lambda name, path: str(dynamic))
    with pytest.raises(Refusal, match="needs libraries; expected a static busybox\n  hint: apt install busybox-static"):
        initrd.static_busybox()


@pytest.mark.parametrize("signature", [b"", b"\x30\x82" * 200])
def test_a_module_loses_its_signature_and_nothing_else(signature: bytes) -> None:
    module = b"\x7fELF" + bytes(range(256)) * 3
    header = struct.pack(">BBBBB3xI", 0, 0, 2, 0, 0, len(signature))
    assert initrd.strip_signature(module + signature + header + b"~Module signature appended~\n") == module
    assert initrd.strip_signature(module) == module


def test_the_planned_row_of_a_gid_table_is_reached_by_rows_before_it(tmp_path: Path) -> None:
    Machine("node1", (NIC,), "169.254.77.1/24").write_configuration(
        tmp_path, Path("/kernel"), {"node1": "169.254.77.1"}, None
    )
    assert (tmp_path / "rows").read_text().splitlines() == [
        "link add link eth1 name tap1.1 type vlan id 1",
        "link set dev tap1.1 addrgenmode none",
        "link set dev tap1.1 up",
        "address add fd00::3:1/128 dev tap1.1 nodad",
        "address add fd00::3:2/128 dev tap1.1 nodad",
    ]
    assert (tmp_path / "rows-undo").read_text() == "link delete dev tap1.1\n"
    assert (tmp_path / "nics").read_text() == "02:00:00:00:00:01 eth1 9000 up\n"
    assert (tmp_path / "rdma").read_text() == "link add rxe0 type rxe netdev eth1\n"


def test_only_the_kept_folder_may_be_written(tmp_path: Path) -> None:
    machine = Machine("node1", (NIC,), "169.254.77.1/24")
    shares = [word for word in machine.command(Path("k"), Path("i"), tmp_path, Path("/a,b")) if "local," in word]
    assert shares == [
        "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
        "local,id=keep,path=/a,,b,security_model=none",
    ]
    assert not any("id=keep" in word for word in machine.command(Path("k"), Path("i"), tmp_path, None))


def test_hosts_are_plugged_into_their_namespaces() -> None:
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    hosts = lab.select_hosts(plan, 2)
    design = lab.design(plan, "x", hosts, render.files(plan, hosts), render.routing_daemons)
    machine_design = use_machines(plan, design)
    assert [(device.name, device.machine, device.expects) for device in machine_design.devices if device.machine] == [
        ("node1", True, ()),
        ("node2", True, ()),
    ]
    assert machine_design.setups["leaf1"] == design.setups["leaf1"]
    first, _ = list_machines(plan, design)
    assert [(nic.name, nic.rdma, nic.row) for nic in first.nics][::8] == [
        ("enp29s0np0", "bnxt_re0", 3),
        ("mgmt0", None, 1),
    ]
    macs = [nic.mac for machine in list_machines(plan, design) for nic in machine.nics]
    assert len(set(macs)) == len(macs) == 18
    assert not any(mac in line for mac in macs for host in hosts for line in machine_design.setups[host].lines)


def test_arguments_and_the_exit_code_pass_the_shell_there(tmp_path: Path) -> None:
    """A program instead of ssh runs its arguments with a shell, as a server does."""
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\nshift 3\nexec sh -c "$*"\n')
    ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
    odd = ["a b", "it's", "$HOME", "*", "", "--", 'a"b', "`id`", "\\", "line\nline"]
    arguments = (*access.prefix(tmp_path, "node1"), "printf", "%s\\0", *odd)
    path = f"{tmp_path}:{os.environ['PATH']}"
    process = subprocess.run(
        arguments, capture_output=True, text=True, check=True, env={"PATH": path, "PWD": "/"}, cwd="/"
    )
    assert process.stdout.split("\0")[:-1] == odd
    failing = (*access.prefix(tmp_path, "node1"), "sh", "-c", "exit 7")
    assert subprocess.run(failing, check=False, env={"PATH": path}).returncode == 7
