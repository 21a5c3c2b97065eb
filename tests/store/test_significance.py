"""The Mann-Whitney test and its correction, against counting all orders and against what they promise."""

from __future__ import annotations

from itertools import combinations, product
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.store import significance
from wirespeed.store.significance import (
    benjamini_hochberg,
    compute_signed_ranks,
    mann_whitney,
    median,
    minimum_p,
    spread,
    unimodal,
)

SAMPLE = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=5)
"""Few different values, so that there are ties."""


def _count_p(first: list[float], second: list[float]) -> float:
    """p by its definition: every choice of which values are the first sample."""
    joint_values = [*first, *second]
    ranks = [
        sum(compared < value for compared in joint_values) + (joint_values.count(value) + 1) / 2
        for value in joint_values
    ]
    mean = len(first) * (len(joint_values) + 1) / 2
    distance = abs(sum(ranks[: len(first)]) - mean)
    sums = [sum(chosen) for chosen in combinations(ranks, len(first))]
    return sum(abs(total - mean) >= distance for total in sums) / len(sums)


@given(SAMPLE, SAMPLE)
def test_p_is_the_share_of_all_orders(first: list[float], second: list[float]) -> None:
    assert mann_whitney(first, second).p == pytest.approx(_count_p(first, second), abs=1e-12)


@given(SAMPLE, SAMPLE, st.randoms(use_true_random=False))
def test_order_and_side_do_not_matter(first: list[float], second: list[float], chance: Random) -> None:
    p_value = mann_whitney(first, second)
    second_result = mann_whitney(chance.sample(second, len(second)), chance.sample(first, len(first)))
    assert second_result.p == pytest.approx(p_value.p)
    assert second_result.effect == pytest.approx(1 - p_value.effect)


@given(st.integers(1, 6), st.integers(1, 6))
def test_no_sample_goes_below_the_least_p(first: int, second: int) -> None:
    low, high = [float(index) for index in range(first)], [float(index) for index in range(100, 100 + second)]
    assert mann_whitney(low, high).p == pytest.approx(minimum_p(first, second))
    assert mann_whitney(low, high).effect == 1.0


def _counted_signs(changes: list[float]) -> float:
    """p by its definition: every choice of signs for the ranks of the changes that are not 0."""
    sizes = [abs(change) for change in changes]
    ranks = [sum(compared < size for compared in sizes) + (sizes.count(size) + 1) / 2 for size in sizes]
    moved = [(rank, 1 if change > 0 else -1) for rank, change in zip(ranks, changes, strict=True) if change]
    distance = abs(sum(rank * sign for rank, sign in moved))
    sums = [sum(rank * sign for (rank, _), sign in zip(moved, signs, strict=True)) for signs in _signs(len(moved))]
    return sum(abs(total) >= distance for total in sums) / len(sums)


def _signs(count: int) -> list[tuple[int, ...]]:
    return list(product((-1, 1), repeat=count))


@given(st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=8))
def test_p_of_signed_ranks_is_the_share_of_all_signs(changes: list[float]) -> None:
    assert compute_signed_ranks(changes) == pytest.approx(_counted_signs(changes), abs=1e-12)


def test_signed_ranks_as_published() -> None:
    """Wilcoxon, 1945, table II: of 8 pairs a smaller sum of 4 has a two-sided p of about 0.05 (14/256)."""
    assert compute_signed_ranks([1, 2, 3, -4, 5, 6, 7, 8]) == pytest.approx(14 / 256)
    assert compute_signed_ranks([1, 2, 3, 4, 5, 6]) == pytest.approx(2 / 2**6)


def test_the_approximation_of_signed_ranks_is_near_the_exact_test(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(1)
    samples = [[chance.gauss(0.2, 1) for _ in range(50)] for _ in range(20)]
    exact = [compute_signed_ranks(sample) for sample in samples]
    monkeypatch.setattr(significance, "EXACT_UP_TO", 0)
    assert [compute_signed_ranks(sample) for sample in samples] == pytest.approx(exact, abs=0.01)


def test_one_peak_bounds_the_tails() -> None:
    """Three standard deviations: below 5 %, the three-sigma rule of Vysochanskij and Petunin. Both branches meet."""
    assert unimodal(3) == pytest.approx(4 / 81) and unimodal(-3) == unimodal(3)
    assert unimodal(sqrt(8 / 3)) == pytest.approx(1 / 6) == pytest.approx(unimodal(sqrt(8 / 3) + 1e-9))
    assert unimodal(0) == unimodal(1) == 1.0


def test_published_values() -> None:
    """n = m = 5 without overlap: 2/252. Mann and Whitney, table I: P(U <= 4) of 5 and 5 is .048, so p is .096 at 4."""
    assert mann_whitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]).p == pytest.approx(2 / 252)
    assert mann_whitney([1, 2, 3, 4, 9], [5, 6, 7, 8, 10]).p == pytest.approx(2 * 0.048, abs=1e-3)


def test_the_approximation_is_near_the_exact_test(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(1)
    samples = [([chance.gauss(0, 1) for _ in range(25)], [chance.gauss(0.5, 1) for _ in range(25)]) for _ in range(20)]
    exact = [mann_whitney(*pair).p for pair in samples]
    monkeypatch.setattr(significance, "EXACT_UP_TO", 0)
    assert [mann_whitney(*pair).p for pair in samples] == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("sizes", [(4, 4), (5, 9), (20, 20), (40, 30)])
def test_samples_of_one_distribution_rarely_differ(sizes: tuple[int, int]) -> None:
    chance = Random(2)
    alarms = 0
    for _ in range(400):
        first, second = ([chance.lognormvariate(5, 0.3) for _ in range(size)] for size in sizes)
        alarms += mann_whitney(first, second).p <= 0.05
    assert alarms <= 0.05 * 400 + 3 * (0.05 * 0.95 * 400) ** 0.5


def test_many_series_without_a_difference_rarely_show_one() -> None:
    chance = Random(3)
    families = 0
    for _ in range(60):
        pairs = [([chance.gauss(9, 1) for _ in range(8)], [chance.gauss(9, 1) for _ in range(8)]) for _ in range(30)]
        families += min(benjamini_hochberg([mann_whitney(a, b).p for a, b in pairs])) <= 0.05
    assert families <= 0.05 * 60 + 3 * (0.05 * 0.95 * 60) ** 0.5


def test_the_published_example_of_the_correction() -> None:
    """Benjamini and Hochberg (1995), section 4.1: of these fifteen, four are rejected at 0.05."""
    published = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    published += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    adjusted = benjamini_hochberg(published)
    assert [probability <= 0.05 for probability in adjusted] == [True] * 4 + [False] * 11
    assert adjusted[0] == pytest.approx(0.0015)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_adjusted_is_never_smaller_and_keeps_the_order(probabilities: list[float]) -> None:
    adjusted = benjamini_hochberg(probabilities)
    assert all(
        probability >= raw_probability for probability, raw_probability in zip(adjusted, probabilities, strict=True)
    )
    order = sorted(range(len(probabilities)), key=probabilities.__getitem__)
    assert [adjusted[index] for index in order] == sorted(adjusted)


def test_spread_ignores_an_outlier() -> None:
    assert spread([10.0], 10.0) is None
    assert spread([9.0, 10.0, 11.0], 10.0) == spread([9.0, 10.0, 11_000.0], 10.0) == pytest.approx(1.4826)
    assert (median([3.0, 1.0, 2.0]), median([4.0, 1.0, 2.0, 3.0])) == (2.0, 2.5)
