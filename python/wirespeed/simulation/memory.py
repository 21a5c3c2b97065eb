"""The memory that a part of the program needs, from the counters of Linux for this process."""

from __future__ import annotations

import re
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")


class Memory:
    """Measures from its creation on. Sizes are bytes; None if the system does not report them."""

    def __init__(self) -> None:
        self._peak_before = _count_bytes("VmHWM")
        self._is_reset = _reset_peak()
        self._mark = _count_bytes("VmHWM")
        self._resident = _count_bytes("VmRSS")

    def peak(self) -> int | None:
        """The maximum resident memory of the process."""
        peak_bytes = _count_bytes("VmHWM")
        return None if peak_bytes is None or self._peak_before is None else max(peak_bytes, self._peak_before)

    def growth(self) -> int | None:
        """The maximum resident memory since the creation, minus the resident memory at that time.

        If the peak could not be reset and did not rise, it may be older than the creation: the growth is unknown.
        """
        peak_bytes = _count_bytes("VmHWM")
        if peak_bytes is None or self._mark is None or self._resident is None:
            return None
        return max(peak_bytes - self._resident, 0) if self._is_reset or peak_bytes > self._mark else None


def _reset_peak() -> bool:
    """Let VmHWM count from now on: proc(5), /proc/pid/clear_refs, value 5."""
    try:
        _CLEAR_REFS.write_text("5")
    except OSError:
        return False
    return True


def _count_bytes(name: str) -> int | None:
    """A value of /proc/self/status, which is in KiB, as bytes."""
    try:
        match = re.search(rf"^{name}:\s+(\d+) kB$", _STATUS.read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) * 1024 if match else None
