"""What is named as a cause of which figure, and that it says so where it is not the only one."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from support.ambiguous import ALL_CALLS, BOTH, TWO_CALLS, ambiguous
from support.exports import write_bytes
from support.program import verify

from verify.compare import explain as searching
from verify.compare.explain import Explanation, explain
from verify.compare.figures import HEADLINE, At
from verify.findings import Finding
from verify.render.explanation import conclusion
from verify.schemata import violations
from verify.systems import system_named
from verify.systems.base import Question, Reading

FIGURES = (At(HEADLINE, "usd"), At("caching", "usd"))


def told(export: Path, **options: Any) -> Explanation:
    system = system_named("lighthouse")
    claims = system.read_claims(export / "api")
    with system.open(export, Reading(cache=False)) as opened:
        return explain(system, opened, claims, Question(), **options)


def shown(export: Path, form: str, *options: object) -> str:
    run = verify("explain", export, "--figures", export / "api", "--format", form, *options)
    assert run.code == 1, run.err
    return str(run.out)


# --- a cause ties, or explains part --------------------------------------------------------------


@pytest.fixture(scope="module")
def hopeless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its counts follow from two sets; its dollars follow from nothing."""
    place: Path = tmp_path_factory.mktemp("hopeless")
    return ambiguous(place / "export", "99.5")


def test_what_takes_a_figure_farther_off_is_no_cause_of_it(hopeless: Path) -> None:
    found = told(hopeless, largest=1)
    assert len(found.sets) == 2
    assert {cause.at.measure for cause in found.causes} == {
        "coverage_measured",
        "coverage_total",
        "cache_read_tokens",
    }
    assert {cause.residual for cause in found.causes} == {Fraction(0)}
    assert [fall.at for fall in found.waterfalls] == list(FIGURES)
    for fall in found.waterfalls:
        assert fall.steps == ()
        assert fall.unexplained == fall.delta == Fraction("99.5") - Fraction(ALL_CALLS)
    assert (found.mended, found.before, len(found.remaining)) == (3, 5, 2)
    text = shown(hopeless, "table", "--largest", 1)
    assert "explained in part: 3 of 5 figures that differ; 2 differ all the same" in text
    assert "what is explained follows if the product calculated as if" in text


def test_the_nearest_set_is_the_empty_one_where_none_comes_nearer(hopeless: Path) -> None:
    (nearest,) = told(hopeless, largest=1).nearest
    assert (nearest.at, nearest.choices) == (At("caching", "usd"), ())
    assert nearest.residual == nearest.delta == Fraction("99.4919")
    text = " ".join(shown(hopeless, "table", "--largest", 1).split())
    assert "caching usd is off by 99.491900; no other choice comes nearer without breaking" in text
    assert "99.4946" not in text


def test_what_leaves_less_explains_part(tmp_path: Path) -> None:
    export = ambiguous(tmp_path / "export", "0.006")
    found = told(export, largest=1)
    left = Fraction("0.006") - Fraction(TWO_CALLS)
    assert {cause.residual for cause in found.causes if cause.at in FIGURES} == {left}
    for cause in found.causes:
        explains = cause.as_json()["explains"]
        assert explains.startswith("explains part: ") == bool(cause.residual)
    for fall in found.waterfalls:
        assert [step.amount for step in fall.steps] == [Fraction(TWO_CALLS) - Fraction(ALL_CALLS)]
        assert fall.unexplained == left
    (nearest,) = found.nearest
    assert nearest.choices == found.sets[0]
    assert (nearest.delta, nearest.residual) == (Fraction("0.006") - Fraction(ALL_CALLS), left)


# --- more than one fits --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def either(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets give all of its figures."""
    place: Path = tmp_path_factory.mktemp("either")
    return ambiguous(place / "export", TWO_CALLS)


def test_a_cause_names_what_fits_as_well(either: Path) -> None:
    found = told(either)
    assert (found.fitting, found.unheld, len(found.sets)) == (2, 0, 2)
    for at in FIGURES:
        assert found.others[at] == 1
        assert all(words in found.cause_words(at) for words in BOTH)


@pytest.mark.parametrize("form", ["table", "md"])
def test_the_waterfall_says_whose_steps_it_has(either: Path, form: str) -> None:
    text = " ".join(shown(either, form).split())
    assert "he steps are those of the first of 2 sets of choices that the records cannot" in text


