"""Commands that change a launch setting in a library's configuration file."""

from __future__ import annotations

import shlex

from wirespeed.platforms.launcher.library_variables import file_settings, library_variables
from wirespeed.platforms.model import SettingCommands
from wirespeed.settings import Launch

_NEXT = "takes effect for the next job"


def format_line(file: str, path: str, launch: Launch, sign: str = "=") -> SettingCommands | None:
    """The commands that replace the line of a setting in a configuration file of its library."""
    setting = path.removeprefix("host.launch.")
    variables = dict(library_variables(launch))
    names = (
        list(launch.environment or {})
        if setting == "environment"
        else [name for name, target in file_settings(launch.library).items() if target == setting]
    )
    if not variables.keys() & names:
        return None
    commands: list[str] = []
    for name in names:
        commands.append(f"sed -i '/^{name} *=/d' {file}")
        if name in variables:
            commands.append(f"echo {shlex.quote(f'{name}{sign}{variables[name]}')} >> {file}")
    return SettingCommands(tuple(commands), _NEXT)


def whole(file: str, lines: list[str]) -> SettingCommands:
    """The commands that replace a file. Its folder may not exist: the files of jobs are perhaps not installed yet."""
    return SettingCommands(
        (f"mkdir -p {file.rpartition('/')[0]}", f"printf '%s\\n' {shlex.join(lines)} > {file}"), _NEXT
    )
