"""The deep check: each rule on its line, whatever the processes, the sizes and the names."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.exports import record, write_bytes, write_export

from verify.errors import IntegrityFailure, UsageProblem
from verify.findings import KINDS
from verify.schemata import schema, violations
from verify.systems.base import Question, Reading
from verify.systems.lighthouse import deep
from verify.systems.lighthouse.export import LightHouseExport, open_export
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.trust import tap
from verify.trust.rfc8259 import LineReader
from verify.trust.strictjson import loads
from verify.trust.sweep import Block

SAMPLE = Path(__file__).resolve().parents[3] / "sample_exports" / "lighthouse"
AT = "2026-06-01T00:00:00Z"
CALL = record("model_call", "d", AT, model="m", outcome="ok")
DESPITE = Reading(cache=False, unverified=True, skip_invalid=True)

Json = dict[str, Any]


def seen(*lines: bytes, **renamed: str) -> deep.Tally:
    """What one block of these lines shows."""
    block = Block(b"\n".join(lines), "records.jsonl", 1, 1)
    return deep.look_at(tuple(sorted(renamed.items())), (block, deep.MAX_LISTED))


def messages(*lines: bytes, **renamed: str) -> list[tuple[int, str, str]]:
    return [(at.line, at.code, at.message) for at in seen(*lines, **renamed).faults]


def looked(place: Path, processes: int = 1, reading: Reading = DESPITE) -> Json:
    with open_export(place, reading) as export:
        return deep.look(export, {}, processes=processes)[0]


WRONG: list[tuple[bytes, str, str]] = [
    (b'{"type":"eval","attrs":{"a":1,}}', "deep_not_rfc8259", "a trailing comma, at column 31"),
    (b'{"type":"eval","attrs":{"a":NaN}}', "deep_not_rfc8259", "NaN or an infinity, found NaN"),
    (b'{"type":"eval"}{}', "deep_not_rfc8259", "not one object a line, something follows at co"),
    (b'{"type":"eval","a":"\xff"}', "deep_not_rfc8259", "not UTF-8, at byte 21"),
    (b'{"type":"eval","a":"\\ud800"}', "deep_not_rfc8259", "half of a surrogate pair, at column"),
    (b'{"type":"eval","a":"\x02"}', "deep_not_rfc8259", "a control character in a string, at co"),
    (b'{"type":"eval","a":01}', "deep_not_rfc8259", "not JSON, expecting ',' delimiter at colu"),
    (
        b'{"type":"eval","attrs":{"b":{"a":1,"a":1}}}',
        "deep_duplicate_key",
        "the key 'a' stands twice in one object",
    ),
    (b'{"type":"eval","a":' + b"[" * 501 + b"]" * 501 + b"}", "deep_unread", "nested more than 50"),
    (b"{}", "deep_schema", "type: expected a string, found nothing"),
    (b'{"type":null}', "deep_schema", "type: expected a string, found null"),
    (b'{"type":["model_call"]}', "deep_schema", "type: expected a string, found an array"),
    (
        record("cost", "d", "yesterday"),
        "deep_schema",
        "ts: expected an RFC 3339 timestamp, found a",
    ),
    (
        record("cost", "d", f"{AT}\n"),
        "deep_schema",
        "ts: expected an RFC 3339 timestamp, found a s",
    ),
    (
        record("model_call", "d", AT, outcome="ok"),
        "deep_schema",
        "attrs.model: expected a string, found nothing",
    ),
    (
        record("model_call", "d", AT, model="m", input_tokens=1.5),
        "deep_schema",
        "attrs.input_tokens: expected an integer or null, found a number that is no integer",
    ),
    (
        record("models", "d", AT, model="m", price={"input_per_m": "3"}),
        "deep_schema",
        "attrs.price.input_per_m: expected a number or null, found a string",
    ),
    (
        record("routing_decision", "d", AT, candidates=[{"model": "m"}, {"cost_usd": False}]),
        "deep_schema",
        "attrs.candidates[1].cost_usd: expected a number or null, found false",
    ),
    (
        record("routing_decision", "d", AT, candidates=[{}, 7]),
        "deep_schema",
        "attrs.candidates[1]: expected an object, found an integer",
    ),
    (
        b'{"type":"cost","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":[]}',
        "deep_schema",
        "attrs: expected an object, found an array",
    ),
]


@pytest.mark.parametrize(("line", "code", "message"), WRONG, ids=[m[:40] for *_, m in WRONG])
def test_what_is_wrong_is_said_of_its_line(line: bytes, code: str, message: str) -> None:
    ((number, found, said),) = messages(CALL, line, CALL)
    assert (number, found) == (2, code)
    assert said.startswith(message)
    assert KINDS[code].severity == "error"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \t\r",
        CALL + b"\r",
        record("eval", "d", "whenever", deep=[{"a": 1}, {"a": 1}]),
        b'{"type":"eval","deployment":7,"ts":{},"attrs":null}',
        b'{"type":"cost","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":{"usd":'
        b'0.100000000000000000000000000000000000000000000000000000000001,"more":1e999}}',
        b'{"type":"model_call","deployment":"d","ts":"2026-06-01T00:00:00","attrs":{"model":"m",'
        b'"input_tokens":1.000000000000000000000,"output_tokens":1e2,"cache_read_tokens":null,'
        b'"cache_write_tokens":' + b"9" * 6000 + b"}}",
    ],
)
def test_what_is_allowed(line: bytes) -> None:
    assert messages(line) == []


def test_an_integer_in_name_only() -> None:
    line = CALL.replace(b'"ok"', b'"ok", "input_tokens": 1.00000000000000000000001')
    ((_, code, message),) = messages(line)
    assert code == "deep_schema"
    assert "attrs.input_tokens: expected an integer or null" in message


def test_a_byte_order_mark_is_passed_over_at_the_beginning_only() -> None:
    assert messages(b"\xef\xbb\xbf" + CALL, CALL) == []
    assert [line for line, *_ in messages(CALL, b"\xef\xbb\xbf" + CALL)] == [2]


def test_a_line_can_break_several_rules() -> None:
    line = b'{"type":"cost","ts":5,"deployment":"d","attrs":{"usd":"1","x":1,"x":2}}'
    assert [(code, message) for _, code, message in messages(line)] == [
        ("deep_duplicate_key", "the key 'x' stands twice in one object"),
        ("deep_schema", "attrs.usd: expected a number or null, found a string"),
        ("deep_schema", "ts: expected an RFC 3339 timestamp, found an integer"),
    ]


def test_long_and_many_keys_make_short_messages() -> None:
    keys = ",".join(f'"{name}":1' for name in ("k" * 500, *"abcdefgh"))
    ((_, _, message),) = messages(f'{{"type":"eval",{keys},{keys}}}'.encode())
    assert "and 4 more each stand twice" in message
    assert len(message) < 200


def test_rules_name_no_value_and_no_position() -> None:
    lines = [
        record("routing_decision", "d", AT, candidates=[{}] * at + [{"cost_usd": "s3cret"}])
        for at in range(9)
    ]
    tally = seen(*lines)
    rule = "routing_decision attrs.candidates[].cost_usd: expected a number or null"
    assert tally.counts == {("deep_schema", rule): 9}
    assert tally.examples == {("deep_schema", rule): [1, 2, 3, 4, 5]}
    assert "s3cret" not in repr(tally)


def test_of_a_long_array_the_first_wrong_items_are_told() -> None:
    sound, wrong = {"model": "m"}, {"model": 5}
    line = record("routing_decision", "d", AT, candidates=[sound] * 40 + [wrong] * 40)
    ((_, _, message),) = messages(line)
    assert message.startswith("attrs.candidates[40].model: expected a string or null")
    line = record("routing_decision", "d", AT, candidates=[wrong] * 200_000, picked=7)
    assert len(messages(line)) == 6


def test_the_exports_own_names() -> None:
    line = record("model_call", "d", AT, modelName="m", cacheRead="7", cache_read_tokens="any")
    assert messages(line, model="modelName", cache_read_tokens="cacheRead") == [
        (1, "deep_schema", "attrs.cacheRead: expected an integer or null, found a string")
    ]
    assert messages(CALL, model="modelName") == [
        (1, "deep_schema", "attrs.modelName: expected a string, found nothing")
    ]


# --- against the schemas -----------------------------------------------------------------------


def test_the_record_schemas_ask_for_types_alone_of_a_number() -> None:
    """What stands in for a number that a float would round is only of the same type."""
    for kind in (*RECORD_TYPES, "other"):
        text = json.dumps(schema(f"lighthouse/records/{kind}"))
        for keyword in ("imum", "multipleOf", "anyOf", "oneOf", "if", "uniqueItems"):
            assert f'{keyword}":' not in text


leaves = (
    st.none() | st.booleans() | st.sampled_from(["x", "", AT, "2026-06-01T00:00:00+02:00"])
    | st.integers() | st.sampled_from([1.0, 1.5, -0.0, 1e300, 2**63, 10**30])
)  # fmt: skip
ATTRS = ("model", "price", "limits", "candidates", "usd", "complete", "size", "sample_rate", "id")
attrs = st.dictionaries(
    st.sampled_from(ATTRS),
    leaves
    | st.lists(leaves | st.dictionaries(st.sampled_from(["model", "cost_usd"]), leaves))
    | st.dictionaries(st.sampled_from(["input_per_m", "context_tokens"]), leaves),
)
records = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from([*RECORD_TYPES, *RECORD_TYPES, "eval", 5, None]),
        "deployment": st.just("d") | leaves,
        "ts": st.just(AT) | leaves,
        "attrs": attrs | leaves,
    },
)


def _longest(value: Any) -> int:
    """The length of the longest list anywhere in `value`."""
    if isinstance(value, list):
        return max([len(value), *(_longest(item) for item in value)])
    if isinstance(value, dict):
        return max([0, *(_longest(item) for item in value.values())])
    return 0


@settings(max_examples=150, deadline=None)
@given(records)
def test_the_fast_validator_says_what_the_exact_one_says(value: Json) -> None:
    raw = json.dumps(value).encode()
    assume(_longest(value) <= 5)  # of longer lists the first five are judged
    kind = value.get("type")
    known = kind if isinstance(kind, str) and kind in RECORD_TYPES else "other"
    exact = violations(loads(raw), f"lighthouse/records/{known}")
    found = [message.partition(":")[0] for _, _, message in messages(raw)]
    pointers = [v.where.removeprefix("/").replace("/", ".") for v in exact]
    assert sorted({path.replace("[", ".").replace("]", "") for path in found}) == sorted(pointers)


def test_a_reader_hands_out_what_the_validator_takes() -> None:
    (validator, *_) = deep._validators(()).values()
    value = LineReader().read(b'{"a":[1e999,-1e999,' + b"9" * 400 + b',1.5,true,null,"\\u0000"]}')
    assert validator.is_valid(value) is False  # and raises nothing


# --- a whole export ----------------------------------------------------------------------------


def test_the_sample_is_sound() -> None:
    with open_export(SAMPLE, Reading(cache=False)) as export:
        document, findings = deep.look(export, {})
        listed = export.check(Question()).document
    assert findings == ()
    assert document["rules"] == document["problems"] == []
    assert document["files"] == [{k: f[k] for k in ("path", "sha256")} for f in listed["files"]]
    assert document["records"] == sum(file["records"] for file in listed["files"])
    assert set(deep.COVERS) <= set(listed["not_checked"])


def uneven(lines: int) -> list[bytes]:
    odd = [line for line, *_ in WRONG if b"\n" not in line]
    return [odd[at // 7 % len(odd)] if at % 7 == 3 else CALL for at in range(lines)]


def test_the_number_of_processes_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bytes(
        tmp_path,
        {
            "records-1.jsonl": b"\n".join(uneven(1500)),
            "records-2.jsonl": b"\xef\xbb\xbf" + b"\r\n".join(uneven(700)),
        },
    )
    monkeypatch.setattr(tap, "BLOCK", 4096)
    one, two = looked(tmp_path), looked(tmp_path, 2)
    assert one == two
    assert one["lines"] == 2200
    assert sum(rule["count"] for rule in one["rules"]) == len(one["problems"])
    lines = [problem["line"] for problem in one["problems"]]
    assert lines == sorted(lines)
    assert {rule["code"] for rule in one["rules"]} == {code for code in KINDS if "deep_" in code}
    last = one["problems"][-1]
    assert last["where"] == f"records-2.jsonl, line {last['line'] - 1500}"
    monkeypatch.setattr(deep, "MAX_LISTED", 10)
    few, also_few = looked(tmp_path), looked(tmp_path, 2)
    assert few == also_few
    assert few["rules"] == one["rules"]
    assert few["problems"] == one["problems"][:10]
    assert few["problems_left_out"] == len(one["problems"]) - 10


def test_findings_count_by_code(tmp_path: Path) -> None:
    write_export(tmp_path, uneven(200))
    with open_export(tmp_path, DESPITE) as export:
        document, findings = deep.look(export, {})
    for finding in findings:
        rules = [rule for rule in document["rules"] if rule["code"] == finding.code]
        lines = [at["line"] for at in document["problems"] if at["code"] == finding.code]
        assert finding.count == sum(rule["count"] for rule in rules) == len(lines)
        assert finding.examples == tuple(sorted(set(lines))[:5])
        assert finding.severity == "error"


def test_a_line_too_long_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tap, "BLOCK", 1024)
    monkeypatch.setattr(tap, "MAX_LINE", 4096)
    lines = [CALL, CALL, b'{"a":"' + b"x" * 9000 + b'"}', CALL, b"{"]
    write_bytes(tmp_path, {"r1.jsonl": b"\n".join(lines), "r2.jsonl": CALL + b"\n{"})
    found = looked(tmp_path)
    assert [(at["code"], at["where"]) for at in found["problems"]] == [
        ("deep_unread", "r1.jsonl, line 3"),
        ("deep_not_rfc8259", "r2.jsonl, line 2"),
    ]


def test_it_must_read_the_same_bytes(tmp_path: Path) -> None:
    write_export(tmp_path, [CALL, CALL])
    with open_export(tmp_path, Reading(cache=False)) as export:
        (tmp_path / "records.jsonl").write_bytes(CALL + b"\n")
        with pytest.raises(IntegrityFailure) as caught:
            deep.look(export, {})
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("file_digest", "records.jsonl")


def test_an_empty_export(tmp_path: Path) -> None:
    write_bytes(tmp_path, {"records.jsonl": b""})
    assert looked(tmp_path)["lines"] == 0


def test_without_the_validator_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_export(tmp_path, [CALL])
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    with open_export(tmp_path, Reading(cache=False)) as export:
        assert isinstance(export, LightHouseExport)
        with pytest.raises(UsageProblem, match="jsonschema-rs") as caught:
            deep.look(export, {})
    assert "pip install 'verify-savings[deep]'" in caught.value.advice
