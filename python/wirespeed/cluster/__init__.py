"""The cluster file: its model, and a reader that refuses it with every problem and its line."""

from wirespeed.cluster.addresses import AsnPer, Scheme, Underlay
from wirespeed.cluster.fabric import Pattern
from wirespeed.cluster.host import LoanPart, SoftwarePart
from wirespeed.cluster.model import CableRow, ClassPart, Cluster, ClusterFile, HostSpec, Origin, SwitchSpec
from wirespeed.cluster.reader import CABLE_COLUMNS, VERSION, read, read_text
from wirespeed.cluster.schema import schema
from wirespeed.cluster.switch import EcnPart
from wirespeed.cluster.template import TEMPLATE

__all__ = [
    "CABLE_COLUMNS",
    "TEMPLATE",
    "VERSION",
    "AsnPer",
    "CableRow",
    "ClassPart",
    "Cluster",
    "ClusterFile",
    "EcnPart",
    "HostSpec",
    "LoanPart",
    "Origin",
    "Pattern",
    "Scheme",
    "SoftwarePart",
    "SwitchSpec",
    "Underlay",
    "read",
    "read_text",
    "schema",
]
