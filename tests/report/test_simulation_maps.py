"""Names in pictures of the network cover neither each other nor a box."""

import itertools

import pytest

from wirespeed.report.simulation import distributions
from wirespeed.report.simulation.layout import Box, Layout, LinkDirection, _label_row
from wirespeed.report.simulation.network_maps import Map
from wirespeed.results.simulation_view import Distribution, Group


def picture(paths, names, boxes=()):
    layout = Layout(
        boxes, tuple(LinkDirection(port, path) for port, path in enumerate(paths)), (), height=200, left_out=0
    )
    return Map(layout, {}, {}, "", (), dict(enumerate(names)))


def test_names_of_parallel_lines_do_not_overlap():
    paths = [f"M{x} 0 L{x} 100" for x in (100, 110, 120)]
    labels = picture(paths, ("leaf1:Eth1/1", "leaf1:Eth1/2", "leaf1:Eth1/3")).labels
    assert len(labels) == 3
    for first, second in itertools.combinations(labels, 2):
        assert not first.overlaps(second.x, second.y, second.width, second.height)


def test_a_name_covers_no_box_and_stays_in_the_picture():
    box = Box(0, 0.0, 30.0, 130.0, 40.0, "leaf1", "leaf1")
    (label,) = picture(["M10 0 L10 100"], ["a-very-long-name-of-a-switch:Ethernet1/1/1"], (box,)).labels
    assert not label.overlaps(box.middle, 50.0, box.width, box.height)
    assert label.x - label.width / 2 >= 0


def test_a_name_is_on_the_arc_of_its_cable():
    (label,) = picture(["M100 100 Q200 0 300 100"], ["leaf1:Eth1/1"]).labels
    assert (label.x, label.y) == (200, 50)


@pytest.mark.parametrize(
    ("names", "letters", "labels"),
    [
        (("host 9", "host 10"), 7, ["host 9", "host 10"]),
        (("host 9", "host 10"), 6, ["9", "10"]),
        (("node10", "node11"), 4, ["10", "11"]),
        (("storage-east", "compute-west"), 7, ["sto…ast", "com…est"]),
        (("storage-east", "compute-west"), 3, ["", ""]),
        (("switch 17",), 9, ["switch 17"]),
    ],
)
def test_all_boxes_of_a_row_have_the_same_kind_of_label(names, letters, labels):
    assert _label_row(names, letters) == labels


@pytest.mark.parametrize("decades", [1.5, 3, 6, 9])
def test_labels_of_a_logarithmic_axis_do_not_overlap(decades):
    values = tuple(10 ** (decades * step / 20) for step in range(21))
    chart = distributions.chart(Distribution("Slowdown", "actual / ideal", (Group("all flows", 21, values, ()),)))
    assert len(chart.x_ticks) >= 2
    for before, after in itertools.pairwise(chart.x_ticks):
        assert after.position - before.position > 3.5 * (len(before.label) + len(after.label))
