"""The initrd of a virtual machine: busybox, kernel modules, and the configuration of the machine."""

from __future__ import annotations

import lzma
import shutil
import struct
from pathlib import Path

from wirespeed.errors import refuse
from wirespeed.lab.rdma.kernel import FIRST, LATER_MODULES, Kernel
from wirespeed.lab.rdma.local_command import run_command

_FOLDER = Path(__file__).parent
_PACK = 'cd "$1" && find . | "$3" cpio -o -H newc >"$2" 2>/dev/null'
_PACK_S = 120.0
_SIGNATURE_MARK = b"~Module signature appended~\n"


def write(folder: Path, kernel: Kernel, lock: int) -> Path:
    """Pack ``folder``/machine into ``folder``/initrd, with all that is needed to start.

    Raises:
        Refusal: the kernel lacks a module, or busybox is not static.
    """
    root = folder / "initrd.d"
    busybox = static_busybox()
    (root / "modules").mkdir(parents=True)
    shutil.copy(busybox, root / "busybox")
    names = [_copy_module(path, root / "modules") for path in _list_modules(kernel)]
    (root / "modules" / "order").write_text("".join(f"{name}\n" for name in names))
    shutil.copy(_FOLDER / "first.sh", root / "init")
    (root / "init").chmod(0o755)
    (root / "bin").mkdir()
    (folder / "machine").rename(root / "machine")
    shutil.copy(_FOLDER / "boot.sh", root / "machine" / "boot")
    archive = folder / "initrd"
    run_command(("sh", "-c", _PACK, "sh", str(root), str(archive), str(busybox)), _PACK_S, "busybox cpio", lock=lock)
    archive.chmod(0o600)  # it holds keys
    shutil.rmtree(root)
    return archive


def static_busybox() -> Path:
    """A statically linked busybox.

    Raises:
        Refusal: there is none.
    """
    path = shutil.which("busybox", path="/bin:/usr/bin:/sbin:/usr/sbin")
    if path is None:
        raise refuse("lab rdma", "no busybox", "a static busybox", "apt install busybox-static")
    with Path(path).open("rb") as binary:
        if b"/ld-" in binary.read(4096):  # the name of its loader stands among the headers (elf(5), PT_INTERP)
            raise refuse("lab rdma", f"{path} needs libraries", "a static busybox", "apt install busybox-static")
    return Path(path)


def strip_signature(module: bytes) -> bytes:
    """A module without the signature behind it, which an emulated processor takes long to verify.

    The last four bytes before the mark are its length, behind the other eight of its header
    (Linux include/linux/module_signature.h).
    """
    if not module.endswith(_SIGNATURE_MARK):
        return module
    end = len(module) - len(_SIGNATURE_MARK)
    (length,) = struct.unpack_from(">I", module, end - 4)
    return module[: end - 12 - length]


def _list_modules(kernel: Kernel) -> list[Path]:
    """The modules that come first, each behind what it needs."""
    if not (kernel.modules / "modules.dep").is_file():
        raise refuse(
            "--kernel", f"no modules.dep in {kernel.modules}", "one", f"depmod -b {kernel.root} {kernel.release}"
        )
    ask = ("modprobe", "-d", str(kernel.root), "-S", kernel.release, "--show-depends", "-a", *FIRST, *LATER_MODULES)
    lines = [line.split() for line in run_command(ask, 60, "modprobe", "apt install kmod").splitlines()]
    paths = dict.fromkeys(Path(fields[1]) for fields in lines if len(fields) > 1 and fields[0] == "insmod")
    return list(paths)


def _copy_module(module: Path, folder: Path) -> str:
    """Copy a module, unpacked: insmod takes no other."""
    if module.suffix not in (".ko", ".xz"):
        raise refuse("--kernel", f"the module {module}", "modules as .ko or .ko.xz", "unpack them, then depmod")
    data = module.read_bytes()
    if module.suffix == ".xz":
        data = lzma.decompress(data)
    name = module.name.removesuffix(".xz")
    (folder / name).write_bytes(strip_signature(data))
    return name
