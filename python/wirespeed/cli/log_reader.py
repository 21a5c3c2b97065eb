"""Many logs at once: read by as many processes as there are cores, handed on in the order of the files.

The processes are forked before anything else is open, and share nothing with the one that writes.
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
"""Bytes of logs that are read, handed on and written together: half a second's. A write touches every series."""

_WORTH_IT = 16 << 20  # below, starting processes takes longer than it saves
_MOST_FILES = 1024  # of a share
_AHEAD = 2  # shares that wait for each process
_COLLECT = 1_000_000  # objects between two looks for garbage: what a reader makes lives until its share is handed on
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h of glibc
_KEPT = 1 << 28


@dataclass(slots=True)
class Share:
    """What a part of the logs holds, ready to be stored, and what could not be read of it.

    ``notices`` are of logs that were read, ``skipped`` of files in a folder without output of a known tool.
    """

    batch: Batch
    size: int = 0
    notices: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    refusals: list[Problem] = field(default_factory=list)


class Readers:
    """Reads logs, with ``jobs`` processes where that is worth it; None for one on each core this process may use."""

    def __init__(self, files: Sequence[LogFile], jobs: int | None = None) -> None:
        shares = list(_shares(files))
        self.size = sum(size for _, size in shares)
        self._shares = deque(shares)
        self._waiting: deque[Future[Share]] = deque()
        jobs = min(jobs or len(os.sched_getaffinity(0)), len(shares))
        self._pool = _pool(jobs) if jobs > 1 and self.size >= _WORTH_IT else None
        self._submit(_AHEAD * jobs)  # they read while the caller opens its store

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
            Refusal: a process that read was killed.
        """
        if self._pool is None:
            while self._shares:
                yield read_share(*self._shares.popleft())
            return
        try:
            while self._waiting:
                share = self._waiting.popleft().result()
                self._submit(1)
                yield share
        except BrokenProcessPool as error:
            hint = "probably out of memory; --jobs 1 needs less and continues after the logs stored so far"
            raise refuse("parsing logs", "a process was killed", hint=hint) from error

    def _submit(self, limit: int) -> None:
        if self._pool is None:
            return
        for _ in range(min(limit, len(self._shares))):
            self._waiting.append(self._pool.submit(read_share, *self._shares.popleft()))


def read_share(files: Sequence[LogFile], size: int = 0) -> Share:
    """Read logs; what cannot be read is noted."""
    from wirespeed.store import Batch

    share = Share(Batch(), size)
    for file in files:
        _read(file, share)
    share.batch.sort()
    return share


def _read(file: LogFile, share: Share) -> None:
    from wirespeed.store import pack

    content = file.content()
    try:
        reading = logs.read(file, content, communicators=False)
    except Refusal as problem:
        (share.skipped if file.inside else share.refusals).extend(problem.problems)  # in a folder stand others too
        return
    share.notices += reading.notices
    share.batch.add(pack(file.name, content, file.key), reading.runs, file.location)


def _shares(files: Sequence[LogFile]) -> Iterator[tuple[list[LogFile], int]]:
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


def _pool(jobs: int) -> ProcessPoolExecutor:
    from wirespeed.benchmarks.tools.reader import tools

    tools()  # before the fork: once for all of them
    gc.freeze()
    gc.set_threshold(_COLLECT)
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("fork"), initializer=_start)
    pool.submit(os.getpid).result()  # the processes start with the first work, and must before a store is opened
    return pool


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the one that writes decides
    _keep_memory()


def _keep_memory() -> None:
    """Ask glibc to keep what a log needed for the next one: to give it back costs a page fault per 4 KiB.

    mallopt(3); other C libraries have no such setting and need none.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, _KEPT)
        mallopt(_M_MMAP_THRESHOLD, _KEPT)
