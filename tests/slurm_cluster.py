"""A real Slurm on this machine: munged, slurmctld on a head node, a slurmd in each host.

A host is a network namespace with a separate host name and separate processes, on a management network; its NIC has the
planned name and address, and a leaf that routes. Slurm's files are in a separate folder, which is removed afterwards.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from needs import needs
from netns.network import Network
from wirespeed.plan import Plan

HEAD, LEAF = "head", "leaf"
_MANAGEMENT = "198.18.0"  # for benchmarks, routed nowhere (RFC 2544)
_PATIENCE_S = 120

# Only what a cluster on one machine needs: no cgroups are made, since a machine may have none to give away (the plugin
# of version 1 looks for none before a request), and hosts have the configured number of cores, not that of the machine.
_CONFIGURATION = """\
ClusterName=wirespeed
SlurmctldHost={head}({net}.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/socket
StateSaveLocation={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/%n
SlurmdLogFile={folder}/%n.log
TmpFS={folder}/%n.tmp
SlurmdParameters=config_overrides
SlurmdTimeout=20
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=1
SchedulerParameters=batch_sched_delay=0
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""
_CGROUPS = "CgroupPlugin=cgroup/v1\n"


@dataclass
class Slurm:
    """The cluster. Use `slurm` to start one."""

    network: Network
    folder: Path
    hosts: tuple[str, ...]
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def enter_command(self, host: str, *command: str | Path) -> list[str]:
        """A command in a host, or on the head node: with its network, its name, and separate processes."""
        named = 'hostname "$1"; shift; exec "$@"'
        unshare = ["unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", named, "sh", host]
        return ["nsenter", f"--net=/run/netns/{self.network.namespace(host)}", *unshare, *map(str, command)]

    @property
    def environment(self) -> Mapping[str, str]:
        """What Slurm's commands need to find it, and what the tests' do: no settings of a job around them."""
        value_by_name = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "OMPI_", "PMIX_"))
        }
        return {**value_by_name, "SLURM_CONF": str(self.folder / "slurm.conf"), "NO_COLOR": "1", "COLUMNS": "160"}

    def start(self, host: str, *command: str | Path, **how: Any) -> subprocess.Popen[str]:
        """Start a command on the head node or in a host."""
        process = subprocess.Popen(
            self.enter_command(host, *command),
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **how,
        )
        self.started.append(process)
        return process

    def run(self, host: str, *command: str | Path, **how: Any) -> subprocess.CompletedProcess[str]:
        """Run a command on the head node or in a host."""
        process = self.start(host, *command, **how)
        stdout, stderr = process.communicate(timeout=5 * _PATIENCE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def batch(self, script: Path, *options: str) -> int:
        """Run a script as a batch job; its exit code. `sbatch --wait` would ask after it ever more seldom."""
        number = self.run(HEAD, "sbatch", "--parsable", *options, script).stdout.strip()
        deadline, job = time.monotonic() + 5 * _PATIENCE_S, dict[str, str]()
        while job.get("JobState") not in ("COMPLETED", "FAILED"):
            assert time.monotonic() < deadline, f"job {number}: {job}: {self.read_logs()}"
            time.sleep(0.1)
            words = self.run(HEAD, "scontrol", "--oneliner", "show", "job", number).stdout.split()
            job = {key: value for key, _, value in (word.partition("=") for word in words)}
        return int(job["ExitCode"].partition(":")[0])  # what follows is a signal's number

    def boot(self, host: str) -> None:
        """Start a host's slurmd."""
        self._daemon(host, *self.enter_command(host, "slurmd", "-D"))

    def power_off(self, host: str) -> None:
        """Kill all that runs in a host at once, and take it off the network."""
        self.network.batch(host, "link set dev mgmt0 down")
        daemon = self.daemons.pop(host)
        daemon.kill()
        daemon.wait()

    def wait(self, hosts: Sequence[str], *states: str) -> None:
        """Wait until Slurm shows all these hosts in one of the states."""
        deadline, current_states = time.monotonic() + _PATIENCE_S, [""]
        while not current_states or not set(current_states) <= set(states):
            assert time.monotonic() < deadline, f"{current_states}: {self.read_logs()}"
            node_states = self.run(HEAD, "sinfo", "--noheader", "--Node", f"--nodes={','.join(hosts)}", "--format=%T")
            current_states = node_states.stdout.split() or [node_states.stderr]
            time.sleep(0.1)

    def read_logs(self) -> str:
        """The ends of all logs, for a failure."""
        return "\n".join(f"{path.name}: {path.read_text()[-1000:]}" for path in sorted(self.folder.glob("*.log")))

    def _daemon(self, name: str, *arguments: str | Path) -> None:
        quiet = subprocess.DEVNULL
        self.daemons[name] = subprocess.Popen(arguments, env=self.environment, stdin=quiet, stdout=quiet, stderr=quiet)

    def _configure(self, plan: Plan) -> None:
        net = _MANAGEMENT
        nodes = [f"NodeName={host} NodeAddr={net}.{n} CPUs=8" for n, host in enumerate(self.hosts, 1)]
        text = _CONFIGURATION.format(head=HEAD, net=net, folder=self.folder, nodes="\n".join(nodes))
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "cgroup.conf").write_text(_CGROUPS)
        for host in self.hosts:
            (self.folder / f"{host}.tmp").mkdir()  # PMIx would share /tmp between hosts
        key = self.folder / "key"
        key.write_bytes(secrets.token_bytes(64))
        key.chmod(0o400)
        self._cable(plan)

    def _cable(self, plan: Plan) -> None:
        for name in (HEAD, LEAF, *self.hosts):
            self.network.add(name)
        self.network.set(LEAF, net__ipv4__ip_forward="1")
        self.network.batch(
            HEAD, "link add name mgmt type bridge", f"address add {_MANAGEMENT}.254/24 dev mgmt", "link set mgmt up"
        )
        for number, host in enumerate(self.hosts, 1):
            self._plug(host, "mgmt0", f"{_MANAGEMENT}.{number}/24", HEAD, f"port{number}")
            self.network.batch(HEAD, f"link set dev port{number} master mgmt up")
            for index, (name, nic) in enumerate(plan.hosts[host].nics.items()):
                for address in nic.addresses or ():
                    interface = ip_interface(address)
                    peer = next(address for address in interface.network if address != interface.ip)
                    port = f"port{number}x{index}"
                    self._plug(host, name, address, LEAF, port)
                    self.network.batch(
                        LEAF, f"address add {peer}/{interface.network.prefixlen} dev {port}", f"link set dev {port} up"
                    )
                    self.network.batch(host, f"route add 10.0.0.0/8 via {peer} dev {name}")

    def _plug(self, host: str, name: str, address: str, device: str, port: str) -> None:
        namespace = self.network.namespace
        arguments = [
            "link",
            "add",
            "name",
            name,
            "netns",
            namespace(host),
            "type",
            "veth",
            "peer",
            "name",
            port,
            "netns",
            namespace(device),
        ]
        subprocess.run(["ip", *arguments], check=True)
        self.network.batch(host, f"address add {address} dev {name}", f"link set dev {name} up")

    def _start(self) -> None:
        munge = self.folder
        paths = [f"--{name}-file={munge / name}" for name in ("key", "pid", "log", "seed")]
        self._daemon("munged", "munged", "--foreground", "--force", f"--socket={munge / 'socket'}", *paths)
        deadline = time.monotonic() + _PATIENCE_S
        while not (munge / "socket").exists():
            assert time.monotonic() < deadline and self.daemons["munged"].poll() is None, "munged did not start"
            time.sleep(0.05)
        self._daemon(HEAD, *self.enter_command(HEAD, "slurmctld", "-D"))
        for host in self.hosts:
            self.boot(host)
        self.wait(self.hosts, "idle")

    def _stop(self) -> None:
        for process in (*self.started, *self.daemons.values()):
            process.kill()
            process.communicate()


@contextlib.contextmanager
def slurm(plan: Plan, hosts: Sequence[str]) -> Iterator[Slurm]:
    """Hosts of a plan under a separate Slurm."""
    needs("slurmctld", "slurmd", "srun", "munged", "ip", "nsenter", "unshare", root=True)
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-slurm-"))  # short: sockets are in it (unix(7): 108 bytes)
    folder.chmod(0o755)
    with Network() as network:
        built = Slurm(network, folder, tuple(hosts))
        try:
            built._configure(plan)
            built._start()
            yield built
        finally:
            built._stop()
            shutil.rmtree(folder, ignore_errors=True)
