"""What all tests share."""

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

# The same examples on every run, so that a change alone decides whether a test passes; WIRESPEED_EXPLORE=1 looks on.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("explore" if os.environ.get("WIRESPEED_EXPLORE") else "same")


@pytest.fixture(autouse=True, scope="session")
def _heard() -> Iterator[None]:
    """Ctrl-C acts, in what tests start too, also where they were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def _verbs_once() -> Iterator[None]:
    """Typer makes all verbs anew for each command, and one process runs hundreds here; they are always the same."""
    made = cache(typer.main.get_command)
    with patch.object(typer.main, "get_command", made), patch.object(typer.testing, "_get_command", made):
        yield


@pytest.fixture(autouse=True)
def _fresh_consoles() -> None:
    """A console keeps the width of the terminal it was made in: commands run in the same process have their own."""
    from wirespeed.cli import console

    console.out.cache_clear()
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
