"""Build and run fuzz targets, and keep the inputs that reach new code, or count inputs (``--inputs``).

A target of a Rust crate is a file ``targets/<name>.rs``; those of Python packages are in ``tests/fuzzing``. Both run in
libFuzzer. Rust targets build with the stable toolchain and a C++ compiler. Python targets need the package ``atheris``.

The inputs of a target are kept in ``corpus/<name>.txt``, one escaped byte string a line, and replayed by the tests. A
run starts from them; inputs that reach more code are added up to the size limit of the file. An input that fails is
written to ``target/fuzz/failures/``.

With ``--inputs`` Python targets run changed inputs in `plain_run`, a process for each processor, without coverage.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from input_count import read_count

ROOT = Path(__file__).resolve().parents[1]
FUZZ = ROOT / "fuzz"
WORK = ROOT / "target" / "fuzz"

INSTRUMENTATION = (
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
)
"""Coverage for libFuzzer. All of them are options of the stable compiler; a sanitizer would need the nightly one."""

LONGEST_INPUT = 4096
TIMEOUT_S = 10
"""Maximum time for one input: the time of every reader is proportional to its input, so more is a failure."""
MEMORY_MB = 2048
CORPUS_BYTES = 24 * 1024
"""Size limit of a corpus file, so that the repository stays small and the tests fast."""


@dataclass(frozen=True)
class Target:
    """One fuzz target."""

    name: str
    command: tuple[str, ...]

    @property
    def corpus(self) -> Path:
        """The kept inputs."""
        return FUZZ / "corpus" / f"{self.name}.txt"


@dataclass(frozen=True)
class Result:
    """The figures of one run."""

    inputs: int
    seconds: float
    coverage: int
    coverage_before: int
    failures: tuple[Path, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the targets one after the other and print a line for each."""
    options = _parse_options(arguments)
    python_names = _python_targets()
    names = [path.stem for path in sorted((FUZZ / "targets").glob("*.rs"))] + python_names
    if options.list:
        print("\n".join(names))
        return 0
    unknown = set(options.targets) - set(names)
    if unknown:
        print(f"no target named {', '.join(sorted(unknown))}\n  hint: targets are {', '.join(names)}", file=sys.stderr)
        return 2
    in_python = [name for name in options.targets or names if name in python_names]
    if options.counts:
        _print_counts(in_python)
        return 0
    failed = False
    seconds = options.seconds or (60 if options.inputs is None else 0)
    selected = options.targets or names
    if options.inputs is not None:
        failed = _run_plain(in_python, options.inputs, options.seconds or 0, options.processes)
        selected = [name for name in selected if name not in in_python]
        if not selected:
            return 1 if failed else 0
    print(
        f"{'target':<24}{'inputs':>12}{'seconds':>9}{'inputs/s':>10}{'edges':>8}{'new':>6}{'failures':>10}", flush=True
    )
    for target in _select_targets(selected):
        result = run(target, seconds, options.inputs or -1)
        rate = result.inputs / max(result.seconds, 0.001)
        new = result.coverage - result.coverage_before
        print(
            f"{target.name:<24}{result.inputs:>12,}{result.seconds:>9.0f}{rate:>10,.0f}"
            f"{result.coverage:>8}{new:>6}{len(result.failures):>10}",
            flush=True,
        )
        for failure in result.failures:
            failed = True
            print(f"  failing input: {failure.relative_to(ROOT)}; its report is beside it", flush=True)
    return 1 if failed else 0


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run fuzz targets and keep the inputs that reach new code.")
    parser.add_argument("targets", nargs="*", help="names of targets; default: all")
    parser.add_argument("--seconds", type=int, help="time for each target; default: 60, or no limit with --inputs")
    parser.add_argument(
        "--inputs",
        type=int,
        help="stop after this many inputs; Python targets run without coverage and count those of earlier runs",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=os.cpu_count(),
        help="maximum number of Python targets at a time with --inputs; default: the number of processors",
    )
    parser.add_argument("--counts", action="store_true", help="print the inputs of Python targets so far and exit")
    parser.add_argument("--list", action="store_true", help="list the targets and exit")
    return parser.parse_args(arguments)


def _python_targets() -> list[str]:
    return _run_command(sys.executable, str(FUZZ / "python_target.py"), "--list").split()


