"""An ssh server of our own: a separate port, keys and configuration."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from needs import find

_CONFIGURATION = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile {folder}/pid
StrictModes no
UsePAM no
MaxStartups 100
PasswordAuthentication no
PermitRootLogin yes
"""
_DEADLINE_S = 10


@dataclass(frozen=True)
class Server:
    """Where the server is, and how a client gets in."""

    port: int
    folder: Path

    @property
    def options(self) -> tuple[str, ...]:
        """Arguments of ssh."""
        return (
            *("-F", "none", "-p", str(self.port), "-i", str(self.folder / "user")),
            *("-oStrictHostKeyChecking=no", f"-oUserKnownHostsFile={self.folder}/known", "-oLogLevel=ERROR"),
            "-oIdentitiesOnly=yes",
        )


def free_port() -> int:
    """A TCP port without a listener."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def first_port() -> str:
    """A port from which on some are free: another one in each process, for tests that run at a time."""
    return str(20000 + os.getpid() * 37 % 600 * 20)


@contextlib.contextmanager
def server(folder: Path) -> Iterator[Server]:
    """A server that runs as this user, until the end of the context."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    port = free_port()
    (folder / "sshd_config").write_text(_CONFIGURATION.format(port=port, folder=folder))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where sshd(8) separates its privileges
    command = [str(find("sshd")), "-D", "-e", "-f", str(folder / "sshd_config")]
    with (folder / "sshd.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait(port, process, folder)
        yield Server(port, folder)
    finally:
        process.terminate()
        process.wait()


def _wait(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + _DEADLINE_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise AssertionError(f"sshd did not start: {(folder / 'sshd.log').read_text()}")
