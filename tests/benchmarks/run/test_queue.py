"""Order of the queue."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wirespeed.benchmarks.run.execution import estimate_remaining_s
from wirespeed.benchmarks.run.queue import Queue, duration, schedule
from wirespeed.results.campaign import Command, Step


def step(name: str, *uses: str, stage: int = 0, seconds: float = 10, **shares: int) -> Step:
    return Step(
        id=name,
        test="test",
        ends="a -> b",
        client=Command("a", ("true",)),
        limit_s=60,
        seconds=seconds,
        stage=stage,
        uses={**dict.fromkeys(uses, 1), **shares},
    )


def take_jobs(queue: Queue) -> list[str]:
    job_ids = []
    while (job := queue.take()) is not None:
        job_ids.append(job.id)
    return job_ids


def test_steps_that_share_something_wait_for_each_other() -> None:
    first, second, third = step("1", "a", "b"), step("2", "b", "c"), step("3", "c", "d")
    queue = Queue([first, second, third], {}, 10)
    assert take_jobs(queue) == ["1", "3"]
    queue.finish(third)
    assert take_jobs(queue) == []
    queue.finish(first)
    assert take_jobs(queue) == ["2"]


def test_a_shared_thing_holds_as_much_as_it_holds() -> None:
    queue = Queue([step(str(number), up=400) for number in range(3)], {"up": 800}, 10)
    assert take_jobs(queue) == ["0", "1"]


def test_a_stage_waits_for_the_one_before_it_and_a_retest_belongs_to_its_own() -> None:
    first, second = step("1"), step("2", stage=1)
    queue = Queue([first, second], {}, 10)
    assert take_jobs(queue) == ["1"]
    queue.finish(first)
    queue.requeue(first)
    assert take_jobs(queue) == ["1"]
    queue.finish(first)
    assert take_jobs(queue) == ["2"]


@pytest.mark.parametrize(("parallel", "seconds"), [(1, 40), (2, 20), (4, 20)])
def test_how_long_it_takes(parallel: int, seconds: float) -> None:
    steps = [step("1", "a"), step("2", "b"), step("3", "a"), step("4", "b")]
    assert duration(steps, {}, parallel) == seconds
    assert duration([*steps, replace(steps[0], stage=1)], {}, parallel) == seconds + 10


def test_the_schedule_starts_a_step_when_its_resources_are_free() -> None:
    steps = [step("a", "nic1"), step("b", "nic1", "nic2", seconds=5), step("c", "nic3"), step("d", stage=1)]
    starts = [(start_s, started.id) for start_s, started in schedule(steps, {}, 64)]
    assert starts == [(0.0, "a"), (0.0, "c"), (10.0, "b"), (15.0, "d")]


@pytest.mark.parametrize(
    ("ended_s", "elapsed_s", "expected"),
    [
        (0, 0, 30),
        (3, 6, 29.7),  # the first step took twice its time
        (15, 30, 22.5),
        (27, 54, 5.7),
        (30, 60, 0),
    ],
)
def test_the_remaining_time_follows_the_pace_slowly(ended_s: float, elapsed_s: float, expected: float) -> None:
    assert estimate_remaining_s(30, 30, 30, ended_s, elapsed_s) == pytest.approx(expected)


def test_a_repetition_adds_to_the_remaining_time() -> None:
    assert estimate_remaining_s(20, 40, 50, 10, 5) == pytest.approx(20)
