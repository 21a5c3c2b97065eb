"""Configuration of the routing daemons on a lab's switches. Switches of a cluster get the files of their operating
systems."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.platforms.switch import frr
from wirespeed.settings import Switch


def routing_daemons(name: str, switch: Switch) -> Mapping[str, str]:
    """The FRRouting daemons that a switch needs, with their configuration; empty without sessions."""
    return frr.configuration(name, switch)
