"""The networks of benchmarks in a lab: one for control, and two directly connected hosts.

Ranks of a parallel program connect over the control network: addresses of NICs are reachable from NICs only, and a
cluster has a management network too. The rate of the two hosts is the limit of this machine, and so of the lab.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from dataclasses import replace

from wirespeed.errors import refuse
from wirespeed.lab import kernel, state
from wirespeed.lab.lab import Lab, find
from wirespeed.lab.names import namespace
from wirespeed.lab.teardown import remove
from wirespeed.reach import Status
from wirespeed.results.lab import LabDevice, Role

CONTROL = "wsl-control"
"""The interface of every host for control."""
PAIR = ("direct-1", "direct-2")
"""The two directly connected hosts."""
PAIR_INTERFACE = "direct"
PAIR_ADDRESSES = ("198.19.0.0/31", "198.19.0.1/31")
"""198.18.0.0/15 is for benchmarks: RFC 2544, section C.2.2."""
AGENT = ("sh", "/run/wirespeed-enter")
"""Starts a command on another host, from a host: the name of the host, then the command as one line."""

_NAMES = "".join(
    f"{address.partition('/')[0]} {name}\n"
    for address, name in (("127.0.0.1", "localhost"), ("::1", "localhost"), *zip(PAIR_ADDRESSES, PAIR, strict=True))
)
_SWITCH = "_control"  # no device's name: an underscore is in none (RFC 1123, section 2.1)
_CONTROL_ADDRESS = "198.18.{0}.{1}/16"
_LINES = "bench"
_AGENT_FILE = AGENT[1].removeprefix("/")

# The machine's /run, which contains the namespaces, is below that of the host.
_ENTER = 'umount /run && exec "$@"'


@contextlib.contextmanager
def benchmark_network(lab: Lab, mtu: int | None) -> Iterator[Lab]:
    """The lab with the networks of benchmarks, and `PAIR` among its hosts, until the end of the context. ``mtu`` is
    that of the pair.

    Raises:
        Refusal: the lab is not up any more, other benchmarks run in it, or the kernel refuses something.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(state.hold_benchmark_lock(lab.name))
        whole = _add_pair(lab)
        with state.hold_lock(lab.name) as lock:
            find(lab.name)
            _remove_network(lab, lock)  # of a run that was killed
            stack.callback(_remove_locked, lab)
            _build_network(whole, mtu, lock)
        yield whole


def _add_pair(lab: Lab) -> Lab:
    conflicts = [device.name for device in lab.state.devices if device.name in PAIR]
    if conflicts:
        raise refuse(
            f"lab {lab.name}", f"a device called {conflicts[0]}", "another name: this one is reserved for benchmarks"
        )
    pair = tuple(LabDevice(name, Role.HOST, namespace(lab.name, name)) for name in PAIR)
    return Lab(replace(lab.state, devices=(*lab.state.devices, *pair)))


def _build_network(lab: Lab, mtu: int | None, lock: int) -> None:
    switch = namespace(lab.name, _SWITCH)
    a, b = (lab.namespace(name) for name in PAIR)
    ports = _list_ports(lab)
    _run_ip(
        lab,
        lock,
        None,
        *(f"netns add {name}" for name in (switch, a, b)),
        f"link add name {PAIR_INTERFACE} netns {a} type veth peer name {PAIR_INTERFACE} netns {b}",
        *(
            f"link add name {port} netns {switch} type veth peer name {CONTROL} netns {lab.namespace(host)}"
            for port, host in zip(ports, lab.hosts, strict=True)
        ),
    )
    _run_ip(
        lab,
        lock,
        switch,
        "link add name switch type bridge",
        "link set dev switch up",
        *(f"link set dev {port} master switch up" for port in ports),
    )
    pair_addresses = dict(zip(PAIR, PAIR_ADDRESSES, strict=True))
    for number, host in enumerate(lab.hosts, start=1):
        address = _CONTROL_ADDRESS.format(number // 256, number % 256)
        lines = [f"address add {address} dev {CONTROL}", f"link set dev {CONTROL} up"]
        if host in pair_addresses:
            (lab.folder(host) / "run").mkdir(parents=True, exist_ok=True)
            (lab.folder(host) / "hosts").write_text(_NAMES, encoding="utf-8")
            size = f" mtu {mtu}" if mtu is not None else ""
            lines += [
                "link set dev lo up",
                f"address add {pair_addresses[host]} dev {PAIR_INTERFACE}",
                f"link set dev {PAIR_INTERFACE}{size} up",
            ]
        _run_ip(lab, lock, lab.namespace(host), *lines)
    agent = _format_agent(lab)
    for host in lab.hosts:
        (lab.folder(host) / _AGENT_FILE).write_text(agent, encoding="utf-8")


def _list_ports(lab: Lab) -> list[str]:
    """Ports of the control network. The lab may contain the hosts of the pair."""
    return [f"port{number}" for number in range(1, len({*lab.hosts, *PAIR}) + 1)]


def _format_agent(lab: Lab) -> str:
    """The script behind `AGENT`."""
    lines = ["case $1 in"]
    for host in lab.hosts:
        prefix = shlex.join(("unshare", "--mount", "sh", "-c", _ENTER, "enter", *lab.prefix(host)))
        lines.append(f'{host}) shift; exec {prefix} sh -c "$*" ;;')
    lines += ["esac", 'echo "no host $1 in this lab" >&2', "exit 1"]
    return "".join(f"{line}\n" for line in lines)


def _run_ip(lab: Lab, lock: int, target_namespace: str | None, *lines: str) -> None:
    path = state.folder(lab.name) / _LINES
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    ran = kernel.batch(path, lock, *(("-n", target_namespace) if target_namespace else ()))
    if ran.status is not Status.OK:
        raise refuse(
            f"lab {lab.name}", f"ip -batch: {_get_first_line(ran.stderr) or ran.detail}", "a network for benchmarks"
        )


def _get_first_line(text: bytes) -> str:
    return text.decode("utf-8", "replace").partition("\n")[0].strip()


def _remove_locked(lab: Lab) -> None:
    with state.hold_lock(lab.name) as lock:
        _remove_network(lab, lock)


def _remove_network(lab: Lab, lock: int) -> None:
    """Remove the networks as far as they exist."""
    existing = state.namespaces(lab.name)
    switch, *pair = (namespace(lab.name, name) for name in (_SWITCH, *PAIR))
    if switch in existing:
        # A cable is removed some time after its namespace, so the name would be in use in the next run.
        path = state.folder(lab.name) / _LINES
        path.write_text("".join(f"link delete dev {port}\n" for port in _list_ports(lab)), encoding="utf-8")
        kernel.batch(path, lock, "-n", switch, "-force")
    remove(lab.name, [name for name in (switch, *pair) if name in existing], lock)
    for host in lab.hosts:
        (lab.folder(host) / _AGENT_FILE).unlink(missing_ok=True)
    for name in PAIR:
        state.remove_device(lab.name, name)
