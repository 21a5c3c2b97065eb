"""Libraries and benchmarks of jobs

UCX and Open MPI, as jobs find them, have the planned versions: those that job-programs.sh installed in the home folder
of the user who collects, under sudo of the user who called it, and programs in PATH for those that it lacks. It built
rccl-tests and the OSU micro-benchmarks there from the planned revisions. Other versions that are first in PATH give a
warning: a job that calls mpirun by its name starts that of PATH.

Impact:
    Another UCX or Open MPI than the one built for the host may not support its GPUs or NICs, and a job may not start on
    hosts with different releases. A UCX that was built without verbs has no RDMA transport: jobs use TCP. Results of
    another revision of a benchmark are not comparable with earlier ones.

Fix:
    Run job-programs.sh as the user of the jobs, and put the lines that it prints at the top of ~/.bashrc.

Example:
    $ ucx_info -v
    # Library version: 1.13.1

Source:
    Broadcom 957608-AN210, 8.2 to 8.4, 8.7.1 and table 3
"""

from collections.abc import Mapping

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, warning
from wirespeed.checks.program_files import FIX, name_program_files
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Host, list_settings

subject = Host
needs = (
    "host.software.ucx",
    "host.software.openmpi",
    "host.software.rccl_tests",
    "host.software.osu",
    "host.software.program_files",
    "host.software.path_versions",
)
failures = ("MPI-04",)
_compare = compare(
    "host.software.ucx",
    "host.software.openmpi",
    "host.software.rccl_tests",
    "host.software.osu",
    wrong="libraries or benchmarks of jobs have another version",
    fix=FIX,
    by_hand=True,
)
_compare_files = name_program_files(_compare)
_TITLES = {"ucx": "UCX", "openmpi": "Open MPI"}


def check(context: CheckContext) -> Outcome:
    """The versions of the home folder; if they are as planned, those that PATH has first."""
    outcome = _compare_files(context)
    expected = _list_path_differences(context) if outcome.status is Status.PASS else {}
    if not expected:
        return outcome
    versions = context.get_found_value("host.software.path_versions")
    return warning(
        "other versions of libraries of jobs are first in PATH",
        "; ".join(f"{_TITLES[name]} {version}" for name, version in expected.items()),
        "; ".join(f"{_TITLES[name]} {versions[name]} in PATH" for name in expected),
        Fix(FIX),
        reason="PATH is that of the user who collects: jobs of another user or shell may have another",
    )


def _list_path_differences(context: CheckContext) -> dict[str, str]:
    """The planned version of each library of which PATH has another one first."""
    settings = list_settings(Host)
    try:
        versions: Mapping[str, str] = context.get_found_value("host.software.path_versions")
    except UnreadError:
        return {}
    planned: dict[str, str] = {}
    for name, version in versions.items():
        path = f"host.software.{name}"
        try:
            intended = context.get_intended_value(path)
        except NoIntentError:
            continue
        if not settings[path].compare.holds(intended, version):
            planned[name] = str(intended)
    return planned
