"""Apply and rollback: a script that installs a device's files, and one that restores the files before.

Without ``--yes`` both only print their steps. apply.sh stores the rollback script of its plan on the host: with it, the
apply.sh of the next plan removes what that plan lacks.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import jinja2


@dataclass(frozen=True, slots=True)
class Step:
    """A file to install, the commands that activate it, and what they interrupt."""

    path: str
    mode: int
    apply: tuple[str, ...]
    rollback: tuple[str, ...]
    consequence: str | None
    interrupts: bool  # whether the consequence stops or disturbs running traffic
    stop: tuple[str, ...] = ()  # commands before the file is removed or restored
    after_reboot: bool = False  # whether the file, and its removal, take effect only after a reboot
    rollback_after_reboot: bool = False  # whether the earlier state returns only after a reboot
    source: str | None = None  # authority of the file's form
    unverified: str | None = None  # settings in a form that no public source confirms, and what is not known of them


def scripts(device: str, steps: Sequence[Step]) -> Iterator[tuple[str, str]]:
    """(name, text) of both scripts."""
    for name in ("apply.sh", "rollback.sh"):
        head, tail = _render_halves(name, tuple(steps))
        yield name, f"{head}{device}{tail}"


@cache
def _render_halves(name: str, steps: tuple[Step, ...]) -> tuple[str, str]:
    """The script before and after the device's name; cached, because devices of one kind have the same steps."""
    mark = "\0"
    head, _, tail = _load_template(name).render(device=mark, steps=steps).partition(mark)
    return head, tail


@cache
def _load_template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["run"] = lambda command: f"run {command}"
    environment.filters["shell"] = lambda value: shlex.quote(str(value))
    text = (resources.files(__package__) / "templates" / f"{name}.j2").read_text(encoding="utf-8")
    return environment.from_string(text)
