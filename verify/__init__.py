"""Prove or refute the savings that AI products claim.

    import verify

    with verify.open_export("export/") as export:
        result = verify.recompute(export, levers="caching", period="2026-10", by="model")
        tied = verify.diff(export, "export/api")

See `verify.api` for each function; `docs/python.md` shows them at work.
"""

from __future__ import annotations

from verify import errors as errors
from verify._version import __version__
from verify.api import (
    check,
    diff,
    explain,
    open_export,
    read_figures,
    recompute,
    sample_export,
)
from verify.signoff.api import sign_off

__all__ = [
    "__version__",
    "check",
    "diff",
    "explain",
    "open_export",
    "read_figures",
    "recompute",
    "sample_export",
    "sign_off",
]


def __dir__() -> list[str]:
    """What tab completion offers: the public names, and no module that happens to be imported."""
    return sorted([*__all__, "errors"])
