"""Loading whole exports: what reaches a figure is what a strict reader would have read."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import pytest
import zstandard
from oracle.exports import Export, random_export
from oracle.lighthouse import recompute as oracle_recompute
from support.exports import record, write_bytes, write_export
from support.thorough import cases
from trust.judged import SMALL_T, forgiven, is_blank, is_json, record_of
from trust.mutations import mutated

from verify.errors import IntegrityFailure
from verify.result import Recomputation
from verify.store.pump import pump
from verify.systems.base import Question, Reading
from verify.systems.lighthouse import load as load_module
from verify.systems.lighthouse.export import LightHouseExport, open_export
from verify.systems.lighthouse.load import load
from verify.systems.lighthouse.measures import DIMENSIONS
from verify.trust import tap as tap_module
from verify.trust.source import Entry

ALL_DIMENSIONS = tuple(sorted({name for names in DIMENSIONS.values() for name in names}))
BOM = b"\xef\xbb\xbf"
ATTACKS = cases(12, 5)


# --- figures of both sides, in one form -------------------------------------------------------


def figures_of(result: Recomputation) -> list[dict[str, Any]]:
    """Every status, figure, total, coverage and row."""
    return [
        {
            "lever": lever.lever,
            "status": lever.status,
            "usd": lever.usd,
            "totals": dict(lever.totals),
            "coverage": {"measured": lever.coverage.measured, "total": lever.coverage.total},
            "by": {
                dimension: {row.key: dict(row.measures) for row in rows}
                for dimension, rows in lever.by.items()
            },
        }
        for lever in result.levers
    ]


def asked(export: LightHouseExport, case: Export, **switches: bool) -> list[dict[str, Any]]:
    """The figures of an opened export for the period of a case."""
    question = Question(
        since=case.since,
        until=case.until,
        time_zone=case.zone,
        by=ALL_DIMENSIONS,
        baseline_model=case.baseline_model,
        switches=switches,
    )
    return figures_of(export.recompute(question))


def assert_figures(
    own: list[dict[str, Any]], lines: list[bytes], case: Export, **switches: bool
) -> None:
    """The oracle's figures of these lines, to the last digit."""
    expected = oracle_recompute(
        lines, case.zone, case.since, case.until, switches, case.baseline_model
    )
    for found, wanted in zip(own, expected["levers"], strict=True):
        for name in ("lever", "status", "usd", "coverage"):
            assert found[name] == wanted[name], (wanted["lever"], name)
        for measure, value in wanted["totals"].items():
            assert found["totals"][measure] == value, (wanted["lever"], measure)
        for dimension, rows in wanted["by"].items():
            assert set(found["by"][dimension]) == {row["key"] for row in rows}
            for row in rows:
                mine = found["by"][dimension][row["key"]]
                assert all(mine[name] == row[name] for name in row if name != "key"), (
                    wanted["lever"],
                    dimension,
                    row,
                )


# --- re-hashed attacks -----------------------------------------------------------------------


@dataclass
class Tally:
    """What a run of attacks has seen, so that none of it is empty."""

    lines: int = 0
    refused: int = 0
    forgiven: int = 0
    fast: int = 0

    def add(self, other: Tally) -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def attack(place: Path, data: bytes, case: Export, **switches: bool) -> Tally:
    """Open the export of these bytes under a fitting manifest; nothing in it may deceive.

    The lines that are refused are those that the strict reader refuses; of these it may accept
    only what is harmless. The figures of what is accepted are the oracle's, also with `switches`.
    """
    write_bytes(place, {"records.jsonl": data}, zone=case.zone)
    lines = data.removeprefix(BOM).removesuffix(b"\n").split(b"\n")
    with open_export(place, Reading(cache=False, skip_invalid=True)) as export:
        loaded = export.inside.loaded
        own = asked(export, case)
        otherwise = asked(export, case, **switches) if switches else []
    found = {at.line for at in loaded.invalid}
    kept: list[bytes] = []
    tally = Tally(len(lines), len(found))
    for number, raw in enumerate(lines, start=1):
        accepted = number not in found
        if is_blank(raw):
            assert accepted, (number, raw)
        elif record_of(raw) is not None:
            assert accepted, (number, raw)
            kept.append(raw)
        elif accepted:
            assert record_of(forgiven(raw)) is not None, (number, raw)
            kept.append(forgiven(raw))
            tally.forgiven += 1
    assert sum(part.records for part in loaded.parts) == len([x for x in lines if not is_blank(x)])
    assert_figures(own, kept, case)
    if switches:
        assert_figures(otherwise, kept, case, **switches)
    tally.fast = sum(s.lines for part in loaded.parts for s in part.segments if not s.failed)
    return tally


