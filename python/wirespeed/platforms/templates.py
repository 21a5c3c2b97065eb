"""Filling a platform's templates: configuration (``templates/``) and simulated command output (``answers/``).

Every template has ``name`` and ``device`` (a `Host` or `Switch`), the caller's additions, and the values that the
platform's ``view(name, device)`` computes: groups, ranges, names that the device's syntax needs.
``problems`` of a view lists what the platform cannot configure; then no file is rendered. ``unverified`` lists the
forms in the device's configuration that no public source confirms.
Two filters quote: ``shell`` for a POSIX shell, ``yaml`` for YAML 1.1.
"""

from __future__ import annotations

import ipaddress
import json
import re
import shlex
from collections.abc import Sequence
from functools import cache, cached_property
from importlib import resources
from pathlib import PurePosixPath
from typing import Any

import jinja2

from wirespeed.errors import Problem, Refusal
from wirespeed.platforms.forms import find_refused_lines, list_unverified_forms, load_forms
from wirespeed.platforms.model import Platform
from wirespeed.platforms.value_ranges import find_refused_values
from wirespeed.settings import Device, Switch

_PLAIN_YAML = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*|[0-9]+(\.[0-9]+){3}(/[0-9]+)?")
_YAML_WORD = re.compile(r"y|yes|n|no|true|false|on|off|null", re.IGNORECASE)  # not strings in YAML 1.1


def fill_template(platform: Platform, template: str, name: str, device: Device, **extra: Any) -> str:
    """A file for the device, as `ConfigurationTemplates.fill` gives it."""
    return ConfigurationTemplates(platform, name, device).fill(template, **extra)


class ConfigurationTemplates:
    """Files of one device and their commands, from a platform's ``templates/``."""

    def __init__(self, platform: Platform, name: str, device: Device) -> None:
        self._platform = platform
        self._name = name
        self._device = device
        self._context = _build_context(platform, name, device)  # once: a view costs more than most templates

    def fill(self, template: str, **extra: Any) -> str:
        """A file for the device.

        Raises:
            Refusal: the platform cannot configure these settings.
            jinja2.UndefinedError: the template uses a name that the context lacks.
        """
        if self._problems:
            raise Refusal(self._problems)
        context = {**self._context, **extra}
        text = self._fill(template, context)
        table = load_forms(self._platform)
        if table is None:
            return text
        if template in table.templates:
            os_version = self._device.os_version if isinstance(self._device, Switch) else None
            if problems := list(find_refused_lines(self._platform, self._name, text, os_version)):
                raise Refusal(problems)
            unverified = list_unverified_forms(self._platform, text)
        elif _UNVERIFIED in _read_source(str(self._platform.folder), template) and table.has_unverified:
            configuration = "\n".join(self._fill(file, context) for file in table.templates)
            unverified = list_unverified_forms(self._platform, configuration)
        else:
            return text
        return self._fill(template, {**context, "unverified": unverified}) if unverified else text

    def fill_lines(self, text: str, **extra: Any) -> tuple[str, ...]:
        """A path or command lines of a file, as `FileTemplate` holds them, filled in."""
        if "{" not in text:
            return (text,)
        filled_line = _find_line(text).render({**self._context, **extra})
        return tuple(line.strip() for line in filled_line.splitlines() if line.strip())

    @cached_property
    def _problems(self) -> list[Problem]:
        refused_values = find_refused_values(self._platform, self._name, self._device)
        return [*self._context.get("problems", ()), *refused_values]

    def _fill(self, template: str, context: dict[str, Any]) -> str:
        return _fill(self._platform, f"templates/{template}", context)


_UNVERIFIED = "{% if unverified %}"


@cache
def _read_source(platform_folder: str, template: str) -> str:
    return (resources.files(__package__) / platform_folder / "templates" / template).read_text(encoding="utf-8")


@cache
def _find_line(text: str) -> jinja2.Template:
    return _create_environment().from_string(text)


class AnswerTemplates:
    """Simulated output of one device's commands, from ``answers/`` of a platform or of all platforms of its kind."""

    def __init__(self, platform: Platform, name: str, device: Device) -> None:
        self._folders = (*platform.folders, PurePosixPath(platform.kind))
        self._fallbacks = {command.id: command.fallback_for for command in platform.commands if command.fallback_for}
        self._context = _build_context(platform, name, device)

    def fill(self, command: str, **extra: Any) -> str:
        """The output of a command, from ``answers/<command>.j2``, or from that of the command it is the fallback for.

        Raises:
            jinja2.TemplateNotFound: the platform has no output for this command.
        """
        names = (command, self._fallbacks[command]) if command in self._fallbacks else (command,)
        return _find_template(self._folders, tuple(f"answers/{name}.j2" for name in names)).render(
            {**self._context, **extra}
        )


def fill_answer(platform: Platform, command: str, name: str, device: Device) -> str:
    """Simulated output of one command, as `AnswerTemplates.fill` gives it."""
    return AnswerTemplates(platform, name, device).fill(command)


def _build_context(platform: Platform, name: str, device: Device) -> dict[str, Any]:
    view_values = platform.view(name, device) if platform.view else {}
    return {"name": name, "device": device, "unverified": [], **view_values}


def _fill(platform: Platform, template: str, context: dict[str, Any]) -> str:
    return _find_template(platform.folders, (template,)).render(context)


@cache
def _find_template(folders: tuple[PurePosixPath, ...], templates: tuple[str, ...]) -> jinja2.Template:
    """The first of the templates that exists, in the first of the folders that has it."""
    names = [f"{folder}/{template}" for template in templates for folder in folders]
    return _create_environment().select_template(names)


@cache
def _create_environment() -> jinja2.Environment:
    # Configuration text is not HTML: escaping would corrupt it. Names are checked when the cluster file is read.
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(resources.files(__package__))),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # templates do not change while we run: looking would cost a stat for every file
    )
    environment.filters["shell"] = lambda value: shlex.quote(str(value))
    environment.filters["yaml"] = quote_yaml
    environment.filters["network"] = lambda address: str(ipaddress.ip_network(address, strict=False))
    environment.filters["gid"] = _format_gid
    environment.filters["unconfirmed_lines"] = _remark_lines
    return environment


def _remark_lines(forms: Sequence[str], comment: str, file: str) -> str:
    """The comment that lists the forms of lines of a file which no public source confirms."""
    heading = f"{comment} No public source confirms the syntax of these lines of {file}; the switch may refuse them:"
    return "\n".join((heading, *(f"{comment}   {form}" for form in forms)))


def _format_gid(address: str) -> str:
    """The GID of an IP address as sysfs prints it: all its digits, an IPv4 address mapped into IPv6."""
    ip = ipaddress.ip_address(address)
    whole = ip if ip.version == 6 else ipaddress.IPv6Address(f"::ffff:{ip}")
    return whole.exploded


def quote_yaml(value: object) -> str:
    """A string for YAML, in quotes if a reader could parse it as another type."""
    text = str(value)
    plain = _PLAIN_YAML.fullmatch(text) and not _YAML_WORD.fullmatch(text)
    return text if plain else json.dumps(text)
