"""Run a fuzz target of a Python package in libFuzzer: ``python_target.py NAME [options of libFuzzer] [folders]``.

``python_target.py --list`` prints the names; it and the seeds need no atheris.
"""

# ruff: noqa: T201

from __future__ import annotations

import hashlib
import importlib
import sys
import zlib
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RAW = 0.1
"""Share of inputs that libFuzzer changes byte by byte instead of line by line."""


def main() -> None:
    """Print the names, write the seeds of a target into a folder, or start libFuzzer, which does not return."""
    extend_path()
    match sys.argv[1:]:
        case ["--list"]:
            print("\n".join(load_targets()))
        case ["--seeds", name, folder]:
            for content in load_targets()[name].seeds():
                digest = hashlib.sha1(content, usedforsecurity=False).hexdigest()
                (Path(folder) / digest).write_bytes(content)
        case [name, *options]:
            _start_fuzzing(name, options)


def extend_path() -> None:
    """Let Python find the targets and the modules that seeds need."""
    sys.path[:0] = [
        str(ROOT / folder) for folder in ("tests", "tests/report", "tests/benchmarks/peers", "examples", ".")
    ]


def load_targets() -> dict[str, Any]:
    """Every target by name, a ``fuzzing.target.Target`` each."""
    targets: dict[str, Any] = importlib.import_module("fuzzing.targets").targets()
    return targets


def _start_fuzzing(name: str, options: list[str]) -> None:
    import atheris

    packages = importlib.import_module("fuzzing.target").INSTRUMENTED[name.partition("_")[0]]
    with atheris.instrument_imports(include=list(packages)):
        target = load_targets()[name]
    random = Random()

    def change(content: bytes, longest: int, seed: int) -> bytes:
        random.seed(seed ^ zlib.crc32(content))
        if random.random() < RAW:
            return bytes(atheris.Mutate(content, longest))
        return bytes(target.mutate(content, random)[:longest])

    # The first argument is the command by which libFuzzer starts itself to minimise a corpus.
    arguments = [f"{sys.executable} {__file__} {name}", *options, f"-max_len={target.longest}"]
    atheris.Setup(arguments, target.check, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
