"""Access to the machines: ssh over a separate network, with keys that last as long as the lab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wirespeed.lab.rdma.local_command import run_command

_FOLDER = "ssh"
_GUEST_FOLDER = Path("/run/wirespeed/ssh")
_ALIAS = "wirespeed-lab"
_KEYS_S = 60
_CONNECT_S = 300  # an emulated processor may have to wait for one

# Words, quoted for the shell there, which is /bin/sh. The command begins in the folder in which it was typed, since the
# files there are the same, and finds the same programs.
_ENTER = r"""
config=$1 host=$2; shift 2
quoted() { printf "'"; printf %s "$1" | sed "s/'/'\\\\''/g"; printf "'"; }
line="PATH=$(quoted "$PATH") export PATH; cd $(quoted "$PWD") 2>/dev/null; exec"
for word do line="$line $(quoted "$word")"; done
if [ -t 0 ] && [ -t 1 ]; then exec ssh -t -F "$config" "$host" "$line"; fi
exec ssh -F "$config" "$host" "$line"
"""

_SERVER = """Port 22
ListenAddress {address}
HostKey {inside}/host
AuthorizedKeysFile {inside}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PidFile none
MaxStartups 200
MaxSessions 200
"""

# One connection for all commands: a handshake takes an emulated processor seconds. Its keys are those that it takes the
# shortest for (`ssh -Q kex`; post-quantum ones come first).
_CLIENT = """Host {hosts}
 User root
 IdentityFile {folder}/user
 IdentitiesOnly yes
 UserKnownHostsFile {folder}/known
 HostKeyAlias {alias}
 StrictHostKeyChecking yes
 LogLevel ERROR
 KexAlgorithms curve25519-sha256
 KexAlgorithms curve25519-sha256
 ControlMaster auto
 ControlPersist yes
 ControlPath {folder}/%n
"""


def prefix(lab: Path, host: str) -> tuple[str, ...]:
    """Arguments before a command that runs in a machine."""
    return ("sh", "-c", _ENTER, "wirespeed-lab", str(configuration(lab)), host)


def configuration(lab: Path) -> Path:
    """The configuration of ssh for access to the machines by name."""
    return lab / _FOLDER / "config"


def keys(lab: Path, namespace: str, addresses: Mapping[str, str], busybox: Path, lock: int) -> None:
    """Make keys, and the configuration of a client on this machine.

    Raises:
        Refusal: ssh-keygen failed.
    """
    folder = lab / _FOLDER
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        make = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", _ALIAS, "-f", str(folder / name))
        run_command(make, _KEYS_S, "ssh-keygen", lock=lock)
    public = " ".join((folder / "host.pub").read_text().split()[:2])
    (folder / "known").write_text(f"{_ALIAS} {public}\n")
    proxy = f" ProxyCommand ip netns exec {namespace} {busybox} nc %h %p\n"
    host_entries = "".join(f"Host {host}\n HostName {address}\n" for host, address in addresses.items())
    configuration(lab).write_text(host_entries + _format_client(addresses, folder) + proxy)


def connect(lab: Path, host: str, lock: int) -> None:
    """Open the connection that all commands share.

    Raises:
        Refusal: the machine does not answer.
    """
    run_command(("ssh", "-F", str(configuration(lab)), host, ":"), _CONNECT_S, host, lock=lock)


def write_access_files(lab: Path, machine: Path, address: str, addresses: Mapping[str, str]) -> None:
    """Write the keys and the ssh configuration of a machine into its folder."""
    folder = machine / _FOLDER
    folder.mkdir()
    for name in ("host", "user", "user.pub", "known"):
        (folder / name).write_bytes((lab / _FOLDER / name).read_bytes())
        (folder / name).chmod(0o600)
    (folder / "sshd_config").write_text(_SERVER.format(address=address, inside=_GUEST_FOLDER))
    (folder / "ssh_config").write_text(_format_client(addresses, _GUEST_FOLDER))


def _format_client(hosts: Mapping[str, str], folder: Path) -> str:
    return _CLIENT.format(hosts=" ".join(hosts), folder=folder, alias=_ALIAS)
