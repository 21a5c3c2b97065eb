"""RoCE QoS in the NIC's configuration file

The configuration file that is applied when the RDMA driver loads contains the planned values.

Impact:
    The running settings may be correct because they were set by hand. After the next driver load or reboot the file
    takes effect, and defaults differ between releases.

    `OVERRIDE=1` is an option of `roceConfigFile`, the file with which Broadcom's NIC Wizard (nic_wizard diag
    roceanalyzer -q) replaces the QoS values that it expects. wirespeed expects those of the cluster file. It does not
    collect `roceConfigFile`: no document states where it is and what it contains. In this configuration file no
    document describes the key, so it warns.

Fix:
    Install the rendered file and reload the driver, or reboot. Remove `OVERRIDE=1` from this file. If
    `roceConfigFile` exists, write the planned values to it, or the NIC Wizard reports a correct NIC as wrong.

Example:
    $ cat /etc/bnxt_re/bnxt_re.conf
    ENABLE_FC=1
    FC_MODE=2
    ROCE_DSCP=24

Source:
    Broadcom 957608-AN210, 2.2.1.3 and 2.6 item 2
"""

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, failure, success, warning
from wirespeed.checks.wording import format_value
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

subject = Nic
needs = (
    "nic.qos.configure",
    "nic.qos.roce_dscp",
    "nic.qos.roce_priority",
    "nic.qos.cnp_dscp",
    "nic.qos.cnp_priority",
    "nic.qos.roce_share",
    "nic.qos.absent_file",
    "nic.qos.package_functions",
    "nic.qos.override",
)
failures = ("NIC-01", "QOS-01", "QOS-05")
_FUNCTIONS = "nic.qos.package_functions"
_SENTENCE = "install the configuration file"


def check(context: CheckContext) -> Outcome:
    """A key that the file lacks is unknown: the default of the release applies, and defaults differ. Without the file
    nothing is applied."""
    context.get_intended_value("nic.qos.configure")  # a NIC without a QoS package has no file
    intended: dict[str, str] = {}
    found: dict[str, str] = {}
    unread: UnreadError | None = None
    absent_file = _find_absent_file(context)
    for path in needs[:6]:
        try:
            intended[path] = format_value(context.get_intended_value(path))
            if absent_file is not None:
                continue
            found[path] = format_value(context.get_found_value(path, state=State.CONFIGURED))
        except NoIntentError:
            continue
        except UnreadError as error:
            unread = error
    try:
        functions = context.get_found_value(_FUNCTIONS, state=State.CONFIGURED) if absent_file is None else None
    except UnreadError as error:
        functions, unread = None, error
    if not intended:
        raise NoIntentError("not planned: the configuration file")
    if absent_file is not None:
        return failure(
            "the rendered file is not installed",
            _format_values(intended, list(intended)),
            f"no {absent_file}",
            Fix(f"render the cluster file, and install the rendered {absent_file} with apply.sh"),
        )
    wrong = [path for path, value in found.items() if intended[path] != value]
    planned_functions = _list_planned_functions(context)
    if functions is not None and functions != planned_functions:
        intended[_FUNCTIONS], found[_FUNCTIONS] = format_value(planned_functions), format_value(functions)
        wrong.append(_FUNCTIONS)
    if not wrong and unread is not None:
        raise unread
    if not wrong and _has_override(context):
        return warning(
            "the configuration file contains OVERRIDE=1",
            "no OVERRIDE",
            "OVERRIDE=1",
            Fix("remove OVERRIDE=1 from the configuration file"),
            reason="Broadcom documents OVERRIDE for roceConfigFile of the NIC Wizard only, which is not read here",
        )
    if not wrong:
        return success(_format_values(intended, list(intended)), _format_values(found, list(intended)))
    fixes = [
        context.build_change(_SENTENCE, path, context.get_intended_value(path)) for path in wrong if path != _FUNCTIONS
    ] or [context.build_change(_SENTENCE, "nic.qos.pfc", context.get_intended_value("nic.qos.pfc"))]
    return failure(
        "the configuration file contains other values",
        _format_values(intended, wrong),
        _format_values(found, wrong),
        *fixes,
    )


def _list_planned_functions(context: CheckContext) -> frozenset[str]:
    qos = context.entity.qos
    planned = {"pfc": bool(qos.pfc), "congestion-control": bool(qos.ecn)}
    return frozenset(name for name, is_planned in planned.items() if is_planned)


def _has_override(context: CheckContext) -> bool:
    try:
        return bool(context.get_found_value("nic.qos.override", state=State.CONFIGURED))
    except UnreadError:
        return False  # the file does not contain it


def _find_absent_file(context: CheckContext) -> str | None:
    try:
        return str(context.get_found_value("nic.qos.absent_file", state=State.CONFIGURED))
    except UnreadError:
        return None  # it exists, or could not be read


def _format_values(values: dict[str, str], paths: list[str]) -> str:
    return "; ".join(f"{path.rpartition('.')[2]} {values[path]}" for path in paths)