def hostile_case(rng: random.Random, *, only_json: bool) -> tuple[bytes, Export]:
    """A generated export with most of its lines mutated; `only_json` keeps to those that a lenient
    parser takes, so that the fast path has to judge them."""
    case = random_export(rng.randrange(2**32), bursts=110)
    lines = [
        hostile_line(rng, line, only_json=only_json)
        for line in case.lines
        if is_json(line) or not only_json
    ]
    return b"\n".join(lines) + rng.choice((b"\n", b"")), case


def hostile_line(rng: random.Random, line: bytes, *, only_json: bool) -> bytes:
    if rng.random() < 0.1:
        return line
    for _ in range(8):
        new = mutated(rng, line, bytes_share=0.2 if only_json else 0.5)
        if not SMALL_T.search(new) and (not only_json or is_json(new)):
            return new
    return line


@pytest.mark.drawn
def test_no_mutated_line_deceives(tmp_path: Path) -> None:
    rng = random.Random("re-hashed")
    tally = Tally()
    for number in range(ATTACKS):
        data, case = hostile_case(rng, only_json=number % 4 > 0)
        tally.add(attack(tmp_path / str(number), data, case))
    assert tally.lines > 150 * ATTACKS
    assert tally.fast > tally.lines / 2  # the fast path had to judge most of them
    assert 0 < tally.forgiven < tally.refused < tally.lines


