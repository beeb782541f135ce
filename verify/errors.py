"""What a user can run into. Every error says what was expected, what was found, and what to do.

The command line turns each into one message on stderr and the exit code of its class; nothing else
in the package prints or exits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class VerifyError(Exception):
    """Anything that stops a command for a reason the user can act on.

    `exit_code` is 2 (usage or unreadable input) unless a subclass says otherwise.
    """

    exit_code = 2

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


class UsageProblem(VerifyError):
    """The command was asked for something that does not exist or does not fit together."""


class UnreadableInput(VerifyError):
    """An input is missing, may not be read, or is not of a form this program knows."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an export.

    `code` is in `verify.findings.KINDS`; `where` is a file name, or a file name and a line.
    """

    code: str
    where: str
    message: str
    line: int | None = None


class IntegrityFailure(VerifyError):
    """The export is not what its manifest says, or a line of it is beyond reading (exit 3).

    All problems found are carried, never only the first.
    """

    exit_code = 3

    def __init__(self, problems: Sequence[Problem], *, advice: str = "") -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        noun = "problem" if count == 1 else "problems"
        super().__init__(f"the export failed its integrity check: {count} {noun}", advice=advice)
