"""The LightHouse schemas: what they accept and refuse, and that they say what the code reads."""

import io
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from verify.schemata import names, schema, violations
from verify.systems.lighthouse.fields import (
    ATTRIBUTES,
    CANDIDATE,
    LIMITS,
    PRICE,
    RECORD_TYPES,
    TOP,
    Attribute,
)
from verify.systems.lighthouse.sample import SamplePlan, write_records
from verify.systems.lighthouse.strict import InvalidLine, read_line
from verify.trust.manifest import FORMAT
from verify.trust.strictjson import NumberText, loads

DOCUMENTS = Path(__file__).parent / "documents"
LIGHTHOUSE = [name for name in names() if name.startswith("lighthouse/")]
READS = ("headline", "retrieval", "caching", "routing", "profiles")
KINDS = {
    "text": {"string"},
    "count": {"integer"},
    "amount": {"number"},
    "rate": {"number"},
    "flag": {"boolean"},
    "price": {"object"},
    "limits": {"object"},
    "candidates": {"array"},
}

Json = dict[str, Any]


def name_of(document: str) -> str:
    return f"lighthouse/{'reads/' if document in READS else ''}{document}"


def document(name: str) -> Any:
    return loads((DOCUMENTS / f"{name}.json").read_bytes())


def record_schema(kind: str) -> str:
    return f"lighthouse/records/{kind if kind in RECORD_TYPES else 'other'}"


