"""Variables of the communication library that disable RDMA

The configuration file of the library and the environment of jobs leave RDMA and GPUDirect enabled.

Impact:
    Every job that does not set the variable itself uses TCP sockets, or copies its data through host memory.

Fix:
    Remove the variable from the file (/etc/nccl.conf, ~/.nccl.conf, /etc/rccl.conf, /etc/mvapich2.conf,
    /etc/ucx/ucx.conf) and from profiles.

Example:
    NCCL_NET=Socket, NCCL_IB_DISABLE=1 or NCCL_NET_GDR_LEVEL=LOC in /etc/nccl.conf; MV2_USE_RoCE=0 or
    MV2_USE_GPUDIRECT_RDMA=0 in /etc/mvapich2.conf; UCX_TLS=tcp,self,sm in /etc/ucx/ucx.conf

Source:
    NCCL documentation, environment variables: NCCL_NET, NCCL_IB_DISABLE and NCCL_NET_GDR_LEVEL;
    UCX source, src/ucp/core/ucp_context.c, ucp_tl_aliases;
    MVAPICH2 2.3.7 user guide, section 11.81; MVAPICH2-GDR 2.3.7 user guide, section 13.1
"""

from typing import Any

from wirespeed.checks.launch import NO_TRANSPORT
from wirespeed.checks.model import CheckContext, ElsewhereError, Outcome, UnreadError, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, get

subject = Host
needs = (
    "host.launch.rdma_devices",
    "host.launch.environment",
    "host.launch.rdma",
    "host.launch.gpu_direct",
    "host.launch.transport",
)
failures = ("NCCL-04", "NCCL-01")

_NETWORK = "NCCL_NET"
_SOCKET = "socket"
_NO_GPUDIRECT = "LOC"  # only inside one PCIe device, where no NIC is


def check(context: CheckContext) -> Outcome:
    """A planned value is not reported."""
    if not context.entity.launch.rdma_devices:
        raise ElsewhereError  # no job is planned on this host
    context.get_found_value("host.launch.rdma_devices")  # a job with other variables sets the devices as well
    finders = (_find_disabled_rdma, _find_disabled_gpudirect, _find_socket_network)
    found = [text for find in finders if (text := find(context)) is not None]
    expected = "RDMA and GPUDirect enabled"
    if not found:
        return success(expected, expected)
    return failure(
        "variables of the communication library disable RDMA or GPUDirect",
        expected,
        ", ".join(found),
        *_list_fixes(context),
    )


def _list_fixes(context: CheckContext) -> list[Fix]:
    """Changes to the planned values, where the plan has one."""
    wrong_values = {"host.launch.rdma": False, "host.launch.transport": NO_TRANSPORT}
    changes = [
        context.build_change("set the variable in the library's configuration file", path, planned)
        for path, wrong in wrong_values.items()
        if (planned := get(context.entity, path)) not in (None, wrong) and _read(context, path) == wrong
    ]
    return changes or [Fix("remove the variable from the library's configuration file and from profiles")]


def _find_disabled_rdma(context: CheckContext) -> str | None:
    is_planned = context.entity.launch.rdma is False
    is_disabled = _read(context, "host.launch.rdma") is False or _has_no_transport(context)
    return "RDMA disabled" if is_disabled and not is_planned else None


def _has_no_transport(context: CheckContext) -> bool:
    """Whether the transports of messages are without RDMA; collectives of GPUs do not use them."""
    library = context.plan.hardware.libraries.get(context.entity.launch.library or "")
    is_for_gpus = library is not None and library.gpus is not None
    return not is_for_gpus and _read(context, "host.launch.transport") == NO_TRANSPORT


def _find_disabled_gpudirect(context: CheckContext) -> str | None:
    is_planned = context.entity.launch.gpu_direct == _NO_GPUDIRECT
    is_disabled = not is_planned and _read(context, "host.launch.gpu_direct") == _NO_GPUDIRECT
    return "GPUDirect RDMA disabled" if is_disabled else None


def _find_socket_network(context: CheckContext) -> str | None:
    planned = (context.entity.launch.environment or {}).get(_NETWORK)
    network = (_read(context, "host.launch.environment") or {}).get(_NETWORK)
    is_socket = network is not None and network.lower() == _SOCKET and network != planned
    return f"{_NETWORK}={network}" if is_socket else None


def _read(context: CheckContext, path: str) -> Any:
    try:
        return context.get_found_value(path)
    except UnreadError:
        return None
