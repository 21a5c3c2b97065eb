"""Machines over ssh, through ClusterShell and the OpenSSH of the system with its configuration."""

from __future__ import annotations

import shlex
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from wirespeed.errors import refuse
from wirespeed.reach.call import LISTENING_MARK, LONGEST_COMMAND, Call, error_line, outcome
from wirespeed.reach.local import LARGEST_OUTPUT, CommandResult, Status

CONNECT_S = 10
_FAILED_EXIT = 255
"""Exit code of ssh itself (ssh(1), exit status)."""


@dataclass(frozen=True, slots=True)
class Ssh:
    """Hosts by ssh. ``options`` are arguments of ssh, such as ``-J jump`` or ``-oPort=2222``."""

    user: str | None = None
    options: tuple[str, ...] = ()
    connect_s: int = CONNECT_S
    names: dict[str, str] = field(default_factory=dict)  # ssh names of hosts, if not the host name

    def start(self, call: Call) -> _Remote:
        """Start a command on its machine."""
        return _Remote(self, call)

    def command_text(self, call: Call) -> str:
        """The command for copy and paste: quoted for the local and the remote shell."""
        return shlex.join((*self.command, self.name(call.host), shlex.join(call.plain)))

    def name(self, host: str) -> str:
        """The ssh name of a host.

        Raises:
            Refusal: ssh would read the name as an option, or ClusterShell as several hosts.
        """
        name = self.names.get(host, host)
        if not name or name.startswith("-") or any(sign in name for sign in "[],&^!@* \t"):
            raise refuse("ssh", f"the host name {name!r}", "a name or an address of one host")
        return name

    @property
    def command(self) -> tuple[str, ...]:
        """ssh and its options, as ClusterShell passes them."""
        return ("ssh", *self.options, *(("-l", self.user) if self.user else ()), f"-oConnectTimeout={self.connect_s}")


class _Remote:
    """A command that ClusterShell runs, in a thread that waits for its events."""

    def __init__(self, ssh: Ssh, call: Call) -> None:
        self._ssh, self._call = ssh, call
        self._name = ssh.name(call.host)
        _import_library()
        self._started, self._clock = datetime.now(UTC), time.monotonic()
        self._seconds = 0.0
        self._outputs = bytearray(), bytearray()
        self._code: int | None = None
        self._stopped = False
        self._listening, self._ended, self._ready = threading.Event(), threading.Event(), threading.Event()
        self._task: Any = None
        self._error: str | None = None
        threading.Thread(target=self._run_task, daemon=True).start()
        self._ready.wait()

    def wait_for_listener(self, within_s: float) -> bool:
        """Wait until the server listens."""
        deadline = time.monotonic() + within_s
        while not self._ended.is_set() and time.monotonic() < deadline:
            if self._listening.wait(0.02):
                return True
        return self._listening.is_set() and not self._ended.is_set()

    def wait_for_end(self, within_s: float) -> bool:
        """Wait until it has ended."""
        return self._ended.wait(within_s)

    def stop(self) -> None:
        """End the command: its guard ends without the connection."""
        if self._ended.is_set():
            return
        self._stopped = True
        self._task.abort()
        while not self._ended.wait(1):  # it was stopped before it had started
            self._task.abort()

    def result(self) -> CommandResult:
        """Wait for the end; return output and status."""
        self._ended.wait()
        stdout, stderr = (bytes(output) for output in self._outputs)
        if self._error is not None:
            return CommandResult(Status.FAILED, stdout, stderr, None, self._started, self._seconds, self._error)
        code = None if self._stopped else self._code
        if code == _FAILED_EXIT:
            message = error_line(stderr) or "ssh failed"
            return CommandResult(Status.UNREACHABLE, stdout, stderr, code, self._started, self._seconds, message)
        return outcome(self._call, stdout, stderr, code, self._started, self._seconds)

    def _run_task(self) -> None:
        from ClusterShell.Task import task_self, task_terminate

        try:
            task = self._task = task_self()
            task.set_info("connect_timeout", self._ssh.connect_s)
            if self._ssh.user:
                task.set_info("ssh_user", self._ssh.user)
            if self._ssh.options:
                task.set_info("ssh_options", shlex.join(self._ssh.options))
            # %-words are ClusterShell's only in commands of its exec worker, not in those of ssh.
            command = self._call.shell_text
            if self._call.length > LONGEST_COMMAND:
                raise ValueError(
                    f"the command has {self._call.length:,} bytes, more than the {LONGEST_COMMAND:,} of ssh"
                )
            # Twice the command's limit: the guard acts earlier, unless the machine is lost.
            limit = 2 * self._call.limit_s + self._ssh.connect_s
            task.shell(command, nodes=self._name, handler=_make_handler(self), stderr=True, timeout=limit, tree=False)
            self._ready.set()
            task.resume()
        except Exception as error:  # any error is a failure of this command only
            self._error = f"{type(error).__name__}: {error}"
        finally:
            self._seconds = time.monotonic() - self._clock
            self._ready.set()
            self._ended.set()
            task_terminate()

    def add_output(self, stream: str, line: bytes) -> None:
        """Handle a line of output."""
        if stream == "stdout" and line.strip() == LISTENING_MARK:
            self._listening.set()
        output = self._outputs[stream == "stderr"]
        if len(output) < LARGEST_OUTPUT:
            output += line + b"\n"

    def set_exit_code(self, code: int) -> None:
        """Record the exit code."""
        self._code = code


_import_lock = threading.Lock()


def _import_library() -> None:
    """Import the library before the threads that use it, because its modules have cyclic imports."""
    with _import_lock:
        import ClusterShell.Task
        import ClusterShell.Worker.Ssh  # noqa: F401  # else each thread's first command imports it


def _make_handler(remote: _Remote) -> Any:
    from ClusterShell.Event import EventHandler

    class Handler(EventHandler):  # type: ignore[misc]
        def ev_read(self, worker: Any, node: str, sname: str, msg: bytes) -> None:
            remote.add_output(sname, msg)

        def ev_hup(self, worker: Any, node: str, rc: int) -> None:
            remote.set_exit_code(rc)

        def ev_close(self, worker: Any, timedout: bool) -> None:
            if timedout:
                remote.set_exit_code(124)

    return Handler()
