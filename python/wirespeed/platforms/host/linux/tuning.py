"""Tuning of a host as arguments of ethtool, for the templates."""

from __future__ import annotations

from wirespeed.settings import Host, Nic


def is_tuned(host: Host) -> bool:
    """Whether anything is set that only the tuning script sets."""
    return (
        host.governor is not None
        or host.idle_states is not None
        or any(
            ring_arguments(nic) or coalescing_arguments(nic) or nic.interrupt_cores or nic.qdisc
            for nic in host.nics.values()
        )
    )


def ring_arguments(nic: Nic) -> str:
    """``rx 8192 tx 8192``; empty without intent."""
    return _format_options({"rx": nic.ring.rx, "tx": nic.ring.tx})


def coalescing_arguments(nic: Nic) -> str:
    """``adaptive-rx on rx-usecs 8``; empty without intent."""
    coalescing = nic.coalescing
    names = ("adaptive_rx", "adaptive_tx", "rx_usecs", "rx_frames", "tx_usecs", "tx_frames")
    return _format_options({name.replace("_", "-"): getattr(coalescing, name) for name in names})


def near(host: Host) -> list[str]:
    """The NICs of a host whose interrupts go to cores of their NUMA node."""
    return [interface for interface, nic in host.nics.items() if nic.interrupt_cores]


def _format_options(values: dict[str, int | bool | None]) -> str:
    options = {name: ("on" if value else "off") if isinstance(value, bool) else value for name, value in values.items()}
    return " ".join(f"{name} {value}" for name, value in options.items() if value is not None)
