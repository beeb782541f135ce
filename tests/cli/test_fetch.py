"""`verify fetch` against a real server on loopback: captured, refused, resumed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.program import Run, verify
from support.server import Answer, Product, self_signed, serving

SAMPLE = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"
CANARIES = ("canary-key-81f3", "canary-id-22c9", "canary-secret-5e07")
BODIES = (
    "headline.json",
    "retrieval.json",
    "caching.json",
    "caching.group_by_deployment.csv",
    "routing.json",
    "profiles.json",
)


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(
        ("AAL_KEY", "CF_ACCESS_CLIENT_ID", "CF_ACCESS_CLIENT_SECRET"), CANARIES, strict=True
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr("verify.systems.lighthouse.fetch.MAX_WAIT", 0.01)


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Product]:
    reads = tmp_path / "served"
    shutil.copytree(SAMPLE / "api", reads)
    with serving(Product(reads)) as serves:
        yield serves


def fetch(product: Product, out: Path, *more: object) -> Run:
    run = verify("fetch", "--period", "2026-10", "--out", out, "--base-url", product.url, *more)
    for canary in CANARIES:
        assert canary not in run.out + run.err
        for file in out.parent.rglob("*"):
            if file.is_file():
                assert canary.encode() not in file.read_bytes(), file
    assert "Traceback" not in run.err
    return run


def nothing_complete(out: Path) -> bool:
    return not out.exists()


def test_a_capture_ties_out(product: Product, tmp_path: Path) -> None:
    out = tmp_path / "capture"
    assert fetch(product, out).code == 0
    assert sorted(p.name for p in out.iterdir()) == sorted([*BODIES, "capture.json"])
    for name in BODIES:
        assert (out / name).read_bytes() == (product.reads / name).read_bytes()
    capture = json.loads((out / "capture.json").read_text())
    for entry in capture["reads"]:
        body = (out / entry["file"]).read_bytes()
        assert entry["sha256"] == hashlib.sha256(body).hexdigest()
        assert entry["bytes"] == len(body)
        assert entry["status"] == 200
        assert entry["url"].startswith(product.url)
    run = verify("diff", SAMPLE, "--figures", out, "--format", "json")
    assert run.code == 0
    assert "capture_hand_saved" not in {finding["code"] for finding in run.json["findings"]}


def test_every_request_carries_the_headers_and_dates(product: Product, tmp_path: Path) -> None:
    fetch(product, tmp_path / "capture")
    paths = [path for path, _ in product.requests]
    assert "/api/v1/savings/headline?period=2026-10" in paths
    assert "/api/v1/retrieval?since=2026-10-01&until=2026-10-31" in paths
    for _, headers in product.requests:
        assert headers["Authorization"] == f"Bearer {CANARIES[0]}"
        assert headers["CF-Access-Client-Id"] == CANARIES[1]
        assert headers["CF-Access-Client-Secret"] == CANARIES[2]


def test_a_planted_product_differs(tmp_path: Path) -> None:
    export = tmp_path / "export"
    verify("sample", export, "--records", "1200", "--plant", "weights=false")
    with serving(Product(export / "api")) as product:
        assert fetch(product, tmp_path / "capture").code == 0
    assert verify("diff", export, "--figures", tmp_path / "capture").code == 1


def test_an_edited_byte_is_exit_3_and_named(product: Product, tmp_path: Path) -> None:
    out = tmp_path / "capture"
    fetch(product, out)
    body = (out / "retrieval.json").read_bytes()
    (out / "retrieval.json").write_bytes(body.replace(b"1", b"2", 1))
    run = verify("diff", SAMPLE, "--figures", out)
    assert (run.code, run.out) == (3, "")
    assert "retrieval.json" in run.err
    (out / "retrieval.json").unlink()
    assert "file_missing" in verify("diff", SAMPLE, "--figures", out).err
    (out / "retrieval.json").write_bytes(body)
    (out / "extra.json").write_text("{}")
    assert "file_unlisted" in verify("diff", SAMPLE, "--figures", out).err


WRONG: dict[str, tuple[Answer, str]] = {
    "login page behind a redirect": (
        Answer(302, b"", headers={"Location": "https://login.example/"}),
        "redirected",
    ),
    "web page with status 200": (Answer(200, b"<html>Sign in</html>", "text/html"), "web page"),
    "web page called JSON": (Answer(200, b"<!doctype html>", "application/json"), "web page"),
    "truncated body": (Answer(cut_at=40), "5 times"),
    "not JSON": (Answer(200, b'{"since": '), "not JSON"),
    "another read": (Answer(200, b'{"deployments": []}'), "not that read"),
    "no such shape": (Answer(200, b'{"stuffing": {"by_agent": 7}}'), "not what the retrieval read"),
    "wrong type": (Answer(200, b"{}", "application/octet-stream"), "expected application/json"),
    "not allowed": (Answer(403), "not allowed"),
    "unauthorised": (Answer(401), "not allowed"),
    "not found": (Answer(404), "status 404"),
    "server error": (Answer(500), "status 500"),
    "always busy": (Answer(503), "status 503, 5 times"),
    "connection dropped": (Answer(drop=True), "5 times"),
    "NaN in a figure": (Answer(200, b'{"stuffing": {"usd_cached": NaN}}'), "NaN"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_read_leaves_no_capture(product: Product, tmp_path: Path, name: str) -> None:
    answer, words = WRONG[name]
    product.wrong["retrieval.json"] = Answer(**vars(answer))
    out = tmp_path / "capture"
    run = fetch(product, out)
    assert run.code == 2
    assert "retrieval" in run.err
    assert words in run.err
    assert nothing_complete(out)


def test_client_errors_are_asked_once_and_busy_servers_again(
    product: Product, tmp_path: Path
) -> None:
    product.wrong["retrieval.json"] = Answer(404)
    fetch(product, tmp_path / "one")
    assert sum("/retrieval?" in path for path, _ in product.requests) == 1
    product.wrong["retrieval.json"] = Answer(429, headers={"Retry-After": "0"}, times=2)
    product.wrong["routing.json"] = Answer(drop=True, times=1)
    product.wrong["caching.json"] = Answer(502, times=1)
    assert fetch(product, tmp_path / "two").code == 0


def test_a_second_run_resumes(product: Product, tmp_path: Path) -> None:
    out = tmp_path / "capture"
    product.wrong["routing.json"] = Answer(404, times=1)
    assert fetch(product, out).code == 2
    before = len(product.requests)
    assert fetch(product, out).code == 0
    asked = [path for path, _ in product.requests[before:]]
    assert len(asked) == 2, asked
    assert verify("diff", SAMPLE, "--figures", out).code == 0


def test_a_capture_is_never_written_over(product: Product, tmp_path: Path) -> None:
    out = tmp_path / "capture"
    fetch(product, out)
    run = fetch(product, out)
    assert run.code == 2
    assert "there already" in run.err


def test_a_body_over_the_limit(product: Product, tmp_path: Path) -> None:
    from verify.systems.lighthouse import fetch as module

    conduct = module.Conduct(max_body=1000)
    access = module.Access(product.url, CANARIES[0])
    from verify.period import month_period

    with pytest.raises(module.FetchFailed, match="more than 1,000 bytes"):
        module.fetch(access, month_period("2026-10", "UTC"), tmp_path / "c", conduct)
    assert CANARIES[0] not in repr(access)


def test_pages_of_decisions_are_followed(product: Product, tmp_path: Path) -> None:
    whole = json.loads((product.reads / "routing.json").read_text())
    half = len(whole["decisions"]) // 2
    first = {**whole, "decisions": whole["decisions"][:half], "next_cursor": "p2"}
    second = {**whole, "decisions": whole["decisions"][half:]}
    (product.reads / "routing.json").write_text(json.dumps(first))
    query = "/api/v1/routing?since=2026-10-01&until=2026-10-31"
    product.pages[f"{query}&cursor=p2"] = json.dumps(second).encode()
    product.wrong["routing.json"] = Answer(times=0)
    out = tmp_path / "capture"
    # The server tells pages by their address.
    product.pages[query] = json.dumps(first).encode()
    assert fetch(product, out).code == 0
    assert (out / "routing.page2.json").exists()
    assert verify("diff", SAMPLE, "--figures", out).code == 0


def test_a_next_page_on_another_host_is_not_asked(product: Product, tmp_path: Path) -> None:
    whole = json.loads((product.reads / "routing.json").read_text())
    whole["next"] = "https://elsewhere.example/steal"
    (product.reads / "routing.json").write_text(json.dumps(whole))
    run = fetch(product, tmp_path / "capture")
    assert run.code == 2
    assert "another host" in run.err


def test_tls_is_verified(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    reads = SAMPLE / "api"
    with serving(Product(reads), (certificate, key)) as product:
        refused = fetch(product, tmp_path / "a")
        assert refused.code == 2
        assert "--ca-bundle" in refused.err
        assert fetch(product, tmp_path / "b", "--ca-bundle", certificate).code == 0


def test_what_would_give_the_key_away_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "c"
    for url in ("http://example.com/api", "ftp://x/", "https://user:pw@example.com/api"):
        assert verify("fetch", "--period", "2026-10", "--out", out, "--base-url", url).code == 2
    monkeypatch.setenv("AAL_TENANT", "evil.example/x?")
    assert verify("fetch", "--period", "2026-10", "--out", out).code == 2
    monkeypatch.delenv("AAL_TENANT")
    assert "AAL_TENANT" in verify("fetch", "--period", "2026-10", "--out", out).err
    monkeypatch.delenv("AAL_KEY")
    assert "AAL_KEY" in verify("fetch", "--period", "2026-10", "--out", out).err


def test_an_env_file(product: Product, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AAL_KEY")
    env = tmp_path.parent / f"{tmp_path.name}.env"
    env.write_text("# keys\nexport AAL_KEY='other-key'\n")
    assert fetch(product, tmp_path / "out" / "c", "--env-file", env).code == 0
    assert product.requests[0][1]["Authorization"] == "Bearer other-key"
    env.write_text("AAL_KEY: oops-secret\n")
    run = verify("fetch", "--period", "2026-10", "--out", tmp_path / "d", "--env-file", env)
    assert run.code == 2
    assert "oops-secret" not in run.err


def test_what_was_restated_since(product: Product, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    fetch(product, one)
    text = (product.reads / "headline.json").read_text()
    document: dict[str, Any] = json.loads(text)
    old = document["levers"][0]["usd"]
    (product.reads / "headline.json").write_text(text.replace(str(old), str(old + 1), 1))
    fetch(product, two)
    same = verify("fetch", "--out", one, "--compare-with", one)
    assert same.code == 0
    assert "nothing was restated" in same.out
    run = verify("fetch", "--out", two, "--compare-with", one, "--format", "json")
    assert run.code == 1
    (change,) = run.json["restated"]
    assert (change["lever"], change["measure"]) == ("retrieval", "usd")
    assert change["before"] == str(old)
    for form in ("table", "csv", "md"):
        run = verify("fetch", "--out", two, "--compare-with", one, "--format", form)
        assert str(old) in run.out


def test_a_capture_that_broke_off_is_not_believed(product: Product, tmp_path: Path) -> None:
    out = tmp_path / "capture"
    fetch(product, out)
    capture = json.loads((out / "capture.json").read_text())
    capture["complete"] = False
    (out / "capture.json").write_text(json.dumps(capture))
    run = verify("diff", SAMPLE, "--figures", out)
    assert run.code == 2
    assert "broke off" in run.err
