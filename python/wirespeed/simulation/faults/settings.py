"""One wrong setting on one device: the plan as that device has it, by the names of `wirespeed.settings`.

The scenario is made of the plan with the setting, so a wrong setting acts as the same value would if it were planned.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wirespeed.cluster.fields import Unfit
from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.plan import Plan
from wirespeed.settings import Host, Nic, PcieFunction, Place, Port, Queue, Switch
from wirespeed.settings.model import get, list_collections, list_group_settings, list_settings
from wirespeed.simulation.devices import devices_of
from wirespeed.simulation.faults.places import Refuse, refusal_of
from wirespeed.simulation.faults.values import value_of
from wirespeed.simulation.nics import DriverNames
from wirespeed.simulation.plan_names import names_of
from wirespeed.simulation.workload import Flow, Protocol, Traffic
from wirespeed.simulation.workload.fault_entries import WrongSetting

SIMULATED = (
    "switch.pfc",
    "switch.watchdog_poll",
    "switch.load_balancing.mode",
    "switch.load_balancing.flowlet_gap",
    "switch.buffers.lossless_share",
    "switch.buffers.lossy_share",
    "switch.buffers.headroom_share",
    "switch.buffers.shared_headroom",
    "switch.buffers.dynamic_threshold",
    "port.cable_length",
    "port.qos.pfc",
    "port.qos.watchdog.enabled",
    "port.qos.watchdog.action",
    "port.qos.watchdog.detect",
    "port.qos.watchdog.restore",
    "queue.discipline",
    "queue.weight",
    *list_group_settings(Queue, "queue.ecn"),
    "nic.qos.pfc",
    "nic.qos.roce_dscp",
    "nic.qos.cnp_priority",
    "nic.qos.ecn",
    "nic.qos.ecn_priorities",
    "nic.qos.congestion",
    "nic.qos.congestion_parameters",
    "nic.qos.priority_tc",
    "nic.qos.tc_discipline",
    "nic.qos.tc_share",
    "nic.qos.buffer_size",
    "nic.nvm.relaxed_ordering",
    "nic.nvm.outstanding_reads",
    "pcie.max_payload",
    "pcie.max_read_request",
    "pcie.relaxed_ordering",
)
"""Settings that a simulated device obeys as a real one would."""
_KINDS = {cls.kind: cls for cls in (Host, Nic, PcieFunction, Switch, Port, Queue)}
_DSCP = "nic.qos.roce_dscp"


def wrongly_set(plan: Plan, traffic: Traffic, words: DriverNames) -> Plan:
    """The plan as its devices are set: with the wrong settings of a traffic file that `check` has found to fit.

    Raises:
        Refusal: there is no such setting, the simulator does not know it, or the value is none for it or is the planned
            one; each with its line.
    """
    problems: list[Problem] = []
    for index, fault in enumerate(traffic.faults):
        if isinstance(fault, WrongSetting):
            setting = _Setting(plan, traffic, fault, words, refusal_of(traffic, index))
            found = setting.apply()
            problems += setting.problems
            plan = found or plan
    if problems:
        raise Refusal(problems)
    return plan


def priority_of(planned: Plan, found: Plan, flow: Flow) -> int:
    """The priority that switches give a flow: where its NIC sends another DSCP than planned, that of the class of this.

    Its acknowledgements have the same: queue pairs of the simulator have one priority.
    """
    traffic_class = flow.traffic_class
    if flow.protocol is Protocol.RDMA:
        nics = [plan.hosts[flow.source.host].nics[flow.source.interface] for plan in (planned, found)]
        planned_dscp, sent = (nic.qos.roce_dscp for nic in nics)
        if planned_dscp in traffic_class.dscp and sent is not None and sent not in traffic_class.dscp:
            of_dscp = (entry for entry in planned.classes.values() if sent in entry.dscp)
            return int(next((entry.priority for entry in of_dscp), 0))
    return int(traffic_class.priority)


class _Setting:
    """One of them; collects problems."""

    def __init__(self, plan: Plan, traffic: Traffic, fault: WrongSetting, words: DriverNames, refuse: Refuse) -> None:
        self._plan, self._traffic, self._fault, self._words, self._refuse = plan, traffic, fault, words, refuse
        self.problems: list[Problem] = []

    def apply(self) -> Plan | None:
        """The plan with it; None where there is a problem."""
        fault = self._fault
        if not self._is_simulated():
            return None
        kind = _KINDS[fault.setting.partition(".")[0]]
        try:
            value = value_of(kind, fault.setting, fault.value)
        except Unfit as unfit:
            self._note("value", f"{fault.setting}: {fault.value!r}", unfit.expected, unfit.hint)
            return None
        device, _, port = (fault.node or fault.port or "").partition(":")
        changing = _SettingChange(fault.setting, value, port, self._queues(device), self._nics(device))
        new = changing.change(self._plan.devices[device], Place(device))
        if not changing.before:
            location = f"{fault.node or fault.port}" + (f", class {fault.traffic_class}" if fault.traffic_class else "")
            self._note("setting", f"{fault.setting} at {location}", f"something that has a {kind.kind}")
            return None
        if all(entry == value for entry in changing.before):
            self._note("value", f"{fault.setting} {_format_value(value)}, as planned", "another value")
            return None
        if kind is Queue and any(_has_exchanged_thresholds(queue) for queue in changing.after):
            self._note(
                "value", f"{fault.setting} {_format_value(value)}", "queue.ecn.minimum at most queue.ecn.maximum"
            )
            return None
        if device in self._plan.hosts:
            found = dataclasses.replace(self._plan, hosts={**self._plan.hosts, device: new})
        else:
            found = dataclasses.replace(self._plan, switches={**self._plan.switches, device: new})
        if fault.setting != _DSCP and (why := self._idle(found)) is not None:
            self._note("setting", f"{fault.setting} {_format_value(value)}", "a setting that acts here", why)
            return None
        return found

    def _is_simulated(self) -> bool:
        setting = self._fault.setting
        if setting in SIMULATED:
            return True
        kind = _KINDS.get(setting.partition(".")[0])
        if kind is not None and setting in list_settings(kind):
            self._note("setting", f"{setting}, which the simulator does not know", f"one of {', '.join(SIMULATED)}")
        else:
            hint = did_you_mean(setting, list(SIMULATED))
            self._note("setting", f"the setting {setting!r}", f"one of {', '.join(SIMULATED)}", hint)
        return False

    def _idle(self, found: Plan) -> str | None:
        """Why the simulation would not change; None if it changes."""
        names = names_of(self._plan)
        before, after = (devices_of(plan, names, self._words, self._traffic) for plan in (self._plan, found))
        if (before.parameters, before.items) != (after.parameters, after.items):
            return None
        return "; ".join(entry for entry in after.assumed if entry not in before.assumed) or "others override it"

    def _queues(self, device: str) -> Callable[[str, str], bool]:
        """Whether a queue of a port is meant: that of the class, by the maps of the port."""
        fault, switch = self._fault, self._plan.switches.get(device)
        if fault.traffic_class is None or switch is None:
            return lambda _port, _queue: True
        dscps = self._plan.classes[fault.traffic_class].dscp

        def is_target(port: str, queue: str) -> bool:
            qos = switch.ports[port].qos
            tcs = {tc for dscp, tc in (qos.dscp_tc or {}).items() if dscp in dscps}
            return queue in {str(int(found)) for tc, found in (qos.tc_queue or {}).items() if tc in tcs}

        return is_target

    def _nics(self, device: str) -> Mapping[str, str]:
        """The NIC port of each PCIe function that is one."""
        host = self._plan.hosts.get(device)
        return {nic.pcie: name for name, nic in host.nics.items() if nic.pcie} if host else {}

    def _note(self, key: str, found: str, expected: str, hint: str | None = None) -> None:
        self.problems.append(self._refuse(key, found, expected, hint))


class _SettingChange:
    """Gives a setting another value, in all entities that have it."""

    def __init__(
        self, path: str, value: Any, port: str, queues: Callable[[str, str], bool], nics: Mapping[str, str]
    ) -> None:
        self._path, self._value, self._port, self._queues, self._nics = path, value, port, queues, nics
        self.before: list[Any] = []
        """Its values so far."""
        self.after: list[Any] = []
        """The entities that have the new one."""

    def change(self, node: Any, place: Place) -> Any:
        """Change the setting in an entity and in everything that it contains."""
        for path, members in list_collections(type(node)).items():
            inner = get(node, path)
            new = {name: self.change(entry, place.child(members.kind, name)) for name, entry in inner.items()}
            if any(new[name] is not inner[name] for name in inner):
                node = _replace_field(node, path.split(".")[1:], new)
        if not self._is_target(node, place):
            return node
        self.before.append(get(node, self._path))
        node = _replace_field(node, self._path.split(".")[1:], self._value)
        self.after.append(node)
        return node

    def _is_target(self, node: Any, place: Place) -> bool:
        if self._path not in list_settings(type(node)):
            return False
        ports = [name for kind, name in place.entities if kind in ("port", "nic")]
        if isinstance(node, PcieFunction):
            if place.name not in self._nics:
                return False
            ports = [self._nics[place.name]]
        if self._port and ports != [self._port]:
            return False
        return not isinstance(node, Queue) or self._queues(ports[0], place.name)


def _replace_field(node: Any, names: Sequence[str], value: Any) -> Any:
    first, *rest = names
    return dataclasses.replace(node, **{first: _replace_field(getattr(node, first), rest, value) if rest else value})


def _has_exchanged_thresholds(queue: Queue) -> bool:
    low, high = queue.ecn.minimum, queue.ecn.maximum
    return low is not None and high is not None and low > high


def _format_value(value: Any) -> str:
    """A value as its file would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_format_value(entry)}" for key, entry in value.items())
    if isinstance(value, frozenset | tuple):
        return f"[{', '.join(_format_value(entry) for entry in sorted(value))}]"
    return str(value)
