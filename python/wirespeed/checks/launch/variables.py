"""Variables of the communication library that disable RDMA or are not planned

The configuration file of the library and the environment of jobs leave RDMA and GPUDirect enabled. The file of NCCL or
RCCL has no variable that restricts the library and is not planned: direct access between GPUs off, a single algorithm
or protocol, fewer channels than planned or a single one, small buffers. Any other unplanned variable is a warning,
besides those of debug output and those that write out a default.

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
    which are not to be kept in files; NCCL source, src/init.cc (DEFAULT_BUFFSIZE), src/include/device.h (names and the
    number of channels), src/graph/connect.cc (every ring twice), src/graph/paths.cc and src/misc/param.cc (numbers);
    UCX source, src/ucp/core/ucp_context.c, ucp_tl_aliases;
    MVAPICH2 2.3.7 user guide, section 11.81; MVAPICH2-GDR 2.3.7 user guide, section 13.1
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wirespeed.checks.launch import NO_TRANSPORT
from wirespeed.checks.model import CheckContext, ElsewhereError, Outcome, UnreadError, failure, success, warning
from wirespeed.limits.peer_access import parse_level
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, get

subject = Host
needs = (
    "host.launch.rdma_devices",
    "host.launch.environment",
    "host.launch.rdma",
    "host.launch.gpu_direct",
    "host.launch.gpu_peers",
    "host.launch.transport",
)
failures = ("NCCL-04", "NCCL-01")

_NETWORK = "NCCL_NET"
_SOCKET = "socket"
_NO_GPUDIRECT = "LOC"  # only inside one PCIe device, where no NIC is

_NO_PEERS = "NCCL_P2P_LEVEL=LOC"

_OF_LIBRARY = re.compile(r"(?:NCCL|RCCL)_(?!DEBUG)\w+")
_DUMP = re.compile(r"NCCL_(?:TOPO|GRAPH|COMM)\w*_DUMP_FILE\w*")
_SELECTIONS = {
    "NCCL_ALGO": ("tree", "ring", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat"),
    "NCCL_PROTO": ("ll", "ll128", "simple"),
}
"""The names of algorithms and protocols. A list, one of functions, and what is left out (^) are no single name."""
_P2P_DISABLE = "NCCL_P2P_DISABLE"  # only 1 disables
_DISABLING_FLAGS = ("NCCL_P2P_DIRECT_DISABLE", "NCCL_NVB_DISABLE", "NCCL_PXN_DISABLE")
_CHANNEL_LIMITS = ("NCCL_MAX_NCHANNELS", "NCCL_MAX_NRINGS", "NCCL_MAX_CTAS")
_FEWEST_CHANNELS = 2  # NCCL uses every ring that it finds twice
_MOST_CHANNELS = 64  # MAXCHANNELS
_BUFFER_SIZE = "NCCL_BUFFSIZE"
_DEFAULT_BUFFER_SIZE = 2**22
_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]{1,30}|[0-9]{1,30})")


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
    if _has_disabled_peers(context):
        wrong = "a variable of the communication library disables peer access between GPUs"
        yield failure(wrong, f"no {_NO_PEERS}", _NO_PEERS, _REMOVAL)
    unplanned = _read_unplanned_variables(context)
    judged = {name: _restricts(name, value, context) for name, value in unplanned.items()}
    restrictions = tuple(name for name, restricts in judged.items() if restricts)
    if restrictions:
        wrong = "variables that are not planned restrict the communication library"
        outcome = failure(wrong, "no restriction", _format_variables(unplanned, restrictions), _REMOVAL)
        yield replace(outcome, members=restrictions)
    unjudged = tuple(name for name, restricts in judged.items() if restricts is None)
    if unjudged:
        wrong = "the file of the communication library has variables that are not planned"
        reason = "the impact depends on the value"
        outcome = warning(wrong, "planned variables", _format_variables(unplanned, unjudged), _REMOVAL, reason=reason)
        yield replace(outcome, members=unjudged)


_REMOVAL = Fix("remove the variable from the library's configuration file, or add it to launch.environment of the plan")


def _format_variables(variables: Mapping[str, str], names: Sequence[str]) -> str:
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


def _restricts(name: str, value: str, context: CheckContext) -> bool | None:
    """Whether a variable restricts the library; None if that depends on hardware, release or an unknown value."""
    if _DUMP.fullmatch(name):
        return False
    if name in _SELECTIONS:
        return True if value.lower() in _SELECTIONS[name] else None
    number = _parse_number(value)
    if name == _P2P_DISABLE:
        return number == 1
    if name in _DISABLING_FLAGS:
        return number != 0
    if name in _CHANNEL_LIMITS and value:
        planned = context.entity.launch.channels
        if number < (planned or _FEWEST_CHANNELS):
            return True
        return False if number >= (planned or _MOST_CHANNELS) else None
    if name == _BUFFER_SIZE and value:
        return True if number < _DEFAULT_BUFFER_SIZE else False if number == _DEFAULT_BUFFER_SIZE else None
    return None if value else False


def _parse_number(text: str) -> int:
    """The number at the beginning, as strtoll reads it with base 0: hexadecimal, octal or decimal; 0 without one."""
    match = _NUMBER.match(text)
    if match is None:
        return 0
    digits = match[2]
    is_octal = digits.startswith("0") and digits.isdecimal()
    octal = re.match("[0-7]+", digits)
    value = int(octal[0], 8) if is_octal and octal else int(digits, 16 if digits[:2] in ("0x", "0X") else 10)
    return -value if match[1] == "-" else value


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


def _has_disabled_peers(context: CheckContext) -> bool:
    """Whether no peer is within the level that is set, without a planned one, which `launch.settings` compares."""
    is_planned = context.entity.launch.gpu_peers is not None
    return not is_planned and parse_level(_read(context, "host.launch.gpu_peers")) == "LOC"


def _read(context: CheckContext, path: str) -> Any:
    try:
        return context.get_found_value(path)
    except UnreadError:
        return None
