"""One setting of an Ubuntu host as commands for root."""

from wirespeed.platforms.host.ubuntu.view import UBUNTU

commands_for = UBUNTU.commands_for
removal_for = UBUNTU.removal_for
