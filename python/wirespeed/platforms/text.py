"""Filling a platform's templates: what a device is told (``templates/``) and what it answers (``answers/``)."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import jinja2

from wirespeed.platforms.model import Platform


def say(platform: Platform, template: str, **context: Any) -> str:
    """A file for the device, from ``templates/``.

    Raises:
        jinja2.UndefinedError: the template uses a name that ``context`` lacks.
    """
    return _environment().get_template(f"{platform.folder}/templates/{template}").render(context)


def answer(platform: Platform, command: str, **context: Any) -> str:
    """What the device prints for a command, from ``answers/<command>.j2``.

    Raises:
        jinja2.TemplateNotFound: the platform has no answer to this command.
    """
    return _environment().get_template(f"{platform.folder}/answers/{command}.j2").render(context)


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
