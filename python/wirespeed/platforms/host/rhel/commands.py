"""One setting of a Red Hat host as commands for root."""

from wirespeed.platforms.host.rhel.view import RHEL

commands_for = RHEL.commands_for
removal_for = RHEL.removal_for
