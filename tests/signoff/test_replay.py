"""`verify replay`: nothing that was tampered with goes unnamed."""

from __future__ import annotations

import base64
import hashlib
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

from .conftest import SAMPLE, Made

SAMPLES = SAMPLE.parent
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
    assert table.out.startswith("identical: every digest, every document drawn anew, and ")


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
    assert run.code == 3
    assert {("document", f"{name} in signoff.json"), ("document", "signoff.json")} <= changes(run)


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
    assert run.code == 3  # by the same program, so that the documents are other ones too
    assert ("document", "signoff.md") in changes(run)
    names = {name for kind, name in changes(run) if kind == "figure"}
    assert "levers caching figure" in names
    assert "verdict" in names
    assert any(name.startswith("row caching") for name in names)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[]", b"{}", b"\xff", b"[" * 100_000),
        b'{"payload": 1, "signatures": []}',
        b'{"payload": 1, "payloadType": "application/vnd.in-toto+json", "signatures": []}',
    ],
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


# --- forged by somebody who has no key, or needs none --------------------------------------------


@pytest.fixture
def bare(made: Made) -> Made:
    """The same sign-off, unsigned: whoever has it can write its attestation as they like."""
    path = made.out / "attestation.json"
    path.write_bytes(base64.b64decode(envelope(made)["payload"]))
    return made


def forged(bare: Made, change: Callable[[dict[str, Any]], None]) -> Run:
    """The unsigned Statement changed, and replayed."""
    path = bare.out / "attestation.json"
    statement = json.loads(path.read_bytes())
    change(statement)
    path.write_bytes(canonical(statement))
    return replayed(bare, key=False)


def with_digest(bare: Made, name: str, data: bytes) -> Run:
    """A document of its own making, with an attestation that binds it."""
    (bare.out / name).write_bytes(data)

    def bind(statement: dict[str, Any]) -> None:
        statement["predicate"]["documents"][name] = hashlib.sha256(data).hexdigest()

    return forged(bare, bind)


def test_an_unsigned_copy_comes_out_again(bare: Made) -> None:
    run = replayed(bare, key=False)
    assert (run.code, run.json["signature"], changes(run)) == (0, "unsigned", set())


@pytest.mark.parametrize("name", ["signoff.xlsx", "signoff.html", "signoff.md", "signoff.json"])
def test_a_document_forged_along_with_its_digest_is_named(bare: Made, name: str) -> None:
    run = with_digest(bare, name, (bare.out / name).read_bytes() + b" ")
    assert (run.code, changes(run)) == (3, {("document", name)})
    assert "drawn anew" in run.json["changes"][0]["found"]


def test_a_conclusion_forged_along_with_its_digest_is_named(bare: Made) -> None:
    data = (bare.out / "signoff.json").read_bytes()
    document = json.loads(data)
    assert document["conclusion"]
    other = data.replace(json.dumps(document["conclusion"]).encode(), b'"All is well."')
    assert other != data
    run = with_digest(bare, "signoff.json", other)
    assert (run.code, changes(run)) == (3, {("document", "signoff.json")})


def test_a_time_forged_in_two_places_is_named_by_the_others(bare: Made) -> None:
    data = (bare.out / "signoff.json").read_bytes()
    was, now = json.loads(data)["created"], "2020-01-01T00:00:00Z"
    other = data.replace(was.encode(), now.encode())

    def moved(statement: dict[str, Any]) -> None:
        statement["predicate"]["created"] = now

    forged(bare, moved)
    run = with_digest(bare, "signoff.json", other)
    others = {("document", f"signoff.{suffix}") for suffix in ("xlsx", "html", "md")}
    assert (run.code, changes(run)) == (3, others)


@pytest.mark.parametrize("other", [False, True])
def test_a_question_that_nobody_could_have_asked_is_named(
    bare: Made, monkeypatch: pytest.MonkeyPatch, other: bool
) -> None:
    """It would otherwise keep every document from being drawn anew."""
    from verify.signoff import evidence, replay

    if other:
        own = evidence.versions()
        monkeypatch.setattr(replay, "versions", lambda: {**own, "duckdb": "9.9"})
    document = json.loads((bare.out / "signoff.json").read_bytes())
    document["parameters"]["month"] = "2026-99"

    def month(statement: dict[str, Any]) -> None:
        statement["predicate"]["parameters"]["month"] = "2026-99"

    forged(bare, month)
    run = with_digest(bare, "signoff.json", json.dumps(document).encode())
    blamed = {("version", "duckdb"), ("figure", "sign-off")} if other else {
        ("attestation", "sign-off")
    }  # fmt: skip
    assert (run.code, changes(run)) == (1 if other else 3, blamed)


