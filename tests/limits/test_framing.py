"""Expected numbers worked by hand from the byte table of RoCEv2; see crates/wire for the sizes."""

import pytest

from wirespeed.limits import framing
from wirespeed.limits.framing import Path, Verb
from wirespeed.units import Bandwidth
from wirespeed.wire import Encapsulation

G400 = Bandwidth.gbps(400)


@pytest.mark.parametrize(
    ("speed", "mtu", "encapsulation", "goodput"),
    [
        (400, 4096, Encapsulation(), 392.15),
        (200, 4096, Encapsulation(), 196.07),
        (100, 4096, Encapsulation(), 98.04),
        (400, 1024, Encapsulation(), 370.34),
        (400, 256, Encapsulation(), 302.96),
        (400, 4096, Encapsulation(vlan=True), 391.77),
        (400, 4096, Encapsulation(ipv6=True), 390.28),
    ],
)
def test_one_way_stream(speed, mtu, encapsulation, goodput):
    term = framing.one_way(Path(Bandwidth.gbps(speed), mtu, encapsulation))
    assert term.value == pytest.approx(goodput, abs=0.006)
    assert term.unit == "Gb/s"


@pytest.mark.parametrize(
    ("acks", "goodput"),
    [(0, 784.3), (0.25, 780.3), (0.5, 776.3), (1, 768.5)],
)
def test_two_directions_with_acknowledgements(acks, goodput):
    assert framing.two_way(Path(G400, 4096), acks_per_packet=acks).value == pytest.approx(goodput, abs=0.05)


@pytest.mark.parametrize(
    ("size", "verb", "on_wire"),
    [
        (1, Verb.WRITE, 102),
        (4096, Verb.WRITE, 4194),
        (4096, Verb.SEND, 4178),
        (4096, Verb.READ, 4182),
        (8 << 20, Verb.WRITE, 2048 * 4178 + 16),
    ],
)
def test_one_message(size, verb, on_wire):
    assert framing.one_way(Path(G400, 4096), size, verb).value == pytest.approx(400 * size / on_wire)


def test_the_formula_states_every_number():
    assert framing.two_way(Path(G400, 4096), 8192, acks_per_packet=0.5).formula == (
        "2 × 400 Gb/s × 8192 B payload / (8372 B on the wire + 0.5 × 2 × 86 B acknowledgement)"
        " (400 Gb/s, path MTU 4096, IPv4)"
    )


@pytest.mark.parametrize(
    ("size", "mtu", "message"),
    [
        (None, 9000, "path MTU 9000: expected 256, 512, 1024, 2048 or 4096 bytes"),
        (8, 9000, "path MTU 9000: expected 256, 512, 1024, 2048 or 4096 bytes"),
        (0, 4096, "message of 0 bytes: expected at least 1"),
    ],
)
def test_refused(size, mtu, message):
    with pytest.raises(ValueError, match=message):
        framing.one_way(Path(G400, mtu), size)
