"""Traffic as people write it, and the operations that it means on a plan."""

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
from wirespeed.simulation.workload.spread import Endpoint, Flow, flows_of

__all__ = [
    "Endpoint",
    "Fault",
    "Flow",
    "HostPipe",
    "Pattern",
    "Protocol",
    "Traffic",
    "TrafficFile",
    "flows_of",
    "read_traffic",
    "traffic_schema",
]
