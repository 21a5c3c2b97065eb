"""Program that sets the traffic classes of the NIC

The program named in /etc/bnxt_re/bnxt_re.conf (dcb, niccli, or bnxtqos of older releases) is installed. Broadcom's RoCE
configuration package calls it to set PFC, ETS and DSCP.

Impact:
    bnxt_setupcc.sh ends without setting anything if the program that bnxt_re.conf names is missing: RDMA runs in the
    default class, without PFC.

Fix:
    Install iproute2 5.11 or later, which contains dcb, or niccli or bnxtqos of the NIC's driver release; or install the
    rendered bnxt_re.conf, if it names a program that the host has.

Example:
    $ bnxt_setupcc.sh -d bnxt_re0 -i ens1f0np0 -m 3 -s 26 -p 48 -r 3 -c 7 -u 4
    dcb is not installed.  Aborting.

Source:
    Broadcom, bnxt_setupcc.sh 236.1.155.0, option -u
"""

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success, warning
from wirespeed.checks.wording import format_list, format_value
from wirespeed.results.findings import Fix
from wirespeed.settings import Host

subject = Host
needs = ("host.qos_tools", "host.qos_program")
failures = ("NIC-01", "QOS-01")
_MISSING = "the program that sets the traffic classes of the NIC is missing"


def check(context: CheckContext) -> Outcome:
    """The program that the file names counts; without the file, the planned one."""
    planned: frozenset[str] = context.get_intended_value("host.qos_tools")
    tools: frozenset[str] = context.get_found_value("host.qos_tools")
    called = _find_called_program(context)
    missing_plan = sorted(planned - tools)
    if called == "":
        fix = Fix(f"install the planned configuration file, which names {format_list(sorted(planned))}, and reboot")
        return failure("the configuration file names no program", format_list(sorted(planned)), "none", fix)
    if called is None or called in planned:
        if not missing_plan:
            return success(format_value(planned), format_value(tools))
        return failure(_MISSING, format_value(planned), format_value(tools), _build_fix(context, missing_plan))
    if called in tools and not missing_plan:
        return success(f"{called}, which the configuration file names", format_value(tools))
    if called in tools:
        reason = f"the configuration file on the host names {called}, which works; the planned file does not"
        return warning(
            _MISSING, format_value(planned), format_value(tools), _build_fix(context, missing_plan), reason=reason
        )
    fix = Fix(f"install the planned configuration file, which names {format_list(sorted(planned))}, and reboot")
    return failure(
        "the configuration file names a program that is missing",
        f"{called}, which the file names",
        format_value(tools),
        _build_fix(context, [called, *missing_plan]) if missing_plan else fix,
    )


def _find_called_program(context: CheckContext) -> str | None:
    try:
        return str(context.get_found_value("host.qos_program"))
    except UnreadError:
        return None


def _build_fix(context: CheckContext, programs: list[str]) -> Fix:
    packages = {
        name: program.package
        for release in context.plan.hardware.drivers.values()
        for name, program in release.qos_programs.items()
    }
    return Fix(", or ".join(f"install {packages.get(name, f'the program of {name}')}" for name in programs))