@pytest.mark.drawn
@pytest.mark.parametrize("seed", range(cases(3, 1)))
def test_no_cut_of_the_file_into_segments_changes_anything(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some segments are refused by the parser, some hold blank lines, some both, some neither."""
    rng = random.Random(f"segments {seed}")
    monkeypatch.setattr(load_module, "SEGMENT", rng.choice((1, 10_000)))
    monkeypatch.setattr(tap_module, "BLOCK", 4096)
    case = random_export(rng.randrange(2**32), bursts=60)
    lines = [b"" if rng.random() < 0.04 else line for line in case.lines]
    for at in rng.sample(range(len(lines)), 4):
        lines[at] = rng.choice(
            (UNREAD_SURROGATE, UNREAD_LIST, NOT_JSON, BOM + UNREAD_LIST, b"\x0c")
        )
    tally = attack(tmp_path, b"\n".join(lines), case, dedupe=True)
    assert 0 < tally.fast < tally.lines


def test_blank_lines_in_a_last_segment_that_is_refused_lose_no_earlier_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_module, "SEGMENT", 5000)
    monkeypatch.setattr(tap_module, "BLOCK", 2048)
    lines = [CALL] * 60 + [UNREAD_LIST, b"", CALL]
    with opened(tmp_path, lines) as export:
        segments = export.inside.loaded.parts[0].segments
        assert [segment.failed for segment in segments] == [False, True]
        assert calls(export) == 61


# --- lines that a fast parser reads otherwise ------------------------------------------------

UNREAD_SURROGATE = record("cost", "alpha", "2026-06-10T12:00:00Z", note="#").replace(
    b"#", b"\\ud83d"
)
UNREAD_LIST = b'{"type":"eval","attrs":[1,{"model":2}]}'
NOT_JSON = b'{"type":"cost","deployment":'

HEAD = b'{"type":"%s","deployment":"d","ts":"2026-06-10T12:00:00Z","attrs":%s}'
CARD = HEAD % (
    b"models",
    b'{"model":"m","snapshot":"s","price":{"input_per_m":3,"cache_read_per_m":0.3}}',
)
CALL = HEAD % (b"model_call", b'{"model":"m","pack":"p","cache_read_tokens":1000000}')


def call(attrs: bytes) -> bytes:
    return HEAD % (b"model_call", b'{"model":"m",%s}' % attrs)


def decision(candidates: bytes) -> bytes:
    attrs = b'{"picked":"a","baseline":"b","candidates":%s}' % candidates
    return HEAD % (b"routing_decision", attrs)


def search(attrs: bytes) -> bytes:
    return HEAD % (b"retrieval", b'{"pack":"p",%s}' % attrs)


def cost(usd: bytes) -> bytes:
    return HEAD % (b"cost", b'{"kind":"infrastructure","usd":%s}' % usd)


DECEIVING = {
    "a repeated model in a candidate": decision(
        b'[{"model":"a","model":"b","cost_usd":1},{"model":"b","cost_usd":2}]'
    ),
    "a repeated cost in a candidate": decision(
        b'[{"model":"a","cost_usd":1,"cost_usd":1},{"model":"b","cost_usd":2}]'
    ),
    "a repeated model evened out by a candidate without one": decision(
        b'[{"model":"a","model":"b","cost_usd":1},{"cost_usd":2},{"model":"a","cost_usd":3}]'
    ),
    "a repeated cost evened out by a candidate without one": decision(
        b'[{"model":"a","cost_usd":1,"cost_usd":9},{"model":"b"}]'
    ),
    "a repeated cost, once escaped": decision(b'[{"model":"a","cost_usd":1,"cost\\u005fusd":9}]'),
    "a candidate of null": decision(b'[null,{"model":"a","cost_usd":1}]'),
    "a candidate that is an array": decision(b'[["model"],{"model":"a","cost_usd":1}]'),
    "candidates in an object": decision(b'{"model":"a","cost_usd":1}'),
    "a cost of true": decision(b'[{"model":"a","cost_usd":true}]'),
    "a cost in a string": decision(b'[{"model":"a","cost_usd":"1"}]'),
    "attrs of null": HEAD % (b"cost", b"null"),
    "attrs absent": HEAD.replace(b',"attrs":%s', b"") % b"retrieval",
    "attrs an array": HEAD % (b"deployment_profile", b"[]"),
    "attrs twice": HEAD % (b"cost", b'{},"attrs":{}'),
    "tokens that vanish in a double": call(b'"input_tokens":1e-400'),
    "tokens of half": call(b'"input_tokens":0.5'),
    "tokens of true": call(b'"input_tokens":true'),
    "tokens of NaN": call(b'"input_tokens":NaN'),
    "tokens of infinity": call(b'"input_tokens":1e400'),
    "tokens beyond 64 bits": call(b'"input_tokens":9223372036854775808'),
    "tokens rounded to whole": call(b'"input_tokens":1000000000000000.1'),
    "tokens in an array": call(b'"input_tokens":[5]'),
    "a cost that vanishes in a double": cost(b"1e-400"),
    "a cost of -1e-350": cost(b"-1e-350"),
    "a cost of 19 decimals": cost(b"0.1234567890123456789"),
    "a cost of 10^20": cost(b"1e20"),
    "a cost of a huge zero-padded exponent": cost(b"1e+00000999999999"),
    "a cost of a tiny zero-padded exponent": cost(b"1e-00000999999999"),
    "a cost with an exponent beyond any machine": cost(b"1e+0000099999999999999999999999"),
    "a price twice": CARD.replace(b'"input_per_m":3', b'"input_per_m":3,"input_per_m":4'),
    "a price twice, once deeper": CARD.replace(
        b'"input_per_m":3', b'"x":{"input_per_m":3},"input_per_m":-Infinity'
    ),
    "a price card that is a list": CARD.replace(
        b'{"input_per_m":3,"cache_read_per_m":0.3}', b"[3]"
    ),
    "limits twice": CARD.replace(
        b'"price"', b'"limits":{"context_tokens":1,"context_tokens":2},"price"'
    ),
    "a size of 1.5": CARD.replace(b'"price"', b'"size":1.5,"price"'),
    "a model of null": call(b'"pack":"p"').replace(b'"m"', b"null"),
    "a pack of a number": call(b'"pack":5'),
    "a pack twice": call(b'"pack":"p","pack":"p"'),
    "a lone surrogate in a pack": call(b'"pack":"\\udc00"'),
    "a pack that is not UTF-8": call(b'"pack":"\xff"'),
    "an overlong slash": call(b'"pack":"\xc0\xaf"'),
    "a surrogate written as UTF-8": call(b'"pack":"\xed\xa0\x80"'),
    "a bare control character": call(b'"pack":"\x01"'),
    "a leading zero": call(b'"input_tokens":05'),
    "a hexadecimal number": call(b'"input_tokens":0x10'),
    "a comment": call(b'"input_tokens":5/**/'),
    "single quotes": call(b"'pack':'p'"),
    "type twice": CALL.replace(b'"type"', b'"type":"cost","type"'),
    "a type of NaN": HEAD.replace(b'"%s"', b"NaN") % b"{}",
    "a deployment of null": CALL.replace(b'"d"', b"null"),
    "a leap second": CALL.replace(b"12:00:00", b"23:59:60"),
    "24:00": CALL.replace(b"12:00:00", b"24:00:00"),
    "29 February 2026": CALL.replace(b"06-10", b"02-29"),
    "a space for the T": CALL.replace(b"T12", b" 12"),
    "an offset of hours alone": CALL.replace(b"Z", b"+02"),
    "year 0": CALL.replace(b"2026-06", b"0000-06"),
    "an instant after the last year": CALL.replace(
        b"2026-06-10T12:00:00Z", b"9999-12-31T23:59:59-01:00"
    ),
    "two objects": CALL + b" " + CALL,
    "two objects parted by a carriage return": CALL + b"\r" + CALL,
    "a byte-order mark within the file": BOM + CALL,
    "a form feed and nothing else": b"\x0c",
    "a NUL behind the object": CALL + b"\x00",
    "an object cut short": CALL[:-1],
    "a string": b'"x"',
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somewhere to write exports that many tests look at."""
    return tmp_path_factory.mktemp("exports")


def refused_names(place: Path, lines: Mapping[str, bytes], *more: bytes) -> set[str]:
    """Which of the lines are refused; sound ones stand between them and are not."""
    mixed = [line for bad in lines.values() for line in (CALL, bad)]
    write_export(place, [*mixed, *more])
    with open_export(place, Reading(cache=False, skip_invalid=True)) as export:
        found = {at.line for at in export.inside.loaded.invalid}
        failed = any(s.failed for part in export.inside.loaded.parts for s in part.segments)
        assert failed == bool(more)
    names = dict(zip(range(2, 999, 2), lines, strict=False))
    assert found <= set(names)
    return {names[number] for number in found}


@pytest.fixture(scope="module")
def deceived(places: Path) -> set[str]:
    """The deceiving lines that the fast path does not see through, of those that come to it."""
    come = {name: line for name, line in DECEIVING.items() if is_json(line)}
    assert len(come) > 30
    return set(come) - refused_names(places / "fast", come)


@pytest.fixture(scope="module")
def deceived_strictly(places: Path) -> set[str]:
    """Those that the strict reader does not see through."""
    return set(DECEIVING) - refused_names(places / "strict", DECEIVING, UNREAD_LIST)


@pytest.mark.parametrize("name", DECEIVING)
def test_a_deceiving_line_is_refused(
    name: str, deceived: set[str], deceived_strictly: set[str]
) -> None:
    assert name not in deceived
    assert name not in deceived_strictly


HONEST = {
    "a number in an exponent": (call(b'"input_tokens":12e2'), 1200),
    "a whole number with a point": (call(b'"input_tokens":1200.0'), 1200),
    "nothing times a large power": (call(b'"input_tokens":0e99999999999999999999'), 0),
    "0.0": (call(b'"input_tokens":0.0'), 0),
    "-0": (call(b'"input_tokens":-0'), 0),
    "the largest": (call(b'"input_tokens":9223372036854775807'), 2**63 - 1),
    "the largest with a point": (call(b'"input_tokens":9223372036854775807.0'), 2**63 - 1),
    "more than a double holds": (call(b'"input_tokens":9007199254740993.0'), 2**53 + 1),
    "a negative count": (call(b'"input_tokens":-5'), -5),
    "null": (call(b'"input_tokens":null'), None),
    "an escaped key": (call(b'"input\\u005ftokens":5'), 5),
    "an escaped type": (call(b'"input_tokens":5').replace(b"model_call", b"model\\u005fcall"), 5),
    "a NUL in another key": (call(b'"input_tokens\\u0000":9,"input_tokens":5'), 5),
    "another key in capitals": (call(b'"Input_Tokens":9,"input_tokens":5,"INPUT_TOKENS":9'), 5),
    "a duplicate that no lever reads": (call(b'"note":1,"note":2,"input_tokens":5'), 5),
    "another record's key twice": (call(b'"usd":1,"usd":2,"input_tokens":5'), 5),
    "NaN that no lever reads": (call(b'"note":NaN,"input_tokens":5'), 5),
    "a trailing comma": (call(b'"input_tokens":5,'), 5),
    "a lone surrogate that no lever reads": (call(b'"note":"\\ud83d","input_tokens":5'), 5),
    "our own key for line numbers": (call(b'"verify:line":"999","input_tokens":5'), 5),
    "our own key for nanoseconds": (call(b'"verify:finer":"999","input_tokens":5'), 5),
    "spaces all around": (b" \t" + call(b' "input_tokens" : 5 ') + b"\t \r", 5),
    "nanoseconds": (call(b'"input_tokens":5').replace(b"00Z", b"00.123456789Z"), 5),
    "a small z": (call(b'"input_tokens":5').replace(b"00Z", b"00z"), 5),
    "no offset": (call(b'"input_tokens":5').replace(b"00Z", b"00"), 5),
    "nesting that no lever reads": (
        call(b'"input_tokens":5,"note":' + b"[" * 20000 + b"]" * 20000),
        5,
    ),
}


HARMLESS = {"a trailing comma", "nesting that no lever reads"}
"""What the strict reader refuses and the fast path need not."""


def tokens_read(place: Path, names: Sequence[str], *more: bytes) -> dict[str, int | None]:
    """The tokens that each of the honest lines is taken to report; without those refused."""
    write_export(place, [*(HONEST[name][0] for name in names), *more])
    with open_export(place, Reading(cache=False, skip_invalid=True)) as export:
        failed = any(s.failed for part in export.inside.loaded.parts for s in part.segments)
        assert failed == bool(more)
        rows = export.inside.engine.rows("SELECT line, input_tokens FROM model_call")
    return {names[row["line"] - 1]: row["input_tokens"] for row in rows}


@pytest.fixture(scope="module")
def read_fast(places: Path) -> dict[str, int | None]:
    come = [name for name in HONEST if is_json(HONEST[name][0]) or name in HARMLESS]
    assert len(come) > len(HONEST) - 5
    return tokens_read(places / "honest", come)


@pytest.fixture(scope="module")
def read_strictly(places: Path) -> dict[str, int | None]:
    return tokens_read(places / "honest-strict", list(HONEST), UNREAD_LIST)


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_line_counts_what_it_says(
    name: str, read_fast: dict[str, int | None], read_strictly: dict[str, int | None]
) -> None:
    line, tokens = HONEST[name]
    assert (record_of(line) is None) == (name in HARMLESS)
    assert (name in read_strictly) == (name not in HARMLESS)
    if name in read_strictly:
        assert read_strictly[name] == tokens
    if name in read_fast:
        assert read_fast[name] == tokens


def test_a_rate_that_vanishes_in_a_double_is_still_a_rate(tmp_path: Path) -> None:
    """Read as 0.0 it would weigh 1."""
    line = search(b'"corpus_tokens_in_scope":100,"context_tokens_sent":0,"sample_rate":1e-350')
    with opened(tmp_path, [line]) as export:
        (lever,) = export.recompute(Question(levers=["retrieval"], **JUNE)).levers
        assert lever.totals["tokens_avoided"] == 100 * 10**350


def test_counts_at_both_ends_of_64_bits_do_not_break_a_query(tmp_path: Path) -> None:
    least, most = b"-9223372036854775808", b"9223372036854775807"
    counts = (b"0", least, most)
    lines = [
        search(b'"corpus_tokens_in_scope":%s,"context_tokens_sent":%s' % (corpus, sent))
        for corpus in counts
        for sent in counts
    ]
    case = Export([CARD, CALL, *lines], "UTC", JUNE["since"], JUNE["until"], None)
    attack(tmp_path, b"\n".join(case.lines), case)


def test_years_with_zeros_are_years(tmp_path: Path) -> None:
    years = (b"0001", b"0010", b"0100", b"0990", b"1000", b"9999")
    lines = [CALL.replace(b"2026-06-10", year + b"-06-10") for year in years]
    with opened(tmp_path, lines) as export:
        assert export.identity.records == len(lines)


def test_two_whole_files_of_nesting_do_not_break_the_parser(tmp_path: Path) -> None:
    deep = b"[" * 500_000 + b"]" * 500_000
    card = CARD.replace(b'"input_per_m":3', b'"input_per_m":3,"note":' + deep)
    with opened(tmp_path, [card, CALL]) as export:
        (caching,) = export.recompute(Question(levers=["caching"], **JUNE)).levers
        assert caching.usd == Fraction("2.7")
    assert refused(tmp_path / "used", [CARD, decision(deep)]) == {2}


# --- lines, files and parts ------------------------------------------------------------------

JUNE: dict[str, Any] = {"since": date(2026, 6, 1), "until": date(2026, 6, 30)}


def opened(place: Path, lines: Sequence[bytes], **reading: Any) -> LightHouseExport:
    write_export(place, lines)
    return open_export(place, Reading(cache=False, **reading))


def refused(place: Path, lines: Sequence[bytes]) -> set[int | None]:
    """The numbers of the lines for which the export is refused."""
    with pytest.raises(IntegrityFailure) as caught, opened(place, lines):
        pass
    assert {problem.code for problem in caught.value.problems} == {"line_invalid"}
    return {problem.line for problem in caught.value.problems}


def calls(export: LightHouseExport) -> Any:
    (caching,) = export.recompute(Question(levers=["caching"], **JUNE)).levers
    return caching.totals["calls"]


def codes(export: LightHouseExport) -> dict[str, tuple[int, ...]]:
    return {finding.code: finding.examples for finding in export.findings}


def test_blank_lines_are_counted_and_line_numbers_count_them(tmp_path: Path) -> None:
    lines = [b"", CALL, b" \t", b"\r", CALL.replace(b"1000000", b"-1"), b""]
    with opened(tmp_path, lines) as export:
        assert export.identity.records == 2
        assert codes(export)["blank_lines"] == (1, 3, 4, 6)
        (caching,) = export.recompute(Question(levers=["caching"], **JUNE)).levers
        assert {f.code: f.examples for f in caching.findings}["negative_tokens"] == (5,)


@pytest.mark.parametrize("odd", [b"\x0c", b"\x0b", b" \x0c\t"])
def test_white_space_that_json_does_not_know_is_no_blank_line(odd: bytes, tmp_path: Path) -> None:
    """The parser passes over it, which must neither shift a line nor hide this one."""
    lines = [CALL, odd, CALL.replace(b"1000000", b"-1"), b""]
    with opened(tmp_path, lines, skip_invalid=True) as export:
        assert not any(segment.failed for segment in export.inside.loaded.parts[0].segments)
        assert export.identity.records == 3
        assert codes(export)["line_skipped"] == (2,)
        (caching,) = export.recompute(Question(levers=["caching"], **JUNE)).levers
        assert {f.code: f.examples for f in caching.findings}["negative_tokens"] == (3,)


def test_a_file_of_blank_lines_holds_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, [b""] * 50_000) as export:
        assert export.identity.records == 0
        assert calls(export) == 0


