"""The traffic file, and its operations on a plan."""

from wirespeed.simulation.workload.fault_entries import Fault
from wirespeed.simulation.workload.file import (
    HostPipe,
    Pattern,
    Protocol,
    Traffic,
    TrafficFile,
    read_traffic,
    traffic_schema,
)
from wirespeed.simulation.workload.spread import Endpoint, Flow, list_unknown_senders, spread_flows
from wirespeed.simulation.workload.traffic_names import TrafficNames

__all__ = [
    "Endpoint",
    "Fault",
    "Flow",
    "HostPipe",
    "Pattern",
    "Protocol",
    "Traffic",
    "TrafficFile",
    "TrafficNames",
    "list_unknown_senders",
    "read_traffic",
    "spread_flows",
    "traffic_schema",
]
