"""What routes on a lab's switches, in its own words. The switches of a cluster get files of their own systems."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.platforms.switch import frr
from wirespeed.settings import Switch


def routing_daemons(name: str, switch: Switch) -> Mapping[str, str]:
    """The daemons of FRRouting that a switch needs, each with its configuration; none where it has no session."""
    return frr.configuration(name, switch)