@pytest.mark.parametrize("data", [b"", b"\n", BOM, BOM + b"\n", b"\r\n"])
def test_a_file_of_nothing_holds_nothing(data: bytes, tmp_path: Path) -> None:
    write_bytes(tmp_path, {"records.jsonl": data})
    with open_export(tmp_path, Reading(cache=False)) as export:
        assert export.identity.records == 0
        assert calls(export) == 0


@pytest.mark.parametrize("end", [b"", b"\r\n", b"\n\n"])
@pytest.mark.parametrize("start", [b"", BOM, BOM + b"\n"])
def test_a_file_of_one_line_however_it_begins_and_ends(
    start: bytes, end: bytes, tmp_path: Path
) -> None:
    write_bytes(tmp_path, {"records.jsonl": start + CALL + end})
    with open_export(tmp_path, Reading(cache=False)) as export:
        assert export.identity.records == 1
        assert calls(export) == 1
        assert ("byte_order_mark" in codes(export)) == start.startswith(BOM)
        assert ("carriage_returns" in codes(export)) == (end == b"\r\n")


@pytest.mark.parametrize("in_doubt", [False, True])
def test_a_byte_order_mark_and_carriage_returns_are_accepted_and_said(
    in_doubt: bool, tmp_path: Path
) -> None:
    first = CALL.replace(b"00Z", b"00.123456789Z") if in_doubt else CALL
    write_bytes(tmp_path, {"records.jsonl": BOM + first + b"\r\n" + CALL + b"\r\n"})
    with open_export(tmp_path, Reading(cache=False)) as export:
        assert calls(export) == 2
        assert {"byte_order_mark", "carriage_returns"} <= set(codes(export))


PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".jsonl": bytes,
    ".jsonl.gz": gzip.compress,
    ".jsonl.zst": zstandard.compress,
}


def test_a_byte_order_mark_is_no_part_of_the_line_that_is_repeated(tmp_path: Path) -> None:
    write_bytes(tmp_path, {"records.jsonl": BOM + b"\n".join([CALL, CALL, CALL + b"\r", CALL])})
    with open_export(tmp_path, Reading(cache=False)) as export:
        once = Question(levers=["caching"], switches={"dedupe": True}, **JUNE)
        assert calls(export) == 4
        assert export.recompute(once).levers[0].totals["calls"] == 2


@pytest.mark.parametrize("suffix", PACKED)
def test_lines_are_counted_through_all_parts(suffix: str, tmp_path: Path) -> None:
    pack = PACKED[suffix]
    bad = CALL.replace(b"1000000", b"1.5")
    parts = [[CALL, b"", bad], [bad], [], [CALL, bad, NOT_JSON, b""], [CALL]]
    files = {
        f"records-{at}{suffix}": pack(b"".join(line + b"\n" for line in lines))
        for at, lines in enumerate(parts)
    }
    write_bytes(tmp_path, files)
    with pytest.raises(IntegrityFailure) as caught:
        open_export(tmp_path, Reading(cache=False))
    assert [(problem.where, problem.line) for problem in caught.value.problems] == [
        (f"records-0{suffix}, line 3", 3),
        (f"records-1{suffix}, line 1", 4),
        (f"records-3{suffix}, line 2", 6),
        (f"records-3{suffix}, line 3", 7),
    ]
    with open_export(tmp_path, Reading(cache=False, skip_invalid=True)) as export:
        assert calls(export) == 3
        assert codes(export)["line_skipped"] == (3, 4, 6, 7)
        assert codes(export)["blank_lines"] == (2, 8)


