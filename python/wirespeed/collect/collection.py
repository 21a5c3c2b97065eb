"""Collects from this machine, or from machines that a function reaches."""

from __future__ import annotations

import os
import platform as stdlib_platform
import pwd
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wirespeed.collect.bundle_writer import Writer
from wirespeed.collect.commands import Invocation, list_invocations, list_needs, list_platforms, select_nics
from wirespeed.collect.manifest import Entry
from wirespeed.facts import Source, assemble_facts
from wirespeed.platforms import Command, Output, Outputs, platform_of_system, platforms
from wirespeed.reach import CommandResult, Status, run
from wirespeed.settings import Host

_DEFAULT_PLATFORM = "ubuntu"
"""The platform of machines with an unknown system: its commands work on any Linux."""


def _find_system() -> str:
    """The platform of this machine's system, or of a system that it is derived from (os-release(5))."""
    try:
        release = stdlib_platform.freedesktop_os_release()
    except OSError:
        return _DEFAULT_PLATFORM
    names = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    return next((platform for name in names if (platform := platform_of_system("host", name))), _DEFAULT_PLATFORM)


def _find_home() -> str:
    """The home folder of the user who runs this, or who called sudo: programs of jobs are built there."""
    user = os.environ.get("SUDO_USER", "root")
    if os.geteuid() == 0 and user != "root":
        with suppress(KeyError):  # the system does not know the user
            return pwd.getpwnam(user).pw_dir
    return str(Path("~").expanduser())


_AT_ONCE = min(8, 2 * (os.cpu_count() or 1))  # commands mostly wait

Progress = Callable[[str], None]
"""Called with the command line of each finished command."""


class Run(Protocol):
    """Runs a command somewhere, as `wirespeed.reach.run` does here."""

    def __call__(
        self, arguments: Sequence[str], timeout_s: float, exits: Sequence[int] = (0,), *, stop: threading.Event
    ) -> CommandResult:
        """Run a command; return output and status."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A device, the platform of its system, and the function that runs commands on it.

    ``network``: the device is a network namespace, so only network settings are collected. ``unreachable_reason``: why
    it cannot be reached, if so. ``home``: home folder of the jobs' user, if known.
    """

    name: str
    platform: tuple[str, str]
    run: Run
    network: bool = False
    unreachable_reason: str | None = None
    home: str | None = None


def collect_local(
    target: Path,
    name: str | None = None,
    limit_s: float | None = None,
    progress: Progress | None = None,
    patience: float = 1,
) -> None:
    """Collect from this machine into a bundle.

    ``name`` is the host's name in the cluster file; default: its host name. A command's timeout is multiplied by
    ``patience`` and is at most ``limit_s``.

    Raises:
        Refusal: the output path contains something other than a bundle.
        KeyboardInterrupt: interrupted; the bundle contains the outputs until then.
    """
    system = ("host", _find_system())
    local_machine = Machine(name or os.uname().nodename, system, run, home=_find_home())
    collect_machines(target, (local_machine,), limit_s=limit_s, progress=progress, patience=patience)


def collect_machines(
    target: Path,
    machines: Sequence[Machine],
    cluster: str | None = None,
    limit_s: float | None = None,
    progress: Progress | None = None,
    patience: float = 1,
) -> None:
    """Collect from machines, one after the other, into one bundle; see `collect_local`.

    Raises:
        Refusal: the output path contains something other than a bundle.
        KeyboardInterrupt: interrupted; the bundle contains the outputs until then.
    """
    with Writer(target, cluster) as writer:
        for machine in machines:
            _Collector(writer, machine, limit_s, progress or (lambda _: None), patience=patience).collect()


def platform_key(kind: str, os: str | None) -> tuple[str, str]:
    """The platform of an operating system as a cluster file names it; the default one if there is none."""
    return (kind, platform_of_system(kind, os or "") or _DEFAULT_PLATFORM)


