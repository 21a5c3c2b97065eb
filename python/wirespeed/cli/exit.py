"""Exit codes."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of all commands. If several apply, the first of 130, 70, 2, 1, 3, 0 is returned.

    `CLOSED_PIPE` replaces them, since the command stops there.
    """

    PASSED = 0  # warnings allowed unless --strict; all skip is passed
    FAILED = 1  # a check or verdict failed, or diff found a difference
    REFUSED = 2  # usage, or refused input
    INCOMPLETE = 3  # any status unknown or error, or nothing ran
    INTERNAL = 70
    INTERRUPTED = 130
    CLOSED_PIPE = 141  # the program that reads the output, such as head, ended first; as after SIGPIPE

    @classmethod
    def worst(cls, *codes: "Exit") -> "Exit":
        """The code with the highest precedence."""
        order = (cls.INTERRUPTED, cls.INTERNAL, cls.REFUSED, cls.FAILED, cls.INCOMPLETE, cls.PASSED)
        return next((code for code in order if code in codes), cls.PASSED)