def subschemas(value: Any) -> Iterator[Json]:
    """Every object of a schema, wherever it stands."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from subschemas(item)
    elif isinstance(value, list):
        for item in value:
            yield from subschemas(item)


def resolved(part: Json, whole: Json) -> Json:
    """The subschema itself, or the one it refers to with what stands beside the reference."""
    if "$ref" not in part:
        return part
    found: Json = whole["$defs"][part["$ref"].removeprefix("#/$defs/")]
    return {**found, **part}


def types(part: Json) -> set[str]:
    named = part["type"]
    return {named} if isinstance(named, str) else set(named)


# --- the files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LIGHTHOUSE)
def test_every_property_says_on_what_it_rests(name: str) -> None:
    properties = [
        (key, part)
        for found in subschemas(schema(name))
        if isinstance(found.get("properties"), dict)
        for key, part in found["properties"].items()
    ]
    assert properties
    for key, part in properties:
        assert part.get("x-basis") in ("stated", "reading"), key
        assert part.get("description"), key


@pytest.mark.parametrize("name", LIGHTHOUSE)
def test_a_product_may_carry_more_than_is_named(name: str) -> None:
    assert all(part.get("additionalProperties") is not False for part in subschemas(schema(name)))


def test_there_is_a_schema_for_every_record_type_and_one_for_the_rest() -> None:
    found = {name.rpartition("/")[2] for name in LIGHTHOUSE if "/records/" in name}
    assert found == {*RECORD_TYPES, "other"}
    assert schema(record_schema("?"))["properties"]["type"]["not"]["enum"] == list(RECORD_TYPES)


@pytest.mark.parametrize("kind", RECORD_TYPES)
def test_a_record_schema_says_what_the_readers_read(kind: str) -> None:
    whole = schema(record_schema(kind))
    assert tuple(whole["properties"]) == tuple(whole["required"]) == TOP
    assert whole["properties"]["type"]["const"] == kind
    attrs = whole["properties"]["attrs"]
    by_name = {attribute.name: attribute for attribute in ATTRIBUTES[kind]}
    assert set(attrs["properties"]) == set(by_name)
    assert set(attrs.get("required", ())) == {a.name for a in by_name.values() if a.required}
    for name, attribute in by_name.items():
        part = resolved(attrs["properties"][name], whole)
        assert types(part) == KINDS[attribute.kind] | (set() if attribute.required else {"null"})
        assert part["x-basis"] == ("stated" if attribute.stated else "reading"), name
        assert not {"minimum", "maximum", "enum", "pattern"} & set(part), name
        if attribute.kind == "price":
            assert {key: types(p) for key, p in part["properties"].items()} == {
                key: {"number", "null"} for key in PRICE
            }
        if attribute.kind == "limits":
            assert {key: types(p) for key, p in part["properties"].items()} == {
                key: {"integer", "null"} for key in LIMITS
            }
        if attribute.kind == "candidates":
            candidate = resolved(part["items"], whole)
            assert tuple(candidate["properties"]) == CANDIDATE


def test_the_manifest_schema_names_the_form_the_reader_knows() -> None:
    assert schema("lighthouse/manifest")["properties"]["format"]["const"] == FORMAT


# --- what is accepted --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["manifest", "manifest_short", *READS])
def test_a_sound_document_is_accepted(name: str) -> None:
    assert violations(document(name), name_of(name)) == []
    text = (DOCUMENTS / f"{name}.json").read_text("utf-8")
    assert violations(json.loads(text), name_of(name)) == []


def test_sound_records_are_accepted() -> None:
    seen = set()
    for line in (DOCUMENTS / "records.jsonl").read_bytes().splitlines():
        record = loads(line)
        seen.add(record_schema(record["type"]))
        assert violations(record, record_schema(record["type"])) == [], line
    assert seen == {name for name in LIGHTHOUSE if "/records/" in name}


def test_the_records_of_a_sample_are_accepted() -> None:
    out = io.BytesIO()
    plan = SamplePlan(3, 1000, date(2026, 3, 1), date(2026, 3, 31), "Europe/Dublin")
    write_records(plan, out)
    for line in out.getvalue().splitlines():
        record = loads(line)
        assert violations(record, record_schema(record["type"])) == [], line


@pytest.mark.parametrize("name", READS)
def test_what_the_product_adds_is_no_violation(name: str) -> None:
    def more(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: more(item) for key, item in value.items()} | {"added": [{"x": None}]}
        return [more(item) for item in value] if isinstance(value, list) else value

    assert violations(more(document(name)), name_of(name)) == []


# --- what is refused, and where ----------------------------------------------------------------

_GONE = object()


def changed(found: Any, pointer: str, value: object) -> Any:
    """A copy of the document with the member at `pointer` set, or left out."""
    found = deepcopy(found)
    *path, last = pointer.removeprefix("/").split("/")
    place = found
    for part in path:
        place = place[int(part)] if isinstance(place, list) else place[part]
    if isinstance(place, list):
        place[int(last)] = value
    elif value is _GONE:
        del place[last]
    else:
        place[last] = value
    return found


NUMBER = "expected a number or null, found "
WRONG_DOCUMENTS = [
    ("headline", "/usd", _GONE, NUMBER + "nothing"),
    ("headline", "/usd", "10.25", NUMBER + "the string '10.25'"),
    ("headline", "/period", _GONE, "expected a month YYYY-MM, found nothing"),
    ("headline", "/period", "2026-13", "expected a month YYYY-MM, found the string '2026-13'"),
    ("headline", "/period", "2026-05\n", "expected a month YYYY-MM, found the string '2026-05\\n'"),
    ("headline", "/levers", {}, "expected an array, found an empty object"),
    ("headline", "/levers/1", None, "expected an object, found null"),
    ("headline", "/levers/1/usd", _GONE, NUMBER + "nothing"),
    ("headline", "/levers/1/usd", NumberText("NaN"), NUMBER + "NaN, which is no number"),
    ("headline", "/levers/1/usd", "NaN", NUMBER + "the string 'NaN'"),
    ("headline", "/levers/1/usd", float("nan"), NUMBER + "nan, which is no number"),
    ("headline", "/levers/1/usd", True, NUMBER + "true"),
    ("headline", "/levers/1/status", None, "expected a string, found null"),
    ("headline", "/levers/1/lever", NumberText("1"), "expected a string, found the number 1"),
    ("headline", "/levers/0/coverage/total", _GONE, "expected an integer, found nothing"),
    (
        "headline",
        "/levers/0/coverage/measured",
        NumberText("3.5"),
        "expected an integer, found the number 3.5",
    ),
    ("headline", "/levers/0/detail", [], "expected an object or null, found an empty array"),
    ("retrieval", "/stuffing", None, "expected an object, found null"),
    ("retrieval", "/stuffing/tokens_avoided", _GONE, NUMBER + "nothing"),
    ("retrieval", "/stuffing/by_agent", {}, "expected an array, found an empty object"),
    (
        "retrieval",
        "/stuffing/by_agent/1/key",
        NumberText("7"),
        "expected a string or null, found the number 7",
    ),
    ("retrieval", "/stuffing/by_agent/0/key", _GONE, "expected a string or null, found nothing"),
    ("retrieval", "/stuffing/by_day/0/usd_cached", [], NUMBER + "an empty array"),
    ("retrieval", "/since", "1 May", "expected a date YYYY-MM-DD, found the string '1 May'"),
    ("caching", "/total", _GONE, "expected an object, found nothing"),
    ("caching", "/total/saved_usd", "0", NUMBER + "the string '0'"),
    (
        "caching",
        "/by_model/0/price",
        NumberText("3"),
        "expected an object or null, found the number 3",
    ),
    ("caching", "/by_model/0/price/input_per_m", "free", NUMBER + "the string 'free'"),
    ("caching", "/by_model/0/key", False, "expected a string or null, found false"),
    ("caching", "/by_deployment_model/0/model", None, "expected a string, found null"),
    ("routing", "/totals/saving_usd", _GONE, NUMBER + "nothing"),
    ("routing", "/decisions/0/candidates", _GONE, "expected an array or null, found nothing"),
    ("routing", "/decisions/0/candidates/1", "elm", "expected an object, found the string 'elm'"),
    ("routing", "/decisions/0/candidates/0/cost_usd", "0.004", NUMBER + "the string '0.004'"),
    (
        "routing",
        "/decisions/0/applied",
        NumberText("1"),
        "expected true or false or null, found the number 1",
    ),
    ("profiles", "/deployments", _GONE, "expected an array, found nothing"),
    ("profiles", "/deployments/0/deployment", None, "expected a string, found null"),
    ("profiles", "/deployments/1/always_on_usd", _GONE, NUMBER + "nothing"),
    ("manifest", "/format", "lighthouse-export/2", f"expected {FORMAT!r}, found the string "),
    ("manifest", "/files", [], "expected at least 1 of its parts, found an empty array"),
    ("manifest", "/files/0/sha256", "a" * 63, "expected 64 hex digits, found the string "),
    ("manifest", "/files/0/sha256", _GONE, "expected 64 hex digits, found nothing"),
    ("manifest", "/files/0/path", _GONE, "expected a string, found nothing"),
    ("manifest", "/files/0/bytes", NumberText("-1"), "expected 0 or more, found the number -1"),
    ("manifest", "/files/0/records", "40", "expected an integer or null, found the string '40'"),
    ("manifest", "/time_zone", NumberText("1"), "expected a string or null, found the number 1"),
    ("manifest_short", "/files/records.jsonl", "x", "expected 64 hex digits, found the string 'x'"),
    ("manifest_short", "/files", {}, "expected at least 1 of its parts, found an empty object"),
]


@pytest.mark.parametrize(
    ("name", "where", "value", "message"),
    WRONG_DOCUMENTS,
    ids=[f"{name}{where}-{n}" for n, (name, where, _, _) in enumerate(WRONG_DOCUMENTS)],
)
def test_a_wrong_document_is_refused_at_its_place(
    name: str, where: str, value: object, message: str
) -> None:
    (wrong,) = violations(changed(document(name), where, value), name_of(name))
    assert wrong.where == where
    assert wrong.message.startswith(message)


def test_a_typed_record_is_no_other_record() -> None:
    for kind in RECORD_TYPES:
        (wrong,) = violations({"type": kind}, "lighthouse/records/other")
        assert wrong.where == "/type"


# --- the record schemas and the strict reader --------------------------------------------------

VALUES = (
    '"x"', '""', "0", "-0", "7", "-7", "7.0", "7e2", "70e-1", "7.5", "1e-7", "true", "false",
    "null", "[]", "[1]", "{}", '{"input_per_m":"3"}', '{"context_tokens":7.5}', '"7"', "[null]",
)  # fmt: skip
NESTED = {
    "price": [f'{{"{key}":{value}}}' for key in PRICE for value in VALUES],
    "limits": [f'{{"{key}":{value}}}' for key in LIMITS for value in VALUES],
    "candidates": [f'[{{}},{{"{key}":{value}}}]' for key in CANDIDATE for value in VALUES],
}
BEST = {"text": '"x"', "flag": "true", "count": "1", "amount": "1", "rate": "1"}


def line_of(kind: str, top: dict[str, str], attrs: dict[str, str]) -> bytes:
    def written(members: dict[str, str]) -> str:
        return "{" + ",".join(f'"{key}":{value}' for key, value in members.items()) + "}"

    whole = {
        "type": f'"{kind}"',
        "deployment": '"quay"',
        "ts": '"2026-05-01T00:00:00Z"',
        "attrs": written(attrs),
    }
    kept = {key: value for key, value in {**whole, **top}.items() if value}
    return written(kept).encode()


def strictly_read(line: bytes) -> bool:
    try:
        read_line(line)
    except InvalidLine:
        return False
    return True


def agrees(kind: str, line: bytes) -> bool:
    accepted = violations(loads(line), record_schema(kind)) == []
    assert accepted is strictly_read(line), line
    return accepted


def required(kind: str) -> dict[str, str]:
    return {a.name: BEST[a.kind] for a in ATTRIBUTES[kind] if a.required}


@pytest.mark.parametrize(
    ("kind", "attribute"),
    [(kind, attribute) for kind, group in ATTRIBUTES.items() for attribute in group],
    ids=lambda value: value.name if isinstance(value, Attribute) else value,
)
def test_schema_and_strict_reader_take_the_same_values(kind: str, attribute: Attribute) -> None:
    outcomes = set()
    for value in (*VALUES, *NESTED.get(attribute.kind, ())):
        outcomes.add(agrees(kind, line_of(kind, {}, {**required(kind), attribute.name: value})))
    without = {key: value for key, value in required(kind).items() if key != attribute.name}
    assert agrees(kind, line_of(kind, {}, without)) is not attribute.required
    assert outcomes == {True, False}


@pytest.mark.parametrize("kind", RECORD_TYPES)
def test_schema_and_strict_reader_want_the_same_frame(kind: str) -> None:
    for key in ("deployment", "ts", "attrs"):
        for value in ("", *VALUES):  # an empty text leaves the member out
            agrees(kind, line_of(kind, {key: value}, required(kind)))


@pytest.mark.parametrize(
    "ts",
    [
        "2026-05-01T00:00:00Z",
        "2026-05-01t00:00:00.123456789z",
        "2026-05-01T00:00:00",
        "2026-05-01T00:00:00+05:45",
        "2026-05-01T00:00:00-0545",
        "2026-05-01T00:00Z",
        "2026-05-01 00:00:00Z",
        "2026-05-01T00:00:00,5Z",
        "2026-05-01T00:00:00.Z",
        "2026-05-01",
        "٢٠٢٦-05-01T00:00:00Z",
        "2026-05-01T00:00:00Z\\n",
        " 2026-05-01T00:00:00Z",
    ],
)
def test_schema_and_strict_reader_know_the_same_timestamps(ts: str) -> None:
    agrees("cost", line_of("cost", {"ts": f'"{ts}"'}, {}))


def test_what_a_record_schema_cannot_say() -> None:
    """Accepted by the schema and refused by the reader: README.md lists these."""
    for line in (
        line_of("model_call", {}, {"model": '"x"', "input_tokens": str(2**63)}),
        line_of("cost", {}, {"usd": "0." + "0" * 18 + "1"}),
        line_of("cost", {}, {"usd": "1e20"}),
        line_of("cost", {"ts": '"2026-02-30T00:00:00Z"'}, {}),
    ):
        record = loads(line)
        assert violations(record, record_schema(record["type"])) == []
        assert not strictly_read(line)


def test_patterns_mean_the_same_everywhere() -> None:
    """Anchored, and free of classes that other regular expressions take for other characters."""
    for name in names():
        for part in subschemas(schema(name)):
            pattern = part.get("pattern")
            if isinstance(pattern, str):
                assert pattern.startswith("^"), name
                assert pattern.endswith("$"), name
                assert not re.search(r"\\[dwsbDWSB]|\\p|\(\?[^:]", pattern), pattern
                assert part.get("title"), pattern
