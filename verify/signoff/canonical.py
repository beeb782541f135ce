"""Canonical JSON by RFC 8785: the same document, the same bytes, whoever writes it."""

from __future__ import annotations

import hashlib
from typing import Any

from verify.signoff.extra import package


def canonical(document: Any) -> bytes:
    """`document` as RFC 8785 bytes. Amounts in it are text: a canonical number is a binary double.

    Half of a surrogate pair, which UTF-8 has no bytes for, is written as the text `\\\\udXXX`.
    """
    data: bytes = package("rfc8785").dumps(_encodable(document))
    return data


def digest(document: Any) -> str:
    """The SHA-256 of the canonical bytes, in hex."""
    return hashlib.sha256(canonical(document)).hexdigest()


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
