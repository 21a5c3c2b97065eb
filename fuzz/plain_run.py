"""Run changed inputs of a Python target without coverage, and count them: ``plain_run.py NAME INPUTS SECONDS FOLDER``.

An instrumented Python program takes several times as long for an input. Here each input is a stored input or a seed
after one to four changes, or the previous input after further changes; nothing steers the choice. The counts of all
runs are kept in ``FOLDER/inputs/NAME.json`` and a run goes on from them until INPUTS have run. An interrupt (SIGINT,
SIGTERM) and SECONDS, unless 0, end a run after its present input. Inputs that fail go to ``FOLDER/failures/``, their
reports to its ``NAME.log``.
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NoReturn

from input_count import read_count, write_count
from python_target import extend_path, load_targets
from run import FUZZ, MEMORY_MB, ROOT, TIMEOUT_S, read_corpus

BATCH_INPUTS = 2000
"""The counts are written after each batch. The number of a batch gives its random changes."""
CHANGED_AGAIN = 0.25
"""Share of inputs that are the previous input, changed further."""
OVERHEAD_BYTES = 1024
"""An input takes the time of this many bytes beside that of its own."""
INPUTS_PER_FAULT = 3
GARBAGE_OBJECTS = 10_000
"""Objects between collections of garbage. Inputs leave little of it, and Python's 700 take up to 15 % more time."""
PACKAGE = ROOT / "python"
"""A fault is named by its last location in these modules."""


class InputTimeoutError(BaseException):
    """An input took more than `TIMEOUT_S` of processor time."""


def main() -> None:
    """Run a target until its count is complete."""
    name, inputs, seconds, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MB << 20, MEMORY_MB << 20))
    extend_path()
    try:
        _lock(folder, name)
    except BlockingIOError:
        raise SystemExit(f"another run of {name} is going on; hint: wait until it has ended") from None
    run = PlainRun(name, folder)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, run.stop)
    signal.signal(signal.SIGPROF, raise_timeout)
    signal.alarm(seconds)
    run.run(inputs)


def _lock(folder: Path, name: str) -> None:
    """Let no second process count the inputs of a target.

    Raises:
        BlockingIOError: a process counts them now.
    """
    path = folder / "inputs" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    fcntl.flock(os.open(path, os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)


class PlainRun:
    """The run of one target in this process."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.target: Any = load_targets()[name]
        self.count = read_count(folder, name)
        self.stored = [*self.target.seeds(), *read_corpus(FUZZ / "corpus" / f"{name}.txt")]
        self.is_stopped = False

    def run(self, inputs: int) -> None:
        """Run batches until ``inputs`` have run in all runs, or until a signal."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE_OBJECTS)
        while self.count.inputs < inputs and not self.is_stopped:
            random = Random(f"{self.name} {self.count.batches}")
            self.count.batches += 1
            self.run_batch(
                change_inputs(self.target, self.stored, random), min(BATCH_INPUTS, inputs - self.count.inputs)
            )
            write_count(self.folder, self.name, self.count)

    def run_batch(self, contents: Iterator[bytes], inputs: int) -> None:
        """Check this many inputs, or fewer after a signal."""
        started = time.process_time()
        for content in contents:
            signal.setitimer(signal.ITIMER_PROF, TIMEOUT_S)
            try:
                self.target.check(content)
            except BaseException as error:
                self._note_failure(content, error)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            self.count.inputs += 1
            inputs -= 1
            if inputs == 0 or self.is_stopped:
                break
        self.count.cpu_s += time.process_time() - started

    def _note_failure(self, content: bytes, error: BaseException) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        location = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)][-1:] or frames[-1:]
        fault = f"{type(error).__name__} at {Path(location[0].filename).name}:{location[0].lineno}"
        self.count.failures[fault] = self.count.failures.get(fault, 0) + 1
        if self.count.failures[fault] > INPUTS_PER_FAULT:
            return
        failures = self.folder / "failures"
        failures.mkdir(parents=True, exist_ok=True)
        kind = "timeout" if isinstance(error, InputTimeoutError) else "crash"
        path = failures / f"{self.name}-{kind}-{hashlib.sha1(content, usedforsecurity=False).hexdigest()}"
        path.write_bytes(content)
        with (failures / f"{self.name}.log").open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{path.name}\n{''.join(traceback.format_exception(error))}\n")

    def stop(self, number: int, frame: FrameType | None) -> None:
        """End the run after its present input."""
        self.is_stopped = True


def change_inputs(target: Any, stored: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Changed inputs without end; every stored input gets about the same time, so short ones are chosen more often."""
    weights = list(accumulate(1 / (len(content) + OVERHEAD_BYTES) for content in stored))
    content = b""
    while True:
        if not content or random.random() >= CHANGED_AGAIN:
            content = random.choices(stored, cum_weights=weights)[0]
        content = target.mutate(content, random)[: target.longest]
        yield content


def raise_timeout(number: int, frame: FrameType | None) -> NoReturn:
    """Fail the present input."""
    raise InputTimeoutError(f"the input took more than {TIMEOUT_S} s of processor time")


if __name__ == "__main__":
    main()
