"""PFC watchdog of the switch port

The PFC watchdog is on for the lossless queue, with the planned action and times, and is not active on any queue at
the time of collection. A port that has its own polling interval has the planned one. If a switch shows both the
configured values and those in effect, both must be as planned.

Impact:
    A NIC that sends pauses without end stops its switch port, then the ports that send to it, then the fabric. The
    watchdog stops this propagation. While it is active, it drops the lossless traffic of the queue, or forwards it
    without pauses: RDMA connections over the port fail.

Fix:
    Set action and times of the watchdog. If the planned value is configured and another one is in effect, enter the
    line again. If the watchdog is active, check the device at the other end of the cable, which sends pauses without
    end: its GPU or driver hangs, or its PCIe link is slow.

Example:
    $ show priority-flow-control watchdog
    Eth1/1   watchdog: disabled

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC on EOS (flag W) and PFC Watchdog;
    sonic-utilities, pfcwd/main.py (status stormed)
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, InapplicableError, NoIntentError, Outcome, UnreadError, failure
from wirespeed.checks.wording import format_priorities, format_remote_place, format_value
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Place, Port, Switch

subject = Port
_ENABLED = "port.qos.watchdog.enabled"
_COMPARED = (
    _ENABLED,
    "port.qos.watchdog.action",
    "port.qos.watchdog.detect",
    "port.qos.watchdog.restore",
    "port.qos.watchdog.recovery",
)
_POLL = "port.qos.watchdog.poll"
_ACTIVE = "port.qos.watchdog.active"
_QUEUES = "port.qos.watchdog.stuck_queues"
needs = (*_COMPARED, _POLL, _ACTIVE, _QUEUES, "port.qos.watchdog.priorities", "port.qos.pfc")
failures = ("SW-08",)

_compare, _compare_with_poll = (
    compare(*paths, wrong="the PFC watchdog is not as planned", fix="set the PFC watchdog", configured=True)
    for paths in (_COMPARED, (*_COMPARED, _POLL))
)


def check(context: CheckContext) -> Outcome | tuple[Outcome, ...]:
    """A watchdog that is active is a failure even if it is configured as planned; not every system shows it."""
    outcome = _check_settings(context)
    if outcome.status is Status.PASS and _is_shown(context):
        is_acting = context.get_found_value(_ACTIVE)
    else:
        is_acting = context.facts.value(context.place, _ACTIVE)
    if not is_acting:
        return outcome
    context.get_found_value(_ACTIVE)
    active = _report_active(context)
    return (active, outcome) if outcome.status is Status.FAIL else active


def _report_active(context: CheckContext) -> Outcome:
    """The device at the other end of the cable sends the pauses; a switch only passes them on."""
    queues = context.facts.value(context.place, _QUEUES)
    found = f"active on {'queue' if len(queues) == 1 else 'queues'} {format_value(queues)}" if queues else "active"
    fix = "look for the device that sends the pauses behind this port"
    try:
        place, _ = context.find_other_end()
    except InapplicableError:
        sender = None
    else:
        sender = format_remote_place(place)
        fix = f"check {sender} for a hang of GPU, driver or firmware, and reboot {place.device} if it does not recover"
        if place.kind == "port":
            fix = f"follow the pauses from {sender}: the port of {place.device} that receives them leads to the sender"
    return failure(
        "the PFC watchdog is active: the device at the port sends pauses without end",
        "not active",
        f"{found}; {sender} sends the pauses" if sender else found,
        Fix(fix),
    )


def _is_shown(context: CheckContext) -> bool:
    """Whether a command of this system shows what the watchdog does: it failed, or shows other ports."""
    switch = context.facts.devices.get(context.place.device)
    ports = switch.ports.values() if isinstance(switch, Switch) else ()
    is_of_others = any(port.qos.watchdog.active is not None for port in ports)
    return is_of_others or bool(context.facts.list_gaps(context.place, _ACTIVE))


def _polls_as_switch(context: CheckContext) -> bool:
    """Whether the port has the polling interval of its switch, which fabric.watchdog-poll compares."""
    port_readings, switch_readings = (
        [(reading.state, reading.value) for reading in context.facts.readings.get(key, ())]
        for key in ((context.place, _POLL), (Place(context.place.device), "switch.watchdog_poll"))
    )
    return port_readings == switch_readings


def _check_settings(context: CheckContext) -> Outcome:
    """A watchdog that is on, but not for a priority with PFC, is off there. The cause may be that PFC is wrong."""
    outcome = _compare(context) if _polls_as_switch(context) else _compare_with_poll(context)
    changes = [fix.change.setting for fix in outcome.fix if fix.change]
    if outcome.status is not Status.FAIL or _ENABLED not in changes:
        return outcome
    try:
        watched = context.get_found_value("port.qos.watchdog.priorities")
        paused = context.get_found_value("port.qos.pfc")
        planned = context.get_intended_value("port.qos.pfc")
    except (UnreadError, NoIntentError):
        return outcome
    if not watched or paused <= watched:
        return outcome
    found = f"watchdog on for {format_priorities(watched)}, PFC for {format_priorities(paused)}"
    outcome = replace(
        outcome,
        expected=outcome.expected.replace("watchdog on", "watchdog on for each priority with PFC"),
        found=outcome.found.replace("watchdog off", found),
    )
    if not planned <= watched:
        return outcome
    cause = Fix("fix qos.pfc of this port first: the watchdog is on for the planned priorities")
    other_fixes = (fix for fix in outcome.fix if fix.change is None or fix.change.setting != _ENABLED)
    return replace(outcome, fix=(cause, *other_fixes))
