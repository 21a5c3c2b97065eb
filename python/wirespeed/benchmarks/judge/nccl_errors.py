"""The first fatal error of NCCL or RCCL in a failed run, with the two NICs as far as log and cluster file name them.

NCCL prints the GIDs of both NICs and the local device; the address after ``peer`` is that of the socket by which both
processes exchanged them, so that it identifies a host and no NIC (NVIDIA/nccl, src/transport/net_ib/p2p.cc:
``ncclSocketGetAddr``, ``localGid``, ``remoteGids``, ``hca``; src/misc/ibvwrap.cc for ``ibv_modify_qp``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from wirespeed.benchmarks.endpoints.nics import NicPlace, nic_with_address
from wirespeed.plan import Plan
from wirespeed.results.nccl import Communicator, NcclWarning
from wirespeed.results.verdicts import FatalError

_DEVICE = re.compile(r"\b(?:hca|on dev) ([\w-]+)")
_LOCAL_GID = re.compile(r"\blocal ?GID ([0-9a-f]*:[0-9a-f:.]+)", re.IGNORECASE)
_REMOTE_GID = re.compile(r"\bremote ?GIDs? ?([0-9a-f]*:[0-9a-f:.]+)", re.IGNORECASE)
_PEER = re.compile(r"\bfrom peer (\S+?)<\d+>")


def find_fatal_error(communicators: Sequence[Communicator], plan: Plan) -> FatalError | None:
    """The first message that aborted one of these communicators."""
    errors = [error for communicator in communicators for error in communicator.fatal_errors]
    if not errors:
        return None
    first = min(errors, key=lambda error: error.line)
    return FatalError(first.text, first.line, _name_local_end(first, plan), _name_remote_end(first.text, plan))


def _name_local_end(error: NcclWarning, plan: Plan) -> str:
    """The NIC by the device of the message, else by its GID; else the host that printed the message."""
    device = _DEVICE.search(error.text)
    if device is not None:
        return f"{error.host}:{device.group(1)}"
    nic = _find_nic(_parse_address(_LOCAL_GID, error.text), plan)
    return str(nic) if nic is not None else error.host


def _name_remote_end(text: str, plan: Plan) -> str | None:
    """The NIC by its GID, else the host by its socket; else an address: a link-local GID only if there is no other."""
    gid, socket = _parse_address(_REMOTE_GID, text), _parse_address(_PEER, text)
    if (nic := _find_nic(gid, plan)) is not None:
        return str(nic)
    if (nic := _find_nic(socket, plan)) is not None:
        return nic.host
    address = socket if gid is None or (gid.is_link_local and socket is not None) else gid
    return str(address) if address is not None else None


def _parse_address(pattern: re.Pattern[str], text: str) -> IPv4Address | IPv6Address | None:
    """The address in a message; an IPv4-mapped GID becomes its IPv4 address."""
    match = pattern.search(text)
    if match is None:
        return None
    try:
        address = ip_address(match.group(1))
    except ValueError:  # a host name
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _find_nic(address: IPv4Address | IPv6Address | None, plan: Plan) -> NicPlace | None:
    return None if address is None else nic_with_address(plan, str(address))
