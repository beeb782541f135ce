"""The loader of the schemas, and how it words what is wrong with a document."""

import json
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from verify import schemata
from verify.errors import UnreadableInput, UsageProblem
from verify.schemata import Violation, names, schema, violations
from verify.trust.rfc8259 import is_integral
from verify.trust.strictjson import NumberText, loads

SCHEMAS = Path(schemata.__file__).resolve().parent.parent / "schemas"
HEADLINE = "lighthouse/reads/headline"

Json = dict[str, Any]


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that holds a document against a schema written in the test."""
    (tmp_path / "schemas").mkdir()
    monkeypatch.setattr(schemata, "files", lambda _: tmp_path)

    def held(document: object, body: Json) -> list[Violation]:
        (tmp_path / "schemas" / "trial.schema.json").write_text(json.dumps(body))
        schemata._validator.cache_clear()
        return violations(document, "trial")

    yield held
    schemata._validator.cache_clear()


def headline(**changes: Any) -> Json:
    return {"period": "2026-05", "usd": 0, "levers": [], **changes}


def test_every_file_has_a_name_and_every_name_a_file() -> None:
    found = sorted(
        str(path.relative_to(SCHEMAS).as_posix()).removesuffix(".schema.json")
        for path in SCHEMAS.rglob("*.json")
    )
    assert names() == found
    assert HEADLINE in found


@pytest.mark.parametrize("name", names())
def test_every_schema_is_one(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["$id"] == "urn:verify-savings:" + name.replace("/", ":")
    assert found["title"]
    assert found["description"]


@pytest.mark.parametrize("name", names())
def test_references_stay_in_their_file_with_annotations_beside_them(name: str) -> None:
    whole = schema(name)
    seen = set()
    stack: list[Any] = [whole]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack.extend(part)
        elif isinstance(part, dict):
            stack.extend(part.values())
            if "$ref" in part:
                assert part.keys() <= {"$ref", "description", "x-basis"}
                where, _, key = part["$ref"].rpartition("/")
                assert where == "#/$defs"
                seen.add(key)
    assert seen == set(whole.get("$defs", {}))


def test_the_readme_names_every_schema() -> None:
    text = (SCHEMAS / "README.md").read_text("utf-8")
    missing = [name for name in names() if f"`{name}`" not in text]
    assert missing == []


def test_a_schema_handed_out_is_the_callers_own() -> None:
    schema(HEADLINE).clear()
    assert schema(HEADLINE)["title"]


@pytest.mark.parametrize(
    "name", ["", "lighthouse", "../pyproject", "lighthouse/reads/headline.schema"]
)
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        schema(name)
    assert repr(name) in caught.value.message
    assert HEADLINE in caught.value.advice
    with pytest.raises(UsageProblem):
        violations({}, name)


def test_an_installed_package_carries_its_schemas(tmp_path: Path) -> None:
    """The wheel has them inside the package and nothing beside it."""
    package = Path(schemata.__file__).parent
    shutil.copytree(package, tmp_path / "verify", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(SCHEMAS, tmp_path / "verify" / "schemas")
    told = subprocess.run(
        [sys.executable, "-c", "from verify import schemata as s; print(s.__file__, *s.names())"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    where, *listed = told.stdout.split()
    assert Path(where).parent == tmp_path / "verify"
    assert listed == names()


def test_an_installation_without_schemas_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemata, "files", lambda _: tmp_path)
    monkeypatch.setattr(schemata, "__file__", str(tmp_path / "verify" / "schemata.py"))
    with pytest.raises(UnreadableInput, match="missing from this installation"):
        names()


def test_jsonschema_is_loaded_only_when_it_is_needed() -> None:
    program = (
        "import sys; from verify import schemata; schemata.schema(schemata.names()[0]); "
        "print('jsonschema' in sys.modules); schemata.violations({}, schemata.names()[0]); "
        "print('jsonschema' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        cwd=SCHEMAS.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["False", "True"]


# --- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "number", "integer"),
    [
        (NumberText("7"), True, True),
        (NumberText("-0"), True, True),
        (NumberText("7.000"), True, True),
        (NumberText("0.0e-99999999999999999999"), True, True),
        (NumberText("12.50e1"), True, True),
        (NumberText("12.5e0"), True, False),
        (NumberText("1200e-2"), True, True),
        (NumberText("1200e-3"), True, False),
        (NumberText("1e-1"), True, False),
        (NumberText("9007199254740993.5"), True, False),
        (NumberText("1e99999999999999999999999999"), True, True),
        (NumberText("1e-99999999999999999999999999"), True, False),
        (NumberText("1" * 5000), True, True),
        (NumberText("1" * 5000 + ".5"), True, False),
        (NumberText("NaN"), False, False),
        (NumberText("Infinity"), False, False),
        (NumberText("07"), False, False),
        (NumberText("1_000"), False, False),
        (NumberText(""), False, False),
        (7, True, True),
        (7.0, True, True),
        (7.5, True, False),
        (float("nan"), False, False),
        (float("inf"), False, False),
        (True, False, False),
        ("7", False, False),
        (None, False, False),
    ],
)
def test_what_is_a_number(trial: Any, value: object, number: bool, integer: bool) -> None:
    assert (trial(value, {"type": "number"}) == []) is number
    assert (trial(value, {"type": "integer"}) == []) is integer


def test_a_number_kept_as_text_is_no_string(trial: Any) -> None:
    wrong = trial(NumberText("7"), {"type": "string"})
    assert [v.message for v in wrong] == ["expected a string, found the number 7"]


@given(
    st.from_regex(r"-?(0|[1-9][0-9]{0,12})(\.[0-9]{1,9})?([eE][-+]?[0-9]{1,2})?", fullmatch=True)
)
def test_integral_is_as_exact_arithmetic_has_it(text: str) -> None:
    value = Decimal(text)
    assert is_integral(text) is (value == value.to_integral_value())


@pytest.mark.parametrize(
    ("value", "refused"),
    [
        (NumberText("0"), False),
        (NumberText("-0.0"), False),
        (NumberText("3e2"), False),
        (NumberText("-1"), True),
        (NumberText("-1e-9"), True),
        (NumberText("-1e999999"), True),
        (NumberText("1e999999"), False),
        (-1, True),
        (0, False),
        (-0.5, True),
    ],
)
def test_a_minimum_is_held_by_numbers_kept_as_text_too(
    trial: Any, value: object, refused: bool
) -> None:
    wrong = trial(value, {"type": "number", "minimum": 0})
    assert [v.message.partition(",")[0] for v in wrong] == ["expected 0 or more"] * refused


# --- wording -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "body", "message"),
    [
        (1, {"type": ["string", "null"]}, "expected a string or null, found the number 1"),
        ("x", {"type": "array"}, "expected an array, found the string 'x'"),
        ({}, {"type": "null"}, "expected null, found an empty object"),
        ({"a": 1}, {"type": "array"}, "expected an array, found an object"),
        ([], {"type": "object"}, "expected an object, found an empty array"),
        ([1], {"type": "object"}, "expected an object, found an array"),
        (True, {"type": "integer"}, "expected an integer, found true"),
        (None, {"type": "boolean"}, "expected true or false, found null"),
        (float("nan"), {"type": "number"}, "expected a number, found nan, which is no number"),
        (
            NumberText("NaN"),
            {"type": "number"},
            "expected a number, found NaN, which is no number",
        ),
        (
            NumberText("1" * 99 + ".5"),
            {"type": "integer"},
            "expected an integer, found the number " + "1" * 37 + "...",
        ),
        ("b", {"enum": ["a", "c"]}, "expected one of 'a', 'c', found the string 'b'"),
        ("b", {"const": "a"}, "expected 'a', found the string 'b'"),
        (True, {"const": False}, "expected false, found true"),
        ("a", {"not": {"enum": ["a"]}}, "expected anything but 'a', found the string 'a'"),
        ([], {"minItems": 1}, "expected at least 1 of its parts, found an empty array"),
        (
            "5",
            {"title": "a date", "type": "string", "pattern": "^x$"},
            "expected a date, found the string '5'",
        ),
        (
            5,
            {"title": "a date", "type": ["string", "null"], "pattern": "^x$"},
            "expected a date or null, found the number 5",
        ),
        ("x\n", {"pattern": "^x$"}, "expected text that matches ^x$, found the string 'x\\n'"),
        (
            "\x1b[31m" + "red " * 99,
            {"type": "null"},
            "expected null, found the string '\\x1b[31m" + ("red " * 99)[:32] + "...'",
        ),
    ],
)
def test_a_message_says_what_was_expected_and_found(
    trial: Any, document: object, body: Json, message: str
) -> None:
    assert trial(document, body) == [Violation("", message)]


def test_a_missing_member_is_pointed_at_where_it_should_be() -> None:
    wrong = violations({"period": "2026-05", "levers": [{"lever": "caching"}]}, HEADLINE)
    assert wrong == [
        Violation("/levers/0/status", "expected a string, found nothing"),
        Violation("/levers/0/usd", "expected a number or null, found nothing"),
        Violation("/usd", "expected a number or null, found nothing"),
    ]


def test_a_name_too_many_is_pointed_at(trial: Any) -> None:
    body = {"properties": {"a": {}}, "additionalProperties": False}
    assert trial({"a": 1, "b": 2}, body) == [Violation("/b", "expected nothing of this name")]
    body = {"propertyNames": {"title": "a small letter", "type": "string", "pattern": "^[a-z]$"}}
    assert trial({"a": 1, "B": 2}, body) == [
        Violation("/B", "its name: expected a small letter, found the string 'B'")
    ]


def test_the_value_of_an_unnamed_member_is_pointed_at(trial: Any) -> None:
    body = {"properties": {"a": {}}, "additionalProperties": {"type": "string"}}
    assert trial({"a": 1, "b": 2}, body) == [
        Violation("/b", "expected a string, found the number 2")
    ]


def test_a_pointer_is_escaped_and_short(trial: Any) -> None:
    keys = ["a/b", "c~d", "e\x1b[0m", "f" * 300]
    wrong = trial(dict.fromkeys(keys, 1), {"additionalProperties": {"type": "null"}})
    assert [v.where for v in wrong] == ["/a~1b", "/c~0d", "/e\\x1b[0m", "/" + "f" * 37 + "..."]


def test_places_come_in_order_and_each_once(trial: Any) -> None:
    body = {"items": {"type": "string", "enum": ["a", "b"]}}
    wrong = trial([None] * 12 + ["c"], body)
    assert [v.where for v in wrong] == [f"/{n}" for n in range(13)]
    assert wrong[0].message == "expected a string, found null"


def test_the_order_of_members_changes_nothing() -> None:
    one = headline(usd="x", period=1, levers=None)
    other = dict(reversed(one.items()))
    assert violations(one, HEADLINE) == violations(other, HEADLINE)
    assert [v.where for v in violations(one, HEADLINE)] == ["/levers", "/period", "/usd"]


def test_a_violation_reads_as_a_sentence() -> None:
    (wrong,) = violations([], HEADLINE)
    assert str(wrong) == "the document: expected an object, found an empty array"
    (wrong,) = violations(headline(usd=True), HEADLINE)
    assert str(wrong) == "/usd: expected a number or null, found true"


def test_no_message_repeats_the_document() -> None:
    heavy = {"text": "x" * 100_000, "list": list(range(1000))}
    for document in (heavy, headline(usd=heavy, levers=[heavy, "y" * 100_000], period=heavy)):
        for wrong in violations(document, HEADLINE):
            assert len(str(wrong)) < 160


def test_what_strict_json_reads_is_what_is_held_against_a_schema() -> None:
    data = b'{"period": "2026-05", "usd": 10.25, "levers": []}'
    assert violations(loads(data), HEADLINE) == violations(json.loads(data), HEADLINE) == []
