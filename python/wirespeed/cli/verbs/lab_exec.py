"""``wirespeed lab exec``."""

from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli.lab_app import lab


@lab.command(
    name="exec",
    short_help="Run a command on a host or switch of a lab.",
    context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True},
)
def exec_(
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="Host or switch of the lab.")],
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="Command to run.")],
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the lab. Default: the only lab on this machine."),
    ] = None,
) -> None:
    """Run a command inside a host or switch of a lab.

    The command has the network, host name, /run and /sys of the device. All other files are those of this machine.
    Input and output are passed through; the exit code is that of the command.

    A port name of a switch contains - instead of / inside a lab: Eth1/1 is Eth1-1.

    Examples:

    \b
      sudo wirespeed lab exec node1 -- ip route get 10.1.0.17 from 10.1.0.1
      sudo wirespeed lab exec leaf1 -- tcpdump -ni Eth1-1
      sudo wirespeed lab exec node2 -- bash
    """
    from wirespeed import lab as labs
    from wirespeed.reach import replace_process

    labs.check_user()
    arguments = command[1:] if command[0] == "--" else command
    replace_process((*labs.find(name).prefix(device), *arguments))
