"""Benchmark output: read it, and judge each number against what the hardware can do."""

from __future__ import annotations

from wirespeed.benchmarks.tools.iperf3.interval_lines import is_interval
from wirespeed.benchmarks.tools.reader import Reading, failed_run, parse, read

__all__ = ["Reading", "failed_run", "is_interval", "parse", "read"]
