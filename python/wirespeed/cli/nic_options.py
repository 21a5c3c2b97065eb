"""Options that complete a log: --from and --to, the NICs of a point-to-point test; --ranks and --nodes of a job."""

from __future__ import annotations

from typing import Any

import typer

_CLIENT = "Client NIC of a point-to-point test, such as node1:enp29s0np0."
_SERVER = "Server NIC of a point-to-point test, such as node2:enp29s0np0."


def source_option(command: str, description: str = _CLIENT) -> Any:
    """The option ``--from`` of a command, with the variable ``WIRESPEED_<COMMAND>_FROM``."""
    return _option("from", command, description)


def target_option(command: str, description: str = _SERVER) -> Any:
    """The option ``--to`` of a command, with the variable ``WIRESPEED_<COMMAND>_TO``."""
    return _option("to", command, description)


def ranks_option() -> Any:
    """The option ``--ranks``."""
    return typer.Option("--ranks", min=1, metavar="N", help="Number of ranks, if the log does not contain it.")


def nodes_option() -> Any:
    """The option ``--nodes``."""
    return typer.Option(
        "--nodes", min=1, metavar="N", help="Number of hosts of the run, if the log does not contain it."
    )


def _option(name: str, command: str, description: str) -> Any:
    variable = "_".join(("wirespeed", *command.split(), name)).upper()
    return typer.Option(f"--{name}", envvar=variable, metavar="HOST:NIC", help=description)
