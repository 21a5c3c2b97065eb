"""Parts that HTML documents share: templates with escaped and cleaned output, and hashes for the security policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from wirespeed.report import wording


def environment() -> Environment:
    """The templates of this package; the caller adds filters and globals."""
    templates = Environment(
        loader=PackageLoader("wirespeed.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    templates.filters.update(
        code=format_code,
        number=wording.number,
        unit=wording.unit,
        percent=wording.percent,
        size=wording.size,
        impact=wording.impact,
        cable=wording.cable,
        plural=wording.plural,
        moment=wording.moment,
    )
    return templates


def format_code(text: str | None) -> Markup:
    """Text whose parts between backticks are code; a backtick without a second one stays."""
    parts = wording.clean(text or "").split("`")
    if not len(parts) % 2:
        parts[-2:] = ["`".join(parts[-2:])]
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part) for index, part in enumerate(parts)
    )


@cache
def source(name: str) -> str:
    """The text of a style or a script."""
    shared = environment()
    assert shared.loader is not None  # set when the environment is created
    return shared.loader.get_source(shared, name)[0]


def policy(text: str) -> str:
    """The hash of an inline block for the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _finalize(value: Any) -> Any:
    """Clean every printed value, so that no template can forget it."""
    return wording.clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
