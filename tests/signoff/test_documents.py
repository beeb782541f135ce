"""`verify signoff`: what is written, when, and what is said."""

from __future__ import annotations

import html
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from support.ambiguous import BOTH, TWO_CALLS, ambiguous
from support.program import verify

import verify as package
from verify.findings import Finding
from verify.schemata import violations
from verify.signoff.canonical import digest
from verify.signoff.policy import Policy

from .conftest import SAMPLE, Made

DOCUMENTS = {"signoff.xlsx", "signoff.html", "signoff.md", "signoff.json", "attestation.json"}


def document(made: Made) -> dict[str, object]:
    return dict(json.loads((made.out / "signoff.json").read_text("utf-8")))


def test_agreeing_figures_are_signed_off(agreeing: Made) -> None:
    assert agreeing.run.code == 0, agreeing.run.err
    assert {path.name for path in agreeing.out.iterdir()} == DOCUMENTS
    found = document(agreeing)
    assert found["verdict"] == "agrees"
    assert violations(found, "signoff/document") == []
    assert agreeing.run.out.startswith("AGREES: ")
    assert "1,673.208177 USD reported" in str(found["conclusion"])


def test_differing_figures_are_documented_all_the_same(differing: Made) -> None:
    assert differing.run.code == 1
    assert {path.name for path in differing.out.iterdir()} == DOCUMENTS
    found = document(differing)
    assert violations(found, "signoff/document") == []
    assert "weights = false" in str(found["conclusion"])
    assert found["causes"]


def test_rows_are_those_of_the_diff(agreeing: Made) -> None:
    asked = ("--figures", agreeing.figures, "--tolerance", "abs=1.00,rel=0.1%", "--format", "json")
    tied = verify("diff", agreeing.export, *asked).json
    found = document(agreeing)
    for part in ("rows", "findings", "method", "period", "export", "inconclusive"):
        assert found[part] == tied[part]


def test_bridges_add_up_exactly_with_rounding_and_the_rest_apart(differing: Made) -> None:
    from fractions import Fraction

    bridges = document(differing)["bridges"]
    assert isinstance(bridges, list)
    assert bridges
    for bridge in bridges:
        steps = [Fraction(step["amount"]) for step in bridge["steps"]]
        rest = Fraction(bridge["unexplained"]) + Fraction(bridge["rounding"])
        assert Fraction(bridge["recomputed"]) + sum(steps) + rest == Fraction(bridge["figure"])
        assert 0 in (Fraction(bridge["unexplained"]), Fraction(bridge["rounding"]))
    headline = next(bridge for bridge in bridges if bridge["lever"] == "headline")
    assert headline["steps"]
    assert Fraction(headline["unexplained"]) == 0
    assert 0 < abs(Fraction(headline["rounding"])) < Fraction(1, 100_000)


def test_an_unexplained_difference_is_a_line_of_its_own(
    tmp_path: Path, quarterly: Made, sign: Callable[..., Made]
) -> None:
    shutil.copytree(quarterly.export, tmp_path / "export")
    figures = tmp_path / "figures.json"
    text = quarterly.figures.read_text()
    figures.write_text(text.replace('"usd": "0.054"', '"usd": "0.554"'))
    made = sign(tmp_path / "export", figures, "out", "--lever", "caching", "--largest", "1")
    assert made.run.code == 1
    bridges = document(made)["bridges"]
    assert isinstance(bridges, list)
    (bridge,) = bridges
    assert (bridge["unexplained"], bridge["rounding"], bridge["steps"]) == ("0.5", "0", [])
    note = (made.out / "signoff.md").read_text()
    assert "| Unexplained difference | 0.5 |" in note
    assert "| Rounding of the printed figure | 0 |" in note


def test_the_policy_is_fixed_and_said_before_anything_is_computed(
    tmp_path: Path, agreeing: Made
) -> None:
    found = document(agreeing)["policy"]
    assert isinstance(found, dict)
    terms = {name: found[name] for name in ("tolerance", "min_coverage")}
    assert terms == {"tolerance": {"abs": "1", "rel": "0.001"}, "min_coverage": None}
    assert found["sha256"] == digest(terms) == Policy.read(terms).sha256
    assert found["sha256"] in agreeing.run.err
    broken = tmp_path / "export"
    shutil.copytree(agreeing.export, broken)
    (broken / "records.jsonl").write_bytes(b"{}\n")
    run = verify("signoff", broken, "--figures", agreeing.figures, "--out", tmp_path / "out")
    assert "policy fixed before the run" in run.err


def test_least_coverage_makes_it_inconclusive_and_documented(
    copied: Path, sign: Callable[..., Made]
) -> None:
    made = sign(copied / "export", copied / "api", "least", "--min-coverage", "95%")
    assert made.run.code == 4
    assert document(made)["verdict"] == "inconclusive"
    assert {path.name for path in made.out.iterdir()} == DOCUMENTS
    evidence = document(made)["evidence"]
    assert isinstance(evidence, dict)
    results = {test["name"]: test["result"] for test in evidence["tests"]}
    assert results["Coverage of caching"] == "not passed"
    assert results["Footing of caching"] == "passed"


