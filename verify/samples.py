"""The sample exports: those of the checkout, or their copy inside the installed package."""

from __future__ import annotations

from pathlib import Path

from verify.errors import UsageProblem

_HERE = Path(__file__).resolve().parent
_PLACES = (_HERE.parent / "sample_exports", _HERE / "sample_exports")

NAMES = (
    "lighthouse",
    "lighthouse-planted",
    "leanproxy/four-sessions/usage",
    "mcp-savings",
    "prompt2md",
)


def sample_export(name: str = "lighthouse") -> Path:
    """The directory of the sample of that name. Raises UsageProblem for a name that is none, or
    where the package was installed without its samples."""
    if name not in NAMES:
        raise UsageProblem(f"there is no sample {name!r}", advice=f"There are {', '.join(NAMES)}.")
    for place in _PLACES:
        if (place / name).is_dir():
            return place / name
    raise UsageProblem(
        "this installation holds no samples", advice="Make one with: verify sample DIR"
    )
