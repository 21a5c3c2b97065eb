"""One setting of a SUSE host as commands for root."""

from wirespeed.platforms.host.sles.view import SLES

commands_for = SLES.commands_for
removal_for = SLES.removal_for
