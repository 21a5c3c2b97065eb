"""Priority-based flow control (PFC) of the switch port

PFC is on for exactly the lossless priorities, and for the same ones as at the other end of the cable. If a switch
reports running and configured values, both are checked: the configured one takes effect after the next restart. If it
reports for which priorities its hardware supports PFC and obeys received pauses, the planned ones are among them.

Impact:
    A port without PFC drops packets when its buffer is full, and ignores pauses of its neighbour. PFC on another
    priority than the neighbour pauses the wrong traffic and drops the traffic that causes the congestion.

Fix:
    Set the PFC priorities of the port.

Example:
    $ show priority-flow-control
    Et1/1   D - -

Source:
    Broadcom 957608-AN210, 2.5; IEEE 802.1Q-2022, 36.1
"""

from wirespeed.checks.model import (
    CheckContext,
    InapplicableError,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    success,
)
from wirespeed.checks.wording import format_value
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import Place, Port

subject = Port
_ACTIVE = "port.qos.pfc_active"
_CAPABILITIES = {
    "switch.pfc_priorities": "PFC is not supported by the hardware on a planned priority",
    "switch.pfc_receive_priorities": "received pauses of a planned priority are ignored",
}
needs = ("port.qos.pfc", "nic.qos.pfc", _ACTIVE, *_CAPABILITIES)
failures = ("SW-02", "QOS-03")


def check(context: CheckContext) -> Outcome:
    """The plan has precedence; without intent the port must at least agree with the NIC."""
    found = context.get_found_value("port.qos.pfc")
    configured = _list_configured_priorities(context, found)
    across = _find_nic(context)
    try:
        intended = context.get_intended_value("port.qos.pfc")
    except NoIntentError:
        if across is None:
            raise
        intended = context.get_found_value("nic.qos.pfc", across)
    expected = _format_found(intended)
    for path, summary in _CAPABILITIES.items():
        priorities = _find_capability(context, path)
        if priorities is not None and not intended <= priorities:
            fix = Fix("plan a priority of this set for the lossless class, or take another switch")
            return failure(summary, expected, f"only {_format_found(priorities)}", fix)
    if found == configured == intended:
        return success(expected, _format_found(found) + _format_active(context))
    wrong = configured if found == intended else found
    fix = context.build_change("set the PFC priorities", "port.qos.pfc", intended, found_value=wrong)
    found_text = _format_priorities(context, found, configured, across, intended)
    deviation = "enabled for other priorities than planned" if wrong else "not enabled"
    return failure(f"PFC of the port is {deviation}", expected, found_text, fix)


def _format_found(priorities: frozenset[int]) -> str:
    return f"priorities {format_value(priorities)}" if priorities else "no priorities"


def _find_capability(context: CheckContext, path: str) -> frozenset[int] | None:
    """None if the switch reports none."""
    try:
        priorities: frozenset[int] = context.get_found_value(path, Place(context.place.device))
    except UnreadError:
        return None
    return priorities


def _format_active(context: CheckContext) -> str:
    """A counter of the moment: no finding."""
    readings = context.facts.readings.get((context.place, _ACTIVE), ())
    if not any(reading.value for reading in readings):
        return ""
    context.get_found_value(_ACTIVE)
    return "; PFC active at the time of collection"


def _find_nic(context: CheckContext) -> Place | None:
    try:
        place, _ = context.find_other_end()
    except InapplicableError:
        return None
    return place if place.kind == "nic" else None


def _list_configured_priorities(context: CheckContext, found: frozenset[int]) -> frozenset[int]:
    """The configured priorities; the running ones if no configuration was read."""
    try:
        configured: frozenset[int] = context.get_found_value("port.qos.pfc", state=State.CONFIGURED)
    except UnreadError:
        return found
    return configured


def _format_priorities(
    context: CheckContext,
    found: frozenset[int],
    configured: frozenset[int],
    across: Place | None,
    intended: frozenset[int],
) -> str:
    """The running priorities, the configured ones if they differ, and those of the NIC if they are not as planned."""
    text = _format_found(found)
    if configured != found:
        text += f" in effect, {format_value(configured)} configured"
    if across is None:
        return text
    try:
        nic_priorities = context.get_found_value("nic.qos.pfc", across)
    except UnreadError:
        return text
    try:
        planned = context.get_intended_value("nic.qos.pfc", across)  # switches can have more lossless classes
    except NoIntentError:
        planned = intended
    return (
        text
        if nic_priorities == planned
        else f"{text}; {across.device} {across.name} has {format_value(nic_priorities)}"
    )
