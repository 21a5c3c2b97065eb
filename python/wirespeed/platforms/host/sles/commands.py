"""One setting of a SUSE host as what to type, as root."""

from wirespeed.platforms.host.sles.view import SLES

word = SLES.word
