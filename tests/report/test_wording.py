"""How numbers are written."""

import pytest

from wirespeed.report import wording
from wirespeed.results.findings import Impact


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234.56, "1,235"),
        (391.24, "391.2"),
        (48.904, "48.90"),
        (9.5, "9.50"),
        (0.0412, "0.0412"),
        (0.5, "0.5"),
        (0, "0"),
    ],
)
def test_a_number_has_its_significant_digits(value: float, text: str) -> None:
    assert wording.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(196.6, "197"), (99.96, "100"), (48.56, "48.6"), (3.456, "3.46"), (1, "1")],
)
def test_an_impact_has_a_sign_and_three_digits(value: float, text: str) -> None:
    assert wording.impact(Impact(value, "Gb/s", "measured")) == f"-{text} Gb/s"
    assert wording.impact(Impact(value, "µs", "measured")) == f"+{text} µs"


@pytest.mark.parametrize(("fraction", "text"), [(0.9961, "99.6 %"), (1.0, "100.0 %"), (None, "")])
def test_nearly_all_is_not_all(fraction: float | None, text: str) -> None:
    assert wording.percent(fraction) == text


@pytest.mark.parametrize(
    ("location", "shown_text"),
    [
        ("", "leaf1"),
        ("port Eth1/21", "leaf1:Eth1/21"),
        ("eth0", "leaf1:eth0"),
        ("bnxt_re0 / eth0 / 0000:1d:00.0", "leaf1:eth0 (bnxt_re0, 0000:1d:00.0)"),
        ("bnxt_re0 / eth0", "leaf1:eth0 (bnxt_re0)"),
        ("eth0 / 0000:1d:00.0", "leaf1:eth0 (0000:1d:00.0)"),
        ("port Eth1/21 queue 3", "leaf1:Eth1/21 queue 3"),
        ("host", "leaf1"),
        ("rule from 10.1.0.1/32", "leaf1 rule from 10.1.0.1/32"),
    ],
)
def test_a_location_names_its_device(location: str, shown_text: str) -> None:
    assert wording.format_place("leaf1", location) == shown_text


def test_lines_of_a_value_are_joined_where_a_report_has_one_line_for_it() -> None:
    assert wording.join_lines("port down\n\n  port up\nand 1 more line") == "port down | port up | and 1 more line"


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0, 2.5, 5, 7.5), ["0.0", "2.5", "5.0", "7.5"]),
        ((0, 500, 1000), ["0", "500", "1,000"]),
        ((-2.5, -0.0, 2.5), ["-2.5", "0.0", "2.5"]),
        ((1e6, 1e6 + 0.05), ["1,000,000.00", "1,000,000.05"]),
        ((0, 2e-9, 4e-9), ["0.00e+00", "2.00e-09", "4.00e-09"]),
    ],
)
def test_all_labels_of_a_linear_axis_have_the_same_decimals(values: tuple[float, ...], labels: list[str]) -> None:
    assert wording.level_labels(values) == labels


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0.01, 1, 1000), ["0.01", "1", "1,000"]),
        ((1, 10, 1e7), ["10⁰", "10¹", "10⁷"]),
        ((2e-5, 5e-5), ["2×10⁻⁵", "5×10⁻⁵"]),
    ],
)
def test_labels_of_a_logarithmic_axis_are_all_numbers_or_all_powers(
    values: tuple[float, ...], labels: list[str]
) -> None:
    assert wording.decade_labels(values) == labels


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("node1", "node2", "node3", "leaf1"), "leaf1, node[1-3]"),
        (("node09", "node10"), "node[09-10]"),
        (("node1",), "node1"),
        (("node1", "a!b", "c[1]"), "node1, a!b, c[1]"),
    ],
)
def test_devices_are_ranges(names: tuple[str, ...], text: str) -> None:
    assert wording.format_devices(names) == text


@pytest.mark.parametrize(
    ("names", "letters", "labels"),
    [
        (("node1.example.com", "node2.example.com"), 20, ["node1.example.com", "node2.example.com"]),
        (("node1.example.com", "node2.example.com"), 10, ["node1", "node2"]),
        (("gpu-worker-01", "gpu-worker-12"), 8, ["…01", "…12"]),
        (("gpu-worker-01", "storage-of-rack-7"), 8, ["gpu-wor…", "storage…"]),
        (("a-long-name",), 6, ["a-lon…"]),
    ],
)
def test_shortened_names_keep_what_distinguishes_them(names: tuple[str, ...], letters: int, labels: list[str]) -> None:
    assert wording.shorten_names(names, letters) == labels
