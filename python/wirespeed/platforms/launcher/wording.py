"""A changed launch setting as what to type."""

from __future__ import annotations

import shlex

from wirespeed.platforms.launcher.families import library_said, table_of
from wirespeed.platforms.launcher.variables import settings_of_table
from wirespeed.platforms.model import Worded
from wirespeed.settings import Launch

_NEXT = "acts on the next job"


def line_of(file: str, path: str, launch: Launch, sign: str = "=") -> Worded | None:
    """The commands that put a setting's line into a configuration file of its library, and take older ones out."""
    setting = path.removeprefix("host.launch.")
    names = [name for name, said in settings_of_table(table_of(launch.library)).items() if said == setting]
    told = dict(library_said(launch))
    if not names or names[0] not in told:
        return None
    line = shlex.quote(f"{names[0]}{sign}{told[names[0]]}")
    return Worded((f"sed -i '/^{names[0]} *=/d' {file}", f"echo {line} >> {file}"), _NEXT)


def whole(file: str, lines: list[str]) -> Worded:
    """The command that writes a file anew."""
    return Worded((f"printf '%s\\n' {shlex.join(lines)} > {file}",), _NEXT)
