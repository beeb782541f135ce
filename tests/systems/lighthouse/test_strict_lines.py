"""The strict line reader against an independent one: both refuse a line, or read the same in it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.exports import random_export
from oracle.records import (
    Call,
    Cost,
    Decision,
    ModelLine,
    Other,
    Price,
    Profile,
    Record,
    Search,
)
from oracle.test_oracle_selftest import INVALID_LINES
from trust.judged import EPOCH, SMALL_T, is_blank, record_of
from trust.mutations import NUMBERS, TIMESTAMPS, mutated

from verify.systems.lighthouse.fields import FINER, LINE
from verify.systems.lighthouse.strict import InvalidLine, read_line

CALL = b'{"type":"model_call","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":{"model":"m"%s}}'
COST = b'{"type":"cost","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":{"usd":%s}}'
SEARCH = b'{"type":"retrieval","deployment":"d","ts":"%s","attrs":{%s}}'


# --- what each side read, in one form ---------------------------------------------------------


def seconds_of(text: str, finer: str) -> Fraction:
    """The instant that a canonical line carries, digits beyond the microsecond included."""
    at = datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)
    micro = (at - EPOCH) // timedelta(microseconds=1)
    return Fraction(micro, 10**6) + Fraction(int(finer or "0"), 10 ** (6 + len(finer)))


def amount(value: str | None) -> Fraction | None:
    return None if value is None else Fraction(value)


def reported(value: int | None) -> int | None:
    return None if value is None or value < 0 else value


def of_canonical(text: str) -> tuple[Any, ...]:
    """The values of a canonical line, under the names that the records of the oracle have."""
    document = json.loads(text)
    kind, attrs = document["type"], document.get("attrs", {})
    if kind not in READ:
        return ("other", kind)
    when = seconds_of(document["ts"], attrs.get(FINER, ""))
    return (kind, document["deployment"], when, not document["ts"].endswith("Z"), READ[kind](attrs))


def model_values(attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    limits, price = attrs.get("limits", {}), attrs.get("price")
    window = limits.get("context_tokens", limits.get("context_window"))
    names = ("input_per_m", "output_per_m", "cache_read_per_m", "cache_write_per_m")
    return (
        attrs["model"],
        window if window is not None and window > 0 else None,
        None if price is None else Price(*(amount(price.get(name)) for name in names)),
        attrs.get("provider"),
        attrs["snapshot"],
        attrs.get("complete"),
        attrs.get("size"),
    )


def call_values(attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    counts = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    texts = ("model", "pack", "outcome", "id", "agent", "provider")
    return (*map(attrs.get, texts), *(reported(attrs.get(name)) for name in counts))


def search_values(attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    texts = ("pack", "id", "agent", "index", "model")
    counts = ("corpus_tokens_in_scope", "context_tokens_sent")
    return (*map(attrs.get, texts), *map(attrs.get, counts), amount(attrs.get("sample_rate")))


def decision_values(attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    candidates = [(c["model"], amount(c["cost_usd"])) for c in attrs.get("candidates", [])]
    texts = ("picked", "baseline", "id", "agent", "pack")
    return (candidates, attrs.get("applied", True), *map(attrs.get, texts))


def profile_values(attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    return (attrs.get("profile"), amount(attrs.get("always_on_usd_per_hour")))


def cost_values(attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    return (attrs.get("kind"), amount(attrs.get("usd")))


READ = {
    "models": model_values,
    "model_call": call_values,
    "retrieval": search_values,
    "routing_decision": decision_values,
    "deployment_profile": profile_values,
    "cost": cost_values,
}


def of_record(record: Record) -> tuple[Any, ...]:
    """The same of a record of the oracle's."""
    if isinstance(record, Other):
        return ("other", record.type)
    kind, values = oracle_values(record)
    return (kind, record.deployment, record.ts.seconds, record.ts.naive, values)


def oracle_values(record: Record) -> tuple[str, tuple[Any, ...]]:
    match record:
        case ModelLine(_, ts, model, window, price, provider, snapshot, complete, size):
            known = ts.text if snapshot is None else snapshot
            return "models", (model, window, price, provider, known, complete, size)
        case Call(_, _, model, pack, outcome, i, o, r, w, id_, agent, provider):
            return "model_call", (model, pack, outcome, id_, agent, provider, i, o, r, w)
        case Search(_, _, pack, corpus, sent, rate, id_, agent, index, model):
            return "retrieval", (pack, id_, agent, index, model, corpus, sent, rate)
        case Decision(_, _, candidates, picked, baseline, applied, id_, agent, pack):
            listed = [(c.model, c.cost) for c in candidates]
            return "routing_decision", (listed, applied, picked, baseline, id_, agent, pack)
        case Profile(_, _, profile, hourly):
            return "deployment_profile", (profile, hourly)
        case Cost(_, _, kind, usd):
            return "cost", (kind, usd)
        case _:
            raise AssertionError(record)


