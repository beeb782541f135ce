"""DSSE envelopes with one Ed25519 signature. Key material is never shown, and never kept."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from binascii import Error
from pathlib import Path
from typing import Any

from verify.errors import UnreadableInput, UsageProblem
from verify.signoff.extra import package

PAYLOAD_TYPE = "application/vnd.in-toto+json"
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
    try:
        return b64decode(str(envelope["payload"]), validate=True)
    except Error:
        raise ValueError("its payload is not base64") from None


def signed_by(envelope: dict[str, Any], key: Any) -> bool:
    """Whether a signature of the envelope was made with the key."""
    invalid = package("cryptography.exceptions").InvalidSignature
    payload = payload_of(envelope)
    for entry in envelope["signatures"]:
        try:
            key.verify(b64decode(str(entry["sig"]), validate=True), encoding(payload))
        except (invalid, Error, KeyError, TypeError):
            continue
        return True
    return False


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        why = (error.strerror or "").lower()
        raise UnreadableInput(f"cannot read the key at {path}: {why}") from None
