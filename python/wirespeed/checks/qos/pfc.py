"""Priority flow control of the switch port

PFC is on for exactly the lossless priorities, and for the same ones as at the other end of the cable. Where a
switch shows what is in effect beside what is configured, both must be so: the one carries the traffic now, the
other comes back with the next restart.

Why it hurts:
    A port without PFC drops when its buffer is full, and its neighbour's pauses are ignored. PFC on another
    priority than the neighbour's pauses traffic that is not the cause and drops what is.

How to fix:
    Set the priorities on the port.

Example:
    $ show priority-flow-control
    Et1/1   D - -

Source:
    Broadcom 957608-AN210, 2.5; IEEE 802.1Q-2022, 36.1
"""

from wirespeed.checks.model import Here, InapplicableError, NoIntentError, Outcome, UnreadError, failed, passed
from wirespeed.checks.words import words
from wirespeed.facts import State
from wirespeed.settings import Place, Port

over = Port
needs = ("port.qos.pfc", "nic.qos.pfc")
failures = ("SW-02", "QOS-03")


def check(here: Here) -> Outcome:
    """The plan decides for each end; without a plan for it the port must at least agree with the NIC."""
    found = here.found("port.qos.pfc")
    configured = _configured(here, found)
    across = _other_end(here)
    try:
        intended = here.intended("port.qos.pfc")
    except NoIntentError:
        if across is None:
            raise
        intended = here.found("nic.qos.pfc", across)
    expected = f"priorities {words(intended)}"
    if found == configured == intended:
        return passed(expected, f"priorities {words(found)}")
    wrong = configured if found == intended else found
    fix = here.change("set the priorities of PFC", "port.qos.pfc", intended, found=wrong)
    said = _both(here, found, configured, across, intended)
    return failed("PFC of the port is on for the wrong priorities", expected, said, fix)


def _other_end(here: Here) -> Place | None:
    try:
        place, _ = here.across()
    except InapplicableError:
        return None
    return place if place.kind == "nic" else None


def _configured(here: Here, found: frozenset[int]) -> frozenset[int]:
    """What the configuration says; what is in effect where no configuration was read beside it."""
    try:
        configured: frozenset[int] = here.found("port.qos.pfc", state=State.CONFIGURED)
    except UnreadError:
        return found
    return configured


def _both(
    here: Here, found: frozenset[int], configured: frozenset[int], across: Place | None, intended: frozenset[int]
) -> str:
    """What was found, where the configuration says otherwise, and what the NIC has where that is another surprise."""
    text = f"priorities {words(found)}"
    if configured != found:
        text += f" in effect, {words(configured)} configured"
    if across is None:
        return text
    try:
        other = here.found("nic.qos.pfc", across)
    except UnreadError:
        return text
    return text if other == intended else f"{text}; {across.device} {across.name} has {words(other)}"