def strictly(raw: bytes) -> tuple[Any, ...] | None:
    """What the package reads in a line; None when it refuses it."""
    try:
        canonical = read_line(raw, line=7)
    except InvalidLine:
        return None
    assert canonical is not None
    assert json.loads(canonical)["attrs"][LINE] == "7"
    assert "\n" not in canonical
    return of_canonical(canonical)


def as_the_oracle(raw: bytes) -> tuple[Any, ...] | None:
    """What the oracle reads in a line; None when it refuses it."""
    record = record_of(raw)
    return None if record is None else of_record(record)


def assert_alike(raw: bytes) -> bool:
    """Whether both accept it; they must not part."""
    if SMALL_T.search(raw):
        return False  # RFC 3339 allows it and the oracle does not know: see the test of its own
    if is_blank(raw):
        assert read_line(raw) is None
        return False
    expected = as_the_oracle(raw)
    assert strictly(raw) == expected, raw
    return expected is not None


# --- the tests -------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", INVALID_LINES.values(), ids=INVALID_LINES.keys())
def test_a_line_that_the_oracle_refuses_is_refused(raw: bytes) -> None:
    if raw:
        with pytest.raises(InvalidLine):
            read_line(raw)
    else:
        assert read_line(raw) is None


@pytest.mark.parametrize("blank", [b"", b" ", b"\t \r", b"\r", b"  \n"])
def test_a_blank_line_is_no_record(blank: bytes) -> None:
    assert read_line(blank) is None


def test_generated_exports_are_read_alike() -> None:
    lines = [line for seed in range(25) for line in random_export(seed, bursts=40).lines]
    assert len(lines) > 1500
    assert sum(map(assert_alike, lines)) == len(lines)


def test_mutated_lines_are_read_alike() -> None:
    rng = random.Random("strict lines")
    pool = [line for seed in range(100, 112) for line in random_export(seed, bursts=30).lines]
    accepted = sum(assert_alike(mutated(rng, rng.choice(pool))) for _ in range(15_000))
    assert 3_000 < accepted < 12_000  # both ways often enough to mean something


@pytest.mark.parametrize("place", ["count", "amount", "rate"])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_read_alike_wherever_it_stands(number: str, place: str) -> None:
    written = number.encode()
    if place == "count":
        assert_alike(CALL % (b',"input_tokens":' + written))
    elif place == "amount":
        assert_alike(COST % written)
    else:
        assert_alike(SEARCH % (b"2026-06-01T00:00:00Z", b'"sample_rate":' + written))


@pytest.mark.parametrize("ts", TIMESTAMPS)
def test_a_timestamp_is_read_alike(ts: str) -> None:
    assert_alike(SEARCH % (ts.encode(), b""))


def test_a_small_t_and_a_small_z_are_the_large_ones() -> None:
    small, large = SEARCH % (b"2026-06-10t12:00:00z", b""), SEARCH % (b"2026-06-10T12:00:00Z", b"")
    assert strictly(small) == strictly(large) == as_the_oracle(large)


@pytest.mark.parametrize(
    "number",
    [
        b"1e-00000999999999",
        b"1e+00000999999999",
        b"1e" + b"9" * 5000,
        b"1e-" + b"9" * 5000,
        b"-1e401",
        b"1" * 1001,
        b"0." + b"1" * 1000,
    ],
)
def test_a_number_out_of_all_proportion_is_refused_at_once(number: bytes) -> None:
    """Written out it could fill the memory."""
    for line in (
        CALL % (b',"input_tokens":' + number),
        COST % number,
        SEARCH % (b"2026-06-01T00:00:00Z", b'"sample_rate":' + number),
    ):
        with pytest.raises(InvalidLine, match="of any sensible size"):
            read_line(line)


