"""A setting that a platform writes and reads back is compared by a check, or stands here with a reason."""

import pytest

from wirespeed.checks import checks
from wirespeed.platforms import Platform, platforms

NOT_COMPARED = {
    "peer.description": "a text for people",
    "port.description": "a text for people",
    "vlan.description": "a text for people",
}
"""Why no check is right, by setting."""

NEEDED = frozenset(path for check in checks().values() for path in check.needs)


def list_rendered_and_read(platform: Platform) -> set[str]:
    """The settings of which the plan's value can be compared with the device's."""
    read_paths = {path for command in platform.commands for path in command.reads}
    return {path for path, support in platform.settings.items() if support.rendered and path in read_paths}


@pytest.mark.parametrize(("kind", "name"), list(platforms()))
def test_what_is_rendered_and_read_is_compared(kind: str, name: str) -> None:
    assert list_rendered_and_read(platforms()[kind, name]) - NEEDED - NOT_COMPARED.keys() == set()


def test_no_exception_is_left_over() -> None:
    rendered_and_read = {path for platform in platforms().values() for path in list_rendered_and_read(platform)}
    assert NOT_COMPARED.keys() <= rendered_and_read - NEEDED