def test_one_file_in_parts_gives_what_it_gives_whole(tmp_path: Path) -> None:
    case = random_export(31, bursts=80)
    whole = opened(tmp_path / "whole", case.lines)
    third = len(case.lines) // 3
    pieces = (case.lines[:third], case.lines[third : 2 * third], case.lines[2 * third :])
    joined = [b"\n".join(lines) for lines in pieces]  # no part ends with a newline
    files = {
        "records-1.jsonl": joined[0],
        "records-2.jsonl.gz": gzip.compress(joined[1][:100]) + gzip.compress(joined[1][100:]),
        "records-3.jsonl.zst": zstandard.compress(joined[2][:99])
        + zstandard.compress(joined[2][99:]),
    }
    write_bytes(tmp_path / "parts", files)
    parts = open_export(tmp_path / "parts", Reading(cache=False))
    with whole, parts:
        assert asked(parts, case) == asked(whole, case)
        assert parts.identity.records == whole.identity.records


@pytest.mark.parametrize("attribute", ["pack", "note"])
def test_a_line_of_nine_mebibytes_is_read(attribute: str, tmp_path: Path) -> None:
    long = call(b'"%s":"%s"' % (attribute.encode(), b"x" * (9 << 20)))
    with opened(tmp_path, [CALL, long, CALL]) as export:
        assert calls(export) == 3


