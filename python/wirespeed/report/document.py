"""What HTML documents share: templates whose output is escaped and cleaned, parts that a policy names by hash."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wirespeed.report import wording


def environment() -> Environment:
    """Templates of this package; the caller adds what its own know."""
    templates = Environment(
        loader=PackageLoader("wirespeed.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    templates.filters.update(
        number=wording.number,
        unit=wording.unit,
        percent=wording.percent,
        size=wording.size,
        cost=wording.cost,
        cable=wording.cable,
        plural=wording.plural,
        moment=wording.moment,
    )
    return templates


@cache
def source(name: str) -> str:
    """The text of a style or a script."""
    shared = environment()
    assert shared.loader is not None  # set where the environment is made
    return shared.loader.get_source(shared, name)[0]


def policy(text: str) -> str:
    """What a content security policy names an inline block by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _finalize(value: Any) -> Any:
    """Whatever a template prints is cleaned, so that no template can forget it."""
    return wording.clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
