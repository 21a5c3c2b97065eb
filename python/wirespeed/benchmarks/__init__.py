"""Benchmark output: read it, and judge each number against what the hardware can do."""

from __future__ import annotations

from wirespeed.benchmarks.logs.iperf_intervals import is_interval
from wirespeed.benchmarks.tools.reader import Reading, build_failed_run, parse, read

__all__ = ["Reading", "build_failed_run", "is_interval", "parse", "read"]
