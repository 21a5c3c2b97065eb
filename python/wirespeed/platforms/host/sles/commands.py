"""One setting of a SUSE host as what to type, as root."""

from wirespeed.platforms.host.sles.view import SLES

commands_for = SLES.commands_for
