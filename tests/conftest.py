"""What all tests share."""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
import typer.main
import typer.testing
from hypothesis import settings

# The same examples on every run, so that only a change can make a test fail; WIRESPEED_EXPLORE=1 draws more and others.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("explore" if os.environ.get("WIRESPEED_EXPLORE") else "repeatable")

gc.set_threshold(20_000, 20, 20)  # as the command line sets it


def pytest_collection_finish() -> None:
    """Leave the thousands of collected tests out of every garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> Iterator[None]:
    """Handle Ctrl-C, also in processes that tests start; a test run in the background would ignore it."""
    old_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old_handler)


@pytest.fixture(autouse=True, scope="session")
def _cache_commands() -> Iterator[None]:
    """Build the tree of commands once: typer does it for each run, and one test process has hundreds of them."""
    cached = cache(typer.main.get_command)
    with patch.object(typer.main, "get_command", cached), patch.object(typer.testing, "_get_command", cached):
        yield


@pytest.fixture(autouse=True)
def _new_consoles() -> None:
    """Create consoles for each test, since a console keeps the width of the terminal in which it was created."""
    from wirespeed.cli import console

    console.standard_output.cache_clear()
    console.err.cache_clear()


@pytest.fixture(scope="session")
def healthy_bundle(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the bundle of an example whose devices are as planned; it is written once and must not be changed."""

    @cache
    def write(example: str) -> Path:
        import inject_faults  # most tests need neither it nor what it imports

        bundle = tmp_path_factory.mktemp(example) / "healthy"
        inject_faults.write_healthy(Path(__file__).parents[1] / "examples" / example, bundle)
        return bundle

    return write
