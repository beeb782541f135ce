"""The packages of the extra `signoff`: imported when a document needs them, with advice when not
there."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from verify.errors import UsageProblem

EXTRA = "pip install 'verify-savings[signoff]'"
PACKAGES = ("xlsxwriter", "altair", "vl_convert", "rfc8785", "cryptography")


class MissingExtra(UsageProblem):
    """A package is not there: nothing is said about a sign-off by that."""


def require() -> None:
    """Raises MissingExtra when a package is missing, before anything is computed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise MissingExtra(f"a sign-off needs {', '.join(missing)}", advice=EXTRA)


def package(name: str) -> Any:
    """A package of the extra. Raises MissingExtra when it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(f"a sign-off needs {name}", advice=EXTRA) from None
