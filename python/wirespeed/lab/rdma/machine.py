"""A host as a virtual machine: its configuration and its command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MEMORY_MIB = 1024  # 120 MiB are used once it is up; its disk uses the rest
EMULATOR = "qemu-system-x86_64"
CONSOLE = "console"

# What an emulated processor should not spend its time on (Linux Documentation/admin-guide/kernel-parameters.txt): tests
# of ciphers, memory cleared twice, the kernel's code kept from being written to, AppArmor. No test of whether the timer
# ticks, which fails where the emulator has to wait for a processor.
_KERNEL = (
    "console=ttyS0 panic=-1 quiet mitigations=off cryptomgr.notests init_on_alloc=0 rodata=off apparmor=0 "
    "no_timer_check"
)

# All that the emulator can, but for the promise that `rep movsb` and `rep stosb` are fast (Intel SDM 1, 7.3.9.3): it
# does them byte by byte, and the kernel clears and copies pages with them.
_PROCESSOR = "max,-erms,-fsrm"


@dataclass(frozen=True, slots=True)
class Nic:
    """A NIC: its name and MAC inside, its MTU, and the tap that it is plugged into.

    ``rdma`` is its soft-RoCE device, ``row`` that of the GID table where its first planned address is. Where rows come
    before it the NIC is up before networkd, and its link-local address is known to be its own by then.
    """

    name: str
    mac: str
    mtu: int
    tap: str
    rdma: str | None = None
    row: int = 1


@dataclass(frozen=True, slots=True)
class Machine:
    """A host."""

    name: str
    nics: tuple[Nic, ...]
    management: str  # with prefix length

    def write_configuration(self, folder: Path, modules: Path, hosts: Mapping[str, str], keep: Path | None) -> None:
        """Write what the machine reads at its start (boot.sh)."""
        folder.mkdir(parents=True, exist_ok=True)
        files = {
            "name": self.name,
            "modules": str(modules),
            "hosts": "\n".join(f"{address} {name}" for name, address in hosts.items()),
            "nics": "\n".join(f"{nic.mac} {nic.name} {nic.mtu} {'up' if nic.row > 1 else 'down'}" for nic in self.nics),
            "rdma": "\n".join(f"link add {nic.rdma} type rxe netdev {nic.name}" for nic in self.nics if nic.rdma),
            "rows": "\n".join(line for nic in self.nics for line in _format_rows(nic)),
            "rows-undo": "\n".join(f"link delete dev {_row_device(nic)}" for nic in self.nics if nic.row > 1),
            "keep": str(keep or ""),
            "management": self.management,
        }
        for name, text in files.items():
            (folder / name).write_text(text + "\n")

    def command(self, kernel: Path, initrd: Path, folder: Path, keep: Path | None) -> tuple[str, ...]:
        """The emulator's command line. It continues in the background, and leaves its number in ``folder``/qemu.pid."""
        return (
            *(EMULATOR, "-name", self.name, "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", _PROCESSOR),
            *("-m", str(MEMORY_MIB), "-smp", "1", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
            *("-kernel", str(kernel), "-initrd", str(initrd)),
            *("-append", _KERNEL),
            *(
                "-serial",
                f"file:{str(folder / CONSOLE).replace(',', ',,')}",
                "-daemonize",
                "-pidfile",
                str(folder / "qemu.pid"),
            ),
            # The whole of the host's files, other file systems among them, for reading alone.
            *("-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap"),
            *("-device", "virtio-9p-pci,fsdev=root,mount_tag=root"),
            *(_build_folder_arguments(keep) if keep is not None else ()),
            *_network_arguments(self.nics),
        )


def _format_rows(nic: Nic) -> list[str]:
    """Lines for `ip` that take the rows of a GID table before the planned one.

    A soft-RoCE device gives its addresses the first rows that are free, behind the one of its link-local address. A
    hardware's table has more before it: every address once per RoCE version. Addresses of a VLAN device take rows too.
    """
    if nic.row < 2:
        return []
    vlan_commands = [
        f"link add link {nic.name} name {_row_device(nic)} type vlan id 1",
        f"link set dev {_row_device(nic)} addrgenmode none",
    ]
    addresses = [f"address add fd00::{nic.row:x}:{row:x}/128 dev {_row_device(nic)} nodad" for row in range(1, nic.row)]
    return [*vlan_commands, f"link set dev {_row_device(nic)} up", *addresses]


def _row_device(nic: Nic) -> str:
    return f"{nic.tap}.1"


def _build_folder_arguments(folder: Path) -> tuple[str, ...]:
    """The one folder of this machine that the machine may write to. A comma is doubled (qemu(1))."""
    path = str(folder).replace(",", ",,")
    return (
        "-fsdev",
        f"local,id=keep,path={path},security_model=none",
        "-device",
        "virtio-9p-pci,fsdev=keep,mount_tag=kept",
    )


def _network_arguments(nics: Sequence[Nic]) -> list[str]:
    arguments = []
    for number, nic in enumerate(nics):
        arguments += ["-netdev", f"tap,id=n{number},ifname={nic.tap},script=no,downscript=no"]
        arguments += ["-device", f"virtio-net-pci,netdev=n{number},mac={nic.mac},host_mtu={nic.mtu},romfile="]
    return arguments
