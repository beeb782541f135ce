"""The attestation of a sign-off, opened: its Statement, who signed it, and whether that holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verify.errors import IntegrityFailure, Problem, UnreadableInput
from verify.schemata import violations
from verify.signoff import dsse
from verify.signoff.attestation import PREDICATE, STATEMENT
from verify.signoff.change import Change
from verify.signoff.folder import ATTESTATION


def open_attestation(place: Path, key: Any) -> tuple[dict[str, Any], str, str | None, list[Change]]:
    """The Statement, its signature's state, who signed, and what is wrong with either."""
    path = place / ATTESTATION
    try:
        document: Any = json.loads(path.read_bytes())
        envelope = document if dsse.is_envelope(document) else None
        if envelope is not None:
            document = json.loads(dsse.payload_of(envelope))
        _checked(document)
    except OSError as error:
        why = (error.strerror or "").lower()
        raise UnreadableInput(
            f"cannot read {path}: {why}", advice="Name a sign-off's own directory."
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise IntegrityFailure([_problem(f"it is no attestation of a sign-off: {error}")]) from None
    if envelope is None:
        wrong = [Change("signature", ATTESTATION, "signed", "unsigned")] if key else []
        return document, "invalid" if key else "unsigned", None, wrong
    keyid = _keyid(envelope)
    if key is None:
        return document, "not checked", keyid, []
    if dsse.signed_by(envelope, key):
        return document, "valid", dsse.key_id(key), []
    found = "it does not verify with the public key given"
    return document, "invalid", keyid, [Change("signature", ATTESTATION, keyid or "a key", found)]


def _problem(message: str) -> Problem:
    return Problem("attestation_unreadable", ATTESTATION, message)


def _keyid(envelope: Mapping[str, Any]) -> str | None:
    named = [entry.get("keyid") for entry in envelope["signatures"] if isinstance(entry, dict)]
    return next((text for text in named if isinstance(text, str)), None)


def _checked(document: Any) -> None:
    """Raises KeyError, TypeError or ValueError on what is no Statement of this version."""
    if document["_type"] != STATEMENT or document["predicateType"] != PREDICATE:
        raise ValueError("it is a Statement of another kind")
    wrong = violations(document, "signoff/attestation")
    if wrong:
        raise ValueError(str(wrong[0]))
