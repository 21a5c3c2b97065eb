"""The order of the lab's tests, which run a file at a time on each core."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent
_FIRST = (_FOLDER / "rdma" / "test_machines.py", _FOLDER / "test_page.py")
"""What takes longest begins: at the end, it would leave the other cores without work."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and leave all others in their order."""
    positions = {path: number for number, path in enumerate(_FIRST)}
    items.sort(key=lambda test_item: positions.get(test_item.path, len(_FIRST)))
