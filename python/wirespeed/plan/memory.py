"""The packet memory of a switch: all of its chips together, and how much of a deep one lossless traffic can hold.

A chip with virtual output queues keeps packets where they came in, in gigabytes of memory beside it. Nothing that is
lossless can fill them: a priority group pauses at its share of what is free in its core, long before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.catalogue.model import ChipModel, SourcedValue, SwitchModel
from wirespeed.units import Bandwidth, Size


def chips_together(model: SwitchModel, chip: ChipModel | None) -> ChipModel | None:
    """The chip of a switch. Where its ports need several, their memory adds up and keeps its parts."""
    if chip is None or chip.capacity is None:
        return chip
    count = -(-model.ports.value * model.speed.value // chip.capacity.value)
    if count == 1:
        return chip
    why = f"{count} chips for {model.ports.value} × {model.speed.value}: {chip.capacity.source}"
    slices = chip.slices.value if chip.slices else 1
    return chip.model_copy(
        update={
            "buffer": chip.buffer
            and SourcedValue[Size](value=Size(count * chip.buffer.value), source=f"{why}; {chip.buffer.source}"),
            "slices": SourcedValue[int](
                value=count * slices, source=f"{why}; {chip.slices.source}" if chip.slices else why
            ),
        }
    )


@dataclass(frozen=True, slots=True)
class Deep:
    """A memory behind virtual output queues, and the lossless groups that share it. Every core has a separate part.

    A group may take a times what is free of its part, so k of them hold k a / (1 + k a) of what is shared (Choudhury
    and Hahne, Dynamic Queue Length Thresholds, 1998), and their headroom. Where that is not known it is left out: what
    they hold is more than stated here, and the pause threshold of a group is lower.
    """

    buffer: Size
    cores: int
    groups: int  # lossless, of one core
    share: float
    headroom: Size | None  # of all ports

    @property
    def lossless_maximum(self) -> Size:
        """The most that all lossless groups of the switch can hold."""
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
        """What one group holds, alone in its core, when it pauses."""
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
    """The memory of a switch with virtual output queues; None of any other, or where something of it is not known.

    Args:
        chip: of the switch, all chips together.
        ports: of the switch.
        lossless: lossless priorities of a port.
        speeds: of its ports; the largest share among them counts.
        headroom: of all ports; None where the length of a cable is not known.
    """
    if chip is None or chip.credit is None or chip.buffer is None:
        return None
    shares = [share for speed in speeds if (share := chip.share_at(speed)) is not None]
    if not shares:
        return None
    cores = chip.slices.value if chip.slices else 1
    return Deep(chip.buffer.value, cores, -(-ports // cores) * lossless, max(shares), headroom)