@pytest.mark.parametrize("where", ["export", "figures"])
def test_an_integrity_failure_writes_nothing(tmp_path: Path, copied: Path, where: str) -> None:
    shutil.copytree(copied / "export", tmp_path / "export")
    shutil.copytree(copied / "api", tmp_path / "api")
    if where == "export":
        with (tmp_path / "export" / "records.jsonl").open("ab") as handle:
            handle.write(b"\n")
    else:
        (tmp_path / "api" / "capture.json").write_text(
            json.dumps(
                {
                    "format": "verify-capture/1",
                    "complete": True,
                    "reads": [{"read": "headline", "file": "headline.json", "sha256": "0" * 64}],
                }
            )
        )
    asked = ("--figures", tmp_path / "api", "--out", tmp_path / "out")
    run = verify("signoff", tmp_path / "export", *asked)
    assert run.code == 3
    assert run.out == ""
    assert {path.name for path in tmp_path.iterdir()} == {"export", "api"}


def test_a_read_that_changes_meanwhile_is_an_integrity_failure(
    tmp_path: Path, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(copied / "export", tmp_path / "export")
    shutil.copytree(copied / "api", tmp_path / "api")
    from verify.signoff import completeness, make

    real = completeness.completeness

    def meanwhile(*arguments: object) -> object:
        (tmp_path / "api" / "headline.json").write_text("{}")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(make, "completeness", meanwhile)
    asked = ("--figures", tmp_path / "api", "--out", tmp_path / "out")
    run = verify("signoff", tmp_path / "export", *asked)
    assert run.code == 3
    assert "figures/headline.json: it changed while it was read" in run.err
    assert not (tmp_path / "out").exists()


def test_a_directory_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    inputs = (SAMPLE, "--figures", SAMPLE / "api")
    run = verify("signoff", *inputs, "--out", tmp_path / "out")
    assert (run.code, list((tmp_path / "out").iterdir())) == (2, [])
    assert "is there already" in run.err
    assert verify("signoff", *inputs, "--out", tmp_path / "no" / "out").code == 2
    assert verify("signoff", *inputs).code == 2
    assert verify("signoff", *inputs, "--out", SAMPLE / "out").code == 2
    assert verify("signoff", *inputs, "--out", SAMPLE / "api" / "out").code == 2
    assert not (SAMPLE / "out").exists()


def test_what_breaks_off_leaves_nothing_behind(
    copied: Path, sign: Callable[..., Made], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(copied.iterdir())

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    made = sign(copied / "export", copied / "api", "full")
    assert made.run.code == 2
    assert "no space left" in made.run.err
    assert set(copied.iterdir()) == before


def test_only_the_time_of_creation_tells_two_apart(
    agreeing: Made, sign: Callable[..., Made], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790003600")
    terms = ("--tolerance", "abs=1.00,rel=0.1%")
    later = sign(agreeing.export, agreeing.figures, "later", *terms)
    one, two = "2026-09-21T14:13:20Z", "2026-09-21T15:13:20Z"
    for name in ("signoff.html", "signoff.md", "signoff.json"):
        text = (agreeing.out / name).read_text("utf-8")
        assert one in text
        assert text.replace(one, two) == (later.out / name).read_text("utf-8")
    parts = [
        {name: book.read(name).decode().replace(two, one) for name in book.namelist()}
        for made in (agreeing, later)
        for book in [zipfile.ZipFile(made.out / "signoff.xlsx")]
    ]
    assert parts[0] == parts[1]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "noon")
    assert sign(agreeing.export, agreeing.figures, "noon").run.code == 2
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    from verify.signoff.make import now

    assert abs((datetime.now(now().tzinfo) - now()).total_seconds()) < 5


def test_made_twice_it_is_the_same_bytes_and_the_public_function_makes_it(agreeing: Made) -> None:
    out = agreeing.out.with_name("public")
    told: list[str] = []
    result = package.sign_off(
        agreeing.export,
        agreeing.figures,
        out=out,
        tolerance="abs=1.00,rel=0.1%",
        notice=told.append,
    )
    assert result.verdict == "agrees"
    for name in DOCUMENTS:
        assert (agreeing.out / name).read_bytes() == (out / name).read_bytes(), name
    assert result.policy.sha256 in told[0]


def test_another_method_stands_above_every_figure(hostile: Made, sign: Callable[..., Made]) -> None:
    terms = ("--lever", "caching", "--method", "write_premium=false")
    made = sign(hostile.export, hostile.figures, "method", *terms)
    for name in ("signoff.html", "signoff.md"):
        text = (made.out / name).read_text("utf-8").replace("\\", "")
        assert "NOT BY THE STATED METHOD: write_premium=false" in text


def test_names_are_inert_in_the_note(hostile: Made) -> None:
    text = (hostile.out / "signoff.md").read_text("utf-8")
    assert "<script>" not in text
    assert hostile.run.code == 0


# --- causes --------------------------------------------------------------------------------------


def texts_of(made: Made) -> dict[str, str]:
    """All words of each document, as a reader sees them."""
    page = re.sub(r"<[^>]*>", " ", (made.out / "signoff.html").read_text("utf-8"))
    with zipfile.ZipFile(made.out / "signoff.xlsx") as book:
        words = book.read("xl/sharedStrings.xml").decode()
    found = {
        "json": (made.out / "signoff.json").read_text("utf-8"),
        "md": (made.out / "signoff.md").read_text("utf-8").replace("\\", ""),
        "html": html.unescape(page),
        "xlsx": html.unescape(words),
        "out": made.run.out,
    }
    return {name: " ".join(text.split()) for name, text in found.items()}


def test_a_figure_that_no_set_brings_nearer_is_unexplained(
    tmp_path: Path, sign: Callable[..., Made]
) -> None:
    export = ambiguous(tmp_path / "export", "99.5")
    made = sign(export, export / "api", "signoff", "--largest", "1")
    assert made.run.code == 1, made.run.err
    found = json.loads((made.out / "signoff.json").read_text())
    assert violations(found, "signoff/document") == []
    lead = {line["lever"]: line["cause"] for line in found["lead"]}
    assert (lead["headline"], lead["caching"]) == ("unexplained", "unexplained")
    for bridge in found["bridges"]:
        if bridge["lever"] in ("headline", "caching"):
            assert (bridge["steps"], bridge["unexplained"]) == ([], "99.4919")
    assert {cause["measure"] for cause in found["causes"]}.isdisjoint({"usd"})
    assert "It is unexplained. 3 of 5 figures that differ follow if" in found["conclusion"]


def test_a_set_that_leaves_less_is_said_to_explain_part(
    tmp_path: Path, sign: Callable[..., Made]
) -> None:
    export = ambiguous(tmp_path / "export", "0.006")
    made = sign(export, export / "api", "signoff", "--largest", "1")
    found = json.loads((made.out / "signoff.json").read_text())
    lead = {line["lever"]: line["cause"] for line in found["lead"]}
    for lever in ("headline", "caching"):
        assert lead[lever].startswith("explains part: refused calls")
        assert lead[lever].endswith("; the rest is unexplained")
        (bridge,) = [bridge for bridge in found["bridges"] if bridge["lever"] == lever]
        (step,) = bridge["steps"]
        assert step["explains"].startswith("explains part: ")
        assert (step["amount"], bridge["unexplained"]) == ("-0.0027", "0.0006")
    assert "A cause explains part: " in found["conclusion"]


def test_where_two_causes_fit_both_are_named(tmp_path: Path, sign: Callable[..., Made]) -> None:
    export = ambiguous(tmp_path / "export", TWO_CALLS)
    made = sign(export, export / "api", "signoff")
    found = json.loads((made.out / "signoff.json").read_text())
    named = [line["cause"] for line in found["lead"] if line["verdict"] == "differs"]
    named += [step["explains"] for bridge in found["bridges"] for step in bridge["steps"]]
    assert len(named) == 4
    assert all(words in text for text in [*named, found["conclusion"]] for words in BOTH)
    one, other = (re.escape(words) for words in BOTH)
    for name, text in texts_of(made).items():
        times = len(re.findall(one, text))
        # Never the one without the other: conclusion, lead sheet and bridges all name both.
        assert times, name
        assert len(re.findall(other, text)) == times, name
    assert "the first of 2 sets of choices" in texts_of(made)["xlsx"]


def test_sets_that_are_not_listed_are_counted_in_every_document(
    tmp_path: Path, sign: Callable[..., Made], monkeypatch: pytest.MonkeyPatch
) -> None:
    from verify.compare import explain as searching

    monkeypatch.setattr(searching, "SURVIVORS", 1)
    export = ambiguous(tmp_path / "export", TWO_CALLS)
    made = sign(export, export / "api", "signoff")
    for name, text in texts_of(made).items():
        assert "Or another set that fits; it is not listed" in text, name
        if name != "out":
            assert "refused_in_caching = false), or another set" in text, name


def test_an_error_that_is_a_finding_is_said_to_be_one(
    copied: Path,
) -> None:
    from verify.signoff.words import causes_note, conclusion

    result = package.sign_off(copied / "export", copied / "api", out=copied / "finding")
    error = Finding("read_not_its_inputs", "a read contradicts itself")
    assert error.severity == "error"
    found = replace(result, diff=replace(result.diff, findings=(error,)))
    assert (found.verdict, found.differing, found.explanation) == ("differs", 0, None)
    said = conclusion(found)
    assert "no other choices" not in said
    assert "No figure differs" in said
    assert "1 finding is an error (read_not_its_inputs)" in said
    assert "no other choices" not in causes_note(found)


def test_a_part_that_was_asked_for_alone_is_said_to_be_a_part(tmp_path: Path) -> None:
    asked = ("--figures", SAMPLE / "api", "--lever", "caching", "--lever", "routing")
    assert verify("signoff", SAMPLE, *asked, "--out", tmp_path / "out").code == 0
    document = json.loads((tmp_path / "out" / "signoff.json").read_text())
    assert document["conclusion"].endswith("Asked was caching and routing alone.")
    assert "caching, routing alone" in (tmp_path / "out" / "signoff.md").read_text()
