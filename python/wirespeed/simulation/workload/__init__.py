"""Traffic as people write it, and the operations that it means on a plan."""

from wirespeed.simulation.workload.faults import LinkDown, faults_of
from wirespeed.simulation.workload.file import Pattern, Protocol, Traffic, TrafficFile, read_traffic, traffic_schema
from wirespeed.simulation.workload.spread import Flow, Seat, flows_of

__all__ = [
    "Flow",
    "LinkDown",
    "Pattern",
    "Protocol",
    "Seat",
    "Traffic",
    "TrafficFile",
    "faults_of",
    "flows_of",
    "read_traffic",
    "traffic_schema",
]
