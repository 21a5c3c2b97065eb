"""The log files that a command reads: files, folders of files, standard input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from wirespeed.cli.campaign_folder import NAME, list_logs
from wirespeed.cli.logs import LogFile

STANDARD_INPUT = "standard input"


def log_files(names: Iterable[str]) -> Iterator[LogFile]:
    """The logs with these names; folders are read in the order of their file names; - is standard input.

    Raises:
        Refusal: a result folder of ``bench run`` is not complete.
    """
    for name in names:
        path = Path(name)
        if name == "-":
            yield LogFile(STANDARD_INPUT, None)
        elif (path / NAME).is_file():
            yield from list_logs(path)
        elif path.is_dir():
            inner = (file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
            yield from (LogFile(str(file), file, is_in_folder=True) for file in sorted(inner))
        else:
            yield LogFile(name, path)
