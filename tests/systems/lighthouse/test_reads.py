"""The product's reads as documents: what is taken for one, what is refused, and what it shows."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from compare.captures import (
    CSV_FILE,
    JSON_READS,
    SAMPLE,
    Capture,
    at,
    capture_of,
    changed,
    claims_of,
    csv_text,
    json_text,
    moved,
    written,
)

from verify.compare.figures import HEADLINE, At, Claims
from verify.errors import UnreadableInput
from verify.exact import Printed
from verify.findings import Finding
from verify.result import cell_key
from verify.systems.lighthouse.reads import documents, read_claims
from verify.systems.lighthouse.reads.depth2 import cell_saving
from verify.trust.strictjson import NumberText, loads

SPAN = {"since": "2026-10-01", "until": "2026-10-31"}
HEAD = "deployment,model,input_per_m,cache_read_per_m,cache_write_per_m,"
HEAD += "input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,saved_usd\n"


@pytest.fixture(scope="module")
def capture() -> Capture:
    return capture_of(SAMPLE / "api")


def saved(place: Path, content: object, name: str = "read.json") -> Path:
    """A file of that content: bytes, text, or a document."""
    data = content if isinstance(content, bytes | str) else json_text(content)
    target = place / name
    target.write_bytes(data if isinstance(data, bytes) else data.encode())
    return target


def refused(path: Path) -> str:
    """Why it is refused, with the advice."""
    with pytest.raises(UnreadableInput) as caught:
        read_claims(path)
    return f"{caught.value.message} | {caught.value.advice}"


def codes(claims: Claims) -> list[str]:
    return [finding.code for finding in claims.findings if finding.severity != "info"]


def number(text: object) -> NumberText:
    return NumberText(str(text))


def headline(*levers: dict[str, Any], usd: object = 0) -> dict[str, Any]:
    return {"period": "2026-10", "usd": usd, "levers": list(levers)}


def lever(
    name: str = "caching", status: str = "ok", usd: object = 1, **more: Any
) -> dict[str, Any]:
    return {"lever": name, "status": status, "usd": usd, **more}


# What is taken for a read


@pytest.mark.parametrize("name", JSON_READS)
def test_each_read_alone_is_recognised_by_what_is_in_it(
    name: str, capture: Capture, tmp_path: Path
) -> None:
    whole = read_claims(SAMPLE / "api")
    alone = read_claims(saved(tmp_path, capture[name], "saved from the browser.json"))
    assert alone.figures == tuple(f for f in whole.figures if f.read == name)
    assert (alone.since, alone.until, alone.time_zone) == (
        whole.since,
        whole.until,
        "Europe/Madrid",
    )
    assert [finding.code for finding in alone.findings] == ["capture_hand_saved"]


def test_the_csv_alone(tmp_path: Path) -> None:
    claims = read_claims(Path(shutil.copy(SAMPLE / "api" / CSV_FILE, tmp_path / "x.CSV")))
    assert {figure.at.dimension for figure in claims.figures} == {"deployment_model"}
    assert {figure.read for figure in claims.figures} == {"caching.csv"}
    assert (claims.since, claims.until, claims.time_zone) == (None, None, None)
    assert claims.complete == (("caching", "deployment_model"),)


def test_beside_its_json_form_the_csv_says_nothing_new(capture: Capture, tmp_path: Path) -> None:
    claims = claims_of(tmp_path, capture)
    assert not [figure for figure in claims.figures if figure.read == "caching.csv"]
    without = {name: read for name, read in capture.items() if name != CSV_FILE}
    assert claims_of(tmp_path, without).figures == claims.figures


WRAPPINGS: dict[str, Callable[[Any], Any]] = {
    "result": lambda read: {"jsonrpc": "2.0", "id": 1, "result": read},
    "savings": lambda read: {"savings": read},
    "data": lambda read: {"data": read, "status": 200},
    "structured": lambda read: {"result": {"structuredContent": read, "isError": False}},
    "text": lambda read: {"content": [{"type": "text", "text": json_text(read)}]},
    "text in a result": lambda read: {
        "result": {"content": [{"type": "image"}, {"type": "text", "text": json_text(read)}]}
    },
    "savings in text": lambda read: {"content": [{"text": json_text({"savings": read})}]},
    "twice the same": lambda read: {
        "structuredContent": read,
        "content": [{"type": "text", "text": "Here it is."}, {"text": json_text(read)}],
    },
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("name", ["headline", "routing"])
def test_a_read_as_an_assistant_hands_it_back(
    wrapping: str, name: str, capture: Capture, tmp_path: Path
) -> None:
    bare = read_claims(saved(tmp_path, capture[name], "bare.json"))
    wrapped = read_claims(saved(tmp_path, WRAPPINGS[wrapping](capture[name])))
    assert wrapped.figures == bare.figures
    assert wrapped.figures


def test_two_reads_in_one_wrapping_are_refused(capture: Capture, tmp_path: Path) -> None:
    """Taking the first would leave the figures of the other uncompared."""
    one, other = capture["headline"], capture["routing"]
    changed_one = changed(capture, "headline", ("usd",), number("1.0"))["headline"]
    for second in (other, changed_one):
        texts = [{"text": json_text(read)} for read in (one, second)]
        for document in (
            {"content": texts},
            {"structuredContent": one, "content": texts[1:]},
            {"result": one, "data": second},
        ):
            assert "more than one read" in refused(saved(tmp_path, document))


@pytest.mark.parametrize(
    "document",
    [{}, {"hello": 1}, [], [1], None, 1, "text", {"result": {"result": {"result": {"x": 1}}}}],
)
def test_what_is_none_of_the_reads_is_refused(document: Any, tmp_path: Path) -> None:
    said = refused(saved(tmp_path, json.dumps(document)))
    assert "none of LightHouse's reads" in said
    assert all(name in said for name in JSON_READS)


# What is refused, with where and what


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON at line 1, column 1"),
        (b"<!doctype html><html>Log in</html>", "not JSON at line 1, column 1"),
        (b'{"levers": [', "not JSON at line 1, column 13"),
        (b'{"levers": [],}', "not JSON at line 1"),
        (b'{"usd": 1, "usd": 2, "levers": []}', "'usd' stands twice"),
        (b'{"usd": NaN, "levers": []}', "NaN is not a JSON number"),
        (b'{"usd": -Infinity, "levers": []}', "-Infinity is not a JSON number"),
        (b'{"period": "\xff"}', "not UTF-8 at byte 13"),
        ('{"usd": 1}'.encode("utf-16"), "not UTF-8 at byte 1"),
        (b'{"period": "\\ud800", "levers": []}', "half of a surrogate pair"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"usd": 01, "levers": []}', "not JSON at line 1"),
        (b'{"usd": 1} {"usd": 2}', "not JSON at line 1, column 12"),
    ],
)
def test_what_is_no_json_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    path = saved(tmp_path, content)
    found = refused(path)
    assert said in found
    assert str(path) in found


Wrong = tuple[str, tuple[str | int, ...], object, str]
REMOVED = object()
WRONG: list[Wrong] = [
    ("headline", ("usd",), REMOVED, "/usd: expected a number or null, found nothing"),
    ("headline", ("usd",), "1673.21", "/usd: expected a number or null, found the string"),
    ("headline", ("period",), "October", "/period: expected a month YYYY-MM"),
    ("headline", ("period",), "2026-13", "/period: expected a month YYYY-MM"),
    ("headline", ("levers",), {}, "/levers: expected an array"),
    ("headline", ("levers", 1), 5, "/levers/1: expected an object"),
    ("headline", ("levers", 1, "usd"), REMOVED, "/levers/1/usd: expected"),
    (
        "headline",
        ("levers", 1, "usd"),
        True,
        "/levers/1/usd: expected a number or null, found true",
    ),
    ("headline", ("levers", 0, "coverage", "total"), None, "/levers/0/coverage/total: expected"),
    ("headline", ("levers", 0, "coverage", "total"), number("9.5"), "expected an integer"),
    ("headline", ("levers", 0, "status"), None, "/levers/0/status: expected a string, found null"),
    ("retrieval", ("since",), REMOVED, "/since: expected"),
    ("retrieval", ("since",), "1 October", "/since: expected a date YYYY-MM-DD"),
    ("retrieval", ("since",), "2026-02-30", "the retrieval read's period: "),
    ("retrieval", ("stuffing",), None, "/stuffing: expected an object, found null"),
    ("retrieval", ("stuffing", "by_day", 3, "key"), REMOVED, "/stuffing/by_day/3/key: expected"),
    ("retrieval", ("stuffing", "by_day", 3, "key"), number(3), "/stuffing/by_day/3/key: expected"),
    ("retrieval", ("stuffing", "by_day", 3, "usd_cached"), "0", "/by_day/3/usd_cached: expected"),
    ("caching", ("total",), REMOVED, "/total: expected an object, found nothing"),
    ("caching", ("by_agent",), {"a": 1}, "/by_agent: expected an array"),
    ("caching", ("by_model", 0, "saved_usd"), REMOVED, "/by_model/0/saved_usd: expected"),
    (
        "caching",
        ("by_deployment_model", 0, "model"),
        None,
        "/by_deployment_model/0/model: expected",
    ),
    (
        "caching",
        ("by_deployment_model", 0, "price"),
        REMOVED,
        "/by_deployment_model/0/price: expec",
    ),
    ("routing", ("totals",), REMOVED, "/totals: expected an object, found nothing"),
    ("routing", ("decisions",), None, "/decisions: expected an array, found null"),
    ("routing", ("decisions", 0, "candidates"), REMOVED, "/decisions/0/candidates: expected"),
    ("routing", ("decisions", 0, "applied"), "no", "/decisions/0/applied: expected true or false"),
    ("profiles", ("deployments", 0, "deployment"), None, "/deployments/0/deployment: expected"),
    (
        "profiles",
        ("deployments", 0, "always_on_usd"),
        "1",
        "/deployments/0/always_on_usd: expected",
    ),
]


@pytest.mark.parametrize("wrong", WRONG, ids=[f"{w[0]} {w[1]}" for w in WRONG])
def test_a_read_that_is_not_what_its_schema_says(
    wrong: Wrong, capture: Capture, tmp_path: Path
) -> None:
    name, place, value, said = wrong
    document = copy.deepcopy(capture[name])
    if value is REMOVED:
        del at(document, place[:-1])[place[-1]]
    else:
        at(document, place[:-1])[place[-1]] = value
    assert said in refused(saved(tmp_path, document))


HUGE = ["1e401", "1e-401", "-1e999999999999999999999", "9" * 5_000, "0." + "1" * 5_000]


@pytest.mark.parametrize("text", HUGE, ids=[text[:12] for text in HUGE])
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("headline", ("usd",)),
        ("headline", ("levers", 0, "detail", "tokens_avoided")),
        ("retrieval", ("stuffing", "by_agent", 0, "usd_cached")),
        ("caching", ("by_deployment_model", 0, "cache_read_tokens")),
        ("caching", ("by_model", 0, "price", "input_per_m")),
        ("routing", ("decisions", 0, "candidates", 0, "cost_usd")),
        ("profiles", ("deployments", 0, "actual_usd")),
    ],
)
def test_a_number_that_nobody_should_compute_with(
    name: str, place: tuple[str | int, ...], text: str, capture: Capture, tmp_path: Path
) -> None:
    document = changed(capture, name, place, number(text))[name]
    said = refused(saved(tmp_path, document))
    assert "/" + "/".join(map(str, place)) in said
    assert len(said) < 500


def test_large_numbers_that_can_be_computed_with(capture: Capture, tmp_path: Path) -> None:
    for text in ("1e400", "1e-400", "9" * 400):
        document = changed(capture, "headline", ("usd",), number(text))["headline"]
        figure = read_claims(saved(tmp_path, document)).figures[0]
        assert figure.value == Fraction(text)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"eu": 1}, "by_region: expected an array of rows"),
        ([1], "by_region/0: expected a row with a key"),
        ([{"usd_cached": 1}], "by_region/0: expected a row with a key"),
        ([{"key": "eu"}, {"key": 7}], "by_region/1: expected a row with a key"),
        ([{"key": ["eu"]}], "by_region/0: expected a row with a key"),
    ],
)
@pytest.mark.parametrize("name", ["retrieval", "caching"])
def test_a_breakdown_of_a_name_that_no_schema_knows_has_keys_too(
    name: str, rows: Any, said: str, capture: Capture, tmp_path: Path
) -> None:
    place = ("stuffing", "by_region") if name == "retrieval" else ("by_region",)
    written_rows = json.loads(json.dumps(rows), parse_int=NumberText)
    assert said in refused(saved(tmp_path, changed(capture, name, place, written_rows)[name]))


CSV_WRONG = {
    "no header": ("", "expected"),
    "another header": ("deployment,model\na,b\n", "expected cache_read_per_m"),
    "a column less": (HEAD.replace(",saved_usd", ""), "expected saved_usd"),
    "a column twice": (HEAD.replace("\n", ",model\n"), "unique column names"),
    "semicolons": (HEAD.replace(",", ";"), "expected cache_read_per_m"),
    "a short row": (HEAD + "a,m,1,1,1,1,1,1,1\n", "line 2: expected 10 fields"),
    "a long row": (HEAD + "a,m,1,1,1,1,1,1,1,1,1\n", "line 2: expected 10 fields"),
    "text in a number": (HEAD + "a,m,1,1,1,1,1,1,1,1.0\na,n,1,1,1,1,many,1,1,1\n", "line 3: out"),
    "a thousands comma": (HEAD + 'a,m,1,1,1,1,"1,000",1,1,1\n', "expected a number, found '1,000'"),
    "a space": (HEAD + "a,m,1,1,1,1, 1,1,1,1\n", "expected a number, found ' 1'"),
    "a currency": (HEAD + "a,m,1,1,1,1,1,1,1,$1\n", "saved_usd: expected a number, found '$1'"),
    "NaN": (HEAD + "a,m,1,1,1,1,1,1,1,NaN\n", "saved_usd: expected a number, found 'NaN'"),
    "no figure": (HEAD + "a,m,1,1,1,1,1,1,1,\n", "saved_usd: expected a number, found nothing"),
    "no tokens": (HEAD + "a,m,1,1,1,,1,1,1,1\n", "input_tokens: expected a number, found nothing"),
    "out of proportion": (HEAD + "a,m,1,1,1,1,1,1,1,1e999\n", "expected a number, found '1e999'"),
    "very long": (HEAD + f"a,m,1,1,1,1,1,1,1,{'9' * 5000}\n", "expected a number, found '999"),
    "an open quote": (HEAD + 'a,"m,1,1,1,1,1,1,1,1\n', "line 2"),
    "a NUL": (HEAD + "a,m\0,1,1,1,1,1,1,1,x\n", "line 2"),
}


@pytest.mark.parametrize("wrong", CSV_WRONG)
def test_a_csv_that_is_not_what_it_should_be(wrong: str, tmp_path: Path) -> None:
    content, said = CSV_WRONG[wrong]
    path = saved(tmp_path, content, "caching.csv")
    found = refused(path)
    assert said in found
    assert str(path) in found
    assert len(found) < 400


def test_a_csv_that_is_no_text(tmp_path: Path) -> None:
    assert "not UTF-8 at byte" in refused(saved(tmp_path, HEAD.encode("utf-16"), "caching.csv"))
    assert "not UTF-8 at byte 1" in refused(saved(tmp_path, b"\xff", "caching.csv"))


def test_a_csv_as_other_programs_save_it(tmp_path: Path) -> None:
    """A byte-order mark, CR LF, blank lines, another order of columns, quotes."""
    rows = "eu,m,3,0.3,,10,5,1000,0,0.0027\n,None,,,,0,0,0,0,-0.0\n"
    plain = read_claims(saved(tmp_path, HEAD + rows, "caching.csv"))
    assert [f.value for f in plain.figures if f.at.measure == "saved_usd"] == [
        Fraction("0.0027"),
        Fraction(0),
    ]
    assert {f.at.key for f in plain.figures} == {cell_key("eu", "m"), cell_key("", "None")}
    windows = (HEAD + rows).replace("\n", "\r\n").encode("utf-8-sig") + b"\r\n\r\n"
    columns = [line.split(",") for line in (HEAD + rows).splitlines()]
    reordered = csv_text([line[::-1] for line in columns])
    quoted = (HEAD + rows).replace("eu,m,", '"eu","m",')
    for content in (windows, reordered, quoted):
        other = read_claims(saved(tmp_path, content, "caching.csv"))
        assert other.figures == plain.figures
        assert codes(other) == []


# Directories


def test_a_directory_with_two_of_one_read_is_refused(capture: Capture, tmp_path: Path) -> None:
    written(tmp_path, {**capture, "caching of Monday": capture["caching"]})
    said = refused(tmp_path)
    assert "the read caching twice: caching of Monday.json and caching.json" in said


def test_a_directory_without_a_read_is_refused(tmp_path: Path) -> None:
    assert "none of LightHouse's reads" in refused(tmp_path)
    saved(tmp_path, "{}", "other.json")
    assert "headline.json" in refused(tmp_path)
    assert "does not exist" in refused(tmp_path / "absent")


def test_files_that_are_no_read_are_named(capture: Capture, tmp_path: Path) -> None:
    written(tmp_path, capture)
    saved(tmp_path, "{}", "notes.json")
    saved(tmp_path, "x", "headline.json.bak")
    saved(tmp_path, "x", "routing.txt")
    (tmp_path / "older").mkdir()
    unknown = [f.message for f in read_claims(tmp_path).findings if f.code == "read_unknown"]
    assert [message.split(" is ")[0] for message in unknown] == [
        "headline.json.bak",
        "notes.json",
        "routing.txt",
    ]


def test_one_bad_file_spoils_a_directory(capture: Capture, tmp_path: Path) -> None:
    written(tmp_path, capture)
    saved(tmp_path, "<html>", "routing.json")
    assert "routing.json cannot be read" in refused(tmp_path)


@pytest.mark.parametrize(
    ("name", "key", "value", "said"),
    [
        ("headline", "period", "2026-09", "different periods"),
        ("retrieval", "until", "2026-10-30", "different periods"),
        ("caching", "since", "2026-10-02", "different periods"),
        ("profiles", "since", "2025-10-01", "different periods"),
        ("routing", "time_zone", "UTC", "different time zones"),
        ("headline", "time_zone", "Europe/Lisbon", "different time zones"),
    ],
)
def test_reads_of_different_periods_or_zones_are_refused(
    name: str, key: str, value: str, said: str, capture: Capture, tmp_path: Path
) -> None:
    found = refused(written(tmp_path, changed(capture, name, (key,), value)))
    assert said in found
    assert f"{name}.json" in found
    assert value in found


def test_reads_that_say_no_period_or_zone_do_not_disagree(capture: Capture, tmp_path: Path) -> None:
    silent = changed(capture, "headline", ("time_zone",), None)
    silent["profiles"] = {"deployments": capture["profiles"]["deployments"]}
    claims = claims_of(tmp_path, silent)
    assert (str(claims.since), str(claims.until)) == ("2026-10-01", "2026-10-31")
    assert claims.time_zone == "Europe/Madrid"
    alone = read_claims(saved(tmp_path, silent["profiles"], "profiles.json"))
    assert (alone.since, alone.until, alone.time_zone) == (None, None, None)


def test_pages_of_decisions_are_of_one_whole(capture: Capture, tmp_path: Path) -> None:
    """Only the decisions of a later page are its own: what else it shows is not lost."""
    read = capture["routing"]
    half = len(read["decisions"]) // 2
    first = {**read, "decisions": read["decisions"][:half], "next_cursor": "2"}
    second = {**read, "decisions": read["decisions"][half:]}
    whole = read_claims(saved(tmp_path, read))

    def pages(*found: dict[str, Any]) -> Path:
        place = tmp_path / "pages"
        place.mkdir(exist_ok=True)
        entries = []
        for number_of, page in enumerate(found):
            path = saved(place, page, f"routing.page{number_of}.json")
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            entries.append({"read": "routing", "file": path.name, "sha256": digest})
        index = {"format": "verify-capture/1", "complete": True, "reads": entries}
        saved(place, json.dumps(index), "capture.json")
        return place

    both = read_claims(pages(first, second))
    assert both.figures == whole.figures
    assert both.from_reads == whole.from_reads
    assert [f.code for f in both.findings] == []
    for part, other in (
        ("totals", {**read["totals"], "saving_usd": number(0)}),
        ("until", "2026-10-30"),
        ("time_zone", "UTC"),
    ):
        said = refused(pages(first, {**second, part: other}))
        assert f"another {part} than routing.page0.json" in said


# What is shown


def test_figures_keep_their_text_and_place(capture: Capture, tmp_path: Path) -> None:
    texts = {
        "0.10": 2,
        "4.6e-05": 6,
        "-0.0": 1,
        "1E2": 0,
        "17": 0,
        "0.30000000000000004": 17,
    }
    for text, decimals in texts.items():
        document = changed(capture, "headline", ("levers", 1, "usd"), number(text))["headline"]
        claims = read_claims(saved(tmp_path, document))
        (figure,) = (f for f in claims.figures if f.at == At("caching", "usd"))
        assert isinstance(figure.shown, Printed)
        assert (figure.text, figure.shown.decimals) == (text, decimals)
        assert (figure.read, figure.pointer) == (HEADLINE, "/levers/1/usd")


def test_every_figure_stands_where_its_pointer_says(capture: Capture, tmp_path: Path) -> None:
    for figure in claims_of(tmp_path, capture).figures:
        found = capture[figure.read]
        for step in figure.pointer.split("/")[1:]:
            found = found[int(step)] if isinstance(found, list) else found[step]
        assert found == figure.text


def test_odd_keys_and_names_are_kept_apart(tmp_path: Path) -> None:
    keys = [None, "", "None", "null", "=1+1", "\x1b[31m", "x" * 10_000, "a/b~c"]
    row = {"cache_read_tokens": 1, "cache_write_tokens": 0, "saved_usd": 0}
    rows = [{"key": key, **row} for key in keys]
    total = {"saved_usd": 0, "cache_read_tokens": len(keys)}
    read = {**SPAN, "total": total, "by_agent": rows}
    claims = read_claims(saved(tmp_path, read))
    assert [f.at.key for f in claims.figures if f.at.measure == "saved_usd"] == [None, *keys]
    assert codes(claims) == []


def test_what_may_be_left_out_or_null_makes_no_figure(tmp_path: Path) -> None:
    bare = lever(coverage=None, detail=None, baseline={"any": ["thing", 1]}, method=None)
    claims = read_claims(saved(tmp_path, headline(bare, usd=1)))
    assert [f.at.measure for f in claims.figures] == ["usd", "status", "usd"]
    routing = {**SPAN, "totals": {"saving_usd": 0, "escalation_usd": 0, "off_saving_usd": 0}}
    decisions: list[dict[str, Any]] = [
        {"candidates": None},
        {"candidates": [], "ts": None, "deployment": None, "id": None},
        {"candidates": [{}, {"model": None, "cost_usd": None}], "ts": "yesterday"},
    ]
    found = read_claims(saved(tmp_path, {**routing, "decisions": decisions}))
    assert codes(found) == []
    assert found.from_reads[At("routing", "uncomparable")].value == 3
    profiles = {"deployments": [{"deployment": "eu", "profile": None, "always_on_usd": None}]}
    shown = read_claims(saved(tmp_path, profiles)).figures
    assert [(f.at.measure, f.value) for f in shown] == [("profile", None), ("always_on_usd", None)]


def test_an_included_lever_is_accepted_with_its_reason(tmp_path: Path) -> None:
    inside = lever("ephemeral", "included", number("4.2"), detail={"inside": "infrastructure"})
    claims = read_claims(saved(tmp_path, headline(lever(), inside, usd=1)))
    assert set(claims.accepted.values()) == {"inside infrastructure: accepted, never added"}
    assert [f.code for f in claims.findings] == ["capture_hand_saved", "lever_accepted"]
    assert claims.from_reads[At(HEADLINE, "usd")].value == 1


def test_numbers_that_no_read_is_known_to_carry_are_pointed_out(
    capture: Capture, tmp_path: Path
) -> None:
    """They are compared with nothing: the reader has to know."""
    changes = [
        ("headline", ("levers", 0, "detail", "usd_saved_last_year"), "/levers/*/detail/usd_saved"),
        ("headline", ("forecast",), "/forecast"),
        ("retrieval", ("stuffing", "queries"), "/stuffing/queries"),
        ("caching", ("by_agent", 1, "calls"), "/by_agent/*/calls"),
        ("profiles", ("deployments", 0, "hours"), "/deployments/*/hours"),
        ("caching", ("by_region",), "/by_region/*/requests"),
        ("retrieval", ("stuffing", "by_region"), "/stuffing/by_region/*/requests"),
    ]
    for name, place, said in changes:
        for value in (number(5), {"deep": [number(5)]}):
            rows = [{"key": "eu", "requests": value, "saved_usd": number(1)}]
            shown = rows if place[-1] == "by_region" else value
            claims = claims_of(tmp_path, changed(capture, name, place, shown))
            (unknown,) = (f for f in claims.findings if f.code == "read_unknown")
            assert said in unknown.message
            assert f"{name}.json" in unknown.message
    words = changed(capture, "headline", ("note",), {"text": "no figure"})
    assert "read_unknown" not in [f.code for f in claims_of(tmp_path, words).findings]
    for key, told in (("annualized_usd", True), ("usd_forecast", True), ("forecast", False)):
        claims = claims_of(tmp_path, changed(capture, "headline", (key,), number(5)))
        assert ("figure_unknown" in [f.code for f in claims.findings]) is told
    table = [
        [*row, "calls" if not position else "7"] for position, row in enumerate(capture[CSV_FILE])
    ]
    alone = claims_of(tmp_path, {CSV_FILE: table})
    unknown = next(f for f in alone.findings if f.code == "read_unknown")
    assert unknown.message.endswith("/*/calls")


# What reads say against themselves and each other


def retrieval_of(total: str, rows: list[str]) -> dict[str, Any]:
    zeros = dict.fromkeys(("stuffed_tokens", "sent_tokens", "tokens_avoided", "usd_cached"), 0)
    shown = [{"key": f"k{n}", **zeros, "usd_uncached": number(row)} for n, row in enumerate(rows)]
    stuffing = {**zeros, "usd_uncached": number(total), "by_agent": shown}
    return {**SPAN, "stuffing": stuffing}


@pytest.mark.parametrize(
    ("total", "rows", "agrees"),
    [
        ("1.000000", ["0.5", "0.5"], True),
        ("1.000001", ["0.5", "0.5"], True),
        ("1.0000015", ["0.5", "0.5"], False),
        ("1.000002", ["0.5", "0.5"], False),
        ("0.999999", ["0.5", "0.5"], True),
        ("0.999998", ["0.5", "0.5"], False),
        ("1.000002", ["0.25"] * 4, True),
        ("1.000003", ["0.25"] * 4, False),
        ("1.000001", ["1"], True),
        ("1.000002", ["1"], False),
        ("0", ["45.38"], False),
        ("0.0", ["22.69", "22.69"], False),
        ("0", ["0.000001", "-0.000001"], True),
        ("100000000000.03", ["50000000000.0", "50000000000.0"], True),
        ("100000000000.13", ["50000000000.0", "50000000000.0"], False),
    ],
)
def test_rows_add_up_to_their_total_to_half_a_unit_each(
    total: str, rows: list[str], agrees: bool, tmp_path: Path
) -> None:
    """(rows + 1) / 2 units, or 1e-12 of the sum."""
    claims = read_claims(saved(tmp_path, retrieval_of(total, rows)))
    assert codes(claims) == ([] if agrees else ["read_rows_total"])


def test_a_total_of_zero_beside_rows_names_both(tmp_path: Path) -> None:
    claims = read_claims(saved(tmp_path, retrieval_of("0", ["45.38"])))
    (finding,) = (f for f in claims.findings if f.code == "read_rows_total")
    assert "usd_uncached by agent adds up to 45.38" in finding.message
    assert "its total shows 0 (-45.38 apart)" in finding.message
    assert finding.severity == "error"


def test_more_decimals_leave_less_room(tmp_path: Path) -> None:
    ten = retrieval_of("1.000001", ["0.5", "0.5000000000"])
    assert codes(read_claims(saved(tmp_path, ten))) == ["read_rows_total"]


def test_counts_and_plain_tokens_add_up_exactly(capture: Capture, tmp_path: Path) -> None:
    for place in (("total", "cache_read_tokens"), ("by_agent", 0, "cache_read_tokens")):
        value = int(at(capture["caching"], place)) + 1
        document = changed(capture, "caching", place, number(value))["caching"]
        assert "read_rows_total" in codes(read_claims(saved(tmp_path, document)))
    one_more = int(capture["retrieval"]["stuffing"]["measured"]) + 1
    document = changed(capture, "retrieval", ("stuffing", "measured"), number(one_more))[
        "retrieval"
    ]
    assert "read_rows_total" in codes(read_claims(saved(tmp_path, document)))


def said(
    capture: Capture, place: Path, *changes: tuple[str, tuple[str | int, ...], Any]
) -> list[str]:
    """The codes that a capture is given after some changes, each once, in order."""
    for name, where, value in changes:
        capture = changed(capture, name, where, value)
    return list(dict.fromkeys(codes(claims_of(place, capture))))


def test_decisions_are_held_against_the_totals(capture: Capture, tmp_path: Path) -> None:
    for measure in ("saving_usd", "escalation_usd", "off_saving_usd", "decisions", "uncomparable"):
        value = Fraction(capture["routing"]["totals"][measure]) + 1
        change = ("routing", ("totals", measure), number(float(value)))
        assert said(capture, tmp_path, change) == ["read_not_its_inputs"]
    fewer = capture["routing"]["decisions"][1:]
    assert said(capture, tmp_path, ("routing", ("decisions",), fewer)) == ["read_not_its_inputs"]


def test_the_headline_is_held_against_its_levers(capture: Capture, tmp_path: Path) -> None:
    headline_usd = Fraction(capture["headline"]["usd"])
    for units, found in ((0, []), (1, ["headline_not_sum"]), (-1, ["headline_not_sum"])):
        value = number(f"{float(headline_usd + Fraction(units, 10**6)):.6f}")
        assert said(capture, tmp_path, ("headline", ("usd",), value)) == found


def test_a_lever_is_held_against_its_own_read(capture: Capture, tmp_path: Path) -> None:
    """By the inputs that the retrieval, caching, routing and profiles reads carry."""
    for position in range(4):
        for part in (("usd",), ("coverage", "measured"), ("coverage", "total")):
            place = ("levers", position, *part)
            if position == 1 and part[0] == "coverage":
                continue  # calls that report are in no read
            value = moved(at(capture["headline"], place), 20)
            assert "read_not_its_inputs" in said(capture, tmp_path, ("headline", place, value))


def test_two_reads_about_one_figure(capture: Capture, tmp_path: Path) -> None:
    for name, place in (
        ("headline", ("levers", 0, "detail", "tokens_avoided")),
        ("headline", ("levers", 1, "detail", "cache_read_tokens")),
    ):
        value = number(Fraction(at(capture[name], place)).__ceil__() + 1)
        assert "reads_disagree" in said(capture, tmp_path, (name, place, value))


def test_one_row_twice(capture: Capture, tmp_path: Path) -> None:
    for name, place in (
        ("headline", ("levers",)),
        ("retrieval", ("stuffing", "by_agent")),
        ("caching", ("by_deployment_model",)),
        ("profiles", ("deployments",)),
    ):
        rows = at(capture[name], place)
        document = changed(capture, name, place, [*rows, rows[0]])[name]
        claims = read_claims(saved(tmp_path, document))
        (finding,) = (f for f in claims.findings if f.code == "read_duplicate_row")
        assert "twice" in finding.message
        assert f"/{len(rows)}/" in finding.message


def test_one_row_twice_in_the_csv(capture: Capture, tmp_path: Path) -> None:
    twice = [*capture[CSV_FILE], capture[CSV_FILE][1]]
    for beside in ({}, capture):
        claims = claims_of(tmp_path, {**beside, CSV_FILE: twice})
        assert "read_duplicate_row" in codes(claims)


def test_the_two_forms_of_caching_are_held_against_each_other(
    capture: Capture, tmp_path: Path
) -> None:
    table: list[list[str]] = capture[CSV_FILE]
    without = {**capture, CSV_FILE: table[:1] + table[2:]}
    assert codes(claims_of(tmp_path, without)) == ["reads_disagree"]
    other = {**capture, CSV_FILE: [*table, ["nowhere", *table[1][1:]]]}
    assert codes(claims_of(tmp_path, other)) == ["reads_disagree"]
    for column in range(2, len(table[0])):
        row = next(n for n, row in enumerate(table) if n and row[column] not in ("", "0"))
        changed_table = changed(capture, CSV_FILE, (row, column), "7.5")
        found = codes(claims_of(tmp_path, changed_table))
        assert set(found) <= {"reads_disagree", "read_not_its_inputs"}, table[0][column]
        assert found, table[0][column]


def test_a_csv_that_is_wrong_in_itself_but_consistent_is_no_restatement(
    capture: Capture, tmp_path: Path
) -> None:
    """Its own card gives its own figure; the other form of the read gives another."""
    table = copy.deepcopy(capture[CSV_FILE])
    row = next(row for row in table[1:] if row[3] and row[4] and int(row[7]) > 100_000)
    row[3] = "0"
    shown = {name: text or None for name, text in zip(table[0], row, strict=True)}
    row[9] = f"{float(cell_saving(shown, shown)):.6f}"
    claims = claims_of(tmp_path, {**capture, CSV_FILE: table})
    kept = [f for f in claims.figures if f.read == "caching.csv"]
    assert [(f.at.measure, f.at.key) for f in kept] == [("saved_usd", cell_key(row[0], row[1]))]
    assert set(codes(claims)) == {"reads_disagree", "read_not_its_inputs"}


def test_cells_without_all_tokens_say_nothing_of_them(capture: Capture, tmp_path: Path) -> None:
    """The schema asks cells for cached tokens and the card alone."""
    fewer = copy.deepcopy(capture["caching"])
    for cell in fewer["by_deployment_model"]:
        del cell["input_tokens"], cell["output_tokens"]
    claims = read_claims(saved(tmp_path, fewer))
    assert codes(claims) == []
    assert At("caching", "input_tokens", "model", "gpt-6") not in claims.from_reads
    assert claims.from_reads[At("caching", "saved_usd")].value


def card(**prices: object) -> dict[str, Any]:
    shown = dict.fromkeys(("input_per_m", "cache_read_per_m", "cache_write_per_m"), 1)
    return {**shown, **prices}


def caching_of(by_model: Any, *cells: Any) -> dict[str, Any]:
    tokens = {"cache_read_tokens": 0, "cache_write_tokens": 0}
    return {
        **SPAN,
        "total": {"saved_usd": 0},
        "by_model": [{"key": "m", "price": by_model, **tokens, "saved_usd": 0}],
        "by_deployment_model": [
            {"deployment": f"d{n}", "model": "m", "price": price, **tokens}
            for n, price in enumerate(cells)
        ],
    }


@pytest.mark.parametrize(
    ("shown", "cells", "agrees"),
    [
        (card(), [card()], True),
        (card(), [card(input_per_m=2), card()], True),
        (card(), [card(input_per_m=2)], False),
        (card(output_per_m=5), [card()], True),
        (card(output_per_m=5), [card(output_per_m=6)], False),
        (card(cache_write_per_m=None), [card()], False),
        (None, [card(), card(input_per_m=2)], True),
        (None, [card(), None], True),
        (None, [None], True),
        (None, [card(input_per_m=None, cache_read_per_m=None, cache_write_per_m=None)], True),
        (None, [card(), card()], False),
        (card(), [None], False),
        (card(), [], True),
    ],
)
def test_a_card_by_model_is_that_of_one_of_its_deployments(
    shown: Any, cells: list[Any], agrees: bool, tmp_path: Path
) -> None:
    claims = read_claims(saved(tmp_path, caching_of(shown, *cells)))
    assert codes(claims) == ([] if agrees else ["read_not_its_inputs"])


def test_every_contradiction_is_an_error(capture: Capture, tmp_path: Path) -> None:
    found: list[Finding] = []
    rows = capture["retrieval"]["stuffing"]["by_agent"]
    for change in (
        ("headline", ("usd",), number(1)),
        ("headline", ("levers", 0, "detail", "tokens_avoided"), number(1)),
        ("caching", ("total", "saved_usd"), number(0)),
        ("retrieval", ("stuffing", "by_agent"), [*rows, rows[0]]),
    ):
        found += claims_of(tmp_path, changed(capture, *change)).findings
    graded = {f.code: f.severity for f in found if f.code != "capture_hand_saved"}
    assert graded == {
        "headline_not_sum": "error",
        "reads_disagree": "error",
        "read_not_its_inputs": "error",
        "read_rows_total": "error",
        "read_duplicate_row": "error",
    }


def test_the_order_of_rows_and_levers_says_nothing(capture: Capture, tmp_path: Path) -> None:
    shuffled = copy.deepcopy(capture)
    shaker = random.Random(7)
    stack: list[Any] = [shuffled[name] for name in JSON_READS]
    while stack:
        item = stack.pop()
        stack.extend(item.values() if isinstance(item, dict) else item)
        stack = [member for member in stack if isinstance(member, dict | list)]
        if isinstance(item, list) and not (item and "cost_usd" in item[0]):
            shaker.shuffle(item)
    table = shuffled[CSV_FILE]
    shuffled[CSV_FILE] = [table[0], *shaker.sample(table[1:], len(table) - 1)]
    one, other = claims_of(tmp_path, capture), claims_of(tmp_path, shuffled)
    assert {(f.at, f.text) for f in one.figures} == {(f.at, f.text) for f in other.figures}
    assert one.from_reads == other.from_reads
    assert one.statuses == other.statuses
    assert codes(one) == codes(other) == []


def test_documents_are_read_strictly_and_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, headline(lever(), usd=1))
    monkeypatch.setattr(documents, "MAX_BYTES", path.stat().st_size)
    assert read_claims(path).figures
    monkeypatch.setattr(documents, "MAX_BYTES", path.stat().st_size - 1)
    assert "larger than any read" in refused(path)


def test_the_reader_gives_back_what_the_writer_of_these_tests_wrote(capture: Capture) -> None:
    for name in JSON_READS:
        assert loads(json_text(capture[name]).encode()) == capture[name]
    assert csv_text(capture[CSV_FILE]) == (SAMPLE / "api" / CSV_FILE).read_text("utf-8")
