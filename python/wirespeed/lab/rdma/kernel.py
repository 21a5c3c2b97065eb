"""The kernel of the machines: one that is installed here, or Debian's stock package, unpacked and not installed.

The kernel that runs here is left alone; it may lack rdma_rxe, as kernels of containers and clouds do. Where it has it,
its devices still work in the first network namespace alone (drivers/infiniband/sw/rxe of Linux 6.1 and 6.12), and RDMA
devices are parted by namespace only where that was set before there was another (drivers/infiniband/core/device.c,
rdma_compatdev_set): a host is a separate machine.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import refuse
from wirespeed.lab.rdma.local_command import run_command

CACHE = Path("/var/cache/wirespeed/lab")
PACKAGE = "linux-image-amd64"
"""What depends on Debian's newest stock kernel. That of clouds, linux-image-cloud-amd64, is built without rdma_rxe."""

DOWNLOAD = "70 MB"  # linux-image-6.1.0-56-amd64 6.1.192-2: 70.6 MB, 404 MB unpacked
_RXE = "rdma_rxe"
FIRST = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
"""The modules that the host's files need."""

LATER_MODULES = ("virtio_net", "8021q", "rdma_rxe", "rdma_ucm", "ib_umad", "sch_netem")
"""Modules of every start. All other modules are loaded from the host's files."""
_UNPACK_S = 600.0
_DOWNLOAD_S = 1800.0
_ELSEWHERE = (
    f"download the package that {PACKAGE} depends on where there is a network, and give it: --kernel FILE.deb; "
    "or --kernel / for the kernel that is installed here"
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel to boot: its release, its image, and the folder that holds ``lib/modules/RELEASE``."""

    release: str
    image: Path
    root: Path

    @property
    def modules(self) -> Path:
        """Its modules."""
        return self.root / "lib" / "modules" / self.release


def kernel(
    option: Path | None, report_progress: Callable[[str], None], cache: Path = CACHE, root: Path = Path("/")
) -> Kernel:
    """The kernel given as a folder or as a Debian package.

    Without one, what was downloaded before, then one that is installed here, then Debian's, downloaded into the cache.

    Raises:
        Refusal: there is none, or it has no soft-RoCE.
    """
    if option is None:
        return _find_cached(cache) or _find_installed(root) or _download_kernel(cache, report_progress)
    if option.is_dir():
        return _select_from_folder(option)
    if option.suffix != ".deb" or not option.is_file():
        raise refuse("--kernel", str(option), "a folder with boot/ and lib/modules/, or a .deb file")
    cached = _find_cached(cache, option.name)
    return cached or _unpack_package(option, cache)


def _select_from_folder(folder: Path) -> Kernel:
    """The newest kernel of a folder that has soft-RoCE."""
    kernels = _list_kernels(folder)
    if not kernels:
        raise refuse("--kernel", f"no boot/vmlinuz-RELEASE beside lib/modules/RELEASE in {folder}", "both", _ELSEWHERE)
    fit = [kernel for kernel in kernels if _has_rxe(kernel)]
    if not fit:
        raise _refuse_kernel(", ".join(kernel.release for kernel in kernels))
    return max(fit, key=lambda kernel: _parse_release(kernel.release))


def _list_kernels(folder: Path) -> list[Kernel]:
    images = {path.name.removeprefix("vmlinuz-"): path for path in (folder / "boot").glob("vmlinuz-*")}
    every = [Kernel(release, image, folder) for release, image in images.items()]
    return [kernel for kernel in every if kernel.modules.is_dir()]


def _find_installed(root: Path) -> Kernel | None:
    """The newest that is installed with all that a machine needs: kernels of some distributions have no 9p."""
    fit = [
        kernel
        for kernel in _list_kernels(root)
        if all(_has_module(kernel, name, (".ko", ".ko.xz")) for name in (*FIRST, _RXE))
    ]
    return max(fit, key=lambda kernel: _parse_release(kernel.release), default=None)


def _has_rxe(kernel: Kernel) -> bool:
    return _has_module(kernel, _RXE, (".ko", ".ko.xz", ".ko.zst", ".ko.gz"))


def _has_module(kernel: Kernel, module: str, endings: Sequence[str]) -> bool:
    """Whether it has a module: built in, or as a file with one of the endings."""
    builtin = kernel.modules / "modules.builtin"
    if builtin.is_file() and f"/{module}.ko\n" in builtin.read_text():
        return True
    return any(
        path.name in {module + suffix for suffix in endings} for path in kernel.modules.glob(f"kernel/**/{module}.ko*")
    )


def _refuse_kernel(release: str) -> Exception:
    return refuse("--kernel", f"{release} without the module {_RXE}", "a kernel with soft-RoCE", _ELSEWHERE)


def _parse_release(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)]


def _find_cached(cache: Path, package: str | None = None) -> Kernel | None:
    """What the cache holds of a package, or the newest of all that were downloaded."""
    folders = [cache / package] if package else sorted(cache.glob(f"{PACKAGE.removesuffix('-amd64')}-*.deb"))
    kernels = [kernel for folder in folders if folder.is_dir() for kernel in _list_kernels(folder) if _has_rxe(kernel)]
    return max(kernels, key=lambda kernel: _parse_release(kernel.release), default=None)


def _download_kernel(cache: Path, report_progress: Callable[[str], None]) -> Kernel:
    """Debian's kernel of today, as apt verifies it."""
    for program, package in (("apt-get", "apt"), ("dpkg-deb", "dpkg")):
        if shutil.which(program) is None:
            raise refuse("lab rdma", f"no {program} here to get a kernel with ({package})", "--kernel", _ELSEWHERE)
    dependencies = run_command(("apt-cache", "depends", PACKAGE), 60, "--kernel", _ELSEWHERE)
    names = re.findall(r"Depends: (linux-image-[\w.+-]+)", dependencies)
    if not names:
        raise refuse("lab rdma", f"no package {PACKAGE} in apt", "a kernel", f"apt-get update; or {_ELSEWHERE}")
    report_progress(f"downloading {names[0]} ({DOWNLOAD}) with apt-get into {cache}")
    folder = _make_empty_folder(cache / "download.partial")
    ask = 'cd "$1" && exec apt-get -q -o APT::Sandbox::User=root download "$2"'
    run_command(
        ("sh", "-c", ask, "sh", str(folder), names[0]), _DOWNLOAD_S, "--kernel", f"apt-get update; or {_ELSEWHERE}"
    )
    downloaded = _unpack_package(next(folder.glob("*.deb")), cache)
    shutil.rmtree(folder)
    return downloaded


def _unpack_package(package: Path, cache: Path) -> Kernel:
    """A package unpacked into the cache: whole, or not there at all."""
    if shutil.which("dpkg-deb") is None:
        raise refuse("--kernel", f"{package.name}, and no dpkg-deb to unpack it", "dpkg, or a folder", _ELSEWHERE)
    folder = _make_empty_folder(cache / "unpack.partial")
    run_command(("dpkg-deb", "--extract", str(package), str(folder)), _UNPACK_S, "--kernel", _ELSEWHERE)
    kernels = _list_kernels(folder)
    if not kernels:
        shutil.rmtree(folder)
        raise refuse("--kernel", f"{package.name} holds no kernel", "a package like those of linux-image-amd64")
    if not _has_rxe(kernels[0]):
        shutil.rmtree(folder)
        raise _refuse_kernel(package.name)
    run_command(("depmod", "--basedir", str(folder), kernels[0].release), _UNPACK_S, "depmod", "apt install kmod")
    target = cache / package.name
    shutil.rmtree(target, ignore_errors=True)
    folder.rename(target)
    return _list_kernels(target)[0]


def _make_empty_folder(folder: Path) -> Path:
    """An empty folder of this name, whatever a run that was killed left there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
