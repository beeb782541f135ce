"""Where answers and complaints go: the answer alone to stdout, everything else to stderr."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from verify.errors import IntegrityFailure, UsageProblem, VerifyError

SHOWN_PROBLEMS = 20
FALLBACK_WIDTH = 100


def notice_to_stderr(quiet: bool) -> Callable[[str], None]:
    """A function that tells a person something, unless asked to be quiet."""

    def tell(message: str) -> None:
        if not quiet:
            sys.stderr.write(f"verify: {_line(message)}\n")

    return tell


def complain(error: VerifyError) -> None:
    """Say what went wrong and what to do about it."""
    sys.stderr.write(f"verify: {_line(error.message)}\n")
    if isinstance(error, IntegrityFailure):
        for problem in error.problems[:SHOWN_PROBLEMS]:
            where = f"{problem.where}: " if problem.where else ""
            sys.stderr.write(f"  {_line(where + problem.message)}  [{problem.code}]\n")
        hidden = len(error.problems) - SHOWN_PROBLEMS
        if hidden > 0:
            sys.stderr.write(f"  and {hidden:,} more; verify check --format json lists all\n")
        for code in list(dict.fromkeys(problem.code for problem in error.problems))[:1]:
            sys.stderr.write(f"  verify finding {_line(code)} says what that means\n")
    if error.advice:
        sys.stderr.write(f"  {_line(error.advice)}\n")


def _line(text: str) -> str:
    from verify.render.safe import visible

    return visible(text)


def terminal_width() -> int:
    """Columns of the terminal, or of `COLUMNS`, or what suits a file."""
    return shutil.get_terminal_size((FALLBACK_WIDTH, 24)).columns


def in_colour(output: Path | None) -> bool:
    """Whether the answer goes to a terminal that wants colour."""
    return output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def deliver(answer: str, output: Path | None) -> None:
    """Print the answer, or put it in a file in one step.

    Raises UsageProblem when the file cannot be written.
    """
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(answer.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
        return
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    except OSError as error:
        raise UsageProblem(f"cannot write {output}: {(error.strerror or '').lower()}") from None
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(answer.encode("utf-8", "backslashreplace"))
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, output)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise UsageProblem(f"cannot write {output}: {(error.strerror or '').lower()}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
