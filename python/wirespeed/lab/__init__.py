"""Runs a cluster as a lab: its hosts and switches are network namespaces of one Linux machine.

A cable is a veth pair. The programs that would load the rendered files on a host load them in the lab.
"""

from wirespeed.lab.bench import AGENT, CONTROL, PAIR, PAIR_ADDRESSES, PAIR_INTERFACE, benchmark_network
from wirespeed.lab.build import up
from wirespeed.lab.counters import counters
from wirespeed.lab.design import Design, design, select_hosts, select_switches
from wirespeed.lab.fault import make as make_fault
from wirespeed.lab.fault import mitigate
from wirespeed.lab.fault import undo as undo_faults
from wirespeed.lab.faults import kinds as fault_kinds
from wirespeed.lab.lab import Lab, find
from wirespeed.lab.machine import check_user
from wirespeed.lab.names import lab_name
from wirespeed.lab.state import names, tidy
from wirespeed.lab.status import status, statuses
from wirespeed.lab.teardown import Removal, remove_lab

__all__ = [
    "AGENT",
    "CONTROL",
    "PAIR",
    "PAIR_ADDRESSES",
    "PAIR_INTERFACE",
    "Design",
    "Lab",
    "Removal",
    "benchmark_network",
    "check_user",
    "counters",
    "design",
    "fault_kinds",
    "find",
    "lab_name",
    "make_fault",
    "mitigate",
    "names",
    "remove_lab",
    "select_hosts",
    "select_switches",
    "status",
    "statuses",
    "tidy",
    "undo_faults",
    "up",
]
