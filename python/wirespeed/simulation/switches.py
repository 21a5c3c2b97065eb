"""Settings of a plan's switches and their ports, with the values that their platform can configure."""

from __future__ import annotations

import json

from wirespeed import _core
from wirespeed.plan import Plan
from wirespeed.plan.model import Latency
from wirespeed.settings import Discipline, Port, Queue, Switch, TrafficClass, WatchdogAction
from wirespeed.settings.fabric import LoadBalancing
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.nics import Assume, PortSettings, bits, shares
from wirespeed.simulation.switch_buffers import SwitchBuffers, find_chip, name_chip

_NS = 1000  # picoseconds
_LONGEST_GAP_NS = 1_000_000_000  # maximum of the core
_ACTIONS: dict[WatchdogAction, form.WatchdogAction] = {WatchdogAction.DROP: "drop", WatchdogAction.FORWARD: "forward"}


class Switches:
    """Settings of a plan's switches. ``assume`` is called with values that are not in the plan, or not simulated."""

    def __init__(self, plan: Plan, assume: Assume) -> None:
        self._plan, self._assume = plan, assume
        self._preset: form.Parameters = json.loads(_core.preset("roce"))
        self._buffers = SwitchBuffers(plan, self._preset["switch"], assume)

    def node(self, name: str, switch: Switch) -> form.Parameters:
        """Settings of the whole switch ``name``."""
        latency = self._plan.latencies.get(name, Latency())
        name = name_chip(switch)
        waiting, credit_ns = self._find_architecture(switch, latency)
        whole_ns = self._find_latency(switch, latency)
        return {
            "switch": {
                "architecture": waiting,
                "latency_ns": whole_ns - credit_ns,
                **self._buffers.memory(switch),
                **self._buffers.division(switch),
            },
            "ecmp": self._build_load_balancing(name, switch.load_balancing),
        }

    def port(self, name: str, switch: Switch, settings: Port) -> PortSettings:
        """Settings of a port of the switch ``name``, and of its priorities."""
        lossless = [] if switch.pfc is False else sorted(int(entry) for entry in settings.qos.pfc or ())
        queues = {
            int(traffic_class.priority): _find_queue(settings, traffic_class)
            for traffic_class in self._plan.classes.values()
        }
        strict = [priority for priority, queue in queues.items() if queue and queue.discipline is Discipline.STRICT]
        weights = {
            priority: queue.weight
            for priority, queue in queues.items()
            if queue and queue.weight and priority not in strict
        }
        if any(queue and queue.weight for priority, queue in queues.items() if priority in strict):
            self._assume(f"rate of strict queues of {name_chip(switch)}: not a limit")
        port_settings = PortSettings(
            {
                "pfc": {"lossless_priorities": bits(lossless), "watchdog": self._build_watchdog(switch, settings)},
                "scheduler": {"strict_priorities": bits(strict), "weights": shares(weights)},
            }
        )
        for priority, queue in queues.items():
            marking = self._build_marking(switch, queue, priority in lossless)
            if marking is not None:
                port_settings.of_priorities[priority,] = {"marking": marking}
        if lossless:
            self._assume("headroom: as planned; headroom that the switch OS allocates itself is not modelled")
            latency = self._plan.latencies.get(name, Latency()).whole
            size = self._buffers.headroom(switch, settings, len(lossless), latency)
            computed: form.Headroom = {"rule": "computed", "percent": 100}
            rule: form.Headroom = computed if size is None else {"rule": "fixed", "bytes": size}
            group = tuple(lossless)
            shared = self._buffers.group(switch, settings.link.speed)
            port_settings.of_priorities[group] = {
                **port_settings.of_priorities.get(group, {}),
                "switch": {"headroom": rule, **shared},
            }
        return port_settings

    def assume_hash(self) -> None:
        """Assume the hash of switches, which no plan contains."""
        self._assume("ECMP hash: simulator default (vendors do not publish theirs)")

    def _find_latency(self, switch: Switch, latency: Latency) -> int:
        """Forwarding latency in nanoseconds."""
        name = switch.model or name_chip(switch)
        if latency.whole is None:
            usual: int = self._preset["switch"]["latency_ns"]
            self._assume(f"switch latency of {name}: {usual} ns (not in cluster file or catalogue)")
            return usual
        latency_ns = int(latency.whole) // _NS
        if latency.source is not None:
            self._assume(f"switch latency of {name}: {latency_ns:,} ns from the last bit received (catalogue)")
        return latency_ns

    def _find_architecture(self, switch: Switch, latency: Latency) -> tuple[form.Architecture, int]:
        """Buffer architecture, and the latency of a credit in nanoseconds."""
        chip = find_chip(self._plan, switch)
        if chip is None or chip.credit is None:
            return {"rule": "shared-buffer"}, 0
        name, credit_ns = name_chip(switch), int(latency.credit or 0) // _NS
        if latency.credit is None:
            self._assume(f"credit latency of {name}: 0 ns (no credit_latency in the cluster file)")
        self._assume(f"cores of {name}: ports are assigned in order")
        return {"rule": "voq", "credit_bytes": int(chip.credit.value), "credit_latency_ns": credit_ns}, credit_ns

    def _build_load_balancing(self, name: str, balancing: LoadBalancing) -> form.Ecmp:
        """Load balancing. A mode that is not static chooses by the quality of the ports, for a flow, a flowlet or a
        packet (Junos, Dynamic Load Balancing; Customize Egress Port Link Quality Metrics for DLB: load and queue)."""
        if balancing.mode in (None, "static"):
            return {"balance": "flow"}
        if balancing.mode == "flowlet":
            gap = self._preset["ecmp"]["flowlet_gap_ns"]
            if balancing.flowlet_gap is None:
                self._assume(f"flowlet gap of {name}: {gap:,} ns (preset; not in the cluster file)")
            else:
                gap = max(1, int(balancing.flowlet_gap) // _NS)
        elif balancing.mode == "per-packet":
            gap = 0
        elif balancing.mode == "assigned-flow":
            gap = _LONGEST_GAP_NS
            self._assume(f"load balancing assigned-flow of {name}: a flow keeps its port until it is idle for 1 s")
        else:
            self._assume(f"load balancing {balancing.mode} of {name}: modelled as a hash per flow")
            return {"balance": "flow"}
        self._assume(f"load balancing {balancing.mode} of {name}: uses the queue depth of the ports, not their load")
        if balancing.flowlet_table is not None:
            self._assume(f"flowlet table of {name}: unlimited (the plan has {balancing.flowlet_table:,} entries)")
        return {"balance": "adaptive", "adaptive_gap_ns": gap}

    def _build_watchdog(self, switch: Switch, port: Port) -> form.Watchdog | None:
        watchdog, poll = port.qos.watchdog, switch.watchdog_poll
        if not watchdog.enabled:
            return None
        name = name_chip(switch)
        action = _ACTIONS.get(watchdog.action) if watchdog.action else None
        if action is None:
            self._assume(f"PFC watchdog of {name}: not simulated ({_describe_action(watchdog.action)})")
            return None
        detect = watchdog.detect or poll
        if detect is None:
            self._assume(f"PFC watchdog of {name}: not simulated (no planned times)")
            return None
        if poll is None:
            self._assume(f"PFC watchdog of {name}: polls at half of its detection time (no planned interval)")
        if watchdog.restore is None:
            self._assume(f"PFC watchdog of {name}: restores after its detection time (no planned restoration time)")
        return {
            "detection_ns": _convert_to_ns(detect),
            "restoration_ns": _convert_to_ns(watchdog.restore or detect),
            "poll_ns": _convert_to_ns(poll or detect // 2),
            "action": action,
        }

    def _build_marking(self, switch: Switch, queue: Queue | None, lossless: bool) -> form.Marking | None:
        if queue is None or not queue.ecn.enabled:
            return None
        ecn = queue.ecn
        low, high = ecn.minimum, ecn.maximum
        if low is None or high is None:
            if ecn.minimum_fill is None or ecn.maximum_fill is None:
                return None
            whole = self._buffers.fair_share(switch, lossless)
            text = f"ECN thresholds of {name_chip(switch)} in percent refer to {whole:,} bytes"
            self._assume(f"{text}, the maximum of one queue in its pool")
            low_bytes, high_bytes = whole * ecn.minimum_fill // 100, whole * ecn.maximum_fill // 100
        else:
            low_bytes, high_bytes = int(low), int(high)
        probability = 100 if ecn.probability is None else ecn.probability
        return {
            "enabled": True,
            "kmin_bytes": low_bytes,
            "kmax_bytes": high_bytes,
            "pmax": probability / 100,
            "reference_gbps": None,
        }


def _describe_action(action: WatchdogAction | None) -> str:
    if action is WatchdogAction.ALERT:
        return "its action is to report only"
    if action is WatchdogAction.ERRDISABLE:
        return "its action is to disable the port"
    return "no planned action"


def _convert_to_ns(time: int) -> int:
    return max(1, time // _NS)


def _find_queue(port: Port, traffic_class: TrafficClass) -> Queue | None:
    """The egress queue of a class, by the maps of the port."""
    qos = port.qos
    queue_numbers = [
        qos.tc_queue[tc] for dscp, tc in (qos.dscp_tc or {}).items() if dscp in traffic_class.dscp and qos.tc_queue
    ]
    return port.queues.get(str(int(queue_numbers[0]))) if queue_numbers else None
