"""Read many logs with one process per core, and return them in the order of the files.

The processes are forked before any file or connection is opened, and share nothing with the process that writes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from types import TracebackType
from typing import TYPE_CHECKING

from wirespeed.cli import logs
from wirespeed.cli.logs import LogFile
from wirespeed.errors import Problem, Refusal, refuse

if TYPE_CHECKING:
    from wirespeed.store import Batch

SHARE = 32 << 20
"""Bytes of logs that are read and written at once, half a second of work: each write touches every series."""

_WORTH_IT = 16 << 20  # bytes; below, starting processes takes longer than it saves
_MOST_FILES = 1024  # per share
_AHEAD = 2  # waiting shares per process
_COLLECT = 1_000_000  # objects between two garbage collections: objects of a reader live until their share is returned
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h of glibc
_RETAINED_BYTES = 1 << 28


@dataclass(slots=True)
class Share:
    """The runs of a part of the logs, ready to be stored, and the problems of reading them.

    ``notices`` concern logs that were read, ``skipped`` files in a folder without output of a known tool.
    """

    batch: Batch
    size: int = 0
    notices: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    refusals: list[Problem] = field(default_factory=list)


class Readers:
    """Reads logs with up to ``jobs`` processes; None: one for each core that this process may use."""

    def __init__(self, files: Sequence[LogFile], jobs: int | None = None) -> None:
        shares = list(_divide_into_shares(files))
        self.size = sum(size for _, size in shares)
        self._shares = deque(shares)
        self._waiting: deque[Future[Share]] = deque()
        jobs = min(jobs or len(os.sched_getaffinity(0)), len(shares))
        self._pool = _create_pool(jobs) if jobs > 1 and self.size >= _WORTH_IT else None
        self._submit_shares(_AHEAD * jobs)  # they read while the caller opens its store

    def __enter__(self) -> Readers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def __iter__(self) -> Iterator[Share]:
        """The shares in the order of the files.

        Raises:
            Refusal: a reading process was killed.
        """
        if self._pool is None:
            while self._shares:
                yield read_share(*self._shares.popleft())
            return
        try:
            while self._waiting:
                share = self._waiting.popleft().result()
                self._submit_shares(1)
                yield share
        except BrokenProcessPool as error:
            hint = "probably out of memory; --jobs 1 needs less and continues after the logs stored so far"
            raise refuse("parsing logs", "a process was killed", hint=hint) from error

    def _submit_shares(self, limit: int) -> None:
        if self._pool is None:
            return
        for _ in range(min(limit, len(self._shares))):
            self._waiting.append(self._pool.submit(read_share, *self._shares.popleft()))


def read_share(files: Sequence[LogFile], size: int = 0) -> Share:
    """Read logs; problems are noted."""
    from wirespeed.store import Batch

    share = Share(Batch(), size)
    for file in files:
        _read_file(file, share)
    share.batch.sort()
    return share


def _read_file(file: LogFile, share: Share) -> None:
    from wirespeed.store import pack

    content = file.content()
    try:
        reading = logs.read(file, content, communicators=False)
    except Refusal as problem:
        (share.skipped if file.is_in_folder else share.refusals).extend(
            problem.problems
        )  # a folder may contain other files
        return
    share.notices += reading.notices
    share.batch.add(pack(file.name, content, file.key), reading.runs, file.ends)


def _divide_into_shares(files: Sequence[LogFile]) -> Iterator[tuple[list[LogFile], int]]:
    share: list[LogFile] = []
    total = 0
    for file in files:
        share.append(file)
        total += file.path.stat().st_size if file.path is not None else 0
        if total >= SHARE or len(share) >= _MOST_FILES:
            yield share, total
            share, total = [], 0
    if share:
        yield share, total


def _create_pool(jobs: int) -> ProcessPoolExecutor:
    from wirespeed.benchmarks.tools.reader import tools

    tools()  # load the readers once before the fork
    gc.freeze()
    gc.set_threshold(_COLLECT)
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("fork"), initializer=_initialize_process)
    pool.submit(os.getpid).result()  # processes start with their first task, which must precede the opening of a store
    return pool


def _initialize_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the writing process decides
    _keep_memory()


def _keep_memory() -> None:
    """Let glibc keep the memory of a log for the next one: returning it costs a page fault per 4 KiB.

    mallopt(3); other C libraries have no such setting and need none.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, _RETAINED_BYTES)
        mallopt(_M_MMAP_THRESHOLD, _RETAINED_BYTES)
