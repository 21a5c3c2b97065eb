"""RDMA transport of a job

Jobs use the planned transport: RC, UD, or both.

Impact:
    RC needs one queue pair for every pair of ranks: with thousands of ranks the queue-pair cache of the NIC overflows.
    UD needs one queue pair per rank, but the library must provide reliability and messages end at the path MTU: it is
    slower between few ranks.

Fix:
    Set the transport in the configuration file of the library, and remove it from job scripts.

Example:
    MV2_USE_ONLY_UD=1 left from an experiment, on one host; UCX_TLS=self,sm,rc_x, the accelerated transport, for a NIC
    without one

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), UD/RC Hybrid Transport Protocol Analysis; UCX source,
    src/ucp/core/ucp_context.c, ucp_tl_aliases
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX, NO_TRANSPORT
from wirespeed.checks.model import CheckContext, Outcome, success
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.transport",)
failures = ("MPI-05",)

_compare = compare(
    *needs,
    wrong="jobs use another RDMA transport",
    fix="set the transport of the library",
    override=ENVIRONMENT_FIX,
)


def check(context: CheckContext) -> Outcome:
    """The transports that the NICs have count: those without an accelerated one use the same with and without
    ``-verbs``, and have no DC."""
    intended, found = context.get_intended_value(*needs), context.get_found_value(*needs)
    select = _select_accelerated if _has_accelerated_transport(context) else _select_verbs
    if select(intended) == select(found):
        return success(intended, found)
    outcome = _compare(context)
    return replace(outcome, causes=("launch.variables",)) if found == NO_TRANSPORT else outcome


_VERBS, _ACCELERATED, _DC = "-verbs", "-accelerated", "dc"


def _select_accelerated(transport: str) -> str:
    """The transport on a NIC with accelerated ones, which are preferred."""
    return transport.removesuffix(_ACCELERATED)


def _select_verbs(transport: str) -> str:
    """The transport on a NIC without accelerated ones."""
    if transport == _DC or transport.endswith(_ACCELERATED):
        return NO_TRANSPORT
    return transport.removeprefix(f"{_DC}-").removesuffix(_VERBS)


def _has_accelerated_transport(context: CheckContext) -> bool:
    """Whether the library has accelerated transports for one of the host's NICs."""
    host: Host = context.entity
    library = context.plan.hardware.libraries.get(host.launch.library or "")
    transports = library.accelerated_transports if library else None
    return transports is not None and any(nic.driver.name in transports.drivers for nic in host.nics.values())
