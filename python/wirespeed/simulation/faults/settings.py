"""One wrong setting on one device: the plan with this setting, by its name in `wirespeed.settings`.

The scenario is made from the changed plan, so a wrong setting has the same effect as if it were planned.
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
from wirespeed.simulation.devices import build_devices
from wirespeed.simulation.faults.places import Refuse, make_refuse
from wirespeed.simulation.faults.values import convert_value
from wirespeed.simulation.nics import DriverNames
from wirespeed.simulation.plan_names import number_plan
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
"""Settings that have the same effect on a simulated device as on a real one."""
_KINDS = {cls.kind: cls for cls in (Host, Nic, PcieFunction, Switch, Port, Queue)}
_DSCP = "nic.qos.roce_dscp"


def wrongly_set(plan: Plan, traffic: Traffic, driver_names: DriverNames) -> Plan:
    """The plan with the wrong settings of a traffic file that `check` has accepted.

    Raises:
        Refusal: the setting does not exist or is not simulated, or its value is invalid or the planned one; each with
            its line.
    """
    problems: list[Problem] = []
    for index, fault in enumerate(traffic.faults):
        if isinstance(fault, WrongSetting):
            setting = _Setting(plan, traffic, fault, driver_names, make_refuse(traffic.origin, index))
            changed_plan = setting.apply()
            problems += setting.problems
            plan = changed_plan or plan
    if problems:
        raise Refusal(problems)
    return plan


def find_priority(planned: Plan, actual: Plan, flow: Flow) -> int:
    """The priority that switches give a flow: where its NIC sends another DSCP than planned, that of the class of this.

    Its acknowledgements have the same priority: queue pairs of the simulator have one.
    """
    traffic_class = flow.traffic_class
    if flow.protocol is Protocol.RDMA:
        nics = [plan.hosts[flow.source.host].nics[flow.source.interface] for plan in (planned, actual)]
        planned_dscp, actual_dscp = (nic.qos.roce_dscp for nic in nics)
        if planned_dscp in traffic_class.dscp and actual_dscp is not None and actual_dscp not in traffic_class.dscp:
            of_dscp = (entry for entry in planned.classes.values() if actual_dscp in entry.dscp)
            return int(next((entry.priority for entry in of_dscp), 0))
    return int(traffic_class.priority)


class _Setting:
    """One wrong setting; collects problems."""

    def __init__(
        self, plan: Plan, traffic: Traffic, fault: WrongSetting, driver_names: DriverNames, refuse: Refuse
    ) -> None:
        self._plan, self._traffic, self._fault, self._driver_names, self._refuse = (
            plan,
            traffic,
            fault,
            driver_names,
            refuse,
        )
        self.problems: list[Problem] = []

    def apply(self) -> Plan | None:
        """The plan with the setting; None if there is a problem."""
        fault = self._fault
        if not self._is_simulated():
            return None
        kind = _KINDS[fault.setting.partition(".")[0]]
        try:
            value = convert_value(kind, fault.setting, fault.value)
        except Unfit as unfit:
            self._add_problem("value", f"{fault.setting}: {fault.value!r}", unfit.expected, unfit.hint)
            return None
        device, _, port = (fault.node or fault.port or "").partition(":")
        changing = _SettingChange(
            fault.setting, value, port, self._select_queues(device), self._map_pcie_to_nics(device)
        )
        new = changing.change(self._plan.devices[device], Place(device))
        location = f"{fault.node or fault.port}" + (f", class {fault.traffic_class}" if fault.traffic_class else "")
        if not changing.values_before:
            self._add_problem("setting", f"{fault.setting} at {location}", f"something that has a {kind.kind}")
            return None
        if all(entry == value for entry in changing.values_before):
            self._add_problem("value", f"{fault.setting} {_format_value(value)}, as planned", "another value")
            return None
        if kind is Queue and any(_has_exchanged_thresholds(queue) for queue in changing.values_after):
            expected, hint = _describe_threshold_range(fault.setting, changing.values_after, location)
            self._add_problem("value", f"{fault.setting} {_format_value(value)}", expected, hint)
            return None
        if device in self._plan.hosts:
            changed_plan = dataclasses.replace(self._plan, hosts={**self._plan.hosts, device: new})
        else:
            changed_plan = dataclasses.replace(self._plan, switches={**self._plan.switches, device: new})
        if fault.setting != _DSCP and (idle_reason := self._explain_no_effect(changed_plan)) is not None:
            self._add_problem(
                "setting", f"{fault.setting} {_format_value(value)}", "a setting that acts here", idle_reason
            )
            return None
        return changed_plan

    def _is_simulated(self) -> bool:
        setting = self._fault.setting
        if setting in SIMULATED:
            return True
        kind = _KINDS.get(setting.partition(".")[0])
        if kind is not None and setting in list_settings(kind):
            self._add_problem(
                "setting", f"{setting}, which the simulator does not know", f"one of {', '.join(SIMULATED)}"
            )
        else:
            hint = did_you_mean(setting, list(SIMULATED))
            self._add_problem("setting", f"the setting {setting!r}", f"one of {', '.join(SIMULATED)}", hint)
        return False

    def _explain_no_effect(self, changed_plan: Plan) -> str | None:
        """Why the simulation would not change; None if it changes."""
        names = number_plan(self._plan)
        before, after = (
            build_devices(plan, names, self._driver_names, self._traffic) for plan in (self._plan, changed_plan)
        )
        if (before.parameters, before.items) != (after.parameters, after.items):
            return None
        return "; ".join(entry for entry in after.assumed if entry not in before.assumed) or "others override it"

    def _select_queues(self, device: str) -> Callable[[str, str], bool]:
        """A function that selects the queue of the class, by the maps of the port."""
        fault, switch = self._fault, self._plan.switches.get(device)
        if fault.traffic_class is None or switch is None:
            return lambda _port, _queue: True
        dscps = self._plan.classes[fault.traffic_class].dscp

        def is_target(port: str, queue: str) -> bool:
            qos = switch.ports[port].qos
            tcs = {tc for dscp, tc in (qos.dscp_tc or {}).items() if dscp in dscps}
            return queue in {str(int(queue_number)) for tc, queue_number in (qos.tc_queue or {}).items() if tc in tcs}

        return is_target

    def _map_pcie_to_nics(self, device: str) -> Mapping[str, str]:
        """The NIC port of each PCIe function of a NIC."""
        host = self._plan.hosts.get(device)
        return {nic.pcie: name for name, nic in host.nics.items() if nic.pcie} if host else {}

    def _add_problem(self, key: str, found: str, expected: str, hint: str | None = None) -> None:
        self.problems.append(self._refuse(key, found, expected, hint))


class _SettingChange:
    """Changes the value of a setting in all entities that have it."""

    def __init__(
        self, path: str, value: Any, port: str, queues: Callable[[str, str], bool], nics: Mapping[str, str]
    ) -> None:
        self._path, self._value, self._port, self._select_queues, self._map_pcie_to_nics = (
            path,
            value,
            port,
            queues,
            nics,
        )
        self.values_before: list[Any] = []
        """The values before the change."""
        self.values_after: list[Any] = []
        """The changed entities."""

    def change(self, node: Any, place: Place) -> Any:
        """Change the setting in an entity and in everything that it contains."""
        for path, members in list_collections(type(node)).items():
            inner = get(node, path)
            new = {name: self.change(entry, place.child(members.kind, name)) for name, entry in inner.items()}
            if any(new[name] is not inner[name] for name in inner):
                node = _replace_field(node, path.split(".")[1:], new)
        if not self._is_target(node, place):
            return node
        self.values_before.append(get(node, self._path))
        node = _replace_field(node, self._path.split(".")[1:], self._value)
        self.values_after.append(node)
        return node

    def _is_target(self, node: Any, place: Place) -> bool:
        if self._path not in list_settings(type(node)):
            return False
        ports = [name for kind, name in place.entities if kind in ("port", "nic")]
        if isinstance(node, PcieFunction):
            if place.name not in self._map_pcie_to_nics:
                return False
            ports = [self._map_pcie_to_nics[place.name]]
        if self._port and ports != [self._port]:
            return False
        return not isinstance(node, Queue) or self._select_queues(ports[0], place.name)


def _replace_field(node: Any, names: Sequence[str], value: Any) -> Any:
    first, *inner_names = names
    return dataclasses.replace(
        node, **{first: _replace_field(getattr(node, first), inner_names, value) if inner_names else value}
    )


def _has_exchanged_thresholds(queue: Queue) -> bool:
    low, high = queue.ecn.minimum, queue.ecn.maximum
    return low is not None and high is not None and low > high


def _describe_threshold_range(setting: str, queues: Sequence[Queue], location: str) -> tuple[str, str]:
    """The values of one ECN threshold that fit the other one of these queues, and how to allow more."""
    bound, select, limit = (
        ("at most", min, "queue.ecn.maximum")
        if setting == "queue.ecn.minimum"
        else ("at least", max, "queue.ecn.minimum")
    )
    limits = {value for queue in queues if (value := get(queue, limit)) is not None}
    extreme = f"the {'lowest' if select is min else 'highest'} " if len(limits) > 1 else ""
    return (
        f"{bound} {select(limits)}, {extreme}{limit} of {location}",
        f"to use this value, change {limit} in an entry before this one",
    )


def _format_value(value: Any) -> str:
    """A value in the form of a traffic file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_format_value(entry)}" for key, entry in value.items())
    if isinstance(value, frozenset | tuple):
        return f"[{', '.join(_format_value(entry) for entry in sorted(value))}]"
    return str(value)
