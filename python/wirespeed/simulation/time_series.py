"""Samples as time series: queue depths, bytes sent and marked, and rates of congestion control.

Samples of an interval become one value: the maximum of a queue, the mean of a rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from wirespeed.results.simulation_types import SERIES
from wirespeed.results.simulation_view import Network, TimeSeries, TimeSeriesLine, find_peer_pair
from wirespeed.simulation.result_folder import ResultFolder

if TYPE_CHECKING:
    import pyarrow as pa

STRETCHES = 240
"""Maximum values of a line: more points are not visible in a chart."""
_LINES = 6
"""Maximum lines of a readable chart."""
_PS = 1e12


@dataclass(frozen=True, slots=True)
class Samples:
    """The table ``series`` with the number of each sample, and its intervals."""

    rows: pa.Table
    """what, id, number, value."""
    times: tuple[int, ...]
    stretches: int

    @classmethod
    def from_folder(cls, folder: ResultFolder) -> Samples | None:
        """Read the samples; None if nothing was sampled, or only once."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not folder.has(SERIES):
            return None
        read = folder.table(SERIES, "time_ps", "what", "id", "value")
        times = pc.unique(read["time_ps"]).sort()
        if len(times) < 2:
            return None
        number = pc.index_in(read["time_ps"], value_set=times)
        rows = pa.table({"what": read["what"], "id": read["id"], "number": number, "value": read["value"]})
        return cls(rows, tuple(times.to_pylist()), min(STRETCHES, len(times) - 1))

    def with_intervals(self, stretches: int) -> Samples:
        """The same samples in at most this number of intervals."""
        return replace(self, stretches=min(stretches, len(self.times) - 1))

    @property
    def bounds(self) -> list[int]:
        """The number of the first sample of each interval, and of the last sample."""
        return [index * (len(self.times) - 1) // self.stretches for index in range(self.stretches + 1)]

    @property
    def starts(self) -> tuple[int, ...]:
        """The start of each interval."""
        return tuple(self.times[number] for number in self.bounds[:-1])

    @property
    def seconds(self) -> tuple[float, ...]:
        """The duration of each interval."""
        return tuple((self.times[end] - self.times[start]) / _PS for start, end in pairwise(self.bounds))

    def ids(self, quantity: str) -> list[int]:
        """The ports or queue pairs of one kind of sample."""
        return sorted(self._select_quantity(quantity)["id"].unique().to_pylist())

    def highest(self, quantity: str) -> dict[int, tuple[float, ...]]:
        """The maximum of each interval by port, over all priorities; 0 without a sample."""
        summed = (
            self._select_quantity(quantity).group_by(["id", "number"], use_threads=False).aggregate([("value", "sum")])
        )
        return self._aggregate_intervals(summed.rename_columns(["id", "number", "value"]), "max")

    def mean(self, quantity: str) -> dict[int, tuple[float, ...]]:
        """The mean of each interval by queue pair."""
        return self._aggregate_intervals(self._select_quantity(quantity), "mean")

    def growth(self, quantity: str) -> dict[int, tuple[float, ...]]:
        """The increase of counters in each interval, over all priorities. The first interval includes the start."""
        import pyarrow as pa
        import pyarrow.compute as pc

        bounds = self.bounds
        rows = self._select_quantity(quantity)
        rows = rows.filter(pc.is_in(rows["number"], value_set=pa.array(bounds, pa.int32())))
        columns = rows.group_by(["id", "number"], use_threads=False).aggregate([("value", "sum")]).to_pydict()
        positions = {number: index for index, number in enumerate(bounds)}
        counters: dict[int, list[float]] = {}
        for entry, number, value in zip(columns["id"], columns["number"], columns["value_sum"], strict=True):
            counters.setdefault(entry, [0.0] * len(bounds))[positions[number]] = value
        for values in counters.values():
            values[0] = 0.0
        return {
            entry: tuple(later - earlier for earlier, later in pairwise(totals))
            for entry, totals in sorted(counters.items())
        }

    def _select_quantity(self, quantity: str) -> pa.Table:
        import pyarrow.compute as pc

        return self.rows.filter(pc.equal(self.rows["what"].cast("string"), quantity))

    def _aggregate_intervals(self, rows: pa.Table, how: str) -> dict[int, tuple[float, ...]]:
        """One value per interval; the last sample belongs to the last interval."""
        import pyarrow as pa
        import pyarrow.compute as pc

        bin_indexes = [index for index, (start, end) in enumerate(pairwise(self.bounds)) for _ in range(start, end)]
        stretch = pc.take(pa.array([*bin_indexes, self.stretches - 1]), rows["number"])
        table = pa.table({"id": rows["id"], "stretch": stretch, "value": rows["value"]})
        columns = table.group_by(["id", "stretch"], use_threads=False).aggregate([("value", how)]).to_pydict()
        values_by_id: dict[int, list[float]] = {}
        for entry, interval, value in zip(columns["id"], columns["stretch"], columns[f"value_{how}"], strict=True):
            values_by_id.setdefault(entry, [0.0] * self.stretches)[interval] = value
        return {entry: tuple(values) for entry, values in sorted(values_by_id.items())}


def build_time_series(samples: Samples, network: Network, sending_ports: Mapping[int, int]) -> Iterator[TimeSeries]:
    """All recorded time series. ``sending_ports``: the NIC port of each queue pair."""
    sent_bytes = samples.growth("sent_bytes")
    if sent_bytes:
        yield from _build_host_totals(samples, network, sent_bytes)
        yield _build_busiest_links(samples, network, sent_bytes)
        yield _build_deepest_queues(samples, network)
        yield _build_marked_packets(samples, network)
    allowed = samples.mean("rate_bps")
    if allowed:
        yield _build_allowed_rates(samples, network, allowed, sending_ports)


def loads(samples: Samples, network: Network, sent_bytes: dict[int, tuple[float, ...]]) -> dict[int, tuple[float, ...]]:
    """Utilization of ports, at most 1. A frame counts in the interval in which it begins."""
    return {
        port: tuple(
            min(grown * 8 / seconds / network.rate(port), 1.0)
            for grown, seconds in zip(port_bytes, samples.seconds, strict=True)
        )
        for port, port_bytes in sent_bytes.items()
    }


def _build_host_totals(
    samples: Samples, network: Network, sent_bytes: dict[int, tuple[float, ...]]
) -> Iterator[TimeSeries]:
    """The total rate of all hosts."""
    of_hosts = [port_bytes for port, port_bytes in sent_bytes.items() if network.node(port) not in network.switches]
    if not of_hosts:
        return
    rates = loads(
        samples,
        network,
        {port: port_bytes for port, port_bytes in sent_bytes.items() if network.node(port) not in network.switches},
    )
    scaled = [tuple(share * network.rate(port) / 1e9 for share in shares) for port, shares in rates.items()]
    totals = tuple(map(sum, zip(*scaled, strict=True)))
    senders = "the host port that sends" if len(of_hosts) == 1 else f"the {len(of_hosts):,} host ports that send"
    meaning = f"Total rate on the wire of {senders}: data, acknowledgements and CNPs, all with headers."
    yield _build_series(samples, "Sent by hosts", meaning, "Gb/s", [("all hosts", totals)])


def _build_busiest_links(samples: Samples, network: Network, sent_bytes: dict[int, tuple[float, ...]]) -> TimeSeries:
    title, meaning = "Busiest links", "Link utilization, % of the line rate."
    return _select_highest(samples, network, loads(samples, network, sent_bytes), title, meaning, "share", sum)


def _build_deepest_queues(samples: Samples, network: Network) -> TimeSeries:
    title = "Deepest queues"
    meaning = "Egress queue depth per port; maximum of each interval."
    return _select_highest(samples, network, samples.highest("queue_bytes"), title, meaning, "bytes", max)


def _build_marked_packets(samples: Samples, network: Network) -> TimeSeries:
    marked = {
        port: tuple(grown / seconds / 1e6 for grown, seconds in zip(marks, samples.seconds, strict=True))
        for port, marks in samples.growth("ecn_marks").items()
    }
    title, meaning = "ECN marks", "Packets marked per port and microsecond."
    return _select_highest(samples, network, marked, title, meaning, "packets/µs", sum)


def _build_allowed_rates(
    samples: Samples, network: Network, allowed: dict[int, tuple[float, ...]], sending_ports: Mapping[int, int]
) -> TimeSeries:
    meaning = "Rate limit of congestion control per queue pair, also while it has no data to send."
    rates = {entry: tuple(value / 1e9 for value in flow_rates) for entry, flow_rates in allowed.items()}
    if len(rates) <= _LINES:
        lines = [(_pair_name(network, sending_ports, pair), values) for pair, values in rates.items()]
    else:
        ordered = [sorted(sample) for sample in zip(*rates.values(), strict=True)]
        meaning += f" Highest, median and lowest of {len(rates):,} queue pairs."
        names = (("highest", -1), ("median", len(rates) // 2), ("lowest", 0))
        lines = [(name, tuple(sample[rank] for sample in ordered)) for name, rank in names]
    return _build_series(samples, "Congestion control rates", meaning, "Gb/s", lines)


def _pair_name(network: Network, sending_ports: Mapping[int, int], pair: int) -> str:
    """The NIC ports at both ends, with the queue pair if several join the two."""
    ends = [sending_ports[pair], sending_ports[find_peer_pair(pair)]]
    name = " → ".join(network.port_names[port] for port in ends)
    parallel_pairs = sum(
        [port, sending_ports[find_peer_pair(other_pair)]] == ends for other_pair, port in sending_ports.items()
    )
    return f"{name}, queue pair {pair}" if parallel_pairs > 1 else name


def _select_highest(
    samples: Samples,
    network: Network,
    values_of_port: dict[int, tuple[float, ...]],
    title: str,
    meaning: str,
    unit: str,
    weight: Callable[[tuple[float, ...]], float],
) -> TimeSeries:
    """A line for each of the ports with the highest values."""
    nonzero_values = {port: values for port, values in values_of_port.items() if any(values)}
    chosen = sorted(nonzero_values, key=lambda port: (-weight(nonzero_values[port]), port))[:_LINES]
    lines = [(network.port_names[port], nonzero_values[port]) for port in chosen]
    return _build_series(samples, title, meaning, unit, lines, len(nonzero_values) - len(chosen))


def _build_series(
    samples: Samples,
    title: str,
    meaning: str,
    unit: str,
    lines: Sequence[tuple[str, tuple[float, ...]]],
    left_out: int = 0,
) -> TimeSeries:
    chart_lines = tuple(TimeSeriesLine(name, values) for name, values in lines)
    return TimeSeries(title, meaning, unit, samples.starts, samples.times[-1], chart_lines, left_out)
