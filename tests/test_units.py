import pytest

from wirespeed.units import Bandwidth, Duration, Length, Size


@pytest.mark.parametrize(
    ("quantity", "text", "base"),
    [
        (Bandwidth, "400 Gb/s", 400_000_000_000),
        (Bandwidth, "400G", 400_000_000_000),
        (Bandwidth, "48 GB/s", 384_000_000_000),
        (Bandwidth, "0.5 b/s", "'0.5 b/s' is no whole number of b/s"),
        (Size, "64 KiB", 65536),
        (Size, "1000 kB", 1_000_000),
        (Size, "12", "'12' has no unit; size units are B, kB, MB, GB, KiB, MiB, GiB"),
        (
            Size,
            "12 kb",
            "'12 kb' has the unknown unit 'kb'; size units are B, kB, MB, GB, KiB, MiB, GiB; did you mean 12kB?",
        ),
        (Duration, "200 ms", 200_000_000_000),
        (Duration, "-1 ms", "'-1 ms' is no duration, such as '200 ms'"),
        (Length, "1.5 m", 1500),
    ],
)
def test_parse(quantity, text, base):
    if isinstance(base, int):
        assert quantity.parse(text) == base
        return
    with pytest.raises(ValueError) as refusal:
        quantity.parse(text)
    assert str(refusal.value) == base


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Bandwidth.gbps(400), "400 Gb/s"),
        (Bandwidth.gbps(392.15), "392.1 Gb/s"),
        (Bandwidth(100), "100 b/s"),
        (Size(65536), "64 KiB"),
        (Size(1_048_000), "1.048 MB"),
        (Size(0), "0 B"),
        (Duration(200_000_000_000), "200 ms"),
        (Length(3000), "3 m"),
    ],
)
def test_print(value, text):
    assert str(value) == text


def test_units_convert_in_both_directions() -> None:
    assert Duration.from_unit(200, "ms") == Duration.parse("200 ms")
    assert Duration.parse("1999 us").milliseconds == 1
    assert Duration.parse("2000 us").is_whole("ms") and not Duration.parse("1999 us").is_whole("ms")
    assert Duration.parse("1999 us").microseconds == 1999
    assert Bandwidth.from_unit(25_000, "Mb/s").whole("Gb/s") == 25
    assert Length.parse("1500 mm").in_unit("m") == 1.5


def test_a_rate_turns_bytes_into_time_and_back() -> None:
    assert Bandwidth.gbps(400).compute_duration(Size(1_000_000)) == Duration.parse("20 us")
    assert Bandwidth.gbps(400).size_in(Duration.parse("20 us")) == Size(1_000_000)