@pytest.mark.parametrize("how", ["none", "one less", "one more"])
def test_an_attestation_names_four_documents(bare: Made, how: str) -> None:
    def documents(statement: dict[str, Any]) -> None:
        named = statement["predicate"]["documents"]
        if how == "one less":
            del named["signoff.html"]
        elif how == "one more":
            named["../export/records.jsonl"] = "0" * 64
        else:
            named.clear()

    (bare.out / "signoff.html").unlink()
    run = forged(bare, documents)
    assert (run.code, run.out) == (3, "")
    assert "no attestation" in run.err


def test_a_subject_that_is_left_out_is_named(bare: Made) -> None:
    def less(statement: dict[str, Any]) -> None:
        kept = [one for one in statement["subject"] if not one["name"].startswith("export/")]
        statement["subject"] = kept

    run = forged(bare, less)
    expected = {("file", "export/manifest.json"), ("file", "export/records.jsonl")}
    assert (run.code, changes(run), run.json["compared"]) == (3, expected, None)


@pytest.mark.parametrize("digest", ["the same", "another"])
def test_a_subject_that_is_named_twice_is_refused(bare: Made, digest: str) -> None:
    def twice(statement: dict[str, Any]) -> None:
        first = statement["subject"][0]
        other = first if digest == "the same" else {**first, "digest": {"sha256": "0" * 64}}
        statement["subject"].insert(0, other)

    run = forged(bare, twice)
    assert (run.code, run.out) == (3, "")


@pytest.mark.parametrize("member", ["in the Statement", "in the envelope"])
def test_a_member_that_readers_may_read_otherwise_is_refused(made: Made, member: str) -> None:
    path = made.out / "attestation.json"
    found = envelope(made)
    payload = base64.b64decode(found["payload"])
    if member == "in the Statement":
        data = payload.replace(b'"predicate":{', b'"predicate":{},"predicate":{', 1)
        data = canonical(signed(data, KEY))
    else:
        data = b'{"payload":"",' + path.read_bytes()[1:]
    path.write_bytes(data)
    run = replayed(made)
    assert (run.code, run.out) == (3, "")
    assert "twice" in run.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("parameters system", "../x"),
        ("inputs export", "a\0b"),
        ("created", "yesterday"),
        ("created", "2026-13-01T00:00:00Z"),
        ("created", "2026-12-01T00:00:00+00:00"),
    ],
)
def test_what_no_sign_off_attests_is_refused(bare: Made, name: str, value: str) -> None:
    def other(statement: dict[str, Any]) -> None:
        *path, last = name.split(" ")
        place = statement["predicate"]
        for part in path:
            place = place[part]
        assert place[last]
        place[last] = value

    run = forged(bare, other)
    assert (run.code, run.out) == (3, "")
    assert "no attestation" in run.err


def test_a_place_that_is_no_text_is_refused(bare: Made) -> None:
    path = bare.out / "attestation.json"
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"export":"../export"', b'"export":"\\ud800"'))
    assert path.read_bytes() != data
    assert replayed(bare, key=False).code == 3


def test_a_device_is_no_input(bare: Made) -> None:
    def device(statement: dict[str, Any]) -> None:
        statement["predicate"]["inputs"]["figures"] = "/dev/null"

    assert forged(bare, device).code == 2


def test_a_signed_one_that_nobody_checks_has_its_documents_named(made: Made) -> None:
    data = (made.out / "signoff.html").read_bytes() + b" "
    (made.out / "signoff.html").write_bytes(data)

    def bind(statement: dict[str, Any]) -> None:
        statement["predicate"]["documents"]["signoff.html"] = hashlib.sha256(data).hexdigest()

    rewritten(made, bind, again=False)
    run = replayed(made, key=False)
    assert (run.code, changes(run)) == (3, {("document", "signoff.html")})
    assert run.json["signature"] == "not checked"


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize(
    "signatures",
    [None, [], {}, {"sig": "x"}, [5], [{"sig": 5}], [{"keyid": "k", "sig": "\u00e9"}], [{}], "x",
     [{"sig": "AAAA"}]],
)  # fmt: skip
def test_an_envelope_without_a_signature_is_not_one_that_nobody_checked(
    made: Made, signatures: Any, key: bool
) -> None:
    found = {**envelope(made), "signatures": signatures}
    (made.out / "attestation.json").write_bytes(canonical(found))
    run = replayed(made, key=key)
    assert (run.code, changes(run)) == (3, {("signature", "attestation.json")})
    assert (run.json["signature"], run.json["keyid"]) == ("invalid", None)


