"""What no set explains: the nearest one, the rows in which the rest lies, and the packet."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.program import verify
from support.remembered import remembering

from verify.compare.explain import Explanation, explain
from verify.compare.figures import At, Claims, Figure
from verify.compare.packet import write_packet
from verify.compare.search import Search
from verify.compare.tieout import precisions_of
from verify.compare.worlds import Choice, Switches
from verify.errors import UsageProblem
from verify.exact import Printed
from verify.period import month_period
from verify.result import Value
from verify.schemata import violations
from verify.systems import system_named
from verify.systems.base import Diagnosing, Question, Reading
from verify.systems.lighthouse.sample import SamplePlan, build_reads, make_sample

ZONE = "Europe/Madrid"
MONTH = month_period("2026-10", ZONE)


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("nearest") / "export"
    make_sample(place, SamplePlan(4, 1000, MONTH.since, MONTH.until, ZONE), {})
    return place


def changed(export: Path, place: Path, read: str, change: Callable[[Any], None]) -> Path:
    """The product's reads with one of them changed."""
    shutil.copytree(export / "api", place)
    path = place / f"{read}.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return place


@pytest.fixture(scope="module")
def opened(export: Path) -> Iterator[Any]:
    """It, opened once for all."""
    with system_named("lighthouse").open(export, Reading()) as inside:
        yield remembering(inside)


def told(opened: Any, figures: Path) -> Explanation:
    system = system_named("lighthouse")
    return explain(system, opened, system.read_claims(figures), Question(), largest=1)


def test_a_figure_typed_wrong_in_one_row_stands_alone(
    export: Path, opened: Any, tmp_path: Path
) -> None:
    def change(document: Any) -> None:
        document["stuffing"]["by_pack"][1]["usd_cached"] += 1

    found = told(opened, changed(export, tmp_path / "api", "retrieval", change))
    assert found.sets == ()
    assert found.nearest == ()
    (row,) = found.alone
    assert (row.at.lever, row.at.dimension, row.at.measure) == ("retrieval", "pack", "usd_cached")
    assert found.remaining == (row,)


def test_a_total_that_nothing_gives_is_located_in_its_rows(
    export: Path, opened: Any, tmp_path: Path
) -> None:
    def change(document: Any) -> None:
        rows = document["stuffing"]["by_deployment"]
        for part in (document["stuffing"], rows[0]):
            part["tokens_avoided"] += 1000

    found = told(opened, changed(export, tmp_path / "api", "retrieval", change))
    assert found.sets == ()
    assert found.alone == ()
    (nearest,) = found.nearest
    assert (nearest.at.lever, nearest.at.measure) == ("retrieval", "tokens_avoided")
    assert 0 < abs(nearest.residual) <= abs(nearest.delta)
    assert round(nearest.delta) == 1000
    if not nearest.choices:
        (row,) = nearest.rows
        assert row.at.dimension == "deployment"
        assert round(row.delta or Fraction(0)) == 1000


def test_a_planted_choice_leaves_only_what_was_typed_wrong(opened: Any, tmp_path: Path) -> None:
    reads = build_reads(
        opened, since=MONTH.since, until=MONTH.until, time_zone=ZONE, switches={"weights": False}
    )
    for name, body in reads.items():
        (tmp_path / name).write_bytes(body)
    path = tmp_path / "headline.json"
    document = json.loads(path.read_text())
    document["levers"][1]["usd"] += 5
    path.write_text(json.dumps(document))
    found = told(opened, tmp_path)
    (nearest,) = found.nearest
    assert (nearest.at.lever, nearest.at.measure) == ("caching", "usd")
    # The set that explains the rest has nothing to do with it, and brings it no nearer.
    assert [choice.name for choice in found.sets[0]] == ["weights"]
    assert nearest.choices == ()
    assert nearest.residual == nearest.delta
    assert round(nearest.residual) == 5


def test_a_decision_that_differs_is_named_by_its_line(export: Path, tmp_path: Path) -> None:
    def change(document: Any) -> None:
        document["decisions"][0]["candidates"][0]["cost_usd"] += 1

    figures = changed(export, tmp_path / "api", "routing", change)
    run = verify("explain", export, "--largest", 1, "--figures", figures)
    assert run.code == 1
    assert "routing: line " in run.out
    out = tmp_path / "packet"
    verify("explain", export, "--largest", 1, "--figures", figures, "--packet", out, "--quiet")
    packet = json.loads((out / "packet.json").read_text())
    (evidence,) = packet["evidence"]
    (line,) = evidence["lines"]
    assert f"line {line['line']} of the export" in run.out


class Three:
    """Choices that add 40, 9 and 50 to a total of 50; the last breaks a figure that ties."""

    choices = (Choice("a", True, "a"), Choice("b", True, "b"), Choice("c", True, "c"))

    def figures(self, switches: Switches) -> Mapping[At, Value]:
        added = {"a": 40, "b": 9, "c": 50}
        total = Fraction(50 + sum(added[name] for name in switches))
        return {At("caching", "usd"): total, At("routing", "usd"): Fraction("c" in switches)}


def test_the_nearest_set_breaks_no_figure_that_ties() -> None:
    shown = {"caching": "100", "routing": "0"}
    figures = tuple(
        Figure(At(lever, "usd"), Printed.read(text), "headline", "")
        for lever, text in shown.items()
    )
    claims = Claims(figures, {}, MONTH.since, MONTH.until, ZONE)
    search = Search(Three(), claims, precisions_of(figures, {"usd": "USD"}))
    assert search.best(2) == []
    assert [choice.name for choice in search.nearest(At("caching", "usd"))] == ["a", "b"]
    assert search.nearest(At("routing", "usd")) == ()


