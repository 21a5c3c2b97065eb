"""The packet buffer of a plan's switches: its size, its pools, and the limits of a priority group."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from wirespeed.catalogue.model import BufferDefaults, ChipModel, SwitchSystem
from wirespeed.plan import Plan
from wirespeed.plan.headroom import headroom
from wirespeed.plan.memory import combine_chips
from wirespeed.settings import Port, Switch
from wirespeed.settings.fabric import Buffers
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.nics import Assume
from wirespeed.units import Bandwidth, Duration

_SIZES = {"buffer_bytes": "buffer", "cell_bytes": "cell", "slices": "slices"}
"""Names in the catalogue by parameter."""
_LABELS = {
    "buffer_bytes": "buffer",
    "cell_bytes": "buffer cell",
    "slices": "buffer slices",
    "alpha_exponent": "buffer alpha",
}


class SwitchBuffers:
    """Buffers of a plan's switches. Values missing in the catalogue are the preset's and passed to ``assume``."""

    def __init__(self, plan: Plan, preset: form.Switch, assume: Assume) -> None:
        self._plan, self._preset, self._assume = plan, preset, assume

    def memory(self, switch: Switch) -> form.Switch:
        """Size, cells and slices of the whole buffer, and the dynamic threshold of a group."""
        chip, name = find_chip(self._plan, switch), name_chip(switch)
        parameters = {key: _get_value(chip, name) for key, name in _SIZES.items()}
        model = self._plan.hardware.switches.get(switch.model or "")
        share = (
            chip.share_at(model.speed.value) if chip and model else chip.share.value if chip and chip.share else None
        )
        parameters["alpha_exponent"] = None if share is None else round(math.log2(share))
        usual = cast(Mapping[str, int], self._preset)
        for key in [key for key, value in parameters.items() if value is None]:
            parameters[key] = usual[key]
            self._assume(f"{_LABELS[key]} of {name}: {_format_value(key, usual[key])} (not in the catalogue)")
        return cast(form.Switch, parameters)

    def division(self, switch: Switch) -> form.Switch:
        """The pools of the buffer, as shares of the buffer that is not reserved for ports."""
        buffers, name = self._buffer_shares(switch), name_chip(switch)
        lossless, lossy, shared = buffers.lossless_share, buffers.lossy_share, buffers.headroom_share
        pools: form.Switch = {}
        if lossless is not None or lossy is not None:
            remainder = 100 - (lossless or 0) - (lossy or 0) - (shared or 0)
            if lossless is None or lossy is None:
                remaining = "lossless" if lossless is None else "lossy"
                self._assume(f"buffer of {name}: {remainder} % for {remaining} traffic (the remainder)")
            pools["pools"] = {
                "lossless_percent": remainder if lossless is None else lossless,
                "lossy_percent": remainder if lossy is None else lossy,
            }
        if shared is not None:
            pools["shared_headroom"] = {"rule": "share", "percent": shared}
        elif buffers.shared_headroom is not None:
            pools["shared_headroom"] = {"rule": "fixed", "bytes": int(buffers.shared_headroom)}
        if buffers.dedicated_ingress is not None:
            self._assume(
                f"buffer of {name}: the per-port reservation is included in that of the lossless and lossy groups"
            )
        departure = (buffers.egress_lossless_share, buffers.egress_lossy_share, buffers.dedicated_egress)
        if any(entry is not None for entry in departure):
            self._assume(f"buffer of {name}: ingress shares limit the classes, egress shares are not simulated")
        return pools

    def group(self, switch: Switch, speed: Bandwidth | None) -> form.Switch:
        """Parameters of lossless groups: those that depend on the speed of their port, and the planned threshold."""
        chip = find_chip(self._plan, switch)
        group = chip.group(speed) if chip and speed else None
        parameters: form.Switch = {}
        if group is not None:
            parameters["alpha_exponent"] = round(math.log2(group.share))
            parameters["xon_offset_bytes"] = int(group.xon_offset)
            parameters["reserve_bytes"] = int(group.reserve)
        else:
            usual = self._preset
            self._assume(
                f"lossless groups of {name_chip(switch)}: guaranteed buffer {usual['reserve_bytes']:,} bytes, XON "
                f"{usual['xon_offset_bytes']:,} bytes below the threshold (preset)"
            )
        planned = self._find_threshold(switch)
        return parameters if planned is None else {**parameters, "alpha_exponent": planned}

    def fair_share(self, switch: Switch, lossless: bool) -> int:
        """A S / (1 + A): the depth at which the dynamic threshold stops a single queue (Choudhury and Hahne, 1998)."""
        whole = self.memory(switch)
        planned = self._find_threshold(switch) if lossless else None
        alpha = 2.0 ** (whole["alpha_exponent"] if planned is None else planned)
        pools = self.division(switch).get("pools")
        percent = pools["lossless_percent" if lossless else "lossy_percent"] if pools else 100
        return int(whole["buffer_bytes"] / whole["slices"] * percent / 100 * alpha / (1 + alpha))

    def headroom(self, switch: Switch, port: Port, lossless: int, latency: Duration | None) -> int | None:
        """Headroom of a lossless group as the plan computes it; None if it cannot."""
        speed, length, mtu = port.link.speed, port.cable_length, port.link.mtu
        if speed is None or length is None or mtu is None:
            self._assume("headroom of ports whose cable length is unknown: computed by the simulator")
            return None
        cables = {cable.cable for cable in self._plan.cables}
        model = self._plan.hardware.cables.get(next(iter(cables)) or "") if len(cables) == 1 else None
        return int(headroom(speed, length, mtu, lossless, find_chip(self._plan, switch), model, latency).size)

    def _find_threshold(self, switch: Switch) -> int | None:
        """The planned dynamic threshold of lossless groups as an exponent of 2; None without one."""
        step, system = switch.buffers.dynamic_threshold, self._find_system(switch)
        if step is None:
            return None
        name = name_chip(switch)
        if system is None or system.threshold_steps is None:
            self._assume(f"dynamic threshold of {name}: default of the chip (the steps of its platform are not known)")
            return None
        exponent = step - system.threshold_steps.whole.value
        part = _format_power(exponent)
        self._assume(
            f"dynamic threshold {step} of lossless groups of {name}: {part} times the free buffer "
            f"({system.title} is assumed to use the steps of the chip)"
        )
        return exponent

    def _buffer_shares(self, switch: Switch) -> Buffers:
        """The planned pools; without any, the defaults of the switch OS for lossless traffic."""
        planned, system = switch.buffers, self._find_system(switch)
        shares = (planned.lossless_share, planned.lossy_share, planned.headroom_share)
        if system is None or system.own_buffers is None or any(entry is not None for entry in shares):
            return planned
        if not _has_lossless(switch):
            return planned
        defaults = system.own_buffers
        self._assume(f"buffer of {name_chip(switch)}: {_format_shares(defaults)} (default of {system.title})")
        values_by_name = {name: getattr(defaults, name) for name in BufferDefaults.model_fields}
        return replace(planned, **{name: value.value for name, value in values_by_name.items() if value is not None})

    def _find_system(self, switch: Switch) -> SwitchSystem | None:
        return self._plan.hardware.switch_systems.get(switch.os or "")


def find_chip(plan: Plan, switch: Switch) -> ChipModel | None:
    """The chips of a switch as one; None if they are unknown."""
    chip = plan.hardware.chips.get(switch.chip or "")
    model = plan.hardware.switches.get(switch.model or "")
    return chip if model is None else combine_chips(model, chip)


def name_chip(switch: Switch) -> str:
    """The name of a switch in assumptions: its chip, for all switches with this chip."""
    return switch.chip or switch.model or "a switch of no known model"


def _has_lossless(switch: Switch) -> bool:
    return switch.pfc is not False and any(port.qos.pfc for port in switch.ports.values())


def _format_shares(defaults: BufferDefaults) -> str:
    parts = (
        ("lossless", defaults.lossless_share),
        ("lossy", defaults.lossy_share),
        ("headroom", defaults.headroom_share),
    )
    return ", ".join(f"{share.value} % {name}" for name, share in parts if share is not None)


def _format_value(key: str, value: int) -> str:
    if key == "alpha_exponent":
        return _format_power(value)
    return f"{value:,} bytes" if key.endswith("_bytes") else f"{value:,}"


def _format_power(exponent: int) -> str:
    """A power of two as a number or a fraction."""
    return f"{2**exponent}" if exponent >= 0 else f"1/{2**-exponent}"


def _get_value(chip: ChipModel | None, name: str) -> int | None:
    sourced_value = getattr(chip, name) if chip else None
    return None if sourced_value is None else int(sourced_value.value)
