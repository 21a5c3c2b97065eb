"""Host file of jobs

The host file of the launcher exists and lists the planned hosts in rank order, each with the planned number of ranks.

Impact:
    A host that is missing stays idle, and its ranks share the cores of others or the job does not start. Another number
    of ranks does not fit the mapping to cores. In another order ranks that communicate most are further apart.

Fix:
    Install the rendered host file with apply.sh. Slurm selects hosts itself and has no such file.

Example:
    $ cat /etc/wirespeed/mvapich2-hosts
    node01:64

Source:
    MVAPICH2 2.3.7 user guide, mpirun_rsh -hostfile; Open MPI, mpirun(1): host files
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, ElsewhereError, Outcome, UnreadError, failure, success
from wirespeed.errors import format_first
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.hosts", "host.launch.ranks_per_host", "host.launch.other_ranks")
failures = ("MPI-10",)
_NAMES = 8
"""Hosts that a finding names, at most."""
_NO_FILE = "No such file or directory"
"""The end of what cat(1) prints of a file that does not exist."""
_WRONG, _FIX = "the host file of jobs is not as planned", "install the rendered host file with apply.sh"
_compare_ranks = compare("host.launch.ranks_per_host", "host.launch.other_ranks", wrong=_WRONG, fix=_FIX)


def check(context: CheckContext) -> Outcome:
    """Other hosts are reported alone: the ranks of missing ones are no second problem."""
    host: Host = context.entity
    if host.launch.launcher == "slurm":
        raise ElsewhereError
    planned: tuple[str, ...] = context.get_intended_value("host.launch.hosts")
    expected = f"{_count(planned)} in the planned order"
    try:
        found: tuple[str, ...] = context.get_found_value("host.launch.hosts")
    except UnreadError as error:
        if not any(gap.reason.endswith(_NO_FILE) for gap in error.gaps):
            raise
        return failure("the host file of jobs does not exist", expected, "no such file", _build_fix(context, planned))
    if differences := _list_differences(planned, found):
        return failure(_WRONG, expected, f"{_count(found)}; {differences}", _build_fix(context, planned))
    outcome = _compare_ranks(context)
    if outcome.status is not Status.PASS:
        return outcome
    return success(f"{expected}; {outcome.expected}", f"{expected}; {outcome.found}")


def _build_fix(context: CheckContext, planned: tuple[str, ...]) -> Fix:
    return context.build_change(_FIX, "host.launch.hosts", planned)


def _count(hosts: tuple[str, ...]) -> str:
    return f"{len(hosts)} host{'' if len(hosts) == 1 else 's'}"


def _list_differences(planned: tuple[str, ...], file_hosts: tuple[str, ...]) -> str:
    names = {"missing": set(planned) - set(file_hosts), "not planned": set(file_hosts) - set(planned)}
    texts = [f"{label}: {format_first(sorted(hosts), _NAMES)}" for label, hosts in names.items() if hosts]
    if not texts and planned != file_hosts:
        number = next(number for number, pair in enumerate(zip(planned, file_hosts, strict=True)) if pair[0] != pair[1])
        texts = [f"another order: {file_hosts[number]} instead of {planned[number]}"]
    return "; ".join(texts)
