"""Receive buffers of the NIC

Priorities use the planned receive buffers of the NIC, and each buffer and the cable length are at least as planned.

Impact:
    The buffer of the lossless priorities holds the packets that arrive after the NIC has sent a pause. If it is
    smaller, or if lossless and lossy priorities share one, the NIC drops packets of the lossless class.

Fix:
    Set buffers and cable length of the NIC.

Example:
    $ mlnx_qos -i eth1
    Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,
    Cable len: 7

Source:
    NVIDIA MLNX_OFED, mlnx_qos, buffer size and prio2buffer; Linux, dcb-buffer(8)
"""

from collections.abc import Mapping

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure
from wirespeed.checks.wording import format_value
from wirespeed.settings import Nic
from wirespeed.units import Size

subject = Nic
_SIZE = "nic.qos.buffer_size"
needs = ("nic.qos.priority_buffer", "nic.cable_length", _SIZE)
failures = ("SW-04",)
_SUMMARY, _SENTENCE = "the receive buffers of the NIC are not as planned", "set the receive buffers of the NIC"
_ROUNDING = 0.03  # a NIC rounds sizes to its cells
_compare = compare(*needs[:2], wrong=_SUMMARY, fix=_SENTENCE)


def check(context: CheckContext) -> Outcome:
    """A larger buffer is not reported."""
    outcome = _judge_sizes(context)
    try:
        return outcome or _compare(context)
    except NoIntentError:
        raise NoIntentError("not planned: receive buffers") from None


def _judge_sizes(context: CheckContext) -> Outcome | None:
    """A failure if a buffer is too small."""
    try:
        intended = context.get_intended_value(_SIZE)
    except NoIntentError:
        return None
    found = context.get_found_value(_SIZE)
    small = {
        number: size
        for number, size in intended.items()
        if number not in found or found[number] < size * (1 - _ROUNDING)
    }
    if not small:
        return None
    found_sizes = {number: found[number] for number in small if number in found}
    fix = context.build_change(_SENTENCE, _SIZE, intended)
    return failure(_SUMMARY, _format_sizes(small), _format_sizes(found_sizes) if found_sizes else "no such buffer", fix)


def _format_sizes(sizes: Mapping[int, Size]) -> str:
    return ", ".join(f"buffer {number} -> {format_value(size)}" for number, size in sorted(sizes.items()))