@pytest.mark.parametrize("zero", [b"0e999999", b"-0.000e-999999", b"0." + b"0" * 5000])
def test_nothing_is_nothing_whatever_its_exponent(zero: bytes) -> None:
    assert json.loads(read_line(COST % zero) or "")["attrs"]["usd"] == "0"
    line = CALL % (b',"input_tokens":' + zero)
    assert json.loads(read_line(line) or "")["attrs"]["input_tokens"] == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1]", "expected one JSON object, found an array"),
        (b"\xff", "not UTF-8 at byte 1"),
        (b'{"a":1', "not one JSON object"),
        (b"[" * 5000, "nested too deeply"),
        (b'{"type":5}', "type: expected a string, found the number 5"),
        (CALL.replace(b'"d"', b"null") % b"", "deployment: expected a string, found null"),
        (CALL.replace(b"2026", b"2O26") % b"", "ts: expected an RFC 3339 timestamp"),
        (CALL.replace(b"06-01", b"06-31") % b"", "ts: no such instant"),
        (
            CALL % b',"input_tokens":1.5',
            "attrs.input_tokens: expected an integer, found the number 1.5",
        ),
        (CALL % b',"input_tokens":"5"', "attrs.input_tokens: expected an integer, found a string"),
        (CALL % b',"input_tokens":NaN', "attrs.input_tokens: expected an integer, found NaN"),
        (CALL % b',"input_tokens":9e18', None),
        (CALL % b',"input_tokens":1e19', "attrs.input_tokens: expected an integer of 64 bits"),
        (CALL % b',"pack":"a","pack":"b"', "the key 'pack' stands twice in attrs"),
        (CALL % b',"pack":"\\ud83d"', "attrs.pack: half of a surrogate pair"),
        (COST % b"1e-19", "attrs.usd: expected at most 18 decimals"),
        (COST % b"1e20", "attrs.usd: expected an amount below 10"),
        (COST % b'{"usd":1}', "attrs.usd: expected a number, found an object"),
    ],
)
def test_a_refusal_says_what_was_expected_and_found(line: bytes, reason: str | None) -> None:
    if reason is None:
        assert read_line(line) is not None
        return
    with pytest.raises(InvalidLine) as caught:
        read_line(line)
    assert caught.value.reason.startswith(reason)
    assert len(caught.value.reason) < 150


def test_a_record_that_no_lever_reads_keeps_what_is_well_formed() -> None:
    kept = read_line(b'{"type":"eval","ts":"2026-06-01T02:00:00+02:00","deployment":5,"attrs":[]}')
    assert json.loads(kept or "") == {"type": "eval", "ts": "2026-06-01T00:00:00.000000Z"}


def test_our_own_keys_in_an_export_carry_nothing() -> None:
    line = CALL % b',"verify:line":"99","verify:finer":"99","verify:line":1'
    attrs = json.loads(read_line(line, line=7) or "")["attrs"]
    assert attrs == {"model": "m", LINE: "7"}


def test_other_names_are_read_in_the_place_of_the_contract_s() -> None:
    names = {"input_tokens": "in", "pack": "input_tokens"}
    attrs = json.loads(read_line(CALL % b',"in":5,"input_tokens":"p","pack":0', names) or "")[
        "attrs"
    ]
    assert attrs == {"model": "m", "input_tokens": 5, "pack": "p"}
    for twice in (b',"in":5,"in":5', b',"input_tokens":"p","input_tokens":"p"'):
        with pytest.raises(InvalidLine, match="stands twice"):
            read_line(CALL % twice, names)
    assert read_line(CALL % b',"pack":1,"pack":2', names) is not None


DIGITS = st.text("0123456789", min_size=1, max_size=40)


@given(
    sign=st.sampled_from(["", "-"]),
    whole=DIGITS,
    decimals=st.one_of(st.just(""), DIGITS),
    exponent=st.one_of(st.none(), st.integers(-60, 60)),
)
@example("", "0", "1", -400)
@example("", "1", "", 400)
@settings(max_examples=300, deadline=None)
def test_any_number_is_read_alike(
    sign: str, whole: str, decimals: str, exponent: int | None
) -> None:
    power = "" if exponent is None else f"e{exponent}"
    number = f"{sign}{whole.lstrip('0') or '0'}{'.' if decimals else ''}{decimals}{power}".encode()
    assert_alike(CALL % (b',"input_tokens":' + number))
    assert_alike(COST % number)
    assert_alike(SEARCH % (b"2026-06-01T00:00:00Z", b'"sample_rate":' + number))


@given(st.text(max_size=12), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_alike(text: str, escapes: bool) -> None:
    value = json.dumps(text, ensure_ascii=escapes).encode("utf-8", "surrogatepass")
    assert_alike(CALL % (b',"pack":' + value))
    assert_alike(b'{"type":' + value + b"}")


@given(
    st.datetimes(timezones=st.just(UTC)),
    st.integers(-1439, 1439),
    st.text("0123456789", max_size=12),
)
@settings(max_examples=200, deadline=None)
def test_any_instant_is_read_alike(at: datetime, minutes: int, fraction: str) -> None:
    hours, rest = divmod(abs(minutes), 60)
    offset = f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"
    clock = at.strftime("%m-%dT%H:%M:%S")
    dot = "." if fraction else ""
    assert_alike(SEARCH % (f"{at.year:04}-{clock}{dot}{fraction}{offset}".encode(), b""))
