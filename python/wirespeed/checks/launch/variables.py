"""Variables of the communication library that disable RDMA or are not planned

The configuration file of the library and the environment of jobs leave RDMA and GPUDirect enabled. The file of NCCL or
RCCL has no variable that restricts the library and is not planned: direct access between GPUs off, a single algorithm
or protocol, few channels, small buffers. Any other unplanned variable, besides those of debug output, is a warning.

Impact:
    Every job that does not set the variable itself uses TCP sockets, copies its data through host memory, or has one
    algorithm or few channels for all sizes.

Fix:
    Remove the variable from the file (/etc/nccl.conf, ~/.nccl.conf, /etc/rccl.conf, /etc/mvapich2.conf,
    /etc/ucx/ucx.conf) and from profiles, or add it to `launch.environment` of the cluster file.

Example:
    NCCL_NET=Socket, NCCL_IB_DISABLE=1 or NCCL_NET_GDR_LEVEL=LOC in /etc/nccl.conf; MV2_USE_RoCE=0 or
    MV2_USE_GPUDIRECT_RDMA=0 in /etc/mvapich2.conf; UCX_TLS=tcp,self,sm in /etc/ucx/ucx.conf; NCCL_P2P_DISABLE=1,
    NCCL_ALGO=Tree, NCCL_MAX_NCHANNELS=1 or NCCL_BUFFSIZE=4096 in /etc/nccl.conf

Source:
    NCCL documentation, environment variables: NCCL_NET, NCCL_IB_DISABLE, NCCL_NET_GDR_LEVEL, and those for debugging,
    which are not to be kept in files; NCCL source, src/init.cc (DEFAULT_BUFFSIZE) and src/include/device.h;
    UCX source, src/ucp/core/ucp_context.c, ucp_tl_aliases;
    MVAPICH2 2.3.7 user guide, section 11.81; MVAPICH2-GDR 2.3.7 user guide, section 13.1
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.checks.launch import NO_TRANSPORT
from wirespeed.checks.model import CheckContext, ElsewhereError, Outcome, UnreadError, failure, success, warning
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

_OF_LIBRARY = re.compile(r"(?:NCCL|RCCL)_(?!DEBUG)\w+")
_SELECTIONS = ("NCCL_ALGO", "NCCL_PROTO")
_SINGLE_NAME = re.compile(r"[A-Za-z0-9_]+")  # not a list, one of functions, nor what is left out (^)
_DISABLING_FLAGS = ("NCCL_P2P_DISABLE", "NCCL_P2P_DIRECT_DISABLE", "NCCL_NVB_DISABLE", "NCCL_PXN_DISABLE")
_CHANNEL_LIMITS = ("NCCL_MAX_NCHANNELS", "NCCL_MAX_NRINGS", "NCCL_MAX_CTAS")
_FEWEST_CHANNELS = 32  # MAXCHANNELS of earlier releases; 64 since
_BUFFER_SIZE = "NCCL_BUFFSIZE"
_DEFAULT_BUFFER_SIZE = 2**22


def check(context: CheckContext) -> Outcome | tuple[Outcome, ...]:
    """A planned value is not reported."""
    if not context.entity.launch.rdma_devices:
        raise ElsewhereError  # no job is planned on this host
    context.get_found_value("host.launch.rdma_devices")  # a job with other variables sets the devices as well
    outcomes = tuple(_list_outcomes(context))
    return outcomes or success(_EXPECTED, _EXPECTED)


_EXPECTED = "RDMA and GPUDirect enabled"


def _list_outcomes(context: CheckContext) -> Iterator[Outcome]:
    finders = (_find_disabled_rdma, _find_disabled_gpudirect, _find_socket_network)
    found = [text for find in finders if (text := find(context)) is not None]
    if found:
        wrong = "variables of the communication library disable RDMA or GPUDirect"
        yield failure(wrong, _EXPECTED, ", ".join(found), *_list_fixes(context))
    unplanned = _read_unplanned_variables(context)
    restrictions = [name for name, value in unplanned.items() if _is_restriction(name, value, context)]
    if restrictions:
        wrong = "variables that are not planned restrict the communication library"
        yield failure(wrong, "no restriction", _format_variables(unplanned, restrictions), _REMOVAL)
    unjudged = [name for name in unplanned if name not in restrictions]
    if unjudged:
        wrong = "the file of the communication library has variables that are not planned"
        reason = "the impact depends on the value"
        yield warning(wrong, "planned variables", _format_variables(unplanned, unjudged), _REMOVAL, reason=reason)


_REMOVAL = Fix("remove the variable from the library's configuration file, or add it to launch.environment of the plan")


def _format_variables(variables: Mapping[str, str], names: list[str]) -> str:
    return ", ".join(f"{name}={variables[name]}" for name in names)


def _read_unplanned_variables(context: CheckContext) -> dict[str, str]:
    """Variables of NCCL and RCCL that set no setting of the plan; another check compares the planned ones."""
    planned = context.entity.launch.environment or {}
    found: Mapping[str, str] = _read(context, "host.launch.environment") or {}
    return {
        name: value
        for name, value in found.items()
        if name not in planned and _OF_LIBRARY.fullmatch(name) and (name, value.lower()) != (_NETWORK, _SOCKET)
    }


def _is_restriction(name: str, value: str, context: CheckContext) -> bool:
    if name in _SELECTIONS:
        return _SINGLE_NAME.fullmatch(value) is not None
    if name in _DISABLING_FLAGS:
        return value != "0"
    if not value.isdecimal():
        return False
    if name in _CHANNEL_LIMITS:
        return int(value) < (context.entity.launch.channels or _FEWEST_CHANNELS)
    return name == _BUFFER_SIZE and int(value) < _DEFAULT_BUFFER_SIZE


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
