"""Ctrl-C as a question."""

from __future__ import annotations

import os
import signal

import pytest

from wirespeed.cli.interrupt import interruptible


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_is_noted_and_the_second_acts_as_ever() -> None:
    old_handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interruptible() as interrupted:
        assert not interrupted()
        ctrl_c()
        assert interrupted()
        ctrl_c()
    assert signal.getsignal(signal.SIGINT) is old_handler


def test_afterwards_it_acts_as_ever() -> None:
    with interruptible() as interrupted:
        pass
    with pytest.raises(KeyboardInterrupt):
        ctrl_c()
    assert not interrupted()
