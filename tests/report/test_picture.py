"""The topology picture: what stands where, and whose fault is shown on what."""

import itertools

import pytest
import report_sample as sample

from wirespeed.report import health, picture
from wirespeed.results.findings import Finding, Status
from wirespeed.results.topology import Edge, Node, Topology


def box(drawing, name):
    (named_box,) = [box for box in drawing.boxes if box.name == name]
    return named_box


def test_hosts_stand_below_their_switch():
    svg = picture.draw(sample.TOPOLOGY, sample.FINDINGS)
    leaf, host = box(svg, "leaf1"), box(svg, "node1")
    assert leaf.y + leaf.height < host.y
    assert len(leaf.ports) == 4
    assert len(host.ports) == 2


def test_boxes_show_the_state_of_the_device():
    svg = picture.draw(sample.TOPOLOGY, sample.FINDINGS)
    assert [(box.name, box.status, box.summary) for box in svg.boxes] == [
        ("node1", "fail", "1 fail"),
        ("node2", "fail", "1 fail, 1 warn, 2 unknown"),
        ("leaf1", "error", "1 error"),
    ]


def test_a_cable_has_the_worse_status_of_its_ends_by_any_name_of_the_port():
    states = {(row.edge.a, row.edge.a_port): row.status for row in health.cables(sample.TOPOLOGY, sample.FINDINGS)}
    assert states == {
        ("node1", "enp29s0np0"): "fail",  # named in "bnxt_re0 / enp29s0np0 / 0000:1d:00.0"
        ("node1", "enp67s0np0"): "none",
        ("node2", "enp29s0np0"): "warn",  # and unknown
        ("node2", "enp67s0np0"): "unknown",
    }


def test_cables_under_a_lone_switch_run_straight():
    svg = picture.draw(sample.TOPOLOGY, ())
    assert all(cable.x1 == cable.x2 for cable in svg.cables)


def test_ports_stand_side_by_side_on_the_edge_of_their_box():
    for topology in (sample.TOPOLOGY, large(3, 2, 1)):
        for drawn_box in picture.draw(topology, ()).boxes:
            for port in drawn_box.ports:
                assert (
                    drawn_box.x <= port.x - port.width / 2 and port.x + port.width / 2 <= drawn_box.x + drawn_box.width
                )
                assert port.y in (drawn_box.y, drawn_box.y + drawn_box.height)
            for left, right in itertools.pairwise(sorted((port.y, port.x) for port in drawn_box.ports)):
                assert left[0] != right[0] or left[1] < right[1]


def test_what_is_wrong_is_drawn_last():
    svg = picture.draw(sample.TOPOLOGY, sample.FINDINGS)
    assert [cable.status for cable in svg.cables] == ["none", "unknown", "warn", "fail"]


def large(hosts, leaves, spines):
    return Topology(
        (
            *(Node(f"node{host:03}", "host", "server") for host in range(hosts)),
            *(Node(f"leaf{leaf:02}", "leaf", "switch") for leaf in range(leaves)),
            *(Node(f"spine{spine}", "spine", "switch") for spine in range(spines)),
        ),
        (
            *(
                Edge(f"node{host:03}", "eth0", f"leaf{host % leaves:02}", f"d{host}", "400 Gb/s", 1)
                for host in range(hosts)
            ),
            *(
                Edge(f"leaf{leaf:02}", f"u{spine}", f"spine{spine}", f"d{leaf}", "800 Gb/s", None)
                for leaf in range(leaves)
                for spine in range(spines)
            ),
        ),
    )


def test_many_devices_become_boxes_of_their_kind():
    svg = picture.draw(large(64, 4, 2), ())
    assert svg.grouped
    assert [(box.name, box.summary) for box in svg.boxes] == [
        ("16 × host: node000 … node060", "not checked"),
        ("16 × host: node001 … node061", "not checked"),
        ("16 × host: node002 … node062", "not checked"),
        ("16 × host: node003 … node063", "not checked"),
        ("4 × leaf: leaf00 … leaf03", "not checked"),
        ("2 × spine: spine0 … spine1", "not checked"),
    ]
    assert sorted(cable.label for cable in svg.cables) == [*["16 × 400 Gb/s"] * 4, "8 × 800 Gb/s"]


def test_a_thousand_hosts_are_three_boxes():
    svg = picture.draw(large(1024, 128, 8), ())
    assert [box.name for box in svg.boxes] == [
        "1,024 × host: node000 … node1023",
        "128 × leaf: leaf00 … leaf127",
        "8 × spine: spine0 … spine7",
    ]
    assert [cable.label for cable in svg.cables] == ["1,024 × 400 Gb/s", "1,024 × 800 Gb/s"]


