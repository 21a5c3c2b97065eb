"""The packet memory of a switch: sum of its chips, and the part of a deep memory that lossless traffic can hold.

A chip with virtual output queues keeps packets at the ingress, in gigabytes of external memory. Lossless traffic cannot
fill it: a priority group pauses earlier, at its share of the free memory of its core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.catalogue.model import ChipModel, SourcedValue, SwitchModel
from wirespeed.units import Bandwidth, Size


def combine_chips(model: SwitchModel, chip: ChipModel | None) -> ChipModel | None:
    """The chip of a switch. If its ports need several chips, one with the sum of their memory, in as many parts."""
    if chip is None or chip.capacity is None:
        return chip
    count = -(-model.ports.value * model.speed.value // chip.capacity.value)
    if count == 1:
        return chip
    source = f"{count} chips for {model.ports.value} × {model.speed.value}: {chip.capacity.source}"
    slices = chip.slices.value if chip.slices else 1
    return chip.model_copy(
        update={
            "buffer": chip.buffer
            and SourcedValue[Size](value=Size(count * chip.buffer.value), source=f"{source}; {chip.buffer.source}"),
            "slices": SourcedValue[int](
                value=count * slices, source=f"{source}; {chip.slices.source}" if chip.slices else source
            ),
        }
    )


@dataclass(frozen=True, slots=True)
class Deep:
    """A memory behind virtual output queues, and the lossless groups that share it. Every core has a separate part.

    A group may take a times the free memory of its part, so k groups hold k a / (1 + k a) of the shared memory
    (Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998), and their headroom. If the headroom is unknown it is
    omitted: the groups then hold more than stated here, and the pause threshold of a group is lower.
    """

    buffer: Size
    cores: int
    groups: int  # lossless, of one core
    share: float
    headroom: Size | None  # of all ports

    @property
    def lossless_maximum(self) -> Size:
        """The largest amount that all lossless groups of the switch can hold."""
        part = self.groups * self.share
        return Size(int(part / (1 + part) * self._shared_size) + (self.headroom or 0))

    @property
    def lossless_maximum_formula(self) -> str:
        """The formula with its numbers."""
        part = f"{self.groups} × {self.share:g}"
        headroom = f" + {self.headroom}" if self.headroom is not None else ""
        return f"{part} / (1 + {part}) × {self._shared_formula}{headroom}"

    @property
    def pause_threshold(self) -> Size:
        """The amount that one group holds when it pauses, with no other group in its core."""
        return Size(int(self.share / (1 + self.share) * self._shared_size / self.cores))

    @property
    def pause_threshold_formula(self) -> str:
        """The formula with its numbers."""
        return f"{self.share:g} / (1 + {self.share:g}) × {self._shared_formula} / {self.cores} cores"

    @property
    def _shared_size(self) -> int:
        return self.buffer - (self.headroom or 0)

    @property
    def _shared_formula(self) -> str:
        return str(self.buffer) if self.headroom is None else f"({self.buffer} - {self.headroom})"


def deep(
    chip: ChipModel | None, ports: int, lossless: int, speeds: Iterator[Bandwidth], headroom: Size | None
) -> Deep | None:
    """The memory of a switch with virtual output queues. None for other switches, or if data are unknown.

    Args:
        chip: all chips of the switch combined.
        ports: number of ports of the switch.
        lossless: number of lossless priorities of a port.
        speeds: speeds of its ports; the largest share of them is used.
        headroom: headroom of all ports; None if the length of a cable is unknown.
    """
    if chip is None or chip.credit is None or chip.buffer is None:
        return None
    shares = [share for speed in speeds if (share := chip.share_at(speed)) is not None]
    if not shares:
        return None
    cores = chip.slices.value if chip.slices else 1
    return Deep(chip.buffer.value, cores, -(-ports // cores) * lossless, max(shares), headroom)
