"""The kernel of the machines: one that is installed here, or Debian's stock package, unpacked and not installed.

The kernel that runs here is left alone; it may lack rdma_rxe, as kernels of containers and clouds do. Where it has it,
its devices still work in the first network namespace alone (drivers/infiniband/sw/rxe of Linux 6.1 and 6.12), and RDMA
devices are parted by namespace only where that was set before there was another (drivers/infiniband/core/device.c,
rdma_compatdev_set): a host is a machine of its own.
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
"""Those of every start. All else is loaded from the host's files."""
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
    given: Path | None, report_progress: Callable[[str], None], cache: Path = CACHE, installed: Path = Path("/")
) -> Kernel:
    """The kernel given as a folder or as a Debian package.

    Without one, what was downloaded before, then one that is installed here, then Debian's, downloaded into the cache.

    Raises:
        Refusal: there is none, or it has no soft-RoCE.
    """
    if given is None:
        return _find_cached(cache) or _find_installed(installed) or _download(cache, report_progress)
    if given.is_dir():
        return _of_folder(given)
    if given.suffix != ".deb" or not given.is_file():
        raise refuse("--kernel", str(given), "a folder with boot/ and lib/modules/, or a .deb file")
    found = _find_cached(cache, given.name)
    return found or _unpack(given, cache)


def _of_folder(folder: Path) -> Kernel:
    """The newest kernel of a folder that has soft-RoCE."""
    found = _kernels(folder)
    if not found:
        raise refuse("--kernel", f"no boot/vmlinuz-RELEASE beside lib/modules/RELEASE in {folder}", "both", _ELSEWHERE)
    fit = [kernel for kernel in found if _has_rxe(kernel)]
    if not fit:
        raise _without_rxe(", ".join(kernel.release for kernel in found))
    return max(fit, key=lambda kernel: _order(kernel.release))


def _kernels(folder: Path) -> list[Kernel]:
    images = {path.name.removeprefix("vmlinuz-"): path for path in (folder / "boot").glob("vmlinuz-*")}
    every = [Kernel(release, image, folder) for release, image in images.items()]
    return [kernel for kernel in every if kernel.modules.is_dir()]


def _find_installed(root: Path) -> Kernel | None:
    """The newest that is installed with all that a machine needs: kernels of some distributions have no 9p."""
    fit = [kernel for kernel in _kernels(root) if all(_has(kernel, name, (".ko", ".ko.xz")) for name in (*FIRST, _RXE))]
    return max(fit, key=lambda kernel: _order(kernel.release), default=None)


def _has_rxe(kernel: Kernel) -> bool:
    return _has(kernel, _RXE, (".ko", ".ko.xz", ".ko.zst", ".ko.gz"))


def _has(kernel: Kernel, module: str, endings: Sequence[str]) -> bool:
    """Whether it has a module: built in, or as a file with one of the endings."""
    builtin = kernel.modules / "modules.builtin"
    if builtin.is_file() and f"/{module}.ko\n" in builtin.read_text():
        return True
    return any(
        path.name in {module + ending for ending in endings} for path in kernel.modules.glob(f"kernel/**/{module}.ko*")
    )


def _without_rxe(found: str) -> Exception:
    return refuse("--kernel", f"{found} without the module {_RXE}", "a kernel with soft-RoCE", _ELSEWHERE)


def _order(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)]


def _find_cached(cache: Path, package: str | None = None) -> Kernel | None:
    """What the cache holds of a package, or the newest of all that were downloaded."""
    folders = [cache / package] if package else sorted(cache.glob(f"{PACKAGE.removesuffix('-amd64')}-*.deb"))
    found = [kernel for folder in folders if folder.is_dir() for kernel in _kernels(folder) if _has_rxe(kernel)]
    return max(found, key=lambda kernel: _order(kernel.release), default=None)


def _download(cache: Path, report_progress: Callable[[str], None]) -> Kernel:
    """Debian's kernel of today, as apt verifies it."""
    for program, package in (("apt-get", "apt"), ("dpkg-deb", "dpkg")):
        if shutil.which(program) is None:
            raise refuse("lab rdma", f"no {program} here to get a kernel with ({package})", "--kernel", _ELSEWHERE)
    dependencies = run_command(("apt-cache", "depends", PACKAGE), 60, "--kernel", _ELSEWHERE)
    names = re.findall(r"Depends: (linux-image-[\w.+-]+)", dependencies)
    if not names:
        raise refuse("lab rdma", f"no package {PACKAGE} in apt", "a kernel", f"apt-get update; or {_ELSEWHERE}")
    report_progress(f"downloading {names[0]} ({DOWNLOAD}) with apt-get into {cache}")
    folder = _fresh(cache / "download.partial")
    ask = 'cd "$1" && exec apt-get -q -o APT::Sandbox::User=root download "$2"'
    run_command(
        ("sh", "-c", ask, "sh", str(folder), names[0]), _DOWNLOAD_S, "--kernel", f"apt-get update; or {_ELSEWHERE}"
    )
    found = _unpack(next(folder.glob("*.deb")), cache)
    shutil.rmtree(folder)
    return found


def _unpack(package: Path, cache: Path) -> Kernel:
    """A package unpacked into the cache: whole, or not there at all."""
    if shutil.which("dpkg-deb") is None:
        raise refuse("--kernel", f"{package.name}, and no dpkg-deb to unpack it", "dpkg, or a folder", _ELSEWHERE)
    folder = _fresh(cache / "unpack.partial")
    run_command(("dpkg-deb", "--extract", str(package), str(folder)), _UNPACK_S, "--kernel", _ELSEWHERE)
    found = _kernels(folder)
    if not found:
        shutil.rmtree(folder)
        raise refuse("--kernel", f"{package.name} holds no kernel", "a package like those of linux-image-amd64")
    if not _has_rxe(found[0]):
        shutil.rmtree(folder)
        raise _without_rxe(package.name)
    run_command(("depmod", "--basedir", str(folder), found[0].release), _UNPACK_S, "depmod", "apt install kmod")
    kept = cache / package.name
    shutil.rmtree(kept, ignore_errors=True)
    folder.rename(kept)
    return _kernels(kept)[0]


def _fresh(folder: Path) -> Path:
    """An empty folder of this name, whatever a run that was killed left there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
