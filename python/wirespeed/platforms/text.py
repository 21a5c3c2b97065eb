"""Filling a platform's templates: what a device is told (``templates/``) and what it answers (``answers/``).

Every template sees ``name`` and ``device`` (a `Host` or `Switch`), what the caller adds, and what the platform's
``view(name, device)`` computes for it: groups, ranges, names that the device's language needs and settings lack.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import jinja2

from wirespeed.platforms.model import Platform
from wirespeed.settings import Device


def say(platform: Platform, template: str, name: str, device: Device, **extra: Any) -> str:
    """A file for the device, from ``templates/``.

    Raises:
        jinja2.UndefinedError: the template uses a name that the context lacks.
    """
    return _fill(platform, f"templates/{template}", name, device, extra)


def answer(platform: Platform, command: str, name: str, device: Device, **extra: Any) -> str:
    """What the device prints for a command, from ``answers/<command>.j2``.

    Raises:
        jinja2.TemplateNotFound: the platform has no answer to this command.
    """
    return _fill(platform, f"answers/{command}.j2", name, device, extra)


def _fill(platform: Platform, template: str, name: str, device: Device, extra: dict[str, Any]) -> str:
    computed = platform.view(name, device) if platform.view else {}
    context = {"name": name, "device": device, **computed, **extra}
    return _environment().get_template(f"{platform.folder}/{template}").render(context)


@cache
def _environment() -> jinja2.Environment:
    # Configuration text is not HTML: escaping would corrupt it. Names are checked when the cluster file is read.
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(resources.files(__package__))),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
