"""The commands on a usage store: recognised, manifests, options, names that are no text."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest
from support.program import verify
from systems.leanproxy.oracle import DAY
from systems.leanproxy.stores import MONDAY, line, write

from verify.render.safe import visible
from verify.schemata import schema, violations
from verify.systems import recognise
from verify.systems.leanproxy.measures import LEVERS
from verify.systems.leanproxy.shape import LINE, Many, Part, Shape

FOUR = Path(__file__).resolve().parents[3] / "sample_exports" / "leanproxy" / "four-sessions"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A copy of the sample store that may be changed."""
    return Path(shutil.copytree(FOUR / "usage", tmp_path / "usage"))


def test_a_store_is_recognised_by_its_files(tmp_path: Path, store: Path) -> None:
    found = recognise(store)
    assert found is not None
    assert found.name == "leanproxy"
    assert recognise(write(tmp_path / "odd", {"usage-2026-9-1.jsonl": b""})) is None
    (store / "records.jsonl").write_bytes(b"")
    other = recognise(store)
    assert other is None or other.name != "leanproxy"


def test_an_empty_store_has_no_data(tmp_path: Path) -> None:
    run = verify("recompute", tmp_path, "--system", "leanproxy", "--format", "json")
    assert run.code == 4
    assert {lever["status"] for lever in run.json["levers"]} == {"no_data"}
    assert {lever["amount"] for lever in run.json["levers"]} == {0}
    assert violations(run.json, "outputs/recompute") == []
    assert verify("check", tmp_path, "--system", "leanproxy").code == 0


def test_a_manifest_shows_that_nothing_changed_since(store: Path) -> None:
    sums = store / "SHA256SUMS"
    made = verify("check", store, "--write-manifest", sums)
    assert made.code == 0
    digest = hashlib.sha256(sums.read_bytes()).hexdigest()
    assert digest in made.err
    assert sums.read_text().count("\n") == 5
    assert verify("recompute", store, "--format", "json").json["export"]["trust"] == (
        "unauthenticated"
    )
    pinned = verify("check", store, "--manifest-sha256", digest, "--format", "json")
    assert pinned.json["export"]["trust"] == "pinned"
    assert verify("check", store, "--write-manifest", sums).code == 2, "it is not replaced"
    with (store / "usage-2026-09-22.jsonl").open("ab") as handle:
        handle.write(b"\n")
    changed = verify("recompute", store)
    assert (changed.code, changed.out) == (3, "")
    assert "file_digest" in changed.err
    unverified = verify("recompute", store, "--unverified", "--format", "json")
    assert unverified.code == 3
    assert unverified.json["export"]["trust"] == "unverified"


def test_a_new_day_is_not_in_an_old_manifest(store: Path) -> None:
    verify("check", store, "--write-manifest", store / "SHA256SUMS")
    (store / "usage-2026-09-24.jsonl").write_bytes(line((MONDAY + 3) * DAY) + b"\n")
    run = verify("check", store)
    assert run.code == 3
    assert "file_unlisted" in run.err


def test_a_manifest_that_lies_elsewhere(tmp_path: Path, store: Path) -> None:
    kept = tmp_path / "kept.sums"
    assert verify("check", store, "--write-manifest", kept).code == 0
    run = verify("recompute", store, "--manifest", kept, "--format", "json")
    assert run.json["export"]["trust"] == "unauthenticated"
    (store / "usage-2026-09-17.jsonl").unlink()
    run = verify("recompute", store, "--manifest", kept)
    assert (run.code, run.out) == (3, "")
    assert "file_missing" in run.err
    assert verify("recompute", store, "--manifest", tmp_path / "none").code == 2
    assert verify("recompute", store).code == 0, "without it nobody knows"


def test_a_manifest_is_written_where_it_is_found_again(tmp_path: Path, store: Path) -> None:
    assert verify("check", store, "--write-manifest", store / "sums.txt").code == 2
    assert not (store / "sums.txt").exists()
    assert verify("check", store, "--write-manifest", tmp_path / "no" / "sums").code == 2


