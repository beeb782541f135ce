"""`verify replay`: nothing that was tampered with goes unnamed."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from support.program import Run, verify

from verify.schemata import violations
from verify.signoff.canonical import canonical, digest
from verify.signoff.change import Replay
from verify.signoff.dsse import signed

from .conftest import Made

KEY = Ed25519PrivateKey.generate()
PEM = serialization.Encoding.PEM


@pytest.fixture(scope="module")
def signed_off(
    tmp_path_factory: pytest.TempPathFactory, hostile: Made, sign: Callable[..., Made]
) -> Made:
    """A small sign-off, signed."""
    place = tmp_path_factory.mktemp("signed")
    shutil.copytree(hostile.export, place / "export")
    shutil.copy(hostile.figures, place / "figures.json")
    none = serialization.NoEncryption()
    pem = KEY.private_bytes(PEM, serialization.PrivateFormat.PKCS8, none)
    (place / "key.pem").write_bytes(pem)
    public = KEY.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (place / "public.pem").write_bytes(public)
    terms = ("--lever", "caching", "--tolerance", "abs=0.01", "--key", place / "key.pem")
    return sign(place / "export", place / "figures.json", "out", *terms)


@pytest.fixture
def made(signed_off: Made, tmp_path: Path) -> Made:
    """A copy of it, inputs and all, to tamper with."""
    place = tmp_path / "copy"
    shutil.copytree(signed_off.out.parent, place)
    return Made(place / "export", place / "figures.json", place / "out", signed_off.run)


def replayed(made: Made, *options: object, key: bool = True) -> Run:
    public = ("--public-key", made.out.parent / "public.pem") if key else ()
    return verify("replay", made.out, *public, "--format", "json", *options)


def changes(run: Run) -> set[tuple[str, str]]:
    assert violations(run.json, "signoff/replay") == []
    return {(change["kind"], change["name"]) for change in run.json["changes"]}


def envelope(made: Made) -> dict[str, Any]:
    return dict(json.loads((made.out / "attestation.json").read_bytes()))


def rewritten(made: Made, change: Callable[[dict[str, Any]], None], *, again: bool = True) -> None:
    """The Statement changed; signed `again` by the rightful key, or left with the old signature."""
    found = envelope(made)
    statement = json.loads(base64.b64decode(found["payload"]))
    change(statement)
    payload = canonical(statement)
    found["payload"] = base64.b64encode(payload).decode()
    found = signed(payload, KEY) if again else found
    (made.out / "attestation.json").write_bytes(canonical(found))


def test_it_comes_out_again(made: Made) -> None:
    run = replayed(made)
    assert run.code == 0, run.out
    assert run.json["identical"] is True
    assert run.json["signature"] == "valid"
    assert run.json["compared"] > 50
    table = verify("replay", made.out, "--public-key", made.out.parent / "public.pem")
    assert table.out.startswith("identical: every digest, and ")


def test_inputs_may_lie_elsewhere_and_are_then_named(made: Made, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(made.export, elsewhere / "export")
    shutil.move(made.figures, elsewhere / "figures.json")
    run = replayed(made)
    assert run.code == 2
    assert "--export" in run.err
    options = ("--export", elsewhere / "export", "--figures", elsewhere / "figures.json")
    assert replayed(made, *options).code == 0


def test_a_tampered_export_is_named(made: Made) -> None:
    path = made.export / "records.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"input_tokens": 10', b'"input_tokens": 11', 1))
    run = replayed(made)
    assert run.code == 3
    assert changes(run) == {("file", "export/records.jsonl")}
    assert run.json["compared"] is None


def test_an_export_tampered_with_along_with_its_manifest_is_named(made: Made) -> None:
    import hashlib

    path, manifest = made.export / "records.jsonl", made.export / "manifest.json"
    old = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(path.read_bytes().replace(b'"input_tokens": 10', b'"input_tokens": 11', 1))
    new = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(manifest.read_text().replace(old, new))
    found = changes(replayed(made))
    assert found == {("file", "export/records.jsonl"), ("file", "export/manifest.json")}


def test_a_file_of_the_export_that_is_gone_is_named(made: Made) -> None:
    (made.export / "manifest.json").unlink()
    run = replayed(made)
    assert (run.code, changes(run)) == (3, {("file", "export/manifest.json")})


def test_a_tampered_capture_is_named(made: Made) -> None:
    made.figures.write_text(made.figures.read_text().replace("0.0", "0.1", 1))
    run = replayed(made)
    assert (run.code, changes(run)) == (3, {("file", "figures/figures.json")})


def test_a_tampered_attestation_fails_its_signature(made: Made) -> None:
    def verdict(statement: dict[str, Any]) -> None:
        statement["predicate"]["verdict"] = "differs"

    rewritten(made, verdict, again=False)
    run = replayed(made)
    assert run.code == 3
    assert run.json["signature"] == "invalid"
    assert {("signature", "attestation.json"), ("figure", "verdict")} <= changes(run)


@pytest.mark.parametrize("how", ["flipped", "stripped", "another key", "none", "empty"])
def test_a_tampered_signature_is_named(made: Made, how: str) -> None:
    path = made.out / "attestation.json"
    found = envelope(made)
    payload = base64.b64decode(found["payload"])
    if how == "flipped":
        raw = bytearray(base64.b64decode(found["signatures"][0]["sig"]))
        raw[0] ^= 1
        found["signatures"][0]["sig"] = base64.b64encode(bytes(raw)).decode()
        path.write_bytes(canonical(found))
    elif how == "stripped":
        path.write_bytes(payload)
    elif how == "another key":
        path.write_bytes(canonical(signed(payload, Ed25519PrivateKey.generate())))
    else:
        found["signatures"] = [] if how == "none" else [{"keyid": "", "sig": ""}]
        path.write_bytes(canonical(found))
    run = replayed(made)
    assert (run.code, changes(run)) == (3, {("signature", "attestation.json")})
    assert run.json["signature"] == "invalid"


def test_a_signature_that_nobody_checked_is_no_0(made: Made) -> None:
    run = replayed(made, key=False)
    assert (run.code, run.json["signature"], run.json["changes"]) == (4, "not checked", [])
    assert "NOT CHECKED" in verify("replay", made.out).out


def test_an_unsigned_one_says_so(hostile: Made) -> None:
    run = verify("replay", hostile.out)
    assert run.code == 0, run.out
    assert "not signed" in run.out


@pytest.mark.parametrize("where", ["lead caching recomputed", "levers caching totals calls"])
def test_a_tampered_figure_is_named(made: Made, where: str) -> None:
    *path, last = where.split(" ")

    def figure(statement: dict[str, Any]) -> None:
        place = statement["predicate"]
        for name in path:
            place = place[name]
        place[last] = "7"

    rewritten(made, figure)
    run = replayed(made)
    assert (run.code, changes(run)) == (1, {("figure", where)})
    (change,) = run.json["changes"]
    assert change["attested"] == "7"
    assert change["found"] != "7"


def test_a_tampered_row_is_named_with_its_document(made: Made) -> None:
    path = made.out / "signoff.json"
    document = json.loads(path.read_text())
    document["rows"][3]["recomputed"] = "41"
    path.write_text(json.dumps(document))
    run = replayed(made)
    assert run.code == 3
    found = changes(run)
    assert ("document", "signoff.json") in found
    (row,) = [name for kind, name in found if kind == "figure"]
    assert row.startswith("row caching")
    assert row.endswith(", recomputed")


@pytest.mark.parametrize("name", ["signoff.xlsx", "signoff.html", "signoff.md"])
def test_a_tampered_document_is_named(made: Made, name: str) -> None:
    with (made.out / name).open("ab") as handle:
        handle.write(b" ")
    run = replayed(made)
    assert (run.code, changes(run)) == (3, {("document", name)})
    (made.out / name).unlink()
    assert replayed(made).json["changes"][0]["found"] == "missing"


def test_a_tampered_policy_is_named(made: Made) -> None:
    def policy(statement: dict[str, Any]) -> None:
        statement["predicate"]["policy"]["tolerance"]["abs"] = "1000"

    rewritten(made, policy)
    run = replayed(made)
    assert run.code == 3
    assert ("policy", "policy") in changes(run)


def test_a_policy_tampered_with_along_with_its_digest_is_named(made: Made) -> None:
    def policy(statement: dict[str, Any]) -> None:
        terms = statement["predicate"]["policy"]
        terms["tolerance"]["abs"] = "1000"
        terms["sha256"] = digest({name: terms[name] for name in ("tolerance", "min_coverage")})

    rewritten(made, policy)
    run = replayed(made)
    assert run.code == 3
    assert {("policy", "policy in signoff.json"), ("figure", "lead caching threshold")} <= changes(
        run
    )


@pytest.mark.parametrize("name", ["created", "parameters"])
def test_what_no_recomputation_shows_is_held_against_the_document(made: Made, name: str) -> None:
    def moved(statement: dict[str, Any]) -> None:
        if name == "created":
            statement["predicate"]["created"] = "2020-01-01T00:00:00Z"
        else:
            statement["predicate"]["parameters"]["largest"] = 3

    rewritten(made, moved)
    run = replayed(made)
    assert (run.code, changes(run)) == (3, {("document", f"{name} in signoff.json")})


def test_another_version_and_another_query_are_named(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verify.signoff import evidence, replay

    own, papers = evidence.versions(), evidence.query_digests("lighthouse")
    monkeypatch.setattr(replay, "versions", lambda: {**own, "duckdb": "9.9"})
    monkeypatch.setattr(
        replay, "query_digests", lambda _: {**papers, "caching.sql": "0" * 64, "new.sql": "1" * 64}
    )
    run = replayed(made)
    assert run.code == 1
    assert changes(run) == {
        ("version", "duckdb"),
        ("query", "caching.sql"),
        ("query", "new.sql"),
    }
    assert run.json["compared"] > 50


def test_another_figure_that_comes_out_is_named(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verify.systems.lighthouse import levers

    real = levers.caching_saving
    monkeypatch.setattr(levers, "caching_saving", lambda *group: real(*group) * 2)
    run = replayed(made)
    assert run.code == 1
    names = {name for kind, name in changes(run) if kind == "figure"}
    assert "levers caching figure" in names
    assert "verdict" in names
    assert any(name.startswith("row caching") for name in names)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"\xff", b'{"payload": 1, "signatures": []}', b"[" * 100_000]
)
def test_what_is_no_attestation_is_refused(made: Made, data: bytes) -> None:
    (made.out / "attestation.json").write_bytes(data)
    run = verify("replay", made.out)
    assert (run.code, run.out) == (3, "")
    assert "no attestation" in run.err


def test_what_is_not_there_is_exit_2(tmp_path: Path, made: Made) -> None:
    assert verify("replay", tmp_path).code == 2
    assert verify("replay", made.out, "--public-key", tmp_path / "no.pem").code == 2
    assert verify("replay", made.out, "--public-key", made.out.parent / "key.pem").code == 2
    assert verify("replay", made.out, "--format", "csv").code == 2
    assert replayed(made, "--export", tmp_path / "nowhere").code == 2


def test_a_replay_that_compared_nothing_is_not_identical() -> None:
    assert Replay("unsigned", None, "", (), 7).exit_code == 0
    assert Replay("unsigned", None, "", (), None).exit_code == 3
    assert not Replay("valid", "k", "", (), None).as_json()["identical"]
