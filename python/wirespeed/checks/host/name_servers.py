"""Name servers

The host queries the planned DNS servers, before any other and in the planned order, and searches host names in the
planned domains. The C library queries the first three servers of resolv.conf: the next one only where the one before
does not reply.

Impact:
    A name that does not resolve stops ssh, job start and every program that is given a name. A server that does not
    reply delays each of them by seconds, although all addresses are reachable. Another server that is queried first
    may not know the names of the cluster, and its answer is final.

Fix:
    Apply the rendered network configuration.

Example:
    $ grep -rsE "^(nameserver|search)" /etc/resolv.conf /run/systemd/resolve/resolv.conf
    /etc/resolv.conf:nameserver 127.0.0.53
    /run/systemd/resolve/resolv.conf:nameserver 172.16.16.57

Source:
    A. K. Johansen, Fast Multi-GPU communication over PCI Express, A.3.5; resolv.conf(5), nameserver: at most three
    servers, queried in the order listed; systemd-resolved.service(8)
"""

from collections.abc import Sequence

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, failure, warning
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Host

subject = Host
needs = ("host.resolver.servers", "host.resolver.domains")
failures = ("OS-22",)

_SERVERS = needs[0]
_FIX = "apply the rendered network configuration"
_NEXT_ONE = "the resolver queries the next server only if the one before does not reply"
_compare = compare(*needs, wrong="the name servers are not as planned", fix=_FIX, by_hand=True)


def check(context: CheckContext) -> Outcome:
    """Compare both lists, then the order of the servers."""
    outcome = _compare(context)
    if outcome.status is not Status.PASS:
        return outcome
    planned, found = context.get_intended_value(_SERVERS), context.get_found_value(_SERVERS)
    unplanned_servers = [server for server in found if server not in planned]
    first_planned = next(index for index, server in enumerate(found) if server in planned)
    expected_text, found_text = _format_servers(planned), _format_servers(found)
    if found[0] in unplanned_servers:
        return failure(
            f"{_format_servers(found[:first_planned])} is queried before the planned servers",
            expected_text,
            found_text,
            Fix(_FIX),
        )
    if [server for server in found if server in planned] != list(planned):
        summary = "the planned servers are queried in another order"
        return warning(summary, expected_text, found_text, Fix(_FIX), reason=_NEXT_ONE)
    if unplanned_servers:
        summary = f"{_format_servers(unplanned_servers)} is not planned and queried if a planned server does not reply"
        return warning(summary, expected_text, found_text, Fix(_FIX), reason=_NEXT_ONE)
    return outcome


def _format_servers(servers: Sequence[str]) -> str:
    return ", ".join(servers)
