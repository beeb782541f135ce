"""The schemas of this program's own outputs, and that the outputs keep to them."""

import hashlib
import json
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verify
from verify.cli.check import failure_document
from verify.compare.run import run_diff
from verify.compare.verdicts import Tolerance
from verify.errors import IntegrityFailure
from verify.exact import plain
from verify.findings import KINDS, SEVERITIES
from verify.render.jsontext import dumps
from verify.result import Recomputation
from verify.schemata import names, schema, violations
from verify.systems import system_named
from verify.systems.base import Question
from verify.systems.lighthouse.measures import DIMENSIONS, LEVERS, MEASURES
from verify.systems.lighthouse.method import SWITCHES
from verify.trust.strictjson import loads

DOCUMENTS = Path(__file__).parent / "documents"
OUTPUTS = [name for name in names() if name.startswith("outputs/")]
DIMENSION_NAMES = sorted({name for group in DIMENSIONS.values() for name in group})

Json = dict[str, Any]
Place = tuple[str | int, ...]


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny export with a manifest of its own."""
    place = tmp_path_factory.mktemp("export")
    return exported(place, (DOCUMENTS / "records.jsonl").read_bytes())


def exported(place: Path, records: bytes) -> Path:
    (place / "records.jsonl").write_bytes(records)
    manifest = {
        "format": "lighthouse-export/1",
        "tenant": "harbour",
        "time_zone": "Europe/Dublin",
        "files": [{"path": "records.jsonl", "sha256": hashlib.sha256(records).hexdigest()}],
    }
    (place / "manifest.json").write_text(json.dumps(manifest))
    return place


def recomputed(export: Path, **question: Any) -> Recomputation:
    with verify.open_export(export, cache=False) as opened:
        return verify.recompute(opened, **{"period": "2026-05", **question})


def checked(export: Path, **reading: Any) -> Json:
    with verify.open_export(export, cache=False, **reading) as opened:
        return opened.check(Question()).as_json()


@pytest.fixture(scope="module")
def recomputation(export: Path) -> Json:
    return recomputed(export, by=DIMENSION_NAMES).as_json()


@pytest.fixture(scope="module")
def check(export: Path) -> Json:
    return checked(export)


@pytest.fixture(scope="module")
def failed_check(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """What is printed of an export that has a line that is no JSON."""
    place = exported(tmp_path_factory.mktemp("failed"), b'{"type":"heartbeat"}\nnot json\n')
    with pytest.raises(IntegrityFailure) as caught:
        checked(place)
    return failure_document(caught.value)


def document(name: str) -> Any:
    return loads((DOCUMENTS / f"{name}.json").read_bytes())


def at(value: Any, place: Place) -> Any:
    for part in place:
        value = value[part]
    return value


def objects(value: Any, place: Place = ()) -> Iterator[Place]:
    """Where the objects of a document stand."""
    if isinstance(value, dict):
        yield place
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield from objects(item, (*place, key))


def pointer(place: Place) -> str:
    return "".join(f"/{part}" for part in place)


# --- the schemas and the code ------------------------------------------------------------------


def test_a_definition_of_one_name_is_the_same_in_every_output() -> None:
    seen: dict[str, tuple[str, Json]] = {}
    for name in OUTPUTS:
        for key, part in schema(name)["$defs"].items():
            if key == "row":  # a row of a breakdown here, of a tie-out there
                continue
            first, found = seen.setdefault(key, (name, part))
            assert part == found, (key, name, first)


def test_the_recomputation_schema_has_every_switch_with_its_values() -> None:
    properties = schema("outputs/recompute")["$defs"]["lighthouse_method"]["properties"]
    assert list(properties) == [switch.name for switch in SWITCHES]
    for switch in SWITCHES:
        part = properties[switch.name]
        if switch.name == "zone":
            assert part == {"type": "string"}
        elif isinstance(switch.values[0], bool):
            assert part == {"type": "boolean"}
        else:
            assert tuple(part["enum"]) == switch.values


@pytest.mark.parametrize("lever", LEVERS)
def test_the_recomputation_schema_has_every_measure_and_dimension(lever: str) -> None:
    whole = schema("outputs/recompute")
    measures = {measure.name for measure in MEASURES[lever]}
    assert set(whole["$defs"][f"{lever}_row"]["properties"]) == measures | {"key"}
    totals = set(whole["$defs"][f"{lever}_totals"]["properties"])
    assert totals == ({"saved_usd"} if lever == "infrastructure" else measures)
    (then,) = [
        rule["then"]["properties"]
        for rule in whole["$defs"]["lighthouse_lever"]["allOf"]
        if rule["if"]["properties"].get("lever") == {"const": lever}
    ]
    assert then["totals"] == {"$ref": f"#/$defs/{lever}_totals"}
    assert tuple(then["by"]["properties"]) == DIMENSIONS[lever]


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_finding_can_be_told(name: str, check: Json) -> None:
    assert tuple(schema(name)["$defs"]["finding"]["properties"]["severity"]["enum"]) == SEVERITIES
    for code, kind in KINDS.items():
        finding = {"code": code, "severity": kind.severity, "message": "", "count": 0}
        told = {**check, "findings": [{**finding, "examples": [1, 2]}]}
        assert violations(told, "outputs/check") == []


# --- what the program prints -------------------------------------------------------------------


def test_a_recomputation_is_accepted(recomputation: Json) -> None:
    levers = {lever["lever"]: lever for lever in recomputation["levers"]}
    assert set(levers) == set(LEVERS)
    assert {lever["status"] for lever in levers.values()} == {"ok"}
    assert levers["caching"]["cells"]
    assert any("/" in row["stuffed_tokens"] for row in levers["retrieval"]["by"]["agent"])
    assert violations(recomputation, "outputs/recompute") == []
    printed = json.dumps(recomputation).encode()
    assert violations(loads(printed), "outputs/recompute") == []


@pytest.mark.parametrize(
    ("question", "statuses"),
    [
        ({"levers": ["routing"]}, ["ok"]),
        ({"period": ("2026-05-09", "2026-05-09"), "levers": ["caching"]}, ["no_data"]),
        ({"period": "2026-06"}, ["no_data", "no_data", "no_comparison", "no_cost_feed"]),
        ({"period": "2026-04"}, ["no_data", "no_data", "no_comparison", "no_cost_feed"]),
        ({"switches": {"zone": "Asia/Kathmandu", "card": "last_in_file", "dedupe": True}}, None),
        (
            {
                "period": ("2026-05-01", "2026-05-08"),
                "levers": ["routing"],
                "baseline_model": "oak-2",
            },
            ["partial_comparison"],
        ),
    ],
)
def test_a_recomputation_of_any_question_is_accepted(
    export: Path, question: Any, statuses: list[str] | None
) -> None:
    found = recomputed(export, by=DIMENSION_NAMES if "levers" not in question else (), **question)
    if statuses is not None:
        assert [lever.status for lever in found.levers] == statuses
    assert violations(found.as_json(), "outputs/recompute") == []


def test_a_recomputation_of_another_product_is_accepted(recomputation: Json) -> None:
    other = {
        **recomputation,
        "export": {**recomputation["export"], "system": "another", "trust": "unmanifested"},
        "method": {"since": None},
        "levers": [
            {
                "lever": "response_truncation",
                "status": "measured",
                "usd": None,
                "totals": {"original_tokens": 12, "share": "1/3"},
                "coverage": {"measured": 1, "total": 1},
                "by": {"tool": [{"key": None, "original_tokens": 12}]},
                "detail": {"estimator": "chars/4"},
                "findings": [],
            }
        ],
        "fields": {"model": "model_name"},
    }
    assert violations(other, "outputs/recompute") == []


def test_a_check_is_accepted(check: Json) -> None:
    assert check["sound"] is True
    assert {row["what"] for row in check["unread"]} == {"type", "cost of kind"}
    assert violations(check, "outputs/check") == []
    assert violations(loads(json.dumps(check).encode()), "outputs/check") == []


def test_the_check_of_an_export_without_records_is_accepted(tmp_path: Path) -> None:
    found = checked(exported(tmp_path, b'{"type":"heartbeat"}\n'))
    assert found["span"] is None
    assert violations(found, "outputs/check") == []


def test_the_check_of_an_export_that_failed_is_accepted(tmp_path: Path) -> None:
    place = exported(tmp_path, (DOCUMENTS / "records.jsonl").read_bytes())
    (place / "records.jsonl").write_bytes(b'{"type":"heartbeat"}\nnot json\n')
    found = checked(place, unverified=True, skip_invalid=True)
    assert found["sound"] is False
    assert violations(found, "outputs/check") == []


def test_a_failed_check_is_accepted(failed_check: Json) -> None:
    assert [problem["line"] for problem in failed_check["problems"]] == [2]
    assert violations(failed_check, "outputs/check") == []


def test_a_tie_out_is_accepted(export: Path, recomputation: Json, tmp_path: Path) -> None:
    """Against a read that differs, and against an earlier recomputation with its fractions."""
    (tmp_path / "earlier.json").write_text(json.dumps(recomputation))
    system = system_named("lighthouse")
    verdicts = []
    for figures in (DOCUMENTS / "caching.json", tmp_path / "earlier.json"):
        with verify.open_export(export, cache=False) as opened:
            diff = run_diff(
                system,
                opened,
                system.read_claims(figures),
                Question(),
                tolerance=Tolerance(),
                least_coverage=Fraction(1, 3),
            )
        found = loads(dumps(diff.as_json()).encode())
        verdicts.append(found["verdict"])
        assert found["rows"]
        assert violations(found, "outputs/diff") == []
    assert verdicts == ["differs", "agrees"]


@pytest.mark.parametrize("name", ["diff", "explain"])
def test_a_sound_document_is_accepted(name: str) -> None:
    assert violations(document(name), f"outputs/{name}") == []


# --- what is refused ---------------------------------------------------------------------------


def sound(name: str, request: pytest.FixtureRequest) -> Any:
    fixture = {"recompute": "recomputation", "check": "check", "failed_check": "failed_check"}
    return request.getfixturevalue(fixture[name]) if name in fixture else document(name)


def refused(found: object, name: str) -> list[str]:
    return [v.where for v in violations(found, f"outputs/{name.removeprefix('failed_')}")]


def shortened(value: Any) -> Any:
    """The document with one item left in every list but that of the levers."""
    if isinstance(value, dict):
        return {
            key: [shortened(item) for item in (part if key == "levers" else part[-1:])]
            if isinstance(part, list)
            else shortened(part)
            for key, part in value.items()
        }
    return value


MAY_LACK = {
    "recompute": {"cells", *DIMENSION_NAMES},
    "check": set[str](),
    "failed_check": set[str](),
    "diff": {"method", "policy", "inconclusive", "read", "pointer"},
    "explain": {"dimension", "key", "read", "pointer"},
}
MAPPINGS = ("switches", "method")


@pytest.mark.parametrize("name", MAY_LACK)
def test_nothing_can_be_added_anywhere(name: str, request: pytest.FixtureRequest) -> None:
    found = shortened(sound(name, request))
    for place in objects(found):
        wrong = deepcopy(found)
        at(wrong, place)["unexpected"] = {}
        assert pointer((*place, "unexpected")) in refused(wrong, name)


@pytest.mark.parametrize("name", MAY_LACK)
def test_nothing_can_be_left_out(name: str, request: pytest.FixtureRequest) -> None:
    found = shortened(sound(name, request))
    for place in objects(found):
        if name != "recompute" and place and (place[-1] in MAPPINGS or place[0] == "sets"):
            continue
        for key in set(at(found, place)) - MAY_LACK[name]:
            if name == "failed_check" and key == "problems":
                continue  # then it is a check of the other form
            wrong = deepcopy(found)
            del at(wrong, place)[key]
            assert pointer((*place, key)) in refused(wrong, name)


WRONG: list[tuple[str, Place, object]] = [
    ("recompute", ("levers", 1, "usd"), 1.5),
    ("recompute", ("levers", 1, "usd"), "1e5"),
    ("recompute", ("levers", 1, "usd"), None),
    ("recompute", ("levers", 1, "status"), "fine"),
    ("recompute", ("levers", 1, "lever"), "batching"),
    ("recompute", ("levers", 1, "totals", "saved_usd"), 0),
    ("recompute", ("levers", 1, "totals", "calls"), "3"),
    ("recompute", ("levers", 1, "totals", "calls"), -3),
    ("recompute", ("levers", 1, "totals", "calls"), True),
    ("recompute", ("levers", 0, "totals", "sent_tokens"), 40),
    ("recompute", ("levers", 0, "by", "agent", 0, "key"), 7),
    ("recompute", ("levers", 0, "by", "provider"), []),
    ("recompute", ("levers", 1, "cells", 0, "card_line"), 0),
    ("recompute", ("levers", 1, "cells", 1, "price", "input_per_m"), 3),
    ("recompute", ("levers", 2, "detail", "source"), "guess"),
    ("recompute", ("levers", 3, "by", "deployment", 0, "actual_usd"), "100.50"),
    ("recompute", ("method", "card"), "newest"),
    ("recompute", ("method", "weights"), "true"),
    ("recompute", ("period", "start"), "2026-05-01T00:00:00+01:00"),
    ("recompute", ("period", "hours"), 744),
    ("recompute", ("export", "trust"), "verified"),
    ("recompute", ("export", "sha256"), "A" * 64),
    ("check", ("sound",), "yes"),
    ("check", ("files", 0, "bytes"), -1),
    ("check", ("days", 0, "key"), None),
    ("check", ("span",), []),
    ("failed_check", ("sound",), True),
    ("failed_check", ("problems",), []),
    ("failed_check", ("problems", 0, "line"), 0),
    ("diff", ("verdict",), "same"),
    ("diff", ("rows", 0, "verdict"), "close"),
    ("diff", ("rows", 0, "delta"), -4e-07),
    ("diff", ("rows", 0, "figure"), "12,25"),
    ("diff", ("policy", "min_coverage"), "33 %"),
    ("diff", ("rows", 0, "figure"), None),
    ("diff", ("rows", 0, "recomputed"), "12.250"),
    ("diff", ("rows", 2, "relative"), "1"),
    ("diff", ("causes", 0, "switches", "zone"), None),
    ("diff", ("causes", 0, "residual"), "0.0"),
    ("explain", ("waterfall", 0, "unexplained"), "4/2"),
    ("explain", ("waterfall", 0, "steps", 0, "amount"), None),
]


@pytest.mark.parametrize(
    ("name", "place", "value"), WRONG, ids=[f"{n}{pointer(p)}={v!r:.30}" for n, p, v in WRONG]
)
def test_a_wrong_output_is_refused_at_its_place(
    name: str, place: Place, value: object, request: pytest.FixtureRequest
) -> None:
    wrong = deepcopy(sound(name, request))
    at(wrong, place[:-1])[place[-1]] = value
    assert pointer(place) in refused(wrong, name)


# --- amounts -----------------------------------------------------------------------------------


def with_usd(text: object) -> Json:
    lever = {
        "lever": "l",
        "status": "s",
        "usd": text,
        "totals": {},
        "coverage": {"measured": 0, "total": 0},
        "by": {},
        "detail": {},
        "findings": [],
    }
    found: Json = document("diff")
    return {
        "export": {**found["export"], "system": "another"},
        "period": found["period"],
        "method": {},
        "levers": [lever],
        "findings": [],
    }


@given(st.fractions() | st.decimals(allow_nan=False, allow_infinity=False).map(Fraction))
def test_every_exact_amount_is_written_as_the_schemas_say(value: Fraction) -> None:
    assert violations(with_usd(plain(value)), "outputs/recompute") == []


@pytest.mark.parametrize(
    "text",
    [
        "", "-", "-0", "00", "01", "1.", ".5", "1.0", "1.50", "1e5", "1E5", "+1", " 1", "1 ", "1\n",
        "1,000", "1_000", "٣", "NaN", "nan", "Infinity", "1/1", "1/2", "1/0", "0/3", "1/-3",
        "1.5/3", "None", "1/03",
    ],
)  # fmt: skip
def test_no_amount_is_written_otherwise(text: str) -> None:
    (wrong,) = violations(with_usd(text), "outputs/recompute")
    assert wrong.where == "/levers/0/usd"
    assert wrong.message.startswith("expected a plain decimal or num/den, as text, found the str")
