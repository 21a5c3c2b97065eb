"""How much memory a stretch of work takes, from what Linux counts for this process."""

from __future__ import annotations

import re
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")


class Memory:
    """Measures from its creation on. Sizes are bytes, None where the system does not say."""

    def __init__(self) -> None:
        self._peak_before = _count_bytes("VmHWM")
        self._is_reset = _reset_peak()
        self._mark = _count_bytes("VmHWM")
        self._resident = _count_bytes("VmRSS")

    def peak(self) -> int | None:
        """The most the process ever had resident."""
        now = _count_bytes("VmHWM")
        return None if now is None or self._peak_before is None else max(now, self._peak_before)

    def growth(self) -> int | None:
        """The most it had resident since the creation, less what it had then.

        Where the peak could not be reset and did not rise, it may be older than that: then nobody knows.
        """
        now = _count_bytes("VmHWM")
        if now is None or self._mark is None or self._resident is None:
            return None
        return max(now - self._resident, 0) if self._is_reset or now > self._mark else None


def _reset_peak() -> bool:
    """Let VmHWM count from now on: proc(5), /proc/pid/clear_refs, value 5."""
    try:
        _CLEAR_REFS.write_text("5")
    except OSError:
        return False
    return True


def _count_bytes(name: str) -> int | None:
    """A line of /proc/self/status, which counts in KiB."""
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB$", _STATUS.read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None
