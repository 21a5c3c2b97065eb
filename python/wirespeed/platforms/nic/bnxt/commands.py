"""One setting of a Broadcom NIC as commands for root."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from wirespeed.errors import Refusal
from wirespeed.platforms.model import SettingCommands
from wirespeed.platforms.nic.bnxt.congestion import INBOX_ATTRIBUTES, MARKS, inbox_name
from wirespeed.platforms.nic.bnxt.nvm import OPTIONS, option
from wirespeed.platforms.nic.bnxt.view import Qos, conf, format_dscps, qos
from wirespeed.platforms.nic.commands import commands_of_setting, rdma_cm
from wirespeed.settings import Congestion, Device, Host, Nic, Place, is_address

CONF = "/etc/bnxt_re/bnxt_re.conf"
_NOT_OF_PACKAGE = ("nic.qos.priority_cos", "nic.qos.tc_rate_limit")
"""The firmware alone chooses CoS queues; the package neither sets nor removes rate limits."""
_CC = ("nic.qos.congestion", "nic.qos.ecn", "nic.qos.ect", "nic.qos.congestion_parameters")


_INBOX_QOS = {
    "nic.qos.roce_dscp": "roce_dscp",
    "nic.qos.cnp_dscp": "cnp_dscp",
    "nic.qos.cnp_priority": "cnp_prio",
}
"""What the package sets through configfs too: setting to attribute of the kernel's own driver."""


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands that set a setting to a value."""
    if not isinstance(device, Host) or place.kind != "nic" or place.name not in device.nics:
        return None
    nic = device.nics[place.name]
    if path in OPTIONS:
        return _format_nvm(place.name, path, nic)
    if path in ("nic.roce_version", "nic.qos.connection_dscp"):
        commands = commands_of_setting(rdma_cm(nic), path)
        return SettingCommands(commands, "new connections of rdma_cm use them") if commands else None
    if not path.startswith("nic.qos.") or path in _NOT_OF_PACKAGE or nic.rdma_device is None:
        return None
    if path in _CC:
        return _format_congestion(nic.rdma_device, nic, path)
    try:
        package_qos = qos(place.device, device)
    except Refusal:  # the NICs of the host differ, or need settings that the package lacks
        return None
    if package_qos is None:
        return None
    inbox = (
        {"cc-inbox": _format_inbox(nic.rdma_device, nic, [(_INBOX_QOS[path], int(value))])}
        if path in _INBOX_QOS
        else {}
    )
    return replace(_format_package(place.name, nic.rdma_device, package_qos), alternatives=inbox)


def _format_nvm(interface: str, path: str, nic: Nic) -> SettingCommands | None:
    options = option(nic, path)
    if options is None:
        return None
    device = nic.pcie if nic.pcie and is_address(nic.pcie) else interface
    value, scope = str(options.value), "" if options.scope is None else str(options.scope)
    new_scope, old_scope = (["--scope", scope], ["-scope", scope]) if scope else ([], [])
    new = ["niccli", "--dev", device, "nvm", "--setoption", options.name, *new_scope, "--value", value]
    old = ["niccli", "-dev", device, "nvm", "-setoption", options.name, "-value", value, *old_scope]
    # Its arguments are one word each; # inside a word begins no comment.
    oldest = f"bnxtnvm -dev={shlex.quote(interface)} setoption={options.name}{scope and f':{scope}'}#{value}"
    return SettingCommands(
        (shlex.join(new),),
        "takes effect after a reboot",
        alternatives={"old-nvm-": (shlex.join(old),), "bnxtnvm-": (oldest,)},
    )


def _format_congestion(rdma_device: str, nic: Nic, path: str) -> SettingCommands | None:
    """configfs of the out-of-box driver. The folder is removed again, because it prevents unloading the driver.

    `advanced` is not written: it only decides which parameters `cat apply` shows (configfs.c of bnxt_re,
    advanced_store). Older drivers read every number as hexadecimal. The kernel's own driver has debugfs instead,
    without some of the parameters: they have no command there.
    """
    folder = f"/sys/kernel/config/bnxt_re/{rdma_device}"
    values: list[tuple[str, int]] = []
    if nic.qos.congestion is not None:
        values.append(("cc_mode", 0 if nic.qos.congestion is Congestion.DCQCN_D else 1))
    if nic.qos.ecn is not None:
        values.append(("ecn_enable", int(nic.qos.ecn)))
        values.append(("ecn_marking", _format_mark(nic) if nic.qos.ecn else 0))
    values += sorted((nic.qos.congestion_parameters or {}).items())
    if not values:
        return None
    writes = (
        f"echo {number if number < 10 else hex(number)} > {shlex.quote(f'{folder}/ports/1/cc/{name}')}"
        for name, number in [*values, ("apply", 1)]
    )
    known_values = [(name, number) for name, number in values if name in INBOX_ATTRIBUTES]
    is_complete = path != "nic.qos.congestion_parameters" or len(known_values) == len(values)
    return SettingCommands(
        (f"mkdir -p {shlex.quote(folder)}", *writes, f"rmdir {shlex.quote(folder)}"),
        "congestion control of running RDMA connections changes",
        alternatives={"cc-inbox": _format_inbox(rdma_device, nic, known_values) if is_complete else ()},
    )


def _format_inbox(rdma_device: str, nic: Nic, values: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Writes to debugfs of the kernel's own driver, each of which changes the firmware at once: debugfs.c of bnxt_re.

    Its folder is named after the PCIe address, which the plan may lack.
    """
    device = shlex.quote(f"/sys/class/infiniband/{rdma_device}/device")
    address = nic.pcie if is_address(nic.pcie) else f'"$(basename "$(readlink -f {device})")"'
    folder = f"/sys/kernel/debug/bnxt_re/{address}/cc_config"
    return tuple(f"echo {number} > {folder}/{inbox_name(name)}" for name, number in values)


def _format_mark(nic: Nic) -> int:
    """ecn_marking; 1 is what the package writes."""
    return next((bits for bits, ect in MARKS.items() if ect is nic.qos.ect), 1)


def _format_package(interface: str, rdma_device: str, package_qos: Qos) -> SettingCommands:
    """The file for later loads of the driver, and the script of the package for an immediate effect."""
    script = ["bnxt_setupcc.sh", "-d", rdma_device, "-i", interface, *_format_flags(package_qos)]
    lines = " ".join(f"{key}={number}" for key, number in conf(package_qos))
    pairs = format_dscps(package_qos).split()
    replacements = (shlex.join(["dcb", "app", "replace", "dev", interface, "dscp-prio", *pairs]),) if pairs else ()
    return SettingCommands(
        (f"printf '%s\\n' {lines} > {CONF}", shlex.join(script), *replacements),
        "priorities and traffic classes of the port change under running traffic",
    )


def _format_flags(package_qos: Qos) -> Iterator[str]:
    for key, number in conf(package_qos):
        if key in _FLAGS:
            yield from (_FLAGS[key], str(number))


_FLAGS = {
    "FC_MODE": "-m",
    "ROCE_PRI": "-r",
    "ROCE_DSCP": "-s",
    "CNP_PRI": "-c",
    "CNP_DSCP": "-p",
    "ROCE_BW": "-b",
    "UTILITY": "-u",
}
"""Key of bnxt_re.conf to flag of bnxt_setupcc.sh."""
