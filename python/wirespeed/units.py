"""Quantities. Each is an integer in the base unit of its type; constructors name the source unit.

| type | base unit |
| --- | --- |
| `Bandwidth` | bits per second |
| `Size` | bytes |
| `Duration` | picoseconds |
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import ClassVar, Self

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z/µ%]*)\s*")


BITS_PER_SECOND: dict[str, float] = (
    {
        f"{prefix}{bits}": scale
        for bits in ("b/s", "bit/s", "bits/s", "bits/sec")
        for prefix, scale in {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.items()
    }
    | {
        f"{prefix}B/s": 8.0 * scale
        for prefix, scale in {
            "": 1,
            "k": 10**3,
            "M": 10**6,
            "G": 10**9,
            "T": 10**12,
            "Ki": 2**10,
            "Mi": 2**20,
            "Gi": 2**30,
            "Ti": 2**40,
        }.items()
    }
    | {"Kib/s": 2.0**10, "Mib/s": 2.0**20, "Gib/s": 2.0**30, "1000 MiB/s": 8e3 * 2**20, "MiB/s/rank": 8.0 * 2**20}
)
"""Bits per second in one of each unit of bandwidth that a benchmark prints."""


class TypedInteger(int):
    """An integer of a type with a meaning; `repr` names the type."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self)})"


