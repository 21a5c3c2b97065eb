"""Releases of switch operating systems, as people write them and as switches print them."""

from __future__ import annotations

import re

_KIND = re.compile("[FM]")
"""Letters after a release: feature and maintenance. ``show version`` of NX-OS omits them."""


def is_of_release(running: str, planned: str) -> bool:
    """Whether a switch runs the planned release or one of its builds.

    202505.847216-a2dedc96c is of 202505, 4.33.1F of 4.33, 23.4R2.13-EVO of 23.4R2, and 10.4(3) of 10.4(3)F. 4.33.1F is
    not of 4.3, and 10.3(4a) not of 10.3(4).
    """
    if running.startswith(planned):
        return not running[len(planned) :][:1].isdigit()
    return planned.startswith(running) and _KIND.fullmatch(planned[len(running) :]) is not None
