"""One attempt of a step: start the server, run the client once the server listens, and end the server in any case."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.reach import Call, CommandResult, Reach, RunningCommand, Status
from wirespeed.results.campaign import Command, Outcome, Step

LISTEN_S = 15.0
"""Default time in which a server must listen: registering memory takes seconds. Our own choice."""

_LOOK_S = 0.1
_REPORT_S = 3.0  # time for a server to print its report and end
_NOT_FOUND = re.compile(
    rb"unable to find the specified executable file[\s\S]*?Executable: (\S+)"  # mpirun (help-orterun.txt)
    rb"|execve\(\): (\S+): No such file or directory"  # srun (slurmstepd/task.c)
    rb"|execvp error on file (\S+) \(No such file"  # hydra's mpiexec
)
"""Messages of launchers about a program that is not installed on a node."""

_OUTCOMES = {
    Status.OK: Outcome.DONE,
    Status.MISSING: Outcome.MISSING,
    Status.TIMEOUT: Outcome.TIMEOUT,
    Status.UNREACHABLE: Outcome.UNREACHABLE,
}


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of an attempt."""

    status: Outcome
    rc: int | None
    started: str
    seconds: float
    output: bytes
    server_output: bytes | None
    detail: str | None


def attempt(
    step: Step, reach: Reach, path: tuple[str, ...], stopped: Callable[[], bool], listen_s: float = LISTEN_S
) -> AttemptResult:
    """Run a step once. It ends early when ``stopped`` returns true."""
    if step.server is None:
        return _attempt_result(step, _run_client(step, reach, path, stopped), None)
    # The server outlives its client, which starts later and has a separate limit.
    limit = step.limit_s + listen_s + _REPORT_S
    server = reach.start(_build_call(step.server, limit, path, step.port))
    try:
        if step.port is not None and not server.wait_for_listener(listen_s):
            server.stop()
            ran = server.result()
            return _attempt_result(
                step, ran, ran, f"the server on {step.server.host}: {_failure_reason(ran, listen_s)}"
            )
        ran = _run_client(step, reach, path, stopped)
        if ran.status is Status.OK:
            server.wait_for_end(_REPORT_S)
    finally:
        server.stop()
    return _attempt_result(step, ran, server.result())


def _run_client(step: Step, reach: Reach, path: tuple[str, ...], stopped: Callable[[], bool]) -> CommandResult:
    client: RunningCommand = reach.start(_build_call(step.client, step.limit_s, path, None))
    while not client.wait_for_end(_LOOK_S):
        if stopped():
            client.stop()
    return client.result()


def _build_call(command: Command, limit: float, path: tuple[str, ...], port: int | None) -> Call:
    return Call(command.host, command.arguments, limit, command.environment, path, port)


def _failure_reason(ran: CommandResult, listen_s: float) -> str:
    if ran.detail == "stopped":
        return f"does not listen after {listen_s:g} s"
    return ran.detail or "ended before it listened"


def _attempt_result(
    step: Step, ran: CommandResult, server: CommandResult | None, detail: str | None = None
) -> AttemptResult:
    status = _OUTCOMES.get(ran.status, Outcome.FAILED)
    if server is ran and status is Outcome.DONE:
        status = Outcome.FAILED  # a server that ended before its client connected
    if server is ran and ran.exit_code is None and status is Outcome.TIMEOUT:
        status = Outcome.FAILED
    output = _join_output(ran)
    reason = ran.detail
    if status is Outcome.FAILED and (absent := _NOT_FOUND.search(output)):
        program = absent.group(absent.lastindex or 0).decode("utf-8", "replace")
        status, reason = Outcome.MISSING, f"{program} not found in PATH; name its folder with --path"
    message = detail or (f"{step.client.host}: {reason}" if reason else None)
    return AttemptResult(
        status=status,
        rc=ran.exit_code,
        started=ran.started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        seconds=ran.duration_s,
        output=output,
        server_output=None if server is None or server is ran else _join_output(server),
        detail=message,
    )


def _join_output(ran: CommandResult) -> bytes:
    """Both outputs as one log."""
    separator = b"" if not ran.stdout or ran.stdout.endswith(b"\n") else b"\n"
    return ran.stdout + separator + ran.stderr