def test_another_version_cannot_hold_a_document_and_says_so(
    bare: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verify.signoff import evidence, replay

    own = evidence.versions()
    monkeypatch.setattr(replay, "versions", lambda: {**own, "verify source": "0" * 64})
    run = with_digest(bare, "signoff.md", b"other words")
    expected = {("version", "verify source"), ("version", "signoff.md")}
    assert (run.code, changes(run)) == (1, expected)
    assert "could not be held" in verify("replay", bare.out).out


def test_a_version_that_is_attested_otherwise_is_held_against_the_document(bare: Made) -> None:
    def other(statement: dict[str, Any]) -> None:
        statement["predicate"]["versions"]["verify source"] = "0" * 64

    run = forged(bare, other)
    assert run.code == 3
    assert ("document", "versions in signoff.json") in changes(run)


def test_a_missing_package_says_nothing_about_a_sign_off(
    bare: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.util import find_spec as real

    from verify.signoff import extra

    for missing in extra.PACKAGES:
        monkeypatch.setattr(
            extra, "find_spec", lambda name, gone=missing: None if name == gone else real(name)
        )
        run = replayed(bare, key=False)
        assert (run.code, run.out) == (2, ""), missing
        assert f"needs {missing}" in run.err
        assert "verify-savings[signoff]" in run.err


def test_a_broken_package_says_nothing_about_a_sign_off(
    bare: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import import_module as real

    from verify.signoff import extra

    def broken(name: str) -> Any:
        if name == "xlsxwriter":
            raise ImportError(name)
        return real(name)

    monkeypatch.setattr(extra, "import_module", broken)
    run = replayed(bare, key=False)
    assert (run.code, run.out) == (2, "")
    assert "verify-savings[signoff]" in run.err


@pytest.mark.parametrize(
    "name", ["signoff.xlsx", "signoff.html", "signoff.md", "signoff.json", "attestation.json"]
)
def test_an_answer_replaces_no_part_of_the_sign_off(bare: Made, name: str, tmp_path: Path) -> None:
    before = (bare.out / name).read_bytes()
    linked = tmp_path / "linked"
    linked.symlink_to(bare.out, target_is_directory=True)
    for place in (bare.out / name, bare.out / ".." / "out" / name, linked / name):
        run = replayed(bare, "-o", place, key=False)
        assert run.code == 2, place
        assert name in run.err
    assert (bare.out / name).read_bytes() == before
    (bare.out / name).unlink()
    assert replayed(bare, "-o", bare.out / name, key=False).code == 2
    assert not (bare.out / name).exists()


def test_an_answer_may_lie_beside_the_documents(bare: Made) -> None:
    assert replayed(bare, "-o", bare.out / "replay.json", key=False).code == 0
    assert json.loads((bare.out / "replay.json").read_text())["identical"] is True


# --- a file that came in afterwards --------------------------------------------------------------


def named(run: Run) -> set[str]:
    assert run.code == 3, run.out
    return {name for kind, name in changes(run) if kind == "file"}


def test_a_list_of_digests_that_came_in_is_named(bare: Made) -> None:
    records = (bare.export / "records.jsonl").read_bytes()
    line = f"{hashlib.sha256(records).hexdigest()}  records.jsonl\n"
    (bare.export / "SHA256SUMS").write_text(line)
    assert named(replayed(bare, key=False)) == {"export/SHA256SUMS"}


def test_a_file_beside_the_records_that_came_in_is_named(bare: Made) -> None:
    (bare.export / "README").write_text("Nothing was removed.")
    assert named(replayed(bare, key=False)) == {"export/README"}


@pytest.mark.parametrize(
    ("export", "figures", "came"),
    [
        ("leanproxy/four-sessions/usage", "leanproxy/four-sessions/reports/report.json",
         ["usage-2025-01-01.jsonl"]),
        ("prompt2md", None, ["reports/zz.json", "inputs/zz.txt"]),
    ],
)  # fmt: skip
def test_a_file_that_came_into_a_store_is_named(
    tmp_path: Path, export: str, figures: str | None, came: list[str]
) -> None:
    place = shutil.copytree(SAMPLES / export, tmp_path / "export")
    given = () if figures is None else ("--figures", shutil.copy(SAMPLES / figures, tmp_path))
    assert verify("signoff", place, *given, "--out", tmp_path / "out").code == 0
    for name in came:
        path = place / name
        shutil.copy(min(path.parent.glob("*.*")), path)
        run = verify("replay", tmp_path / "out", "--format", "json")
        assert named(run) == {f"export/{name}"}
        path.unlink()


def test_a_replay_that_compared_nothing_is_not_identical() -> None:
    assert Replay("unsigned", None, "", (), 7).exit_code == 0
    assert Replay("unsigned", None, "", (), None).exit_code == 3
    assert not Replay("valid", "k", "", (), None).as_json()["identical"]