@dataclass(slots=True)
class _Collector:
    writer: Writer
    machine: Machine
    limit_s: float | None
    progress: Progress
    outputs: dict[str, Output] = field(default_factory=dict)
    locks: dict[str, threading.Lock] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    order: dict[str, int] = field(default_factory=dict)
    patience: float = 1

    @property
    def device(self) -> str:
        return self.machine.name

    def collect(self) -> None:
        """Run commands without a NIC first, then those that need its name, then those that need its other
        properties."""
        system = self.machine.platform
        self.writer.add_device(self.device, (system,))
        commands = platforms()[system].commands
        self._run_with_fallbacks(
            invocation
            for command in commands
            if not command.per_nic
            for invocation in list_invocations(command, {}, self.machine.home)
        )
        if system[0] != "host":
            return
        for known_properties in ({"interface"}, {"interface", "rdma", "pcie", "function"}):
            nics = self._read_host().nics
            pending_commands = self._list_pending_commands(commands, known_properties)
            self._run_with_fallbacks(
                invocation for command in pending_commands for invocation in list_invocations(command, nics)
            )
        if self.machine.network:
            return
        host = self._read_host()
        platforms_of_host = list_platforms(system[1], host.nics)
        self.writer.add_device(self.device, platforms_of_host)
        for key in platforms_of_host[1:]:
            nics = select_nics(host, key)
            self._run_with_fallbacks(
                invocation for command in platforms()[key].commands for invocation in list_invocations(command, nics)
            )

    def _list_pending_commands(self, commands: Iterable[Command], known_properties: set[str]) -> list[Command]:
        command_ids = {name.partition("@")[0] for name in self.order}
        return [
            command
            for command in commands
            if command.per_nic and command.id not in command_ids and list_needs(command) <= known_properties
        ]

    def _read_host(self) -> Host:
        """The host, from the outputs read so far."""
        observations = platforms()[self.machine.platform].parse(Outputs(self.device, self.outputs))
        host = assemble_facts(observations, devices=[self.device]).devices[self.device]
        assert isinstance(host, Host)
        return host

    def _run_with_fallbacks(self, requested: Iterable[Invocation]) -> None:
        """Run the commands. A fallback runs only if the command that it replaces failed."""
        invocation_list = list(requested)
        self._run_all(invocation for invocation in invocation_list if invocation.command.fallback_for is None)
        self._run_all(
            invocation
            for invocation in invocation_list
            if invocation.fallback_for and invocation.fallback_for not in self.outputs
        )

    def _run_all(self, requested: Iterable[Invocation]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            futures: dict[Future[CommandResult], Invocation] = {}
            for invocation in requested:
                self.order[invocation.id] = len(self.order)
                reason = self._find_skip_reason(invocation)
                if reason is None:
                    self.locks.setdefault(invocation.command.run[0], threading.Lock())
                    futures[pool.submit(self._run_invocation, invocation)] = invocation
                else:
                    entry = Entry(
                        invocation.id,
                        invocation.text,
                        "failed" if self.machine.unreachable_reason else "not-applicable",
                        None,
                        detail=reason,
                    )
                    self.writer.write_output(self.device, entry, None, order=self.order[invocation.id])
            try:
                for future in as_completed(futures):
                    self._store_result(futures[future], future.result())
            except BaseException:
                self.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _find_skip_reason(self, invocation: Invocation) -> str | None:
        if self.machine.unreachable_reason is not None:
            return self.machine.unreachable_reason
        if self.machine.network and not invocation.command.network:
            return "it would show the machine of the lab; only network settings belong to the device"
        return None if invocation.arguments else invocation.reason

    def _run_invocation(self, invocation: Invocation) -> CommandResult:
        lock = self.locks[invocation.command.run[0]] if invocation.command.exclusive else nullcontext()
        command_limit_s = self.patience * invocation.command.timeout_s
        seconds = command_limit_s if self.limit_s is None else min(command_limit_s, self.limit_s)
        with lock:
            return self.machine.run(invocation.arguments, seconds, invocation.command.exits, stop=self.stop)

    def _store_result(self, invocation: Invocation, ran: CommandResult) -> None:
        start_time = ran.started.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry = Entry(
            invocation.id,
            invocation.text,
            ran.status.value,
            None,
            exit_code=ran.exit_code,
            started=start_time,
            duration_ms=round(ran.duration_s * 1000),
            detail=ran.detail,
        )
        began = ran.exit_code is not None or ran.status is Status.TIMEOUT
        self.writer.write_output(
            self.device, entry, ran.stdout if began else None, ran.stderr, self.order[invocation.id]
        )
        if ran.status is Status.OK:
            text = ran.stdout.decode("utf-8", "replace")
            errors = ran.stderr.decode("utf-8", "replace")
            source = Source(self.device, invocation.id, invocation.id)
            self.outputs[invocation.id] = Output(invocation.id, text, source, ran.exit_code or 0, errors)
        self.progress(invocation.text)