def test_a_line_beyond_sixteen_mebibytes_is_refused_by_number(tmp_path: Path) -> None:
    long = call(b'"note":"%s"' % (b"x" * (16 << 20)))
    files = {
        "records-1.jsonl": b"\n".join([CALL, b"", long, CALL, b""]),
        "records-2.jsonl": b"\n".join([CALL, NOT_JSON, b""]),
    }
    write_bytes(tmp_path, files)
    with pytest.raises(IntegrityFailure) as caught:
        open_export(tmp_path, Reading(cache=False))
    assert [problem.where for problem in caught.value.problems] == [
        "records-1.jsonl, line 3",
        "records-2.jsonl, line 2",
    ]
    assert "longer than 16 MiB" in caught.value.problems[0].message
    with open_export(tmp_path, Reading(cache=False, skip_invalid=True)) as export:
        assert calls(export) == 2
        (said,) = [f.message for f in export.findings if f.code == "line_skipped"]
        assert "; records-1.jsonl was not read beyond line 2;" in said
        once = Question(levers=["caching"], switches={"dedupe": True}, **JUNE)
        assert export.recompute(once).levers[0].totals["calls"] == 1


@pytest.mark.parametrize("before", [b"", CALL, CALL.replace(b"1000000", b"1.5")])
def test_a_line_too_long_behind_anything(before: bytes, tmp_path: Path) -> None:
    long = call(b'"note":"%s"' % (b"x" * (17 << 20)))
    lines = [before, long]
    numbers = {2} if before in (b"", CALL) else {1, 2}
    assert refused(tmp_path, lines) == numbers


def test_all_invalid_lines_are_listed(tmp_path: Path) -> None:
    bad = CALL.replace(b"1000000", b"true")
    lines = [bad if at % 3 == 0 else CALL for at in range(3000)]
    assert refused(tmp_path / "values", lines) == set(range(1, 3001, 3))
    lines = [NOT_JSON if at % 3 == 0 else CALL for at in range(3000)]
    assert refused(tmp_path / "syntax", lines) == set(range(1, 3001, 3))


def test_invalid_lines_beyond_all_listing_are_counted_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_module, "MAX_INVALID", 10)
    lines = [NOT_JSON if at % 2 else CALL for at in range(100)]
    write_export(tmp_path, lines)
    with pytest.raises(IntegrityFailure) as caught:
        open_export(tmp_path, Reading(cache=False))
    assert [problem.line for problem in caught.value.problems] == [*range(2, 21, 2), None]
    assert caught.value.problems[-1].message == "40 more invalid lines"
    for _ in range(2):
        with open_export(tmp_path, Reading(skip_invalid=True)) as export:
            assert calls(export) == 50
            (said,) = [f for f in export.findings if f.code == "line_skipped"]
            assert (said.count, said.message) == (
                50,
                "50 invalid lines were left out; "
                "they could have touched any figure (50 of unknown type)",
            )


def test_lines_that_are_left_out_are_said_to_touch_what_they_could(tmp_path: Path) -> None:
    bad = {
        "retrieval": search(b'"sample_rate":"1"'),
        "models": CARD.replace(b'"input_per_m":', b'"input_per_m":true,"x":'),
        "cost": cost(b'"1"'),
        "routing": decision(b'{"model":"a"}'),
        "call": CALL.replace(b"1000000", b"1.5"),
        "a type twice": CALL.replace(b'{"type":', b'{"type":"cost","type":'),
        "a type of no lever": b'{"type":"eval","attrs":{"usd":}}',
    }
    place = write_export(tmp_path, [CALL, *bad.values()])
    for cached in (False, True, True):  # read anew, and as it was noted
        with open_export(place, Reading(cache=cached, skip_invalid=True)) as export:
            (said,) = [f.message for f in export.findings if f.code == "line_skipped"]
            assert said == (
                "7 invalid lines were left out; they could have touched retrieval (3), "
                "caching (2), routing (3), infrastructure (1), any figure (2 of unknown type)"
            )


def test_skipping_invalid_lines_says_so_and_counts_the_rest(tmp_path: Path) -> None:
    lines = [CALL, NOT_JSON, CALL, CALL.replace(b"1000000", b"1.5")]
    with opened(tmp_path, lines, skip_invalid=True) as export:
        assert calls(export) == 2
        assert codes(export)["line_skipped"] == (2, 4)
        assert not export.check(Question(**JUNE)).sound


