"""Commands that change one setting of a host, as root. Network commands last until the next boot."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Any

from wirespeed.platforms.consequences import LINK_FLAP
from wirespeed.platforms.host.linux.network_managers import Renderer
from wirespeed.platforms.host.linux.tuning import coalescing_arguments, ring_arguments
from wirespeed.platforms.host.linux.view import acs_register, selector
from wirespeed.platforms.model import SettingCommands
from wirespeed.settings import FASTEST_NEGOTIATED, Host, Nic, Place, Route, Rule, split_route_name

REBOOT = "takes effect after a reboot"
_UNTIL_BOOT = "takes effect at once, until the next boot"


def commands_for(place: Place, path: str, value: Any, device: Host, renderer: Renderer) -> SettingCommands | None:
    """The commands that set a setting to a value. None if no command changes the setting."""
    name = place.name
    match place.kind:
        case None:
            return _format_host(path, value, device)
        case "sysctl":
            return _format_sysctl(name, value, device)
        case "module" if path == "module.loaded" and value:
            return SettingCommands(
                (f"modprobe {_quote(name)}", _append_line(name, "/etc/modules-load.d/90-wirespeed.conf"))
            )
        case "rule" if name in device.rules:
            return _format_rule(name, device.rules[name], renderer)
        case "route" if name in device.routes:
            route = device.routes[name]
            return _format_route(name, route, device.nics.get(route.device or ""), renderer)
        case "nic" if name in device.nics:
            nic = device.nics[name]
            return _format_nic(name, path, value, nic, device.nics.get(nic.controller or ""), renderer)
        case "gid" if path == "gid.address" and place.outer.name in device.nics:
            return _format_gid(place.outer.name, renderer)
        case "pcie":
            return _format_pcie(name, path, value)
        case _:
            return None


_LOWER_BOUNDS = {"net.ipv4.ipfrag_high_thresh": "net.ipv4.ipfrag_low_thresh"}
"""Parameters whose least value is another parameter, net/ipv4/ip_fragment.c since Linux 3.17."""


def _format_sysctl(name: str, value: str, host: Host) -> SettingCommands:
    """The parameter, after the planned value of the parameter that is its lower bound."""
    bound = host.sysctls.get(_LOWER_BOUNDS.get(name, ""))
    values = {name: value} if bound is None else {_LOWER_BOUNDS[name]: bound.value, name: value}
    return SettingCommands(
        (
            *(f"sysctl -w {_quote(f'{key}={wanted}')}" for key, wanted in values.items()),
            *(_append_line(f"{key} = {wanted}", "/etc/sysctl.d/90-wirespeed.conf") for key, wanted in values.items()),
        )
    )


def _quote(text: object) -> str:
    return shlex.quote(str(text))


def _append_line(line: str, file: str) -> str:
    return f"echo {_quote(line)} >> {file}"


def _persistence_note(renderer: Renderer, interface: str = "", nic: Nic | None = None) -> str:
    bond = None if nic is None else interface if nic.bond.mode is not None else nic.controller
    return f"takes effect at once; persistent only if {renderer.format_file(interface, bond)} contains it"


def _reload(renderer: Renderer, interface: str) -> tuple[str, ...]:
    return tuple(line.replace("{interface}", _quote(interface)) for line in renderer.reload)


def _format_host(path: str, value: Any, host: Host) -> SettingCommands | None:
    commands_of = _HOST.get(path)
    return commands_of(value, host) if commands_of else None


def _convert_memlock(value: Any, _: Host) -> SettingCommands:
    limit = "infinity" if value == "unlimited" else f"{value}K"
    file = "/etc/security/limits.d/90-wirespeed-memlock.conf"
    lines = [_quote(f"{subject} - memlock {value}") for subject in ("*", "root")]
    service = f"printf '%s\\n' '[Manager]' DefaultLimitMEMLOCK={_quote(limit)}"
    return SettingCommands(
        (
            f"printf '%s\\n' {' '.join(lines)} > {file}",
            "mkdir -p /etc/systemd/system.conf.d",
            f"{service} > /etc/systemd/system.conf.d/90-wirespeed-memlock.conf",
            "systemctl daemon-reexec",
        ),
        "takes effect at the next login and for services started afterwards",
    )


def _list_naming_commands(value: Any, _: Host) -> SettingCommands:
    rule = f'ACTION=="add", SUBSYSTEM=="infiniband", PROGRAM="rdma_rename %k {value}"'
    file = "/etc/udev/rules.d/60-rdma-persistent-naming.rules"
    return SettingCommands((f"echo {_quote(rule)} > {file}", "udevadm control --reload"), REBOOT)


def _acs_service(value: Any, _: Host) -> SettingCommands | None:
    return SettingCommands(("systemctl enable --now wirespeed-acs.service",)) if value else None


def _convert_governor(value: Any, _: Host) -> SettingCommands:
    return SettingCommands((f"cpupower frequency-set -g {_quote(value)}",), _UNTIL_BOOT)


def _irq_balancing(value: Any, _: Host) -> SettingCommands:
    verb = "unmask" if value else "mask --now"
    return SettingCommands(
        (f"systemctl {verb} irqbalance.service",), "interrupts stay on their cores until something moves them"
    )


def _idle_states(_value: Any, _: Host) -> SettingCommands:
    return SettingCommands(
        ("/usr/local/sbin/wirespeed-tune",), "every NIC of the host is tuned again; changed rings drop the link"
    )


_HOST: dict[str, Callable[[Any, Host], SettingCommands | None]] = {
    "host.memlock": _convert_memlock,
    "host.rdma_naming": _list_naming_commands,
    "host.acs_service": _acs_service,
    "host.governor": _convert_governor,
    "host.idle_states": _idle_states,
    "host.irq_balancing": _irq_balancing,
}


def removal_for(place: Place, path: str, value: str) -> SettingCommands | None:
    """The command that removes a routing rule (by its addresses, table and priority) or a route that is not planned.

    Source: ip-rule(8), ip-route(8): a deletion matches the first rule or route with the given attributes.
    """
    arguments: list[str] | None = None
    if place.kind == "rule" and path == "rule.priority":
        terms = place.name.split()
        is_plain = terms[0] == "from" and set(terms[::2]) <= {"from", "to", "lookup"}
        arguments = ["rule", "del", *(terms if is_plain else ()), "priority", value]
    elif place.kind == "route" and path == "route.metric":
        table, destination = split_route_name(place.name)
        arguments = ["route", "del", destination, "table", table, *(["metric", value] if value != "0" else [])]
    if arguments is None:
        return None
    family = ["-6"] if ":" in place.name else []
    return SettingCommands((shlex.join(["ip", *family, *arguments]),), "takes effect at once")


def _format_rule(name: str, rule: Rule, renderer: Renderer) -> SettingCommands | None:
    if rule.table is None:
        return None
    selectors = [part for pair in selector(name).items() for part in pair]
    priority = [] if rule.priority is None else ["priority", str(rule.priority)]
    return SettingCommands(
        (shlex.join(["ip", "rule", "add", *selectors, "table", str(rule.table), *priority]),),
        _persistence_note(renderer),
    )


def _format_route(name: str, route: Route, nic: Nic | None, renderer: Renderer) -> SettingCommands | None:
    if route.device is None:
        return None
    table, destination = split_route_name(name)
    hop = ["via", route.gateway] if route.gateway else ["scope", "link"]
    source = ["src", route.source] if route.source else []
    arguments = ["ip", "route", "replace", destination, *hop, "dev", route.device, *source, "table", table]
    arguments += [] if route.metric is None else ["metric", str(route.metric)]
    # `scope` follows the device in ip's output, but is accepted anywhere.
    return SettingCommands((shlex.join(arguments),), _persistence_note(renderer, route.device, nic))


def _join_bond(interface: str, name: str, controller: Nic | None) -> Iterator[str]:
    """Add a port to a bond, which is created if it does not exist, as a port can join no other (ip-link(8), type bond).

    The kernel takes no port that is up (drivers/net/bonding/bond_main.c, bond_enslave). A new bond is down and has no
    address.
    """
    port, bond = _quote(interface), _quote(name)
    if controller is not None and controller.bond.mode is not None:
        monitor = "" if controller.bond.monitor is None else f" miimon {controller.bond.monitor.milliseconds}"
        add = f"ip link add dev {bond} type bond mode {_quote(controller.bond.mode)}{monitor}"
        yield f"ip link show dev {bond} >/dev/null 2>&1 || {add}"
    yield from (f"ip link set dev {port} down", f"ip link set dev {port} master {bond}")
    if controller is not None:
        yield f"ip link set dev {bond} up"
        yield from (f"ip address replace {_quote(address)} dev {bond}" for address in controller.addresses or ())


def _format_nic(
    interface: str, path: str, value: Any, nic: Nic, controller: Nic | None, renderer: Renderer
) -> SettingCommands | None:
    name = _quote(interface)
    match path:
        case "nic.link.mtu":
            return SettingCommands((f"ip link set dev {name} mtu {value}",), "the interface restarts its queues")
        case "nic.addresses":
            commands = tuple(f"ip address replace {_quote(address)} dev {name}" for address in value)
            return SettingCommands(commands, _persistence_note(renderer, interface, nic))
        case "nic.controller" if value:
            lines = tuple(_join_bond(interface, value, controller))
            return SettingCommands(lines, _persistence_note(renderer, interface, nic))
        case "nic.bond.monitor":
            line = f"ip link set dev {name} type bond miimon {value.milliseconds}"
            return SettingCommands((line,), _persistence_note(renderer, interface, nic))
        case "nic.bond.mode":
            # The kernel changes the mode of a bond without ports only (drivers/net/bonding/bond_options.c).
            return SettingCommands(
                (f"ip link delete dev {name}", *_reload(renderer, interface)),
                "the bond and its addresses are gone until the network is configured again",
            )
        case "nic.link.fec":
            return (
                SettingCommands((f"ethtool --set-fec {name} encoding {_FEC[value]}",), LINK_FLAP)
                if value in _FEC
                else None
            )
        case "nic.link.speed":
            # With both, ethtool(8) advertises the modes of this speed alone.
            negotiation = "on" if value <= FASTEST_NEGOTIATED else "off"
            line = f"ethtool -s {name} speed {value.whole('Mb/s')} autoneg {negotiation}"
            return SettingCommands((line,), LINK_FLAP)
        case "nic.link.pause_receive" | "nic.link.pause_send":
            receive, send = (_on_off(state) for state in (nic.link.pause_receive, nic.link.pause_send))
            arguments = [*(["rx", receive] if receive else []), *(["tx", send] if send else [])]
            return SettingCommands((f"ethtool -A {name} {' '.join(arguments)}",), LINK_FLAP)
        case "nic.ring.rx" | "nic.ring.tx":
            return SettingCommands((f"ethtool -G {name} {ring_arguments(nic)}",), LINK_FLAP)
        case "nic.qdisc":
            write = f"sysctl -w net.core.default_qdisc={_quote(value)}"
            # An mq that is there already keeps its queues' disciplines when it is replaced by an mq.
            remove = f"tc qdisc del dev {name} root 2>/dev/null || true"
            return SettingCommands((write, remove, f"tc qdisc replace dev {name} root mq"), _UNTIL_BOOT)
        case "nic.interrupt_cores":
            return SettingCommands(
                ("/usr/local/sbin/wirespeed-tune",), "every NIC of the host is tuned again; changed rings drop the link"
            )
        case _ if path.startswith("nic.coalescing."):
            return SettingCommands((f"ethtool -C {name} {coalescing_arguments(nic)}",), _UNTIL_BOOT)
        case _:
            return None


def _format_gid(interface: str, renderer: Renderer) -> SettingCommands:
    """The kernel gives rows in the order addresses come: with none left, the planned address takes the first again."""
    return SettingCommands(
        (f"ip address flush dev {_quote(interface)} scope global", *_reload(renderer, interface)),
        "the interface has no address for a moment: its RDMA connections end",
    )


_FEC = {"rs": "rs", "fc": "baser", "none": "off"}


def _on_off(state: bool | None) -> str | None:
    return None if state is None else "on" if state else "off"


def _format_pcie(address: str, path: str, value: Any) -> SettingCommands | None:
    match path:
        case "pcie.acs":
            return SettingCommands((f"setpci -s {_quote(address)} ECAP_ACS+0x6.w={acs_register(value)}",))
        case "pcie.relaxed_ordering":
            # Bit 4 of Device Control (PCI Express Base Specification 5.0, 7.5.3.4); setpci's mask keeps the others.
            return SettingCommands((f"setpci -s {_quote(address)} CAP_EXP+0x8.w={'0010' if value else '0000'}:0010",))
        case _:
            return None