class Quantity(TypedInteger):
    """A non-negative integer number of base units, read from and printed with a unit."""

    kind: ClassVar[str] = "quantity"
    example: ClassVar[str] = "1"
    units: ClassVar[dict[str, int]] = {}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a number with its unit, for example ``400 Gb/s``.

        Raises:
            ValueError: the text is no number, its unit is missing or unknown, or it is no whole number of base units.
        """
        match = _QUANTITY.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no {cls.kind}, such as {cls.example!r}")
        number, unit = match.groups()
        if unit not in cls.units:
            unit_problem = "has no unit" if not unit else f"has the unknown unit {unit!r}"
            similar = next((name for name in cls.units if name.lower() == unit.lower()), None)
            suggestion = f"; did you mean {number}{similar}?" if similar else ""
            raise ValueError(f"{text!r} {unit_problem}; {cls.kind} units are {', '.join(cls.units)}{suggestion}")
        value = Fraction(number) * cls.units[unit]
        if value.denominator != 1:
            raise ValueError(f"{text!r} is no whole number of {next(iter(cls.units))}")
        return cls(int(value))

    @classmethod
    def from_unit(cls, number: int, unit: str) -> Self:
        """From a whole number of one of the `units`: ``Duration.from_unit(200, "ms")``."""
        return cls(number * cls.units[unit])

    def whole(self, unit: str) -> int:
        """The whole number of one of the `units`, rounded down."""
        return self // self.units[unit]

    def is_whole(self, unit: str) -> bool:
        """Whether it is a whole number of one of the `units`."""
        return self % self.units[unit] == 0

    def in_unit(self, unit: str) -> float:
        """The number of one of the `units`."""
        return self / self.units[unit]

    def _format_in(self, unit: str) -> str:
        value = Fraction(int(self), self.units[unit])
        if value.denominator == 1:
            return f"{value.numerator} {unit}"
        return f"{float(value):.4g} {unit}"


class Bandwidth(Quantity):
    """A data rate in bits per second."""

    kind = "bandwidth"
    example = "400 Gb/s"
    units: ClassVar[dict[str, int]] = {
        "b/s": 1,
        "kb/s": 10**3,
        "Mb/s": 10**6,
        "Gb/s": 10**9,
        "Tb/s": 10**12,
        "G": 10**9,
        "GB/s": 8 * 10**9,
        "MB/s": 8 * 10**6,
    }

    @classmethod
    def gbps(cls, number: float) -> Self:
        """From Gb/s."""
        return cls(round(number * 10**9))

    @property
    def gb_per_s(self) -> float:
        """In Gb/s."""
        return self.in_unit("Gb/s")

    def compute_duration(self, size: int) -> Duration:
        """The time to send bytes at this rate, in whole picoseconds."""
        return Duration(size * 8 * 10**12 // self)

    def size_in(self, time: int) -> Size:
        """The bytes sent at this rate in a time in picoseconds."""
        return Size(time * self // (8 * 10**12))

    def __str__(self) -> str:
        for unit in ("Tb/s", "Gb/s", "Mb/s", "kb/s"):
            if self >= self.units[unit] and (unit != "Tb/s" or self % self.units[unit] == 0):
                return self._format_in(unit)
        return self._format_in("b/s")


class Size(Quantity):
    """An amount of memory or data in bytes. kB is 1000 bytes, KiB is 1024."""

    kind = "size"
    example = "64 KiB"
    units: ClassVar[dict[str, int]] = {
        "B": 1,
        "kB": 10**3,
        "MB": 10**6,
        "GB": 10**9,
        "KiB": 2**10,
        "MiB": 2**20,
        "GiB": 2**30,
    }

    def __str__(self) -> str:
        for unit in ("GiB", "MiB", "KiB"):
            if self and self % self.units[unit] == 0:
                return self._format_in(unit)
        for unit in ("GB", "MB", "kB"):
            if self >= self.units[unit]:
                return self._format_in(unit)
        return self._format_in("B")


class Duration(Quantity):
    """A length of time in picoseconds."""

    kind = "duration"
    example = "200 ms"
    units: ClassVar[dict[str, int]] = {
        "ps": 1,
        "ns": 10**3,
        "us": 10**6,
        "µs": 10**6,
        "ms": 10**9,
        "s": 10**12,
    }

    @property
    def seconds(self) -> float:
        """In seconds."""
        return self.in_unit("s")

    @property
    def milliseconds(self) -> int:
        """In whole milliseconds, rounded down."""
        return self.whole("ms")

    @property
    def microseconds(self) -> int:
        """In whole microseconds, rounded down."""
        return self.whole("us")

    def __str__(self) -> str:
        for unit in ("s", "ms", "µs", "ns"):
            if self >= self.units[unit] or self == 0:
                return self._format_in(unit)
        return self._format_in("ps")


class Length(Quantity):
    """A length of cable in millimetres."""

    kind = "length"
    example = "3 m"
    units: ClassVar[dict[str, int]] = {"mm": 1, "cm": 10, "m": 1000}

    @property
    def metres(self) -> float:
        """In metres."""
        return self.in_unit("m")

    def __str__(self) -> str:
        return self._format_in("m") if self >= 1000 else self._format_in("mm")


def format_transfer_rate(megatransfers: int) -> str:
    """A rate in MT/s in the unit of PCI Express: ``32 GT/s``."""
    return f"{megatransfers / 1000:g} GT/s"


PCIE_GENERATIONS: dict[int, int] = {2500: 1, 5000: 2, 8000: 3, 16000: 4, 32000: 5, 64000: 6}
"""Generation of PCI Express by MT/s per lane (PCI Express base specification 6.0, section 4.2)."""


def format_pcie_link(megatransfers: int, width: int) -> str:
    """A PCIe link in the notation of the cluster file: ``gen5 x16``. Other rates: ``10 GT/s x16``."""
    generation = PCIE_GENERATIONS.get(megatransfers)
    return f"{f'gen{generation}' if generation else format_transfer_rate(megatransfers)} x{width}"


def format_percent(fraction: float, decimals: int = 1, sign: str = "") -> str:
    """A fraction as percent, for people: ``98.8 %``. ``sign`` "+" also writes the sign of an increase."""
    return f"{100 * fraction:{sign}.{decimals}f} %"


def format_unit(unit: str) -> str:
    """The unit of a measurement for people: ``us`` of logs and JSON is ``µs``."""
    return "µs" if unit == "us" else unit
