"""Framing of iperf3 streams; 0.94148 and 0.99004 are the well-known TCP efficiencies with timestamps."""

import pytest

from wirespeed.limits import tcp
from wirespeed.units import Bandwidth

G100 = Bandwidth.gbps(100)


@pytest.mark.parametrize(
    ("mtu", "how", "payload", "packet"),
    [
        (1500, {"timestamps": True}, 1448, 1538),
        (9000, {"timestamps": True}, 8948, 9038),
        (9000, {}, 8960, 9038),
        (1500, {"ipv6": True}, 1440, 1538),
    ],
)
def test_tcp(mtu, how, payload, packet):
    assert tcp.tcp(G100, mtu, **how).value == pytest.approx(100 * payload / packet)


@pytest.mark.parametrize(
    ("mtu", "size", "payload", "packet"),
    [(1500, None, 1472, 1538), (1500, 64, 64, 130), (9000, 1472, 1472, 1538), (1500, 32768, 1480, 1538)],
)
def test_udp(mtu, size, payload, packet):
    assert tcp.udp(G100, mtu, size).value == pytest.approx(100 * payload / packet)


def test_an_mtu_below_the_headers_is_refused():
    with pytest.raises(ValueError, match="expected an MTU larger than its headers"):
        tcp.tcp(G100, 40)
