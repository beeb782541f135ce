"""The attestation: an in-toto Statement, canonical, signed or said not to be."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from support.program import verify

from verify.schemata import schema, violations
from verify.signoff.canonical import canonical, digest
from verify.signoff.folder import DOCUMENTS

from .conftest import Made

PEM, NONE = serialization.Encoding.PEM, serialization.NoEncryption()
PKCS8 = serialization.PrivateFormat.PKCS8


def write_key(place: Path, key: Any, name: str = "key.pem", lock: Any = NONE) -> Path:
    (place / name).write_bytes(key.private_bytes(PEM, PKCS8, lock))
    return place / name


def statement(made: Made) -> dict[str, Any]:
    return dict(json.loads((made.out / "attestation.json").read_bytes()))


def test_it_is_a_statement_about_the_inputs(agreeing: Made) -> None:
    found = statement(agreeing)
    assert violations(found, "signoff/attestation") == []
    assert found["_type"] == "https://in-toto.io/Statement/v1"
    subjects = {entry["name"]: entry["digest"]["sha256"] for entry in found["subject"]}
    expected = {
        f"{kind}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for kind, place in (("export", agreeing.export), ("figures", agreeing.figures))
        for path in place.iterdir()
    }
    assert subjects == expected


def test_it_binds_the_documents(agreeing: Made) -> None:
    documents = statement(agreeing)["predicate"]["documents"]
    assert documents == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in agreeing.out.iterdir()
        if path.name != "attestation.json"
    }
    described = schema("signoff/attestation")["properties"]["predicate"]["properties"]["documents"]
    assert set(described["required"]) == set(described["properties"]) == set(DOCUMENTS)
    assert described["additionalProperties"] is False
    assert set(documents) == set(DOCUMENTS)
    rows = json.loads((agreeing.out / "signoff.json").read_text())["rows"]
    attested = statement(agreeing)["predicate"]["rows"]
    assert attested == {"count": str(len(rows)), "sha256": digest(rows)}


def test_every_amount_in_it_is_text(agreeing: Made) -> None:
    def numbers(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [n for item in value.values() for n in numbers(item)]
        if isinstance(value, list):
            return [n for item in value for n in numbers(item)]
        return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []

    assert numbers(statement(agreeing)) == [2]  # the size of sets that explanations try


def test_it_is_canonical(agreeing: Made) -> None:
    data = (agreeing.out / "attestation.json").read_bytes()
    assert data == canonical(json.loads(data))
    assert canonical({"b": 1, "a": "\u20ac\x0f"}) == b'{"a":"\xe2\x82\xac\\u000f","b":1}'
    assert canonical(["\ud800"]) == b'["\\\\ud800"]'


def test_queries_and_versions_are_named(agreeing: Made) -> None:
    predicate = statement(agreeing)["predicate"]
    import verify.systems.lighthouse as system

    (place,) = system.__path__
    own = hashlib.sha256((Path(place) / "caching.sql").read_bytes()).hexdigest()
    assert predicate["queries"]["caching.sql"] == own
    assert set(predicate["versions"]) == {
        *("verify", "verify source", "python", "duckdb", "tzdata", "tokenizer"),
        *("xlsxwriter", "altair", "vl-convert-python", "zlib"),
    }


def test_a_key_signs_it_as_dsse(tmp_path: Path, hostile: Made, sign: Callable[..., Made]) -> None:
    key = Ed25519PrivateKey.generate()
    terms = ("--lever", "caching", "--key", write_key(tmp_path, key))
    made = sign(hostile.export, hostile.figures, "signed", *terms)
    assert made.run.code == 0
    envelope = statement(made)
    payload = base64.b64decode(envelope["payload"])
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    kind = envelope["payloadType"].encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    (entry,) = envelope["signatures"]
    public: Ed25519PublicKey = key.public_key()
    public.verify(base64.b64decode(entry["sig"]), signed)
    der = public.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert entry["keyid"] == hashlib.sha256(der).hexdigest()
    assert payload == (hostile.out / "attestation.json").read_bytes()
    assert violations(json.loads(payload), "signoff/attestation") == []


def test_no_document_and_no_message_holds_the_key(
    tmp_path: Path, hostile: Made, sign: Callable[..., Made]
) -> None:
    key = write_key(tmp_path, Ed25519PrivateKey.generate())
    secret = key.read_text().splitlines()[1]
    terms = ("--lever", "caching", "--key", key)
    made = sign(hostile.export, hostile.figures, "secret", *terms)
    raw = base64.b64decode(secret)[-32:]
    for path in made.out.iterdir():
        data = path.read_bytes()
        assert secret.encode() not in data
        assert raw not in data
        assert raw.hex().encode() not in data
    assert secret not in made.run.out + made.run.err


def test_a_key_that_cannot_sign_is_exit_2_before_anything(tmp_path: Path, hostile: Made) -> None:
    good = Ed25519PrivateKey.generate()
    locked = serialization.BestAvailableEncryption(b"pass")
    public = tmp_path / "public.pem"
    public.write_bytes(
        good.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    broken = tmp_path / "broken.pem"
    broken.write_text("-----BEGIN PRIVATE KEY-----\nSECRETSECRET\n-----END PRIVATE KEY-----\n")
    for key in (
        write_key(tmp_path, generate_private_key(SECP256R1()), "ec.pem"),
        write_key(tmp_path, good, "locked.pem", locked),
        *(public, broken, tmp_path / "absent.pem"),
    ):
        asked = ("--figures", hostile.figures, "--out", tmp_path / "out", "--key", key)
        run = verify("signoff", hostile.export, *asked)
        assert run.code == 2, key
        assert "SECRET" not in run.err
        assert "policy" not in run.err
        assert not (tmp_path / "out").exists()


def test_without_a_key_it_says_so(agreeing: Made) -> None:
    assert "not signed" in agreeing.run.out


@pytest.mark.parametrize("missing", ["xlsxwriter", "altair", "rfc8785"])
def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, hostile: Made, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.util import find_spec as real

    from verify.signoff import extra

    monkeypatch.setattr(extra, "find_spec", lambda name: None if name == missing else real(name))
    asked = ("--figures", hostile.figures, "--out", tmp_path / "out")
    run = verify("signoff", hostile.export, *asked)
    assert run.code == 2
    assert f"needs {missing}" in run.err
    assert "verify-savings[signoff]" in run.err
