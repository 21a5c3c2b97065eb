"""Change points: a step is found where it is, noise and single outliers are none."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.store.change_points import SIGNIFICANCE, change_points


def _noise(chance: Random, count: int, level: float = 100.0) -> list[float]:
    return [chance.gauss(level, 1) for _ in range(count)]


def _indices(values: list[float]) -> list[int]:
    return [split.index for split in change_points(values)]


@pytest.mark.parametrize(("before", "after"), [(5, 5), (9, 3), (20, 3), (30, 30), (3, 40)])
def test_a_clear_step_is_found_where_it_is(before: int, after: int) -> None:
    for seed in range(10):
        chance = Random(seed)
        change_list = change_points([*_noise(chance, before), *_noise(chance, after, 90.0)])
        assert [split.index for split in change_list] == [before]
        assert change_list[0].p <= SIGNIFICANCE


def test_two_steps_are_two() -> None:
    chance = Random(1)
    assert _indices([*_noise(chance, 15), *_noise(chance, 15, 90.0), *_noise(chance, 15, 96.0)]) == [15, 30]


@pytest.mark.slow
@pytest.mark.parametrize("draw", ["gauss", "lognormal", "heavy"])
@pytest.mark.parametrize("count", [8, 12, 40])
def test_constant_noise_is_no_step(count: int, draw: str) -> None:
    chance = Random(4)
    draw_value = {
        "gauss": lambda: chance.gauss(100, 1),
        "lognormal": lambda: chance.lognormvariate(4, 0.5),
        "heavy": lambda: 100 + chance.gauss(0, 1) / max(0.05, abs(chance.gauss(0, 1))),
    }[draw]
    alarms = sum(bool(_indices([draw_value() for _ in range(count)])) for _ in range(300))
    assert alarms <= SIGNIFICANCE * 300 + 3 * (SIGNIFICANCE * 300) ** 0.5


@pytest.mark.parametrize("position", [0, 7, 19])
def test_one_bad_night_is_no_step(position: int) -> None:
    values = _noise(Random(5), 20)
    values[position] = 20.0
    assert _indices(values) == []


@given(st.lists(st.floats(-1e6, 1e6), max_size=3))
def test_few_values_show_nothing(values: list[float]) -> None:
    assert _indices(values) == []


@given(st.floats(-1e9, 1e9), st.integers(0, 50))
def test_what_never_changes_has_no_step(value: float, count: int) -> None:
    assert _indices([value] * count) == []


def test_a_step_without_noise_is_found() -> None:
    change_list = change_points([0.0] * 12 + [3.0] * 4)
    assert [split.index for split in change_list] == [12]


def test_unit_and_sign_do_not_matter() -> None:
    values = [*_noise(Random(6), 12), *_noise(Random(7), 6, 93.0)]
    assert (
        _indices(values)
        == _indices([value * 1e9 for value in values])
        == _indices([-value for value in values])
        == [12]
    )


def test_the_same_values_give_the_same_answer() -> None:
    values = [*_noise(Random(8), 20), *_noise(Random(9), 5, 97.0)]
    assert change_points(values) == change_points(list(values))