def test_boxes_of_a_row_never_overlap():
    for hosts in (1, 4, 12, 31):
        svg = picture.draw(large(hosts, 1, 0), ())
        row = sorted((box.x, box.x + box.width) for box in svg.boxes if box.name.startswith("node"))
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(row))
        assert row[-1][1] <= svg.width


def test_no_device_no_picture():
    assert picture.draw(Topology((), ()), ()) is None


def test_a_device_with_only_a_consequence_does_not_read_as_passed():
    follows = Finding("port.up", Status.FAIL, "leaf1", "port Eth1/1", "the port is down", cause="link.up")
    passing = Finding("port.mtu", Status.PASS, "leaf1", "port Eth1/1", "MTU")
    assert health.Health((follows, passing)).describe_devices(["leaf1"]) == "1 follows from others"
    assert health.Health((follows, follows, passing)).describe_devices(["leaf1"]) == "2 follow from others"


def hosts_with_parts(count, *parts):
    nodes = tuple(Node(f"abel{number}", "host", "server", parts if number else ()) for number in range(count))
    edges = (Edge("abel0", "dis0", "abel1", "dis0", "63 Gb/s", None),)
    return picture.draw(Topology(nodes, edges), ())


def test_a_host_shows_its_gpus_and_interfaces_below_its_name():
    svg = hosts_with_parts(2, "socket 0: GPU0, dis0 (PCIe bridge)", "eth0: 10.174.0.55/22")
    plain, host = svg.boxes
    assert (plain.height, plain.head, plain.part_lines) == (host.height, host.head, ())
    assert [text for _, text in host.part_lines] == ["socket 0: GPU0, dis0 (PCIe bridge)", "eth0: 10.174.0.55/22"]
    assert all(host.y + host.head <= y < host.y + host.height for y, _ in host.part_lines)


def test_a_cable_between_neighbours_runs_below_their_boxes():
    svg = hosts_with_parts(2)
    (cable,) = svg.cables
    assert cable.y1 == cable.y2 == svg.boxes[0].y + svg.boxes[0].height
    assert cable.y1 < cable.bend <= svg.height


def test_parts_are_cut_to_the_width_of_their_box_and_left_out_of_small_ones():
    (_, text), *_ = hosts_with_parts(4, "socket 0: GPU0 (lent to abel1), GPU1 (lent to abel1)").boxes[1].part_lines
    assert text == "socket 0: GPU0 (lent to abel1), GPU…"
    assert not any(drawn_box.part_lines for drawn_box in hosts_with_parts(8, "eth0").boxes)


def test_a_name_that_does_not_fit_is_shortened_and_complete_in_the_tip():
    names = [f"gpu-worker-{number:02}.rack-12.europe-west.example.com" for number in range(1, 5)]
    drawing = picture.draw(Topology(tuple(Node(name, "host", "a-model") for name in names), ()), ())
    assert [host.label for host in drawing.boxes] == [f"gpu-worker-{number:02}" for number in range(1, 5)]
    assert [host.name for host in drawing.boxes] == names


def test_a_box_of_many_hosts_has_its_first_and_last_name():
    hosts = [Node(f"node{number}", "host", "a-model") for number in range(1, 49)]
    leaves = [Node(f"leaf{number}", "leaf", "a-switch") for number in range(1, 7)]
    edges = tuple(
        Edge(host.name, "eth0", leaves[index // 8].name, f"Eth1/{index}", "400 Gb/s", None)
        for index, host in enumerate(hosts)
    )
    drawing = picture.draw(Topology((*hosts, *leaves), edges), ())
    assert [entry.label for entry in drawing.boxes][:2] == ["node1 … node8", "node9 … node16"]


@pytest.mark.parametrize("groups", [2, 6, 10])
def test_labels_of_bundles_do_not_touch(groups):
    """A group of hosts for each leaf; a leaf for each group."""
    drawing = picture.draw(large(64, groups, 2), ())
    labels = [cable for cable in drawing.cables if cable.label]
    assert len(labels) >= groups
    for left, right in itertools.combinations(labels, 2):
        widths = 3.9 * (len(left.label) + len(right.label))
        assert abs(left.label_x - right.label_x) > widths or abs(left.label_y - right.label_y) > 16, (left, right)
