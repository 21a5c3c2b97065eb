"""One setting of an Ubuntu host as what to type, as root."""

from wirespeed.platforms.host.ubuntu.view import UBUNTU

commands_for = UBUNTU.commands_for
