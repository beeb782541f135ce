"""The attestation of a sign-off, opened: its Statement, who signed it, and whether that holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from verify.errors import IntegrityFailure, Problem, UnreadableInput, UsageProblem
from verify.period import parse_instant, utc_text
from verify.schemata import violations
from verify.signoff import dsse
from verify.signoff.attestation import PREDICATE, STATEMENT
from verify.signoff.change import Change
from verify.signoff.folder import ATTESTATION, DOCUMENTS
from verify.systems import NAMES


def open_attestation(place: Path, key: Any) -> tuple[dict[str, Any], str, str | None, list[Change]]:
    """The Statement, its signature's state, who signed, and what is wrong with either."""
    path = place / ATTESTATION
    try:
        document: Any = _loaded(path.read_bytes())
        envelope = document if dsse.is_envelope(document) else None
        if envelope is not None:
            document = _loaded(dsse.payload_of(envelope))
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
    carried = dsse.signatures(envelope)
    if not carried:  # a signature that is none would otherwise pass for one nobody checked
        wrong = [Change("signature", ATTESTATION, "signed", "nothing in it can be a signature")]
        return document, "invalid", None, wrong
    keyid = next((one.keyid for one in carried if one.keyid is not None), None)
    if key is None:
        return document, "not checked", keyid, []
    if dsse.signed_by(envelope, key):
        return document, "valid", dsse.key_id(key), []
    found = "it does not verify with the public key given"
    return document, "invalid", keyid, [Change("signature", ATTESTATION, keyid or "a key", found)]


def _problem(message: str) -> Problem:
    return Problem("attestation_unreadable", ATTESTATION, message)


def _loaded(data: bytes) -> Any:
    """A JSON document that every reader reads alike. Raises ValueError."""
    return json.loads(data, object_pairs_hook=_unrepeated)


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it has a member twice")
    return found


def _checked(document: Any) -> None:
    """Raises KeyError, TypeError or ValueError on what is no Statement of this version, or none
    that a sign-off could have made."""
    if document["_type"] != STATEMENT or document["predicateType"] != PREDICATE:
        raise ValueError("it is a Statement of another kind")
    wrong = violations(document, "signoff/attestation")
    if wrong:
        raise ValueError(str(wrong[0]))
    predicate = document["predicate"]
    if set(predicate["documents"]) != set(DOCUMENTS):
        raise ValueError(f"it has to name {', '.join(DOCUMENTS)}")
    _once([entry["name"] for entry in document["subject"]])
    system = predicate["parameters"]["system"]
    if system not in NAMES:
        raise ValueError(f"there is no system {system!r}")
    for name, place in predicate["inputs"].items():
        if place is not None and not _is_path(place):
            raise ValueError(f"{place!r} is no place of the {name}")
    if not _is_instant(predicate["created"]):
        raise ValueError(f"{predicate['created']!r} is no time of creation")


def _once(names: list[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"it names {repeated[0]!r} more than once")


def _is_path(text: str) -> bool:
    """Whether any system could have a file of that name."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _is_instant(text: str) -> bool:
    """Whether a sign-off would write that time so."""
    try:
        return utc_text(parse_instant(text)) == text
    except UsageProblem:
        return False
