"""Collecting from this machine."""

from __future__ import annotations

import os
import platform as stdlib_platform
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from wirespeed.collect.commands import Asked, asked, needs, nics_of, stack
from wirespeed.collect.manifest import Entry
from wirespeed.collect.write import Writer
from wirespeed.facts import Source, facts_from
from wirespeed.platforms import Command, Output, Outputs, of_system, platforms
from wirespeed.reach import Ran, Status, run
from wirespeed.settings import Host

_ANY = "ubuntu"
"""The platform a machine is read with whose system none speaks for: its commands are those of any Linux."""


def _system() -> str:
    """The platform that speaks for this machine's system or for one it takes after (os-release(5))."""
    try:
        said = stdlib_platform.freedesktop_os_release()
    except OSError:
        return _ANY
    names = [said.get("ID", ""), *said.get("ID_LIKE", "").split()]
    return next((found for name in names if (found := of_system("host", name))), _ANY)


_AT_ONCE = min(8, 2 * (os.cpu_count() or 1))  # they wait more than they compute

Progress = Callable[[str], None]
"""Told of each command that has ended, as typed."""


def local(
    out: Path,
    name: str | None = None,
    limit_s: float | None = None,
    progress: Progress | None = None,
    patience: float = 1,
) -> None:
    """Collect from this machine into a bundle.

    ``name`` is what the cluster calls this host, its own name otherwise. A command gets ``patience`` times its own
    time, and never more than ``limit_s``.

    Raises:
        Refused: something that is no bundle is in the way.
        KeyboardInterrupt: interrupted; the bundle holds what was collected by then.
    """
    device = name or os.uname().nodename
    with Writer(out) as writer:
        _Collector(writer, device, limit_s, progress or (lambda _: None), patience=patience).collect()


@dataclass(slots=True)
class _Collector:
    writer: Writer
    device: str
    limit_s: float | None
    progress: Progress
    outputs: dict[str, Output] = field(default_factory=dict)
    locks: dict[str, threading.Lock] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    order: dict[str, int] = field(default_factory=dict)
    system: str = field(default_factory=_system)
    patience: float = 1

    def collect(self) -> None:
        """First what needs no NIC, then what needs its name alone, then what needs what was learnt by that."""
        system = ("host", self.system)
        self.writer.device(self.device, (system,))
        commands = platforms()[system].commands
        self._run(ask for command in commands if not command.per_nic for ask in asked(command, {}))
        for known in ({"interface"}, {"interface", "rdma", "pcie", "function"}):
            nics = self._host().nics
            self._run(ask for command in self._waiting(commands, known) for ask in asked(command, nics))
        host = self._host()
        platforms_of_host = stack(self.system, host.nics)
        self.writer.device(self.device, platforms_of_host)
        for key in platforms_of_host[1:]:
            nics = nics_of(host, key)
            self._run(ask for command in platforms()[key].commands for ask in asked(command, nics))

    def _waiting(self, commands: Iterable[Command], known: set[str]) -> list[Command]:
        done = {name.partition("@")[0] for name in self.order}
        return [
            command for command in commands if command.per_nic and command.id not in done and needs(command) <= known
        ]

    def _host(self) -> Host:
        """What is known of this machine by now."""
        found = platforms()["host", self.system].parse(Outputs(self.device, self.outputs))
        host = facts_from(found, devices=[self.device]).devices[self.device]
        assert isinstance(host, Host)
        return host

    def _run(self, wanted: Iterable[Asked]) -> None:
        """Run what is wanted; what only falls back is run where the command it stands in for did not answer."""
        asks = list(wanted)
        self._run_all(ask for ask in asks if ask.command.fallback_for is None)
        self._run_all(ask for ask in asks if ask.fallback_for and ask.fallback_for not in self.outputs)

    def _run_all(self, wanted: Iterable[Asked]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            futures: dict[Future[Ran], Asked] = {}
            for ask in wanted:
                self.order[ask.id] = len(self.order)
                if ask.arguments:
                    self.locks.setdefault(ask.command.run[0], threading.Lock())
                    futures[pool.submit(self._ask, ask)] = ask
                else:
                    entry = Entry(ask.id, ask.text, "not-applicable", None, detail=ask.reason)
                    self.writer.output(self.device, entry, None, order=self.order[ask.id])
            try:
                for future in as_completed(futures):
                    self._keep(futures[future], future.result())
            except BaseException:
                self.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _ask(self, ask: Asked) -> Ran:
        lock = self.locks[ask.command.run[0]] if ask.command.exclusive else nullcontext()
        own = self.patience * ask.command.timeout_s
        seconds = own if self.limit_s is None else min(own, self.limit_s)
        with lock:
            return run(ask.arguments, seconds, ask.command.exits, stop=self.stop)

    def _keep(self, ask: Asked, ran: Ran) -> None:
        started = ran.started.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry = Entry(
            ask.id,
            ask.text,
            ran.status.value,
            None,
            exit_code=ran.exit_code,
            started=started,
            duration_ms=round(ran.duration_s * 1000),
            detail=ran.detail,
        )
        began = ran.exit_code is not None or ran.status is Status.TIMEOUT
        self.writer.output(self.device, entry, ran.stdout if began else None, ran.stderr, self.order[ask.id])
        if ran.status is Status.OK:
            text = ran.stdout.decode("utf-8", "replace")
            errors = ran.stderr.decode("utf-8", "replace")
            source = Source(self.device, ask.id, ask.id)
            self.outputs[ask.id] = Output(ask.id, text, source, ran.exit_code or 0, errors)
        self.progress(ask.text)
