import pytest

from wirespeed.limits.bound import convert, in_unit, number, scale_bound, tightest
from wirespeed.results.verdicts import Term


def term(name, value, unit="Gb/s"):
    return Term(name, value, unit, "measured", "a test")


def test_the_least_term_binds():
    bound = tightest([term("a", 3), term("b", 2), term("c", 2)], ["one", "two", "one"])
    assert (bound.value, bound.bottleneck, bound.assumptions) == (2, "b", ("one", "two"))


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([], "a bound needs at least one term"),
        ([term("a", 1), term("b", 1, "GB/s")], "terms in different units: GB/s, Gb/s"),
    ],
)
def test_no_bound(terms, message):
    with pytest.raises(ValueError, match=message):
        tightest(terms)


@pytest.mark.parametrize(
    ("value", "unit", "target_unit", "converted"),
    [
        (400, "Gb/s", "GB/s", 50),
        (1, "GB/s", "Gbit/s", 8),
        (1, "MiB/s", "Mb/s", 8.388608),
        (392.15, "Gb/s", "MiB/s", 46747.92),
        (1, "Gbits/sec", "Gb/s", 1),
        (1, "kB/s", "b/s", 8_000),
        (1, "TB/s", "Gb/s", 8_000),
        (1, "KiB/s", "b/s", 8_192),
        (1, "GiB/s", "b/s", 8_589_934_592),
        (1, "TiB/s", "b/s", 8_796_093_022_208),
        (1, "Tbits/sec", "Gb/s", 1_000),
        (1, "Kbits/sec", "b/s", 1_000),
    ],
)
def test_units(value, unit, target_unit, converted):
    assert convert(value, unit, target_unit) == pytest.approx(converted, rel=1e-7)


def test_a_bound_in_another_unit_keeps_its_formula():
    bound = in_unit(tightest([term("a", 400)]), "GB/s")
    assert (bound.value, bound.unit, bound.terms[0].value) == (50, "GB/s", 50)
    assert bound.terms[0].formula == "measured = 400 Gb/s"


def test_a_scaled_bound_reports_it():
    assert scale_bound(tightest([term("a", 10)]), 0.5, "1/2").terms[0].formula == "(measured) × 1/2"


@pytest.mark.parametrize(
    ("value", "text"), [(400.0, "400"), (392.154, "392.15"), (0.5, "0.5"), (46748.16, "46,748"), (1843.65, "1,844")]
)
def test_numbers(value, text):
    assert number(value) == text
