"""PFC headroom: bytes that arrive after a switch port has sent a pause (IEEE 802.1Q annex N).

The terms are those of the simulator (`wirespeed.wire.headroom`), so a simulated network with this headroom drops
nothing. It is the smallest headroom that is always sufficient: the peer takes the longest time that IEEE 802.3 allows
and then sends the frames with the worst use of cells. A platform may allocate another headroom;
vendors' values for the same chip are shown for comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed import wire
from wirespeed.catalogue.model import CableModel, ChipModel, HeadroomSample
from wirespeed.plan.model import ComputedValue, format_bytes, format_size
from wirespeed.units import Bandwidth, Duration, Length, Size

NS_PER_M = 5.0
"""Signal delay in nanoseconds per metre of a cable of no known model: fibre, group index 1.468 (ITU-T G.652)."""

_SOURCE = "IEEE 802.1Q annex N; response of the peer: IEEE 802.3 annex 31B.3.7"


@dataclass(frozen=True, slots=True)
class Headroom:
    """Headroom of one lossless priority group, with its terms."""

    speed: Bandwidth
    length: Length
    ns_per_m: float
    terms: wire.Headroom
    known_cell: bool
    latency: Duration | None = None

    @property
    def size(self) -> Size:
        """Size in the switch's buffer; in bytes of the link if the chip's cell is unknown."""
        return Size(self.terms.bytes)

    @property
    def formula(self) -> str:
        """The terms, with numbers."""
        terms = self.terms
        switch = f"{_format_us(self.latency)} switch latency + " if self.latency else ""
        link = (
            f"time until a pause acts: {switch}{_format_us(terms.frame_sent_back)} (the {terms.longest:,} B frame"
            f" already being sent) + {_format_us(terms.pfc_frames)} (PFC frame) + 2 × {self.length} ×"
            f" {self.ns_per_m:g} ns/m (cable) + {_format_us(terms.response)} (response of the peer)"
        )
        frames, cells = terms.worst_frame
        if not self.known_cell:
            return (
                f"{link}; received in this time at {self.speed}, in frames of {frames:,} B: {terms.middle:,} B;"
                f" plus one maximum frame at each end: {terms.ends:,} B; together {int(self.size):,} B;"
                " cell size of the chip unknown"
            )
        cell_text = f"one {terms.cell} B cell" if cells == 1 else f"{cells} cells of {terms.cell} B"
        return (
            f"{link}; received in this time at {self.speed}, in the worst case ({frames:,} B frames, {cell_text} each):"
            f" {terms.middle:,} cells; plus one maximum frame at each end: {terms.ends:,} cells;"
            f" {terms.middle + terms.ends:,} cells × {terms.cell} B = {int(self.size):,} B"
        )


def headroom(
    speed: Bandwidth,
    length: Length,
    mtu: int,
    lossless: int = 1,
    chip: ChipModel | None = None,
    cable: CableModel | None = None,
    latency: Duration | None = None,
) -> Headroom:
    """Headroom of one priority group.

    Args:
        speed: speed of the link.
        length: length of the cable.
        mtu: largest IP packet on the port, bytes.
        lossless: number of lossless priorities of the port.
        chip: chip with the cell size of the buffer; default: bytes of the link are counted.
        cable: model with the propagation delay; default: fibre.
        latency: latency of the switch. The part before a frame is counted is not published: all of it is assumed.
    """
    cell = chip.cell.value if chip and chip.cell else None
    ns_per_m = cable.delay_ns_per_m.value if cable else NS_PER_M
    delay = round(ns_per_m * length)  # ns/m times mm are picoseconds
    terms = wire.headroom(int(speed), delay, mtu, lossless, int(cell or 1), int(latency or 0))
    return Headroom(speed, length, ns_per_m, terms, cell is not None, latency)


def explain_headroom(
    headroom_value: Headroom, chip: ChipModel | None, switch: str, system: str | None = None, automatic: bool = False
) -> ComputedValue:
    """The headroom with its formula, and values of vendors for the same chip.

    No system is configured with a headroom: ``system`` computes it itself (``automatic``), or from the cable length.
    """
    origin = "its own headroom" if automatic else "headroom from the port speed and the rendered cable length"
    samples = [
        _compare_sample(headroom_value, sample)
        for sample in _find_nearest(headroom_value, chip.headroom if chip else ())
    ]
    return ComputedValue(
        name=f"headroom of a lossless priority group of {switch} at {headroom_value.speed}, "
        f"{headroom_value.length} of cable",
        value=format_bytes(headroom_value.size),
        formula=headroom_value.formula + (f"; not rendered: {system} computes {origin}" if system else ""),
        source=_SOURCE + (f"; cell: {chip.cell.source}" if chip and chip.cell else ""),
        compared="; ".join([*samples, "for comparison only"]) if samples else None,
    )


def _find_nearest(headroom_value: Headroom, samples: Sequence[HeadroomSample]) -> Iterator[HeadroomSample]:
    """For each vendor, the sample of this speed with the shortest sufficient cable length."""
    best: dict[str, HeadroomSample] = {}
    for sample in samples:
        if sample.speed != headroom_value.speed or sample.length < headroom_value.length:
            continue
        nearest = best.setdefault(sample.source, sample)
        if sample.length < nearest.length:
            best[sample.source] = sample
    yield from best.values()


def _compare_sample(headroom_value: Headroom, sample: HeadroomSample) -> str:
    ratio = sample.size / headroom_value.size
    return f"{sample.source}: {sample.size} up to {sample.length} ({ratio:.2f} × the computed value)"


def explain_total(
    headrooms: Mapping[str, Headroom], lossless: int, chip: ChipModel | None, switch: str
) -> ComputedValue | None:
    """Headroom of all ports together against the packet buffer; None if the buffer is unknown.

    Args:
        headrooms: headroom of one priority group, by port.
        lossless: lossless priority groups of each port.
        chip: chip of the switch.
        switch: its name.
    """
    if chip is None or chip.buffer is None or not headrooms:
        return None
    whole = Size(lossless * sum(int(headroom_value.size) for headroom_value in headrooms.values()))
    buffer = chip.buffer.value
    share = f"{_format_share(whole / buffer)} of the buffer, {format_size(buffer)}"
    return ComputedValue(
        name=f"headroom of all ports of {switch}",
        value=format_bytes(whole),
        formula=f"{_format_sum(headrooms, lossless)}; {share}",
        source=f"buffer: {chip.buffer.source}",
    )


def _format_share(fraction: float) -> str:
    """A share in percent; one that rounds to zero, as of gigabytes of buffer, with two significant digits."""
    percent = 100 * fraction
    return f"{percent:.2g} %" if percent < 0.1 else f"{percent:.1f} %"


def explain_shared_headroom(size: Size, headrooms: Mapping[str, Headroom], lossless: int, switch: str) -> ComputedValue:
    """Headroom that all lossless groups of a switch share, and their need if all pause at once.

    Args:
        size: size of the shared headroom.
        headrooms: headroom of one priority group, by port.
        lossless: lossless priority groups of each port.
        switch: its name.
    """
    whole = Size(lossless * sum(int(headroom_value.size) for headroom_value in headrooms.values()))
    groups = _format_groups(headrooms, lossless)
    return ComputedValue(
        name=f"shared headroom of {switch}",
        value=format_bytes(size),
        formula=f"{int(size) / whole:.2f} of the {whole} that {groups} need when all pause",
        source="cluster file",
    )


def _format_groups(headrooms: Mapping[str, Headroom], lossless: int) -> str:
    priorities = "priority" if lossless == 1 else "priorities"
    return f"{len(headrooms)} ports × {lossless} lossless {priorities}"


def _format_sum(headrooms: Mapping[str, Headroom], lossless: int) -> str:
    """The headroom of all ports as a sum over ports with the same headroom."""
    by_size: dict[int, dict[str, Headroom]] = {}
    for port, headroom_value in headrooms.items():
        by_size.setdefault(int(headroom_value.size), {})[port] = headroom_value
    return " + ".join(f"{_format_groups(ports, lossless)} × {size:,} B" for size, ports in by_size.items())


def _format_us(picoseconds: int) -> str:
    return f"{picoseconds / 1e6:.3g} µs"
