"""The JSON Schema of the cluster file, for editors and validators."""

from __future__ import annotations

from typing import Any

from wirespeed.cluster.model import ClusterFile
from wirespeed.cluster.reader import VERSION


def schema() -> dict[str, Any]:
    """The schema, as JSON Schema 2020-12. It describes the file as YAML 1.2 parsers read it."""
    file_schema = ClusterFile.model_json_schema(by_alias=True)
    file_schema["properties"]["version"]["const"] = VERSION
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **file_schema,
        "title": "wirespeed cluster file",
        "description": "One lossless Ethernet RDMA cluster: hosts, switches, cables, addresses and traffic classes.",
    }
