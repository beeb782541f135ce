"""DSSE envelopes with one Ed25519 signature. Key material is never shown, and never kept."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, NamedTuple

from verify.errors import UnreadableInput, UsageProblem
from verify.signoff.extra import package

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_SIGNATURE_BYTES = 64
_ADVICE = "Make one with: openssl genpkey -algorithm ed25519 -out key.pem"


def encoding(payload: bytes) -> bytes:
    """What is signed: DSSE's pre-authentication encoding of type and payload."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def private_key(path: Path) -> Any:
    """The Ed25519 private key in the PEM file at `path`. Raises UnreadableInput, UsageProblem."""
    serialization = package("cryptography.hazmat.primitives.serialization")
    ed25519 = package("cryptography.hazmat.primitives.asymmetric.ed25519")
    data = _bytes(path)
    try:
        key = serialization.load_pem_private_key(data, None)
    except TypeError:
        raise UsageProblem(
            f"the key at {path} has a passphrase", advice="Decrypt it into a file of its own."
        ) from None
    except Exception:  # of many kinds; what they say could quote the file
        raise UnreadableInput(f"{path} holds no private key in PEM form", advice=_ADVICE) from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise UsageProblem(f"the key at {path} is not an Ed25519 key", advice=_ADVICE)
    return key


def public_key(path: Path) -> Any:
    """The Ed25519 public key in the PEM file at `path`. Raises UnreadableInput, UsageProblem."""
    serialization = package("cryptography.hazmat.primitives.serialization")
    ed25519 = package("cryptography.hazmat.primitives.asymmetric.ed25519")
    advice = "Make it with: openssl pkey -in key.pem -pubout -out public.pem"
    data = _bytes(path)
    try:
        key = serialization.load_pem_public_key(data)
    except Exception:  # of many kinds; what they say could quote the file
        raise UnreadableInput(f"{path} holds no public key in PEM form", advice=advice) from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise UsageProblem(f"the key at {path} is not an Ed25519 key", advice=advice)
    return key


def key_id(key: Any) -> str:
    """The SHA-256 of a public key in DER form."""
    serialization = package("cryptography.hazmat.primitives.serialization")
    der: bytes = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return hashlib.sha256(der).hexdigest()


def signed(payload: bytes, key: Any) -> dict[str, Any]:
    """The envelope of a payload, signed."""
    signature = {
        "keyid": key_id(key.public_key()),
        "sig": b64encode(key.sign(encoding(payload))).decode(),
    }
    return {
        "payload": b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [signature],
    }


def is_envelope(document: Any) -> bool:
    """Whether a document is an envelope, signed well or not."""
    return isinstance(document, dict) and "payload" in document and "signatures" in document


def payload_of(envelope: dict[str, Any]) -> bytes:
    """What an envelope carries, unchecked. Raises ValueError."""
    if envelope.get("payloadType") != PAYLOAD_TYPE:
        raise ValueError("its payload is of another type")
    payload = _decoded(envelope["payload"])
    if payload is None:
        raise ValueError("its payload is not base64")
    return payload


class Signature(NamedTuple):
    """What has the form of a signature, unchecked, and whose it says it is."""

    keyid: str | None
    raw: bytes


def signatures(envelope: dict[str, Any]) -> list[Signature]:
    """Those entries of an envelope that could be an Ed25519 signature. Anybody may have written
    the rest, in any form."""
    entries = envelope["signatures"]
    found = []
    for entry in entries if isinstance(entries, list) else []:
        raw = _decoded(entry.get("sig")) if isinstance(entry, dict) else None
        if raw is not None and len(raw) == _SIGNATURE_BYTES:
            keyid = entry.get("keyid")
            found.append(Signature(keyid if isinstance(keyid, str) else None, raw))
    return found


def signed_by(envelope: dict[str, Any], key: Any) -> bool:
    """Whether a signature of the envelope was made with the key."""
    invalid = package("cryptography.exceptions").InvalidSignature
    payload = payload_of(envelope)
    for signature in signatures(envelope):
        try:
            key.verify(signature.raw, encoding(payload))
        except invalid:
            continue
        return True
    return False


def _decoded(text: Any) -> bytes | None:
    """The bytes of a base64 text; None where it is none."""
    try:
        return b64decode(text, validate=True) if isinstance(text, str) else None
    except ValueError:  # of other characters than ASCII too
        return None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        why = (error.strerror or "").lower()
        raise UnreadableInput(f"cannot read the key at {path}: {why}") from None
