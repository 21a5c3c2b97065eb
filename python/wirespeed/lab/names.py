"""Names in a lab: of the lab, its namespaces, its interfaces; and MAC addresses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from wirespeed.errors import refuse

PREFIX = "wsl-"
"""Every namespace of every lab begins with it, and nothing else is ever touched."""

_NAME = re.compile(r"[A-Za-z0-9_.]{1,32}")
_LONGEST_INTERFACE = 15  # IFNAMSIZ less the closing zero (linux/if.h)


def lab_name(given: str | None, cluster: str) -> str:
    """The lab's name: the given one, else the cluster's without hyphens.

    Raises:
        Refusal: it cannot be a lab's.
    """
    name = cluster.replace("-", "_")[:32] if given is None else given
    if not _NAME.fullmatch(name) or name.startswith("."):
        raise refuse(
            "--name",
            repr(name),
            "1 to 32 letters, digits, dots or underscores",
            "a hyphen ends the lab's name in the names of its namespaces",
        )
    return name


def namespace(lab: str, device: str) -> str:
    """The network namespace of a device. A lab's name holds no hyphen, so no two labs share one."""
    return f"{PREFIX}{lab}-{device}"


def interfaces(ports: Iterable[str]) -> dict[str, str]:
    """What the kernel can call each port of a device.

    A slash or a colon becomes a hyphen and, where the name is too long, "Ethernet" becomes "Eth". Where that is still
    no name, or that of another port, it is "port" and the port's number in this order.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for number, port in enumerate(ports, start=1):
        name = re.sub(r"[/:\s]", "-", port)
        if len(name) > _LONGEST_INTERFACE:
            name = name.replace("Ethernet", "Eth")
        if not 0 < len(name) <= _LONGEST_INTERFACE or name in taken or name in (".", "..", "lo"):
            name = f"port{number}"
        names[port] = name
        taken.add(name)
    return names


def mac(cluster: str, device: str, port: str) -> str:
    """A locally administered address that is the same in every lab of the cluster (IEEE 802, section 8.4)."""
    digest = hashlib.sha256("\0".join((cluster, device, port)).encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))
