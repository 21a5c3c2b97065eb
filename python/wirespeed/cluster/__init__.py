"""The cluster file: its model, and a reader that refuses it with every problem and its line."""

from wirespeed.cluster.model import (
    AsnPer,
    CableRow,
    ClassPart,
    Cluster,
    ClusterFile,
    EcnPart,
    HostSpec,
    LoanPart,
    Origin,
    Pattern,
    Scheme,
    SoftwarePart,
    SwitchSpec,
    Underlay,
)
from wirespeed.cluster.reader import CABLE_COLUMNS, VERSION, read, read_text
from wirespeed.cluster.schema import schema
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
