"""The command line: thin commands over the public functions. No arithmetic here.

Exit codes: 0 agrees or sound, 1 differs, 2 usage or unreadable input, 3 integrity failure,
4 inconclusive.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """The console script. Turns every error a user can meet into a message and an exit code."""
    from verify.cli.app import app
    from verify.cli.output import complain
    from verify.errors import VerifyError

    try:
        app(standalone_mode=True, prog_name="verify")
    except VerifyError as error:
        complain(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("verify: interrupted; nothing was written\n")
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"verify: {place}{(error.strerror or str(error)).lower()}\n")
        sys.exit(2)