def test_a_small_memory_limit_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFY_MEMORY", "200MB")
    lines = [CALL.replace(b'"p"', b'"p%d"' % (at % 997)) for at in range(150_000)]
    with opened(tmp_path, lines) as export:
        assert export.identity.records == 150_000
        assert calls(export) == 150_000


# --- bytes that change, and pipes ------------------------------------------------------------


class Shifting:
    """A source whose records file is another one at each opening."""

    label = "shifting"

    def __init__(self, *versions: bytes, piece: int | None = None) -> None:
        self.versions = list(versions)
        self.piece = piece
        self.openings = 0

    def entries(self) -> list[Entry]:
        return [Entry("records.jsonl", "file", len(self.versions[0]))]

    def open(self, _name: str) -> BinaryIO:
        version = self.versions[min(self.openings, len(self.versions) - 1)]
        self.openings += 1
        return Dripping(version, random.Random(self.openings), self.piece)

    def close(self) -> None:
        """Nothing is held."""


class Dripping(BytesIO):
    """A file that hands out fewer bytes than asked for, as a file system may."""

    def __init__(self, data: bytes, rng: random.Random, piece: int | None) -> None:
        super().__init__(data)
        self.rng = rng
        self.piece = piece

    def read(self, size: int | None = -1, /) -> bytes:
        if self.piece is not None and size:
            size = min(size, self.rng.randrange(1, self.piece)) if size > 0 else self.piece
        return super().read(size)


def test_a_file_that_changes_between_two_readings_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap_module, "BLOCK", 512)
    doubtful = [CALL.replace(b"00Z", b"00.123456789Z")] + [CALL] * 20
    data = b"".join(line + b"\n" for line in doubtful)
    later = {
        "exchanged": data.replace(b".123456789", b".123456788"),
        "cut short": data[: len(data) // 2],
        "gone": b"",
        "extended": data + data,
        "one byte": data.replace(b'"p"', b'"q"', 1),
    }
    for name, changed in later.items():
        source = Shifting(data, changed)
        with pytest.raises(IntegrityFailure) as caught:
            load(source, ["records.jsonl"], tmp_path / f"{name}.duckdb")
        assert [problem.code for problem in caught.value.problems] == ["file_digest"], name
        assert source.openings > 1


def test_a_file_that_changes_before_repeats_are_sought_is_caught(tmp_path: Path) -> None:
    place = tmp_path / "export"
    export = opened(place, [CALL, CALL])
    with export:
        (place / "records.jsonl").write_bytes(CALL + b"\n" + CALL.replace(b"1000000", b"2000000"))
        with pytest.raises(IntegrityFailure):
            export.recompute(Question(switches={"dedupe": True}, **JUNE))


def test_short_reads_do_not_move_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second reading must cut the file where the first did, however the bytes drip in."""
    monkeypatch.setattr(load_module, "SEGMENT", 1)
    monkeypatch.setattr(tap_module, "BLOCK", 2048)
    lines = [CALL if at % 50 else UNREAD_LIST for at in range(400)]
    source = Shifting(b"".join(line + b"\n" for line in lines), piece=700)
    database = tmp_path / "store.duckdb"
    loaded = load(source, ["records.jsonl"], database)
    assert loaded.parts[0].records == 400
    assert not loaded.invalid
    with duckdb.connect(str(database), read_only=True) as connection:
        found = connection.execute("SELECT line FROM lines ORDER BY line").fetchall()
    assert found == [(line,) for line in range(1, 401)]


def test_pipes_and_files_give_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, case = hostile_case(random.Random("pipes"), only_json=True)
    answers = []
    for pipes in (True, False):
        monkeypatch.setattr(load_module, "pump", partial(pump, pipes=pipes))
        place = tmp_path / str(pipes)
        write_bytes(place, {"records.jsonl": data}, zone=case.zone)
        with open_export(place, Reading(cache=False, skip_invalid=True)) as export:
            rows = export.inside.engine.rows("SELECT * FROM lines ORDER BY line")
            answers.append((export.inside.loaded, rows, asked(export, case)))
    assert answers[0] == answers[1]


def test_names_of_the_export_s_own_are_read_as_the_contract_s(tmp_path: Path) -> None:
    renamed = CALL.replace(b"cache_read_tokens", b"cached'\\\"x").replace(b"pack", b"Modell")
    names = {"cache_read_tokens": "cached'\"x", "pack": "Modell"}
    lines = [CARD, renamed, renamed.replace(b"1000000", b"1000000.00000000000"), UNREAD_LIST]
    for several in (lines[:2], lines):
        with opened(tmp_path / str(len(several)), several, fields=names) as export:
            (caching,) = export.recompute(Question(levers=["caching"], **JUNE)).levers
            calls_found = caching.totals["calls"]
            assert isinstance(calls_found, int)
            assert caching.totals["reported"] == calls_found == len(several) // 2
            assert caching.usd == calls_found * Fraction("2.7")