# --- the packet --------------------------------------------------------------------------------


def planted(export: Path, place: Path, **switches: Any) -> Path:
    place.mkdir()
    system = system_named("lighthouse")
    with system.open(export, Reading()) as opened:
        reads = build_reads(
            opened, since=MONTH.since, until=MONTH.until, time_zone=ZONE, switches=switches
        )
    for name, body in reads.items():
        (place / name).write_bytes(body)
    return place


def test_a_packet_shows_the_disagreement_with_few_records(export: Path, tmp_path: Path) -> None:
    figures = planted(export, tmp_path / "api", zone="UTC")
    out = tmp_path / "packet"
    asked = ("explain", export, "--figures", figures, "--largest", 1)
    run = verify(*asked, "--packet", out, "--quiet")
    assert run.code == 1
    packet = json.loads((out / "packet.json").read_text())
    assert violations(packet, "packet/document") == []
    evidence = {part["directory"]: part for part in packet["evidence"]}
    assert set(evidence) > {"caching-zone", "infrastructure-zone"}
    assert packet["missing"] == []
    source = (export / "records.jsonl").read_bytes().split(b"\n")
    for place, part in evidence.items():
        assert 1 < len(part["lines"]) <= 12
        assert part["stated"]["usd"] != part["other"]["usd"]
        written = (out / place / "records.jsonl").read_text().split("\n")[:-1]
        for line, text in zip(part["lines"], written, strict=True):
            record, whole = json.loads(text), json.loads(source[line["line"] - 1])
            assert record["attrs"].items() <= whole["attrs"].items()
            assert not {"agent", "id", "index", "provider"} & set(record["attrs"])
        # What its own commands print is what it says.
        for command, side in zip(part["commands"], ("stated", "other"), strict=True):
            words = command.split()[1:]
            words[1] = str(out / words[1])
            again = verify(*words, "--format", "json").json
            assert again["levers"][0]["usd"] == part[side]["usd"]
        assert all(command in (out / "README.md").read_text() for command in part["commands"])


def test_redaction_replaces_names_the_same_everywhere(export: Path, tmp_path: Path) -> None:
    def change(document: Any) -> None:
        named = [row for row in document["stuffing"]["by_pack"] if row["key"] is not None]
        for row in named[:2]:
            row["sent_tokens"] += 1

    figures = changed(export, tmp_path / "api", "retrieval", change)
    out = tmp_path / "packet"
    verify(
        "explain",
        export,
        "--largest",
        1,
        "--figures",
        figures,
        "--packet",
        out,
        "--redact",
        "--quiet",
    )
    everything = "".join(path.read_text() for path in out.rglob("*") if path.is_file())
    names = set()
    for text in (export / "records.jsonl").read_text().split("\n")[:-1]:
        attrs = json.loads(text)["attrs"]
        names |= {attrs.get("agent"), attrs.get("pack")} - {None, ""}
    assert names
    assert not [name for name in names if f'"{name}"' in everything]
    packet = json.loads((out / "packet.json").read_text())
    assert packet["redacted"]
    assert len(packet["evidence"]) == 2
    for part in packet["evidence"]:
        key = part["row"]["key"]
        assert key.startswith("pack-")
        lines = (out / part["directory"] / "records.jsonl").read_text().split("\n")[:-1]
        packs = {json.loads(line)["attrs"].get("pack") for line in lines}
        assert key in packs


def test_a_packet_is_refused_where_it_makes_no_sense(export: Path, tmp_path: Path) -> None:
    api = export / "api"
    assert verify("explain", export, "--figures", api, "--redact").code == 2
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    taken = verify("explain", export, "--figures", api, "--packet", tmp_path / "taken")
    assert taken.code == 2
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["file"]
    system = system_named("lighthouse")
    with system.open(export, Reading()) as opened:
        agreeing = explain(system, opened, system.read_claims(api), Question())
        with pytest.raises(UsageProblem, match="no figure differs"):
            write_packet(system, opened, agreeing, Question(), tmp_path / "packet", False)
    assert not (tmp_path / "packet").exists()


# --- the diagnosis ------------------------------------------------------------------------------


def test_an_agreeing_export_is_diagnosed_too(export: Path) -> None:
    run = verify("explain", export, "--figures", export / "api", "--format", "json")
    assert run.code == 0
    assert violations(run.json, "outputs/explain") == []
    sections = run.json["diagnostics"]["sections"]
    assert len(sections["days"]["rows"]) == 31
    assert sections["clock_changes"]["rows"] == [{"day": "2026-10-25", "hours": "25"}]
    shown = verify("explain", export, "--figures", export / "api")
    assert "what else the records show" in shown.out
    assert "[clock_change]" in shown.out
    assert len(shown.out.splitlines()) < 45


def test_a_diagnosis_changes_no_figure(export: Path) -> None:
    system = system_named("lighthouse")
    question = Question(since=MONTH.since, until=MONTH.until, by=("day", "deployment"))
    with system.open(export, Reading()) as opened:
        before = opened.recompute(question).as_json()
        assert isinstance(opened, Diagnosing)
        opened.diagnose(question, system.read_claims(export / "api"))
        assert opened.recompute(question).as_json() == before
