"""All fuzz targets of the Python readers."""

from __future__ import annotations

from fuzzing import benchmark_logs, bundles, cluster_files, platform_outputs, result_files, yaml_files
from fuzzing.target import Target


def targets() -> dict[str, Target]:
    """Every target by name."""
    modules = (benchmark_logs, bundles, cluster_files, platform_outputs, result_files, yaml_files)
    return {target.name: target for module in modules for target in module.targets()}
