"""Where cells, labels and groups of a pair matrix stand, and which shade they have."""

import dataclasses
from xml.etree import ElementTree

import fabric
import history_sample
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.report import heatmap, svg


def test_every_cell_stands_in_its_row_and_column():
    (picture,) = heatmap.heats(history_sample.LEAVES)
    assert len(picture.rows) == len(picture.columns) == 12
    assert len(picture.squares) == 132
    names = {row.title: row.position for row in picture.rows}
    for square in picture.squares:
        source, _, target = square.title.partition(":")[0].partition(" → ")
        assert square.y + picture.side / 2 == pytest.approx(names[source], abs=0.11)
        assert square.x + picture.side / 2 == pytest.approx(names[target], abs=0.11)
    assert picture.right <= picture.width


def test_slow_cells_are_outlined_and_the_suspect_is_marked():
    (picture,) = heatmap.heats(history_sample.LEAVES)
    slow = {square.title.partition(":")[0] for square in picture.squares if square.low}
    assert slow == {f"{cell.source} → {cell.target}" for cell in history_sample.LEAVES.cells if cell.low}
    assert [row.text for row in picture.rows if row.accused] == ["node2"]


def test_leaves_are_groups_side_by_side():
    (picture,) = heatmap.heats(history_sample.LEAVES)
    assert [group.text for group in picture.groups] == ["leaf1", "leaf2", "leaf3"]
    for first, second in zip(picture.groups, picture.groups[1:], strict=False):
        assert first.start + first.size == pytest.approx(second.start, abs=0.11)


def test_rails_that_never_meet_have_a_picture_each():
    assert [picture.title for picture in heatmap.heats(history_sample.RAILS)] == [
        "rail 1",
        "rail 2",
        "rail 3",
        "rail 4",
    ]
    across = fabric.matrix(fabric.members(4, 2), same_rail=False)
    assert [picture.title for picture in heatmap.heats(across)] == [None]


@given(st.floats(0, 2), st.floats(0, 2))
def test_a_lower_fraction_is_never_a_lighter_shade(first, second):
    low, high = sorted((first, second))
    assert heatmap.shade(low) >= heatmap.shade(high)


def test_shades_are_those_of_the_legend():
    assert [heatmap.shade(value) for value in (1.2, 0.98, 0.979, 0.95, 0.9, 0.8, 0.6, 0.3, 0.29, 0)] == [
        *("h0", "h0", "h1", "h1", "h2", "h3", "h4", "h5", "h6", "h6"),
    ]
    assert heatmap.legend()[0] == ("h0", "from 98 %")
    assert heatmap.legend()[-1] == ("h6", "less")


@pytest.mark.parametrize(
    ("hosts", "rails", "rows", "note"),
    [
        (64, 1, 64, None),
        (20, 4, 20, "a row is all of a host, a square their median"),
        (90, 1, 3, "a row is all of a leaf, a square their median"),
        (90, 1, 45, "a row is 2 neighbours, a square their median"),
    ],
)
def test_many_members_share_rows(hosts, rails, rows, note):
    matrix = fabric.matrix(
        fabric.members(hosts, rails, per_leaf=30 if note and "leaf" in note else None),
        lambda a, b: 0.5 if "node3" in (a.host, b.host) else 1,
        same_rail=rails == 1,
    )
    (picture,) = heatmap.heats(matrix)
    assert (len(picture.rows), picture.note) == (rows, note)
    assert any(square.low for square in picture.squares)


def test_hosts_alone_have_their_values_beside_them():
    (picture,) = heatmap.heats(history_sample.PEERS.matrices[2])
    assert [value.text for value in picture.values] == [
        *("391.0 Gb/s", "390.2 Gb/s", "371.5 Gb/s", "391.4 Gb/s", "118.0 Gb/s", "failed: timeout"),
    ]
    assert picture.squares[-1].shade == "failed"


def test_what_is_missing_is_unknown_and_never_good():
    members = fabric.members(5)
    matrix = fabric.matrix(members)
    holed = dataclasses.replace(matrix, cells=matrix.cells[1:])
    (picture,) = heatmap.heats(holed)
    first = picture.squares[0]
    assert (first.shade, first.title) == ("unknown", "node1 → node2: not measured")


def test_a_picture_of_its_own_is_svg_with_nothing_from_outside():
    text = svg.pair_matrix(history_sample.hostile_matrix())
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert text == svg.pair_matrix(history_sample.hostile_matrix())
    assert "<script" not in text
    assert [element for element in root.iter() if any("href" in name for name in element.attrib)] == []
