"""What `lab rdma` refuses before it builds anything, and where its kernel comes from: beside the exact messages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from labs import EXAMPLES
from typer.testing import CliRunner

from needs import needs
from wirespeed.cli.app import app
from wirespeed.errors import Refusal
from wirespeed.lab import machine
from wirespeed.lab.rdma import build
from wirespeed.lab.rdma.kernel import PACKAGE, kernel

CLUSTER = EXAMPLES / "mi300x-4node" / "cluster.yaml"
RELEASE = "6.1.0-56-amd64"
RXE = "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko"
ELSEWHERE = (
    "download the package that linux-image-amd64 depends on where there is a network, and give it: --kernel FILE.deb; "
    "or --kernel / for the kernel that is installed here"
)


def remove_programs(*programs: str) -> Callable[[pytest.MonkeyPatch, Path], None]:
    """A machine where these are not installed, and all others are."""

    def prepare(patch: pytest.MonkeyPatch, folder: Path) -> None:
        for name in build._PACKAGES.keys() - set(programs):
            (folder / name).touch(mode=0o755)
        patch.setenv("PATH", str(folder))
        patch.setattr(machine, "SYSTEM_PATH", str(folder))

    return prepare


def no_root(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(os, "geteuid", lambda: 1000)


def no_tun(patch: pytest.MonkeyPatch, folder: Path) -> None:
    remove_programs()(patch, folder)
    patch.setattr(build, "_TUN", folder / "tun")


def other_processor(patch: pytest.MonkeyPatch, folder: Path) -> None:
    remove_programs()(patch, folder)
    patch.setattr(build.platform, "machine", lambda: "aarch64")


ROWS = [
    (
        no_root,
        "lab: found a user who is not root; expected root, who alone may make network namespaces\n"
        "  hint: sudo wirespeed …",
    ),
    (
        no_tun,
        "lab rdma: no HERE/tun that opens; expected it: the machines' NICs are tap devices\n"
        "  hint: modprobe tun; in a container, start it with --device /dev/net/tun",
    ),
    (
        remove_programs("qemu-system-x86_64"),
        "lab rdma: no qemu-system-x86_64; expected qemu-system-x86_64 on this machine\n"
        "  hint: apt-get install qemu-system-x86",
    ),
    (
        remove_programs("busybox", "sshd"),
        "lab rdma: no busybox; expected busybox on this machine\n"
        "  hint: apt-get install busybox-static\n"
        "lab rdma: no sshd; expected sshd on this machine\n"
        "  hint: apt-get install openssh-server",
    ),
    (other_processor, "lab rdma: found a processor of aarch64; expected x86_64, for which the kernel is"),
]


@pytest.mark.parametrize(("prepare", "text"), ROWS, ids=["root", "tun", "qemu", "two-programs", "processor"])
def test_what_a_machine_lacks(
    prepare: Callable[[pytest.MonkeyPatch, Path], None], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(build, "_TUN", tmp_path)
    monkeypatch.setattr(build, "_can_open", Path.exists)
    monkeypatch.setattr(build.platform, "machine", lambda: "x86_64")
    prepare(monkeypatch, tmp_path)
    with pytest.raises(Refusal) as refusal:
        CliRunner().invoke(app, ["lab", "rdma", str(CLUSTER)], catch_exceptions=False)
    assert str(refusal.value).replace(str(tmp_path), "HERE") == text


def test_a_file_that_does_not_open_is_no_device(tmp_path: Path) -> None:
    assert not build._can_open(tmp_path / "tun")
    (tmp_path / "tun").touch()
    assert build._can_open(tmp_path / "tun")


def package(folder: Path, *modules: str) -> Path:
    """A Debian package as those of kernels are, made by dpkg-deb."""
    root = folder / "root"
    (root / "DEBIAN").mkdir(parents=True)
    control = "Package: linux-image-test\nVersion: 1\nArchitecture: amd64\nMaintainer: none\nDescription: none\n"
    (root / "DEBIAN" / "control").write_text(control)
    for name in (f"boot/vmlinuz-{RELEASE}", *(f"lib/modules/{RELEASE}/{module}" for module in modules)):
        if modules:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
    package_path = folder / "kernel.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", root, package_path], check=True, capture_output=True)
    return package_path


def test_a_package_is_unpacked_once(tmp_path: Path) -> None:
    needs("dpkg-deb", "depmod")
    cache = tmp_path / "cache"
    package_entry = package(tmp_path, RXE)
    first = kernel(package_entry, print, cache)
    assert (first.release, first.root, first.image.name) == (RELEASE, cache / "kernel.deb", f"vmlinuz-{RELEASE}")
    assert (first.modules / "modules.dep").is_file()
    inode = first.root.stat().st_ino
    assert kernel(package_entry, print, cache) == first
    assert first.root.stat().st_ino == inode
    assert [path.name for path in cache.iterdir()] == ["kernel.deb"]


@pytest.mark.parametrize(
    ("modules", "text"),
    [
        ((), "--kernel: found kernel.deb holds no kernel; expected a package like those of linux-image-amd64"),
        (
            ("kernel/drivers/net/veth.ko",),
            "--kernel: found kernel.deb without the module rdma_rxe; expected a kernel with soft-RoCE\n"
            f"  hint: {ELSEWHERE}",
        ),
    ],
    ids=["another-package", "no-soft-RoCE"],
)
def test_a_package_of_something_else_is_refused_and_not_kept(
    modules: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    needs("dpkg-deb")
    with pytest.raises(Refusal) as refusal:
        kernel(package(tmp_path, *modules), print, tmp_path / "cache")
    assert str(refusal.value) == text
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_damaged_package_is_refused(tmp_path: Path) -> None:
    needs("dpkg-deb")
    package_entry = package(tmp_path, RXE)
    package_entry.write_bytes(package_entry.read_bytes()[:100])
    with pytest.raises(Refusal, match=r"^--kernel: found dpkg-deb: .*; expected exit code 0\n  hint: download the"):
        kernel(package_entry, print, tmp_path / "cache")


_FETCH = """
import sys
from pathlib import Path
from wirespeed.errors import Refusal
from wirespeed.lab.rdma.kernel import kernel
try:
    kernel(None, print, Path(sys.argv[1]), Path(sys.argv[1]))
except Refusal as refusal:
    sys.exit(str(refusal))
"""


@pytest.mark.slow
def test_without_a_network_there_is_no_kernel_to_download(tmp_path: Path) -> None:
    """The real apt, in a network namespace that has no route."""
    needs("unshare", root=True)
    lookup = shutil.which("apt-cache") and subprocess.run(
        ["apt-cache", "show", PACKAGE], capture_output=True, check=False
    )
    if not lookup or lookup.returncode:
        pytest.skip(f"apt knows no {PACKAGE}: not Debian, or apt-get update was never run")
    arguments = ["unshare", "--net", sys.executable, "-c", _FETCH, str(tmp_path / "cache")]
    process = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert process.stdout.startswith("downloading linux-image-") and "(70 MB) with apt-get into " in process.stdout
    assert process.stderr.startswith("--kernel: found sh: ")
    assert process.stderr.endswith(f"; expected exit code 0\n  hint: apt-get update; or {ELSEWHERE}\n")
    assert not list((tmp_path / "cache").glob("*.deb"))
