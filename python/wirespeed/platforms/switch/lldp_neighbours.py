"""The LLDP neighbours of a port. There can be several: a NIC's firmware can have an agent beside that of its host."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation, Source
from wirespeed.settings import Place


def observe_neighbour(place: Place, device: object, port: object, source: Source) -> Iterator[Observation]:
    """One neighbour. One without a name, such as an agent of firmware, identifies no device: nothing is read of it.

    So every port name follows the name of its device, and the first of both belong together, the second and so on.
    """
    if not isinstance(device, str) or not device:
        return
    yield Observation(place, "port.neighbour.device", device, source)
    if isinstance(port, str) and port:
        yield Observation(place, "port.neighbour.port", port, source)