def _run_command(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _select_targets(names: Sequence[str]) -> list[Target]:
    in_rust = [name for name in names if (FUZZ / "targets" / f"{name}.rs").is_file()]
    built = _build_programs(in_rust) if in_rust else WORK
    return [
        Target(
            name,
            (str(built / name),) if name in in_rust else (sys.executable, str(FUZZ / "python_target.py"), name),
        )
        for name in names
    ]


def _build_programs(names: Sequence[str]) -> Path:
    """Build Rust targets and return the folder of the programs."""
    host = re.search(r"^host: (\S+)$", _run_command("rustc", "-vV"), re.MULTILINE)
    assert host is not None
    # With --target the options apply to the crates only, not to build scripts.
    command = ["cargo", "build", "--quiet", "--release", "--manifest-path", str(FUZZ / "Cargo.toml")]
    command += ["--target", host[1], "--target-dir", str(WORK)]
    command += [part for name in names for part in ("--bin", name)]
    subprocess.run(command, check=True, env=os.environ | {"RUSTFLAGS": " ".join(INSTRUMENTATION)})
    return WORK / host[1] / "release"


def _run_plain(names: Sequence[str], inputs: int, seconds: int, processes: int) -> bool:
    """Run Python targets without coverage until each has run ``inputs``; whether any failed, in this run or before."""
    waiting, running = list(names), dict[str, subprocess.Popen[bytes]]()

    def stop(number: int, frame: FrameType | None) -> None:
        waiting.clear()
        for process in running.values():
            process.terminate()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    print(_COUNT_COLUMNS, flush=True)
    while running or waiting:
        while waiting and len(running) < processes:
            name = waiting.pop(0)
            command = (sys.executable, str(FUZZ / "plain_run.py"), name, str(inputs), str(seconds), str(WORK))
            running[name] = subprocess.Popen(command)
        time.sleep(0.2)
        for name in [name for name, process in running.items() if process.poll() is not None]:
            if running.pop(name).returncode not in (0, -signal.SIGTERM):  # ended by it while it loads its seeds
                raise SystemExit(f"{name} did not run")
            print(_format_count(name), flush=True)
    return any(read_count(WORK, name).failures for name in names)


_COUNT_COLUMNS = f"{'target':<34}{'inputs':>12}{'CPU s':>9}{'inputs/s':>10}{'failures':>10}"


def _format_count(name: str) -> str:
    count = read_count(WORK, name)
    rate = count.inputs / max(count.cpu_s, 0.001)
    failures = sum(count.failures.values())
    lines = [f"{name:<34}{count.inputs:>12,}{count.cpu_s:>9,.0f}{rate:>10,.0f}{failures:>10,}"]
    lines += [f"  {number:,} inputs: {fault}" for fault, number in count.failures.items()]
    return "\n".join(lines)


def _print_counts(names: Sequence[str]) -> None:
    print("\n".join([_COUNT_COLUMNS, *map(_format_count, names)]))


def run(target: Target, seconds: int, inputs: int = -1) -> Result:
    """Run one target from its stored inputs, and store inputs that reach more code."""
    inputs_folder = WORK / "found" / target.name
    shutil.rmtree(inputs_folder, ignore_errors=True)
    inputs_folder.mkdir(parents=True)
    if target.command[0] == sys.executable:
        _run_command(*target.command[:-1], "--seeds", target.name, str(inputs_folder))
    for content in read_corpus(target.corpus):
        (inputs_folder / hashlib.sha1(content, usedforsecurity=False).hexdigest()).write_bytes(content)
    failures = WORK / "failures"
    failures.mkdir(parents=True, exist_ok=True)
    earlier_failures = set(failures.glob(f"{target.name}-*"))
    log = failures / f"{target.name}.log"
    started = time.monotonic()
    with log.open("wb") as output:
        subprocess.run(
            [
                *target.command,
                str(inputs_folder),
                f"-max_total_time={seconds}",
                f"-runs={inputs}",
                f"-max_len={LONGEST_INPUT}",
                f"-timeout={TIMEOUT_S}",
                f"-rss_limit_mb={MEMORY_MB}",
                f"-artifact_prefix={failures}/{target.name}-",
                "-print_final_stats=1",
                "-reload=0",
                "-use_value_profile=0",
            ],
            stdout=output,
            stderr=output,
            check=False,
        )
    text = log.read_text(errors="replace")
    # The time does not include the start of the program.
    last_line = re.search(r"^Done \d+ runs in (\d+) second", text, re.MULTILINE)
    took = float(last_line[1]) if last_line else time.monotonic() - started
    edges = [int(number) for number in re.findall(r" cov: (\d+) ", text)]
    initial = re.search(r"INITED +cov: (\d+)", text)
    executed = re.search(r"number_of_executed_units: (\d+)", text)
    new = tuple(sorted(set(failures.glob(f"{target.name}-*")) - earlier_failures))
    if executed is None and not new:  # the target did not start
        raise SystemExit(f"{target.name} did not run:\n{text[-2000:]}")
    write_corpus(target, inputs_folder)
    return Result(
        int(executed[1]) if executed else _last_count(text),
        took,
        max(edges, default=0),
        int(initial[1]) if initial else 0,
        new,
    )


def _last_count(text: str) -> int:
    counts = re.findall(r"^#(\d+)\t", text, re.MULTILINE)
    return int(counts[-1]) if counts else 0


def read_corpus(path: Path) -> list[bytes]:
    """The stored inputs of a file; none if the file does not exist."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="ascii").split("\n")[:-1]
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


def write_corpus(target: Target, folder: Path) -> None:
    """Store the fewest and shortest inputs of a folder that reach the same code, up to the size limit."""
    minimized_folder = WORK / "kept" / target.name
    shutil.rmtree(minimized_folder, ignore_errors=True)
    minimized_folder.mkdir(parents=True)
    command = [*target.command, "-set_cover_merge=1", f"-timeout={TIMEOUT_S}", str(minimized_folder), str(folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    lines = sorted(
        {escape_input(path.read_bytes()) for path in minimized_folder.iterdir()}, key=lambda line: (len(line), line)
    )
    if lines:
        # The longest inputs reach most code, the shortest show a failure most clearly.
        chosen = _first_lines(lines[::-1], CORPUS_BYTES // 2)
        remaining = CORPUS_BYTES - sum(len(line) + 1 for line in chosen)
        chosen |= _first_lines([line for line in lines if line not in chosen], remaining)
        target.corpus.write_text("".join(f"{line}\n" for line in sorted(chosen)), encoding="ascii")


def _first_lines(lines: Iterable[str], limit: int) -> set[str]:
    """The first lines that fit into a size; longer ones are left out."""
    chosen: set[str] = set()
    for line in lines:
        if len(line) < limit:
            limit -= len(line) + 1
            chosen.add(line)
    return chosen


def escape_input(content: bytes) -> str:
    """The line of an input in a corpus file."""
    return content.decode("latin-1").encode("unicode_escape").decode("ascii")


if __name__ == "__main__":
    sys.exit(main())
