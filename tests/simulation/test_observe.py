"""What is recorded beside the tables: names of ports and flows to the numbers of the core."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.errors import Refused
from wirespeed.simulation.observe import Observe, resolve
from wirespeed.units import Duration


class Scenario:
    """Hosts 0 and 1 on switch 9 of ten others; 8 and 9 are joined by three cables, 7 by none."""

    nodes = 10
    operations = 4

    def links(self) -> list[tuple[int, int]]:
        return [(0, 9), (9, 1), (8, 9), (9, 8), (8, 9), (2, 9), (3, 9), (4, 9), (5, 9)]

    def sender(self, operation: int) -> int:
        return 2 * operation + (operation == 3)


def observed(*series: str, capture: str | None = None, interval: str = "10us") -> Any:
    scenario: Any = Scenario()
    return resolve(Observe(series, Duration.parse(interval), capture), scenario)


@pytest.mark.parametrize(
    ("series", "ports", "queue_pairs"),
    [
        (("port:0",), (0,), ()),
        (("port:0-9",), (0,), ()),
        (("port:9-0",), (1,), ()),
        (("port:9-1",), (2,), ()),
        (("port:1",), (3,), ()),
        (("port:8-9.0", "port:8-9.1", "port:8-9.2"), (4, 7, 8), ()),
        (("port:9-8.0", "port:9-8.1", "port:9-8.2"), (5, 6, 9), ()),
        (("flow:0", "flow:3"), (), (0, 7)),
        (("flow:2", "port:9-1", "port:9-1", "flow:2"), (2,), (4,)),
    ],
)
def test_names(series: tuple[str, ...], ports: tuple[int, ...], queue_pairs: tuple[int, ...]) -> None:
    found = observed(*series, interval="2us")
    assert (found.interval, found.ports, found.queue_pairs, found.capture) == (2_000_000, ports, queue_pairs, None)


def test_nothing_is_sampled_unless_asked() -> None:
    found = observed(capture="9-0")
    assert (found.interval, found.ports, found.queue_pairs, found.capture) == (0, (), (), 1)


@pytest.mark.parametrize(
    ("series", "says"),
    [
        ("port:10", "'10'; expected a node of the scenario, 0 to 9"),
        ("port:9", "'9'; expected a port of node 9: 9-0, 9-1, 9-8.0, 9-8.1, 9-8.2 … 9-5"),
        ("port:8", "'8'; expected a port of node 8: 8-9.0, 8-9.1, 8-9.2"),
        ("port:0-1", "'0-1'; expected a port of node 0: 0-9"),
        ("port:7", "'7'; expected a port of node 7: it has none"),
        ("port:8-9", "'8-9'; expected one of the 3 ports there: 8-9.0, 8-9.1, 8-9.2"),
        ("port:8-9.3", "'8-9.3'; expected one of the 3 ports there: 8-9.0, 8-9.1, 8-9.2"),
        ("port:0-9.1", "'0-9.1'; expected one of the 1 ports there: 0-9"),
        ("port:", "''; expected a port: NODE, NODE-PEER or NODE-PEER.NUMBER, such as 16-0"),
        ("port:leaf-0", "'leaf-0'; expected a port: NODE, NODE-PEER or NODE-PEER.NUMBER, such as 16-0"),
        ("port:٣", "'٣'; expected a port: NODE, NODE-PEER or NODE-PEER.NUMBER, such as 16-0"),
        ("flow:4", "'flow:4'; expected a flow of the scenario, flow:0 to flow:3"),
        ("flow:-1", "'flow:-1'; expected a flow of the scenario, flow:0 to flow:3"),
        ("flow:٣", "'flow:٣'; expected a flow of the scenario, flow:0 to flow:3"),
        ("queue:0", "'queue:0'; expected port:PORT or flow:NUMBER, such as port:16-0 or flow:3"),
        ("", "''; expected port:PORT or flow:NUMBER, such as port:16-0 or flow:3"),
    ],
)
def test_refusals(series: str, says: str) -> None:
    with pytest.raises(Refused) as refused:
        observed(series)
    assert str(refused.value) == f"--series: found {says}"


def test_all_problems_at_once() -> None:
    with pytest.raises(Refused) as refused:
        observed("port:10", "flow:4", capture="0-3", interval="0us")
    assert str(refused.value) == (
        "--series: found '10'; expected a node of the scenario, 0 to 9\n"
        "--series: found 'flow:4'; expected a flow of the scenario, flow:0 to flow:3\n"
        "--pcap: found '0-3'; expected a port of node 0: 0-9\n"
        "--interval: found '0 ps'; expected a duration above zero"
    )