def test_a_single_cause_has_no_other(tmp_path: Path) -> None:
    export = ambiguous(tmp_path / "export", TWO_CALLS)
    path = export / "records.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1]
    lines[2] = lines[2].replace(b"00:00:00", b"02:00:00")  # it repeats no other now
    write_bytes(export, {"records.jsonl": b"".join(line + b"\n" for line in lines)})
    found = told(export, largest=1)
    assert (found.fitting, dict(found.others)) == (1, {})
    assert "first of" not in shown(export, "table", "--largest", 1)
    assert "sets_" not in shown(export, "csv", "--largest", 1)


# --- more than are listed ------------------------------------------------------------------------


def test_sets_that_are_not_listed_are_counted(
    either: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "SURVIVORS", 1)
    found = told(either)
    assert (found.fitting, found.unheld, len(found.sets)) == (2, 1, 1)
    assert found.cause_words(FIGURES[0]).endswith(", or another set")
    document = json.loads(shown(either, "json"))
    assert violations(document, "outputs/explain") == []
    assert (document["fitting"], document["unheld"], len(document["sets"])) == (2, 1, 1)
    for form in ("table", "md"):
        text = " ".join(shown(either, form).split())
        assert text.count("2 sets of choices, 1 of them listed: 1 more fit the totals") == 2
    rows = csv.DictReader(StringIO(shown(either, "csv")))
    counts = {row["step"]: row["amount"] for row in rows if not row["lever"]}
    assert counts == {"sets_listed": "1", "sets_fitting": "2"}
    shown(either, "json", "--packet", tmp_path / "packet")
    packet = json.loads((tmp_path / "packet" / "packet.json").read_text())
    assert violations(packet, "packet/document") == []
    assert (packet["fitting"], len(packet["sets"])) == (2, 1)
    readme = (tmp_path / "packet" / "README.md").read_text()
    assert "the first of 2 sets of choices, 1 of them listed" in readme
    assert "by the product's" not in readme


def test_many_more_sets_than_sixty_fit(tmp_path: Path) -> None:
    export = ambiguous(tmp_path / "export", TWO_CALLS)
    path = export / "records.jsonl"
    # A call in the last minutes of the month in UTC: east of it, it belongs to the next one.
    late = path.read_bytes().split(b"\n")[1].replace(b"2026-10-10T00:00", b"2026-10-31T23:58")
    write_bytes(export, {"records.jsonl": path.read_bytes() + late + b"\n"})
    found = told(export)
    assert len(found.sets) == searching.SURVIVORS
    assert found.fitting > searching.SURVIVORS
    assert found.others[FIGURES[0]] == found.fitting - 1


# --- no figure differs, and still they differ ----------------------------------------------------


def test_a_finding_is_no_figure_that_nothing_explains(tmp_path: Path) -> None:
    found = told(ambiguous(tmp_path / "export", TWO_CALLS), largest=1)
    error = Finding("read_not_its_inputs", "a read contradicts itself")
    diff = replace(found.diff, rows=(), findings=(error,))
    assert diff.verdict == "differs"
    assert "a finding is an error" in conclusion(Explanation(diff, (), 0, 0, 0, (), (), ()))


# --- the packet ----------------------------------------------------------------------------------


def test_a_packet_makes_names_visible_once(tmp_path: Path) -> None:
    export = ambiguous(tmp_path / "export", TWO_CALLS, tenant="evil\u202etenant\x1b")
    shown(export, "json", "--packet", tmp_path / "packet")
    text = (tmp_path / "packet" / "packet.json").read_text("utf-8")
    assert text.isascii()
    assert "\\u202e" in text
    assert json.loads(text)["export"]["tenant"] == "evil\u202etenant\x1b"
    readme = (tmp_path / "packet" / "README.md").read_text("utf-8")
    # Markdown takes one backslash of the two away, and shows \u202e.
    assert "tenant: evil\\\\u202etenant\\\\x1b (lighthouse)\n" in readme


def test_a_packet_of_what_is_explained_in_part_says_so(hopeless: Path, tmp_path: Path) -> None:
    shown(hopeless, "json", "--largest", 1, "--packet", tmp_path / "packet")
    readme = (tmp_path / "packet" / "README.md").read_text()
    assert "Of 5 figures that differ 3 follow from the records if it calculated as if" in readme
    assert "it is unexplained" in readme
    assert json.loads((tmp_path / "packet" / "packet.json").read_text())["evidence"] == []
