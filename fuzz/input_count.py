"""The number of inputs that a Python target has run without coverage, kept from run to run."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Count:
    """What all runs of a target amount to."""

    inputs: int = 0
    cpu_s: float = 0.0
    batches: int = 0
    failures: dict[str, int] = field(default_factory=dict)  # inputs by fault: exception and location


def read_count(folder: Path, name: str) -> Count:
    """The count of a target; zero before its first run."""
    path = _path(folder, name)
    return Count(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else Count()


def write_count(folder: Path, name: str, count: Count) -> None:
    """Replace the file at once: a run that is killed loses its present batch and nothing else."""
    path = _path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    new_path = path.with_suffix(".new")
    new_path.write_text(json.dumps(asdict(count), indent=1) + "\n", encoding="utf-8")
    new_path.replace(path)


def _path(folder: Path, name: str) -> Path:
    return folder / "inputs" / f"{name}.json"