def test_a_pin_without_a_manifest_fails(store: Path) -> None:
    run = verify("recompute", store, "--manifest-sha256", "0" * 64)
    assert (run.code, run.out) == (3, "")
    assert "manifest_missing" in run.err


def test_a_link_is_not_followed(tmp_path: Path, store: Path) -> None:
    target = tmp_path / "elsewhere.jsonl"
    target.write_bytes(line(MONDAY * DAY) + b"\n")
    os.symlink(target, store / "usage-2026-09-24.jsonl")
    run = verify("recompute", store)
    assert (run.code, run.out) == (3, "")
    assert "file_not_regular" in run.err
    assert verify("check", store, "--unverified").code == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--period", "2026-09"), "--since"),
        (("--since", "2026-09-01", "--until", "2026-09-02"), "--since"),
        (("--tz", "Europe/Madrid"), "UTC"),
        (("--baseline-model", "m"), "no models"),
        (("--lever", "caching"), "no lever"),
        (("--lever", "today"), "--now"),
        (("--by", "model"), "broken down"),
        (("--lever", "schema", "--by", "tool"), "broken down"),
        (("--set", "view=best"), "summarize"),
        (("--set", "colour=red"), "no option"),
        (("--set", "price_per_mtok=cheap"), "no price"),
        (("--set", "price_per_mtok=-1"), "no price"),
        (("--set", "since=yesterday"), "not a timestamp"),
        (("--set", "since=2026-09-22T00:00:00Z", "--since", "2026-09-21"), "twice"),
        (("--method", "saved=maybe"), "recomputed"),
        (("--method", "zone=UTC"), "not a method switch"),
    ],
)
def test_a_wrong_option_is_exit_2_with_a_word_about_it(
    options: tuple[str, ...], words: str
) -> None:
    run = verify("recompute", FOUR / "usage", *options)
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert "Traceback" not in run.err


def test_another_method_is_said_in_every_form() -> None:
    for form in ("table", "json", "csv", "md"):
        run = verify("recompute", FOUR / "usage", "--method", "saved=recomputed", "--format", form)
        assert "recomputed" in run.out


@pytest.mark.parametrize("lever", LEVERS)
def test_every_lever_can_be_explained(lever: str) -> None:
    run = verify("lever", lever, "--system", "leanproxy")
    assert run.code == 0
    assert "SELECT" in run.out
    assert "[stated]" in run.out


@pytest.mark.parametrize("name", ["=1+1", "\x1b[31mred", "\u202egnp", "<script>", "a" * 300])
def test_names_are_shown_as_text(tmp_path: Path, name: str) -> None:
    tool = {"tool": f"{name}.x", "results": 1, "original_tokens": 5, "returned_tokens": 5}
    raw = line(MONDAY * DAY, name, governor={"original_tokens": 5}, tools=[tool], estimator=name)
    place = write(tmp_path, {MONDAY: [raw, raw.replace(b'"pid":1', b'"pid":"x"')]})
    for form in ("table", "json", "csv", "md"):
        for command in (("recompute", "--by", "tool", "--by", "session"), ("check",)):
            out = verify(command[0], place, *command[1:], "--format", form).out
            assert "\x1b" not in out
            assert "\u202e" not in out
            assert form != "md" or "<script" not in out
    assert visible(name) in verify("recompute", place, "--by", "session", "--format", "csv").out


def test_the_schema_of_a_line_is_the_shape_that_is_read() -> None:
    def fields(shape: Shape) -> dict[str, object]:
        return {
            name: fields(kind.shape) if isinstance(kind, Part | Many) else None
            for name, kind in shape.items()
        }

    def members(part: dict[str, object]) -> dict[str, object]:
        inner = part.get("items", part)
        assert isinstance(inner, dict)
        properties = inner["properties"]
        return {
            name: members(one) if "properties" in one or "items" in one else None
            for name, one in properties.items()
        }

    assert members(schema("leanproxy/line")) == fields(LINE)
