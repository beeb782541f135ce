"""Tokens as a model counts them: o200k_base, offline. The package for it is an optional extra.

The vocabulary is compiled into the package, so that nothing is fetched. It gives the counts that
the encoding's reference implementation gives for the same text.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from verify.errors import UsageProblem

ENCODING = "o200k_base"
EXTRA = "pip install 'verify-savings[tokenizer]'"
_PACKAGE = "toktok"


def available() -> bool:
    """Whether the extra is installed."""
    return find_spec(_PACKAGE) is not None


def count_tokens(texts: Sequence[str]) -> list[int]:
    """The o200k_base tokens of each text; what looks like a special token is plain text.

    Raises UsageProblem, which says how to install it, where the extra is missing; ValueError for a
    text that holds half of a surrogate pair, which is none.
    """
    if not available():
        raise UsageProblem(
            f"no tokenizer is installed, so {ENCODING} tokens cannot be counted", advice=EXTRA
        )
    counts: list[int] = import_module(_PACKAGE).batch_count(list(texts), ENCODING, 1)
    return counts
