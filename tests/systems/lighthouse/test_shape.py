"""The shape of an export: every field and form, no value, and names that look alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.exports import record, write_bytes, write_export

from verify.errors import IntegrityFailure
from verify.systems.base import Reading
from verify.systems.lighthouse import seen, shape
from verify.systems.lighthouse.alike import LEAST, Named, likeness, paired_off, words
from verify.systems.lighthouse.export import open_export
from verify.systems.lighthouse.fields import ATTRIBUTES, CANDIDATE, LIMITS, PRICE, RECORD_TYPES, TOP
from verify.systems.lighthouse.forms import lenient, look_of
from verify.trust import tap

SAMPLE = Path(__file__).resolve().parents[3] / "sample_exports" / "lighthouse"
AT = "2026-06-01T00:00:00Z"
DESPITE = Reading(cache=False, unverified=True, skip_invalid=True)

Json = dict[str, Any]


def looked(place: Path, fields: dict[str, str] | None = None, processes: int = 1) -> Json:
    with open_export(place, DESPITE) as export:
        return shape.look(export, fields or {}, processes=processes)[0]


def of(tmp_path: Path, *lines: bytes, **fields: str) -> Json:
    return looked(write_export(tmp_path, lines), fields)


def kind(document: Json, name: str | None) -> Json:
    (found,) = [entry for entry in document["types"] if entry["type"] == name]
    assert isinstance(found, dict)
    return found


def field(document: Json, name: str | None, path: str) -> Json:
    (found,) = [row for row in kind(document, name)["fields"] if row["field"] == path]
    assert isinstance(found, dict)
    return found


# --- forms -------------------------------------------------------------------------------------

FORMS: list[tuple[str, str, str, int]] = [
    ("null", "null", "null", 0),
    ("true", "boolean", "true or false", 0),
    ("0", "integer", "integer", 1),
    ("-120", "integer", "negative integer", 3),
    ("9" * 50, "integer", "integer", 50),
    ("1.50", "number", "number", 2),
    ("-0.125", "number", "negative number", 3),
    ("1.5e9", "number", "number with an exponent", 0),
    ("NaN", "number", "NaN or an infinity, which is no JSON", 0),
    ("-Infinity", "number", "NaN or an infinity, which is no JSON", 0),
    ("[1,2]", "array", "array", 2),
    ('{"a":1}', "object", "object", 1),
    ('""', "string", "empty", 0),
    ('"2026-06-01T00:00:00Z"', "string", "timestamp with Z", 0),
    ('"2026-06-01t00:00:00.123456789z"', "string", "timestamp with Z", 0),
    ('"2026-06-01T00:00:00+02:00"', "string", "timestamp with offset", 0),
    ('"2026-06-01 00:00:00.5 -0530"', "string", "timestamp with offset", 0),
    ('"2026-06-01T00:00"', "string", "timestamp without offset", 0),
    ('"2026-06-01"', "string", "date", 0),
    ('"1717200000"', "string", "digits in a string", 10),
    ('"-5"', "string", "digits in a string", 1),
    ('"0.25"', "string", "decimal in a string", 0),
    ('"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"', "string", "uuid-like", 0),
    (f'"{"0a" * 32}"', "string", "hex-64", 0),
    (f'"{"0A" * 20}"', "string", "hex-40", 0),
    (f'"{"fe" * 16}"', "string", "hex-32", 0),
    ('"gpt-6/mini"', "string", "word", 10),
    ('"caf\\u00e9"', "string", "word", 4),
    ('"two words"', "string", "text", 9),
    ('"a\\nb"', "string", "text", 3),
    ('"2026-06-01T00:00:00Z\\n"', "string", "text", 21),
]


@pytest.mark.parametrize(("text", "type_", "form", "size"), FORMS, ids=[f[0][:24] for f in FORMS])
def test_each_form(text: str, type_: str, form: str, size: int) -> None:
    look = look_of(lenient()(text))
    assert (look.type, look.form, look.size) == (type_, form, size)


def test_sizes_are_ranges(tmp_path: Path) -> None:
    numbers = ["7", "1234", "-12", "0.5", "0.125", "1e3", "null", '"ab"', '"abcd"', "[]", "[1]"]
    lines = [f'{{"type":"eval","attrs":{{"x":{number}}}}}'.encode() for number in numbers]
    row = field(of(tmp_path, *lines), "eval", "attrs.x")
    assert row["types"] == {
        "integer": 3, "number": 3, "array": 2, "string": 2, "null": 1,
    }  # fmt: skip
    assert row["forms"] == {
        "array with 0 to 1 items": 2,
        "integer of 1 to 4 digits": 2,
        "number with 1 to 3 decimals": 2,
        "word of 2 to 4 characters": 2,
        "negative integer of 2 digits": 1,
        "null": 1,
        "number with an exponent": 1,
    }
    assert (row["present"], row["of"], row["contract"]) == (11, 11, "unread")


# --- the contract ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORD_TYPES)
def test_what_is_expected_is_the_table_of_fields(name: str) -> None:
    expected = {shape.dotted(at.path): at for at in shape.contract(name)}
    nested = {"price": PRICE, "limits": LIMITS}
    wanted = set(TOP)
    for attribute in ATTRIBUTES[name]:
        path = f"attrs.{attribute.name}"
        assert expected[path].stated is attribute.stated
        assert expected[path].required is attribute.required
        wanted |= {path, *(f"{path}.{inner}" for inner in nested.get(attribute.kind, ()))}
        if attribute.kind == "candidates":
            wanted |= {f"{path}[]", *(f"{path}[].{inner}" for inner in CANDIDATE)}
    assert set(expected) == wanted
    assert all(expected[name].required for name in TOP)


def test_the_sample_has_what_is_expected_and_nothing_unknown() -> None:
    with open_export(SAMPLE, Reading(cache=False)) as export:
        document, findings = shape.look(export, {})
    assert findings == ()
    assert document["unreadable_lines"] == 0
    for name in RECORD_TYPES:
        rows = kind(document, name)["fields"]
        assert {row["contract"] for row in rows} == {"expected"}
        assert all(row["present"] for row in rows if row["basis"] == "stated")
    assert document["suggested_fields"] == {}
    others = [entry for entry in document["types"] if not entry["read"]]
    assert others
    assert sum(entry["records"] for entry in document["types"]) == document["records"]


def test_fields_unknown_and_never_seen(tmp_path: Path) -> None:
    document = of(
        tmp_path,
        record("model_call", "d", AT, model="m", cacheReadTokens=512, CacheWriteTokens=1, tokens=3),
        record("model_call", "d", AT, model="m", cacheReadTokens=7, usage={"outputTokens": 3}),
        record(
            "routing_decision", "d", AT, candidates=[{"model": "a"}, {"costUsd": 1, "model": 1}]
        ),
    )
    wanted = field(document, "model_call", "attrs.cache_read_tokens")
    assert wanted["present"] == 0
    assert (wanted["basis"], wanted["required"]) == ("stated", False)
    assert wanted["looks_like"] == "attrs.cacheReadTokens"
    found = field(document, "model_call", "attrs.cacheReadTokens")
    assert (found["contract"], found["present"], found["of"]) == ("unknown", 2, 2)
    assert (found["basis"], found["required"], found["looks_like"]) == (None, None, None)
    write = field(document, "model_call", "attrs.cache_write_tokens")
    assert write["looks_like"] == "attrs.CacheWriteTokens"
    output = field(document, "model_call", "attrs.output_tokens")
    assert output["looks_like"] == "attrs.usage.outputTokens"
    assert field(document, "model_call", "attrs.pack")["looks_like"] is None
    cost = field(document, "routing_decision", "attrs.candidates[].cost_usd")
    assert (cost["looks_like"], cost["of"]) == ("attrs.candidates[].costUsd", 2)
    items = field(document, "routing_decision", "attrs.candidates[]")
    assert (items["present"], items["of"]) == (2, 1)
    # Only attributes themselves can be renamed.
    assert document["suggested_fields"] == {
        "cache_read_tokens": "cacheReadTokens",
        "cache_write_tokens": "CacheWriteTokens",
    }


def test_parts_of_what_is_never_seen_are_not_listed(tmp_path: Path) -> None:
    document = of(tmp_path, record("models", "d", AT, model="m", price=None))
    paths = [row["field"] for row in kind(document, "models")["fields"]]
    assert "attrs.limits" in paths
    assert not [path for path in paths if path.startswith(("attrs.limits.", "attrs.price."))]


def test_types_never_seen(tmp_path: Path) -> None:
    document = of(tmp_path, record("modelCall", "d", AT), record("heartbeat", "d", AT))
    assert kind(document, "model_call")["looks_like"] == "modelCall"
    assert kind(document, "models")["looks_like"] is None
    assert (kind(document, "cost")["records"], kind(document, "cost")["fields"]) == (0, [])
    assert kind(document, "heartbeat")["read"] is False


def test_the_exports_own_names(tmp_path: Path) -> None:
    line = record("model_call", "d", AT, model="m", cacheRead=5, cache_read_tokens="x")
    document = of(tmp_path, line, cache_read_tokens="cacheRead")
    row = field(document, "model_call", "attrs.cacheRead")
    assert (row["contract"], row["stands_for"]) == ("expected", "cache_read_tokens")
    assert field(document, "model_call", "attrs.cache_read_tokens")["contract"] == "unknown"


def test_one_name_for_two_types_is_suggested_only_if_it_is_the_same(tmp_path: Path) -> None:
    document = of(
        tmp_path,
        record("model_call", "d", AT, model="m", agentName="a", packId="p"),
        record("retrieval", "d", AT, agent_="a", pack="p", Index="i"),
        record("routing_decision", "d", AT, Agent="a"),
    )
    assert field(document, "model_call", "attrs.agent")["looks_like"] == "attrs.agentName"
    assert field(document, "routing_decision", "attrs.agent")["looks_like"] == "attrs.Agent"
    assert field(document, "model_call", "attrs.pack")["looks_like"] == "attrs.packId"
    # agent has three names, and one type has pack by its own.
    assert document["suggested_fields"] == {"index": "Index"}


# --- hostile and broken lines ------------------------------------------------------------------


def test_lines_that_the_ordinary_reading_refuses_are_looked_at(tmp_path: Path) -> None:
    document = of(
        tmp_path,
        b'{"type":"model_call","deployment":"d","ts":1780000000,"attrs":{"model":5}}',
        b'{"type":"model_call","attrs":{"input_tokens":NaN,"a":1,"a":"x"}}',
        b'{"type":"model_call","attrs":"none"}',
        b"not json",
        b"[]",
        b"",
        b'{"a":' + b"[" * 2000,
        b'{"no":"type"}',
        b'{"type":7}',
    )
    assert (document["records"], document["unreadable_lines"]) == (5, 3)
    assert field(document, "model_call", "ts")["forms"] == {"integer of 10 digits": 1}
    assert field(document, "model_call", "attrs")["types"] == {"object": 2, "string": 1}
    assert field(document, "model_call", "attrs.a")["types"] == {"string": 1}
    assert kind(document, None)["records"] == 2


def test_many_fields_and_types_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "MAX_FIELDS", 20)
    monkeypatch.setattr(seen, "MAX_TYPES", 3)
    many = {f"key_{at}": 1 for at in range(50)}
    lines = [record("model_call", "d", AT, **many, model="m"), record("eval", "d", AT, x=1)]
    lines += [record(f"type_{at}", "d", AT) for at in range(9)]
    document = of(tmp_path, *lines)
    found = kind(document, "model_call")
    unknown = [row for row in found["fields"] if row["contract"] == "unknown"]
    assert (found["full"], len(unknown)) == (True, 20)
    assert field(document, "model_call", "attrs.model")["present"] == 1
    assert kind(document, "eval")["full"] is False
    shown = sum(entry["records"] for entry in document["types"])
    assert shown + document["records_left_out"] == document["records"] == len(lines)


def test_names_that_could_be_misread_are_quoted(tmp_path: Path) -> None:
    lines = [record("eval", "d", AT, **{"a.b": 1, "": 2, "x[]": 3, "k" * 500: 4, 'q"': {"c": 1}})]
    paths = [row["field"] for row in kind(of(tmp_path, *lines), "eval")["fields"]]
    assert paths[4:] == [
        'attrs."a.b"', 'attrs.""', 'attrs."x[]"', f"attrs.{'k' * 117 + '...'}".replace(
            f"{'k' * 117}...", f'"{"k" * 117}..."'
        ), 'attrs."q\\""', 'attrs."q\\"".c',
    ]  # fmt: skip


def test_depth_is_bounded(tmp_path: Path) -> None:
    deep: Json = {}
    for _ in range(30):
        deep = {"x": deep}
    document = of(tmp_path, record("eval", "d", AT, **deep))
    paths = [row["field"] for row in kind(document, "eval")["fields"]]
    assert max(path.count(".x") for path in paths) == seen.MAX_LEVELS - 1


SECRETS = ["s3cret", "tell nobody", "4242424242424242", "2026-06-01T00:00:01Z", 987654321, 0.123456]


def test_no_value_is_ever_shown(tmp_path: Path) -> None:
    lines = [
        record("model_call", str(value), str(value), model=value, x=value, y=[value, {"x": value}])
        for value in SECRETS
    ]
    text = json.dumps(of(tmp_path, *lines))
    for value in SECRETS:
        assert str(value) not in text


def test_the_number_of_processes_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap, "BLOCK", 4096)
    lines = [
        record(
            "model_call", "d", AT, **{f"k{at % 90}": at, "x": [{"y": "z" * (at % 40)}] * (at % 5)}
        )
        for at in range(700)
    ]
    lines[300:300] = [b"no", b'{"type":"eval","attrs":{"k":NaN}}', b""]
    write_bytes(tmp_path, {"a.jsonl": b"\n".join(lines), "b.jsonl": lines[0]})
    assert looked(tmp_path) == looked(tmp_path, processes=2)


def test_it_must_read_the_same_bytes(tmp_path: Path) -> None:
    write_export(tmp_path, [record("eval", "d", AT)])
    with open_export(tmp_path, Reading(cache=False)) as export:
        (tmp_path / "records.jsonl").write_bytes(b"{}\n")
        with pytest.raises(IntegrityFailure):
            shape.look(export, {})


# --- likeness ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["cacheReadTokens", "CacheReadTokens", "CACHE_READ_TOKENS", "cache-read-tokens",
     "cache.read.tokens", "tokensCacheRead"],
)  # fmt: skip
def test_the_same_words_are_the_same_name(name: str) -> None:
    assert likeness(Named("cache_read_tokens"), Named(name)) == 1


@pytest.mark.parametrize(
    ("wanted", "other"),
    [
        ("pack", "agent"),
        ("input_tokens", "latency_ms"),
        ("id", "kind"),
        ("model", ""),
        ("usd", "ü"),
    ],
)
def test_other_names_are_not_alike(wanted: str, other: str) -> None:
    assert likeness(Named(wanted), Named(other)) < LEAST


def test_words() -> None:
    assert words("HTTPServerURL2_count") == ("http", "server", "url", "2", "count")
    assert words("größeMax") == ("größe", "max")


def test_types_and_places_tip_the_scale() -> None:
    wanted = Named("input_tokens", frozenset({"integer"}), "attrs")
    strings = Named("inputTokens", frozenset({"string"}), "attrs")
    deeper = Named("inputTokens", frozenset({"integer"}), "attrs.usage")
    here = Named("inputTokens", frozenset({"integer"}), "attrs")
    assert likeness(wanted, here) > likeness(wanted, deeper) > likeness(wanted, strings) > LEAST
    number = Named("usd", frozenset({"number"}))
    assert likeness(number, Named("usd", frozenset({"integer"}))) == 1


def test_no_name_is_suggested_twice() -> None:
    wanted = {name: Named(name) for name in ("cache_read_tokens", "cache_write_tokens")}
    assert paired_off(wanted, {"r": Named("cacheReadTokens")}) == {"cache_read_tokens": "r"}


@settings(max_examples=100, deadline=None)
@given(st.text(), st.text())
def test_likeness_of_any_names(one: str, other: str) -> None:
    assert 0 <= likeness(Named(one), Named(other)) <= 1
