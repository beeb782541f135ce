"""The packages of the extra `signoff`: imported when a document needs them, with advice when not
there."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from verify.errors import UsageProblem

EXTRA = "pip install 'verify-savings[signoff]'"
PACKAGES = ("xlsxwriter", "altair", "vl_convert", "rfc8785", "cryptography")


def require() -> None:
    """Raises UsageProblem when a package is missing, before anything is computed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise UsageProblem(f"a sign-off needs {', '.join(missing)}", advice=EXTRA)


def package(name: str) -> Any:
    """A package of the extra. Raises UsageProblem when it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise UsageProblem(f"a sign-off needs {name}", advice=EXTRA) from None
