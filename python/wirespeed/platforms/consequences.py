"""Consequences of changed settings that several platforms share."""

LINK_FLAP = "the link goes down and comes up again"
