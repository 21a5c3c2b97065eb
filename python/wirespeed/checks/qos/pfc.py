"""Priority flow control (PFC) of the switch port

PFC is on for exactly the lossless priorities, and for the same ones as at the other end of the cable. If a switch
reports running and configured values, both are checked: the configured one takes effect after the next restart.

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

from wirespeed.checks.model import Here, InapplicableError, NoIntentError, Outcome, UnreadError, failed, passed
from wirespeed.checks.wording import format_value
from wirespeed.facts import State
from wirespeed.settings import Place, Port

over = Port
needs = ("port.qos.pfc", "nic.qos.pfc")
failures = ("SW-02", "QOS-03")


def check(here: Here) -> Outcome:
    """The plan has precedence; without intent the port must at least agree with the NIC."""
    found = here.found("port.qos.pfc")
    configured = _configured(here, found)
    across = _other_end(here)
    try:
        intended = here.intended("port.qos.pfc")
    except NoIntentError:
        if across is None:
            raise
        intended = here.found("nic.qos.pfc", across)
    expected = f"priorities {format_value(intended)}"
    if found == configured == intended:
        return passed(expected, f"priorities {format_value(found)}")
    wrong = configured if found == intended else found
    fix = here.change("set the PFC priorities", "port.qos.pfc", intended, found=wrong)
    found_text = _both(here, found, configured, across, intended)
    return failed("PFC of the port is on for the wrong priorities", expected, found_text, fix)


def _other_end(here: Here) -> Place | None:
    try:
        place, _ = here.across()
    except InapplicableError:
        return None
    return place if place.kind == "nic" else None


def _configured(here: Here, found: frozenset[int]) -> frozenset[int]:
    """The configured priorities; the running ones if no configuration was read."""
    try:
        configured: frozenset[int] = here.found("port.qos.pfc", state=State.CONFIGURED)
    except UnreadError:
        return found
    return configured


def _both(
    here: Here, found: frozenset[int], configured: frozenset[int], across: Place | None, intended: frozenset[int]
) -> str:
    """The running priorities, the configured ones if they differ, and those of the NIC if they are not as planned."""
    text = f"priorities {format_value(found)}"
    if configured != found:
        text += f" in effect, {format_value(configured)} configured"
    if across is None:
        return text
    try:
        other = here.found("nic.qos.pfc", across)
    except UnreadError:
        return text
    return text if other == intended else f"{text}; {across.device} {across.name} has {format_value(other)}"
