"""What is recorded beside the tables: names of ports and flows to the numbers of the core."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.errors import Refusal
from wirespeed.simulation.recording import Recording, resolve
from wirespeed.units import Duration


class Scenario:
    """Hosts 0 and 1 on switch 9 of ten others; 8 and 9 are joined by three cables, 7 by none."""

    nodes = 10
    hosts = 8
    operations = 4
    priorities = 2

    def links(self) -> list[tuple[int, int]]:
        return [(0, 9), (9, 1), (8, 9), (9, 8), (8, 9), (2, 9), (3, 9), (4, 9), (5, 9)]

    def sender(self, operation: int) -> int:
        return 2 * operation + (operation == 3)


def resolve_recording(*series: str, captures: tuple[str, ...] = (), interval: str | None = "10us") -> Any:
    scenario: Any = Scenario()
    return resolve(Recording(series, Duration.parse(interval) if interval else None, captures), scenario)


HOSTS = (0, 3, 10, 12, 14, 16)
SWITCHES = (1, 2, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17)


@pytest.mark.parametrize(
    ("series", "ports", "queue_pairs"),
    [
        (("port:0",), (0,), ()),
        (("port:0:9",), (0,), ()),
        (("port:9:0",), (1,), ()),
        (("port:9:1",), (2,), ()),
        (("port:1",), (3,), ()),
        (("port:8:9.0", "port:8:9.1", "port:8:9.2"), (4, 7, 8), ()),
        (("port:9:8.0", "port:9:8.1", "port:9:8.2"), (5, 6, 9), ()),
        (("flow:0", "flow:3"), (), (0, 7)),
        (("flow:2", "port:9:1", "port:9:1", "flow:2"), (2,), (4,)),
        (("hosts",), HOSTS, ()),
        (("switches",), SWITCHES, ()),
        (("flows",), (), (0, 2, 4, 7)),
        (("flows", "flow:3", "port:1"), (3,), (0, 2, 4, 7)),
        (("all",), tuple(range(18)), (0, 2, 4, 7)),
        (("switches", "hosts"), (*SWITCHES, *HOSTS), ()),
    ],
)
def test_names(series: tuple[str, ...], ports: tuple[int, ...], queue_pairs: tuple[int, ...]) -> None:
    recording = resolve_recording(*series, interval="2us")
    assert (recording.interval, recording.ports, recording.queue_pairs, recording.captures) == (
        2_000_000,
        ports,
        queue_pairs,
        {},
    )


def test_nothing_is_sampled_unless_requested() -> None:
    recording = resolve_recording(captures=("9:0", "1"))
    assert (recording.interval, recording.samples, recording.ports, recording.queue_pairs) == (0, 0, (), ())
    assert recording.captures == {"9:0": 1, "1": 3}


@pytest.mark.parametrize(
    ("series", "interval", "finest", "samples"),
    [
        ("port:0", None, 1_000_000, 2_000),
        ("port:0", "10us", 10_000_000, 10_000_000 // (2 * 4)),
        ("flows", "5ns", 5_000, 10_000_000 // 4),
        ("all", None, 1_000_000, 2_000),
        ("all", "1us", 1_000_000, 10_000_000 // (18 * 2 * 4 + 4)),
    ],
)
def test_how_many_samples_are_kept(series: str, interval: str | None, finest: int, samples: int) -> None:
    recording = resolve_recording(series, interval=interval)
    assert (recording.interval, recording.samples) == (finest, samples)


@pytest.mark.parametrize(
    ("series", "message"),
    [
        ("port:10", "'10'; expected a node of the scenario, 0 to 9"),
        ("port:9", "'9'; expected a port of node 9: 9:0, 9:1, 9:8.0, 9:8.1, 9:8.2 … 9:5"),
        ("port:8", "'8'; expected a port of node 8: 8:9.0, 8:9.1, 8:9.2"),
        ("port:0:1", "'0:1'; expected a port of node 0: 0:9"),
        ("port:7", "'7'; expected a port of node 7: it has none"),
        ("port:8:9", "'8:9'; expected one of the 3 ports there: 8:9.0, 8:9.1, 8:9.2"),
        ("port:8:9.3", "'8:9.3'; expected one of the 3 ports there: 8:9.0, 8:9.1, 8:9.2"),
        ("port:0:9.1", "'0:9.1'; expected one of the 1 ports there: 0:9"),
        ("port:", "''; expected a port: NODE, NODE:PEER or NODE:PEER.NUMBER, such as 16:0"),
        ("port:leaf-0", "'leaf-0'; expected a port: NODE, NODE:PEER or NODE:PEER.NUMBER, such as 16:0"),
        ("port:٣", "'٣'; expected a port: NODE, NODE:PEER or NODE:PEER.NUMBER, such as 16:0"),
        ("flow:4", "'flow:4'; expected a flow of the scenario, flow:0 to flow:3"),
        ("flow:-1", "'flow:-1'; expected a flow of the scenario, flow:0 to flow:3"),
        ("flow:٣", "'flow:٣'; expected a flow of the scenario, flow:0 to flow:3"),
        (
            "queue:0",
            "'queue:0'; expected all, switches, hosts, flows, port:PORT or flow:NUMBER, such as port:16:0 or flow:3",
        ),
        ("", "''; expected all, switches, hosts, flows, port:PORT or flow:NUMBER, such as port:16:0 or flow:3"),
    ],
)
def test_refusals(series: str, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        resolve_recording(series)
    assert str(refusal.value) == f"--series: found {message}"


def test_all_problems_at_once() -> None:
    with pytest.raises(Refusal) as refusal:
        resolve_recording("port:10", "flow:4", captures=("0:3", "1"), interval="0us")
    assert str(refusal.value) == (
        "--series: found '10'; expected a node of the scenario, 0 to 9\n"
        "--series: found 'flow:4'; expected a flow of the scenario, flow:0 to flow:3\n"
        "--pcap: found '0:3'; expected a port of node 0: 0:9\n"
        "--interval: found '0 s'; expected a duration above zero"
    )
