"""What the readers of archives share: a member, the limits, and what an archive is refused for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from verify.errors import IntegrityFailure, Problem, UsageProblem

MAX_MEMBERS = 100_000
MAX_NAME = 1_000
MAX_UNPACKED = 64 << 30
MAX_UNPACKED_SETTING = "VERIFY_MAX_UNPACKED"
# Records seldom compress better than 50 to 1. Below the floor a bomb does no harm.
RATIO = 200
RATIO_FLOOR = 64 << 20

Bytes = bytes | memoryview


class Damaged(Exception):
    """An archive that cannot be read to its end; the message says why."""


@dataclass(frozen=True)
class Member:
    """A member as the archive names it.

    `kind` is `file`, `folder`, or in words what else it is. `data` is to be read, or left, before
    the next member is asked for.
    """

    name: str
    kind: str
    data: Iterator[Bytes]


class Refusals:
    """All that one archive is refused for, and the limit that it is held to."""

    def __init__(self, archive: str) -> None:
        self.archive = archive
        self.problems: list[Problem] = []
        self.max_unpacked = max_unpacked()

    def add(self, code: str, message: str, member: str | None = None) -> None:
        """Note a problem, of a member or of the whole archive, and go on."""
        where = self.archive if member is None else f"{self.archive}: {shown(member)}"
        self.problems.append(Problem(code, where, message))

    def stop(self, code: str, message: str, member: str | None = None) -> NoReturn:
        """Note a problem after which nothing more is read."""
        self.add(code, message, member)
        raise IntegrityFailure(self.problems)

    def settle(self) -> None:
        """Raise IntegrityFailure when there is any problem."""
        if self.problems:
            raise IntegrityFailure(self.problems)

    def too_large(self, unpacked: int) -> str | None:
        """What is wrong with unpacking so many bytes, or None."""
        if unpacked <= self.max_unpacked:
            return None
        return (
            f"it unpacks to {unpacked:,} bytes or more; the limit is {self.max_unpacked:,} "
            f"({MAX_UNPACKED_SETTING})"
        )

    def weigh(self, unpacked: int, packed: int) -> None:
        """Stop when so many bytes out of so many are a bomb."""
        message = self.too_large(unpacked) or too_dense(unpacked, packed)
        if message is not None:
            self.stop("archive_bomb", message)


def too_dense(unpacked: int, packed: int) -> str | None:
    """What is wrong when `unpacked` bytes come out of `packed`, or None."""
    if unpacked <= RATIO_FLOOR or unpacked <= RATIO * packed:
        return None
    return f"{unpacked:,} bytes come out of {packed:,}: more than {RATIO} to 1"


def shown(name: str) -> str:
    """A member's name, cut to what a message can hold."""
    return name if len(name) <= 200 else f"{name[:200]}… ({len(name):,} characters)"


def max_unpacked() -> int:
    """The bytes that an archive may unpack to: `VERIFY_MAX_UNPACKED`, else 64 GiB."""
    given = os.environ.get(MAX_UNPACKED_SETTING, "").strip()
    if not given:
        return MAX_UNPACKED
    if not (given.isascii() and given.isdigit() and len(given) <= 18):
        raise UsageProblem(
            f"{MAX_UNPACKED_SETTING} is {given!r}", advice="It takes a number of bytes."
        )
    return int(given)
