import pytest

from wirespeed import wire


@pytest.mark.parametrize(
    ("frame", "bytes_", "on_wire"),
    [
        (wire.data(4096), 4158, 4178),
        (wire.write_first(1024), 1102, 1122),
        (wire.ack(), 66, 86),
        (wire.cnp(), 78, 98),
        (wire.pfc(), 64, 84),
        (wire.data(4096, wire.Encapsulation(ipv6=True)), 4178, 4198),
        (wire.data(4096, wire.Encapsulation(vlan=True)), 4162, 4182),
    ],
)
def test_sizes_cross_the_binding(frame, bytes_, on_wire):
    assert (frame.frame, frame.wire) == (bytes_, on_wire)


def test_efficiency_of_the_common_path_mtu():
    assert 400 * 4096 / wire.data(4096).wire == pytest.approx(392.15, abs=0.005)


def test_an_unknown_path_mtu_is_refused():
    with pytest.raises(ValueError, match="path MTU 9000: expected 256, 512, 1024, 2048 or 4096 bytes"):
        wire.write_wire_bytes(1, 9000)


@pytest.mark.parametrize(("interface", "path"), [(9000, 4096), (1500, 1024), (200, None)])
def test_path_mtu_fitting(interface, path):
    assert wire.path_mtu_fitting(interface) == path


def test_pcie_crosses_the_binding():
    assert wire.pcie_link(32000, 16) == 504_123_076_923
    assert wire.pcie_writes(32000, 8, 256) == 230_456_263_735
    assert wire.pcie_reads(32000, 8, 256) == 233_796_209_587
    assert wire.pcie_packets(256) == wire.PciePackets(write=280, completion=276, request=24)


def test_an_unknown_pcie_link_is_refused():
    with pytest.raises(ValueError, match="PCIe rate 12000 MT/s: expected 2500, 5000, 8000, 16000 or 32000"):
        wire.pcie_link(12000, 16)


def test_messages_cross_the_binding():
    assert wire.write_wire_bytes(8192, 4096) == 4194 + 4178
    assert wire.send_wire_bytes(8192, 4096) == 2 * 4178
    assert wire.read_response_wire_bytes(12288, 4096) == 4182 + 4178 + 4182
    assert wire.packets(4097, 4096) == 2


# Soft-RoCE of Linux 6.1 acknowledges an RDMA write; captured on a switch's port of `wirespeed lab rdma`.
ACK = bytes.fromhex(
    "020000000201020000000101080045680030e30b40004011d3f5c0a80101c0a80102c12112b7001c00001100ffff00000011007f67f71f000000"
    "cac3777f"
)


def test_a_packet_crosses_the_binding():
    assert wire.packet(ACK) == wire.Packet(
        source_mac="02:00:00:00:01:01",
        destination_mac="02:00:00:00:02:01",
        source="192.168.1.1",
        destination="192.168.1.2",
        dscp=26,
        ecn=0,
        ttl=64,
        udp_source_port=49441,
        opcode=0x11,
        solicited_event=False,
        migrated=False,
        partition_key=0xFFFF,
        fecn=False,
        becn=False,
        destination_qp=17,
        acknowledge_request=False,
        psn=8349687,
        payload=0,
        syndrome=31,
        msn=0,
    )


def test_a_packet_that_was_changed_is_refused():
    with pytest.raises(ValueError, match="invariant CRC 0x7f77c3ca: expected"):
        wire.packet(ACK[:-5] + b"\1" + ACK[-4:])
