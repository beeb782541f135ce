"""The command line: thin commands over the public functions. No arithmetic here.

Exit codes: 0 agrees or sound, 1 differs, 2 usage or unreadable input, 3 integrity failure,
4 inconclusive.
"""

from __future__ import annotations

import os
import signal
import sys

_SAID = {signal.SIGINT: "interrupted", signal.SIGTERM: "ended from outside"}


class _Stopped(BaseException):
    """A signal told the program to stop. Not an Exception: nothing may take it for its own."""


def main() -> None:
    """The console script. Turns every error a user can meet into a message and an exit code."""
    from verify.cli.app import app
    from verify.cli.output import complain
    from verify.errors import VerifyError

    told: list[int] = []

    def stop(number: int, _frame: object) -> None:
        told.append(number)
        raise _Stopped

    before = {number: signal.signal(number, stop) for number in _SAID}
    try:
        app(standalone_mode=True, prog_name="verify")
    except VerifyError as error:
        complain(error)
        sys.exit(error.exit_code)
    except (_Stopped, RuntimeError):
        if not told:
            raise
        # DuckDB makes an error of its own of a signal that comes while it works.
        sys.stderr.write(f"verify: {_SAID[signal.Signals(told[0])]}; nothing was written\n")
        sys.exit(128 + told[0])
    except BrokenPipeError:  # the reader of our output left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"verify: {place}{(error.strerror or str(error)).lower()}\n")
        sys.exit(2)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
