"""Commands that run for a while, on this machine and over a real ssh."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from needs import needs
from ssh_server import free_port, server
from wirespeed.errors import Refusal
from wirespeed.reach import Call, CommandPrefix, Reach, Ssh, Status, use_slurm, use_this_machine

_SERVE = "import socket, time; s = socket.create_server(('127.0.0.1', {port})); print('up', flush=True); time.sleep(60)"


@pytest.fixture(params=["here", "ssh"])
def reach(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reach]:
    if request.param == "here":
        yield use_this_machine()
        return
    needs("sshd", "ssh", "ssh-keygen")
    with server(tmp_path) as ssh_server:
        yield Ssh(options=ssh_server.options, names={"node1": "127.0.0.1"})


@pytest.mark.parametrize(
    ("arguments", "status", "exit_code", "stdout", "detail"),
    [
        (("echo", "a b", "$HOME; 'x' \"y\" `z` %h \\"), Status.OK, 0, b"a b $HOME; 'x' \"y\" `z` %h \\\n", None),
        (("sh", "-c", "echo out; echo err >&2; exit 3"), Status.FAILED, 3, b"out\n", "err"),
        (("false",), Status.FAILED, 1, b"", "exit code 1"),
        (("sh", "-c", "echo begun; sleep 60"), Status.TIMEOUT, 124, b"begun\n", "not done within 0.5 s"),
        # As after a time limit, but before it: something else ended the program.
        (("sh", "-c", "echo killed >&2; exit 137"), Status.FAILED, 137, b"", "killed"),
        (("sh", "-c", "exit 124"), Status.FAILED, 124, b"", "exit code 124"),
        (("sh", "-c", "cat; echo done"), Status.OK, 0, b"done\n", None),
        (("sh", "-c", "echo $TUNED"), Status.OK, 0, b"a 'b' $c\n", None),
    ],
)
def test_how_a_command_ends(
    reach: Reach, arguments: tuple[str, ...], status: Status, exit_code: int, stdout: bytes, detail: str | None
) -> None:
    limit = 0.5 if status is Status.TIMEOUT else 10
    ran = reach.start(Call("node1", arguments, limit, {"TUNED": "a 'b' $c"})).result()
    assert (ran.status, ran.exit_code, ran.stdout, ran.detail) == (status, exit_code, stdout, detail)


def test_a_program_that_is_not_there(reach: Reach) -> None:
    ran = reach.start(Call("node1", ("no-such-program",), 10)).result()
    assert ran.status is Status.MISSING
    assert "no-such-program" in (ran.detail or "")


def test_a_folder_of_programs_is_searched_first(reach: Reach, tmp_path: Path) -> None:
    program = tmp_path / "true"
    program.write_text("#!/bin/sh\necho mine\n")
    program.chmod(0o755)
    assert reach.start(Call("node1", ("true",), 10, path=(str(tmp_path),))).result().stdout == b"mine\n"


def test_a_server_reports_when_it_listens_and_is_stopped(reach: Reach) -> None:
    port = free_port()
    call = Call("node1", ("python3", "-c", _SERVE.format(port=port)), 30, listening_port=port)
    process = reach.start(call)
    assert process.wait_for_listener(10)
    assert not process.wait_for_end(0)
    second_result = reach.start(call).result()
    assert second_result.exit_code == 98
    assert second_result.detail == f"another program listens on port 0x{port:04X}"
    process.stop()
    ran = process.result()
    assert (ran.stdout, ran.exit_code, ran.detail) == (b"up\n", None, "stopped")
    _wait_for_end(str(port))


def test_a_server_that_does_not_come_up(reach: Reach) -> None:
    process = reach.start(Call("node1", ("sh", "-c", "echo no memory >&2; exit 1"), 30, listening_port=free_port()))
    assert not process.wait_for_listener(10)
    assert process.result().detail == "no memory"


def _wait_for_end(word: str) -> None:
    """That no process has the word on its command line, soon."""
    deadline = time.monotonic() + 10
    while subprocess.run(["pgrep", "-f", f"create_server.*{word}"], capture_output=True, check=False).stdout:
        assert time.monotonic() < deadline, "the server still runs"
        time.sleep(0.05)


def test_the_guard_ends_its_command_when_wirespeed_is_killed(reach: Reach, tmp_path: Path) -> None:
    mark = f"{free_port()}"
    options = reach.options if isinstance(reach, Ssh) else ()
    script = (
        "import sys, time\n"
        "from wirespeed.reach import Call, Ssh, use_this_machine\n"
        f"reach = Ssh(options={options!r}, names={{'node1': '127.0.0.1'}}) if {options!r} else use_this_machine()\n"
        f"reach.start(Call('node1', ('sh', '-c', 'create_server() {{ sleep 60; }}; create_server {mark}'), 60))\n"
        "print('started', flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    process.kill()
    process.wait()
    process.stdout.close()
    _wait_for_end(mark)


def test_a_host_that_does_not_answer_is_unreachable() -> None:
    needs("ssh")
    reach = Ssh(options=("-F", "none", "-p", str(free_port())), names={"node1": "127.0.0.1"}, connect_s=2)
    ran = reach.start(Call("node1", ("true",), 10)).result()
    assert ran.status is Status.UNREACHABLE
    assert "refused" in (ran.detail or "")


@pytest.mark.parametrize("name", ["-oProxyCommand=x", "node[1-2]", "a,b", "", "@group", "a b"])
def test_a_name_that_ssh_would_take_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(Refusal, match="a name or an address of one host"):
        Ssh().start(Call(name, ("true",), 1))


@pytest.mark.parametrize(
    ("reach", "command"),
    [
        (use_this_machine(), "env A='b c' ib_write_bw -d x"),
        (CommandPrefix(lambda host: ("ip", "netns", "exec", host)), "ip netns exec node1 env 'A=b c' ib_write_bw -d x"),
        (
            CommandPrefix(lambda host: ("long",), short_prefix=lambda host: ("exec", host)),
            "exec node1 env 'A=b c' ib_write_bw -d x",
        ),
        (Ssh(user="root"), "ssh -l root -oConnectTimeout=10 node1 'env '\"'\"'A=b c'\"'\"' ib_write_bw -d x'"),
    ],
)
def test_a_command_as_one_would_paste_it(reach: Reach, command: str) -> None:
    command_line = reach.command_text(Call("node1", ("ib_write_bw", "-d", "x"), 1, {"A": "b c"}))
    assert shlex.split(command_line) == shlex.split(command)


def test_slurm_runs_it_on_one_node_of_the_allocation() -> None:
    command_line = use_slurm().command_text(Call("node1", ("hostname",), 1))
    assert command_line == "srun --quiet --overlap --nodes=1 --ntasks=1 --nodelist=node1 --cpu-bind=none hostname"


def test_slurm_hands_a_server_its_input_and_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an srun instead that runs the command here, and records its options."""
    log = tmp_path / "options"
    program = f'while :; do case $1 in --*) echo "$1" >> {log}; shift;; *) break;; esac; done'
    (tmp_path / "srun").write_text(f'#!/bin/sh\n{program}\nexec "$@"\n')
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    port = free_port()
    started = use_slurm().start(Call("node7", ("python3", "-c", _SERVE.format(port=port)), 30, listening_port=port))
    assert started.wait_for_listener(10)
    started.stop()
    assert started.result().detail == "stopped"
    assert "--nodelist=node7" in log.read_text().splitlines()
    _wait_for_end(str(port))
