"""TCP as the transport of an MPI job between hosts, where the log names it: in variables, options, or library output.

UCX prints the transports of its connections with UCX_LOG_LEVEL=info (src/ucp/core/ucp_worker.c); those within a host
have shared memory among them. MPICH and Intel MPI print the provider of libfabric; both tcp and sockets use TCP
(fi_tcp(7), fi_sockets(7)). Open MPI uses its TCP component only below the point-to-point layer ob1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wirespeed.benchmarks.logs.launch_command import UCX_WITHIN_HOST

_UCX_VARIABLE = re.compile(r"\bUCX_TLS=([a-z_0-9,]+)")
_UCX_CONNECTION = re.compile(r"UCX +INFO .*?(?P<cfg>(?:ep_cfg\[\d+\]|inter-node cfg#\d+).*)")
_UCX_LANE = re.compile(r"\b([a-z]\w*)/[\w.:-]+")
_PROVIDER = re.compile(
    r"libfabric provider: (?P<printed>[\w;-]+)|\b(?:FI_PROVIDER|I_MPI_OFI_PROVIDER)=['\"]?(?P<variable>[\w;-]+)"
)
_INTEL = re.compile(r"\bI_MPI_FABRICS=(?:shm:)?tcp\b|MPI startup\(\): (?:shm and )?tcp data transfer mode")
_OPEN_MPI = re.compile(r"-mca +btl +(?P<btl>[\w,]+)")
_POINT_TO_POINT = re.compile(r"-mca +pml +(?:ob1\b|\^\S*\bucx\b)")
_RDMA_COMPONENTS = frozenset({"openib", "uct", "ofi", "usnic"})
_WITHIN_HOST = UCX_WITHIN_HOST | {"memory"}


def find_tcp(texts: Iterable[str]) -> str | None:
    """The first text that names TCP between hosts; None if none does, or if another names a different transport."""
    evidence = None
    for text in texts:
        name, excerpt = _find_transport(text)
        if name not in (None, "tcp"):
            return None
        evidence = evidence or excerpt or None
    return evidence


def names_transport(text: str) -> bool:
    """Whether a line names a transport between hosts."""
    return _find_transport(text)[0] is not None


def _find_transport(text: str) -> tuple[str | None, str]:
    """The transport between hosts that a line names, ``tcp`` or another, and the words that name it."""
    if match := _UCX_CONNECTION.search(text):
        lanes = set(_UCX_LANE.findall(match["cfg"]))
        if not lanes or lanes & _WITHIN_HOST:
            return None, ""
        return "tcp" if lanes == {"tcp"} else "rdma", match["cfg"].rstrip("; ")
    if match := _UCX_VARIABLE.search(text):
        between_hosts = set(match[1].split(",")) - UCX_WITHIN_HOST
        if between_hosts == {"tcp"}:
            return "tcp", match[0]
    if match := _PROVIDER.search(text):
        provider = (match["printed"] or match["variable"]).partition(";")[0]
        return "tcp" if provider in ("tcp", "sockets") else provider, match[0]
    if match := _INTEL.search(text):
        return "tcp", match[0]
    if (match := _OPEN_MPI.search(text)) and _POINT_TO_POINT.search(text):
        components = set(match["btl"].split(","))
        if "tcp" in components and not components & _RDMA_COMPONENTS:
            return "tcp", match[0].lstrip("-")
    return None, ""
