"""Names in a lab: of the lab, its namespaces, its interfaces; and MAC addresses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from wirespeed.errors import refuse

PREFIX = "wsl-"
"""Prefix of every namespace of every lab. No other namespace is changed."""

_NAME = re.compile(r"[A-Za-z0-9_.]{1,32}")
_LONGEST_INTERFACE = 15  # IFNAMSIZ less the closing zero (linux/if.h)


def lab_name(name_option: str | None, cluster: str) -> str:
    """The lab's name: the option, else the name of the cluster without hyphens.

    Raises:
        Refusal: the name is invalid.
    """
    name = cluster.replace("-", "_")[:32] if name_option is None else name_option
    if not _NAME.fullmatch(name) or name.startswith("."):
        raise refuse(
            "--name",
            repr(name),
            "1 to 32 letters, digits, dots or underscores",
            "a hyphen ends the lab's name in the names of its namespaces",
        )
    return name


def namespace(lab: str, device: str) -> str:
    """The network namespace of a device. The name of a lab has no hyphen, so two labs never share a namespace."""
    return f"{PREFIX}{lab}-{device}"


def interfaces(ports: Iterable[str]) -> dict[str, str]:
    """A valid interface name for each port of a device.

    A slash or a colon becomes a hyphen and, if the name is too long, "Ethernet" becomes "Eth". If that is still
    invalid, or the name of another port, the name is "port" and the number of the port in this order.
    """
    names: dict[str, str] = {}
    used_names: set[str] = set()
    for number, port in enumerate(ports, start=1):
        name = re.sub(r"[/:\s]", "-", port)
        if len(name) > _LONGEST_INTERFACE:
            name = name.replace("Ethernet", "Eth")
        if not 0 < len(name) <= _LONGEST_INTERFACE or name in used_names or name in (".", "..", "lo"):
            name = f"port{number}"
        names[port] = name
        used_names.add(name)
    return names


def mac(cluster: str, device: str, port: str) -> str:
    """A locally administered address that is the same in every lab of the cluster (IEEE 802, section 8.4)."""
    digest = hashlib.sha256("\0".join((cluster, device, port)).encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))
