"""Captured reads for the tests: changed one place at a time, and tied out without a process."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from verify.compare.figures import Claims
from verify.compare.run import run_diff
from verify.compare.tieout import Diff, DiffRow
from verify.compare.verdicts import Tolerance
from verify.findings import Finding
from verify.result import ExportIdentity, Recomputation
from verify.systems import system_named
from verify.systems.base import Export, Question, Reading
from verify.systems.lighthouse.reads import read_claims
from verify.trust.strictjson import NumberText, loads

SAMPLE = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"
SYSTEM = system_named("lighthouse")
CSV_FILE = "caching.group_by_deployment.csv"
JSON_READS = ("headline", "retrieval", "caching", "routing", "profiles")

Place = tuple[str | int, ...]
Capture = dict[str, Any]


class Opened:
    """An opened export that answers an equal question once, so that a diff a figure is cheap."""

    def __init__(self, export: Export) -> None:
        self.export = export
        self._answers: dict[str, Recomputation] = {}

    @property
    def identity(self) -> ExportIdentity:
        return self.export.identity

    def recompute(self, question: Question) -> Recomputation:
        """The recomputation, from memory where the question is known."""
        asked = repr(question)
        if asked not in self._answers:
            self._answers[asked] = self.export.recompute(question)
        return self._answers[asked]

    def forget(self) -> None:
        """Ask anew: the export was asked otherwise, and its details follow the last question."""
        self._answers.clear()

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:
        """As the export says."""
        return self.export.details(claims, result)

    def diff(
        self,
        claims: Claims,
        *,
        tolerance: str | None = None,
        least_coverage: Fraction | None = None,
        **asked: Any,
    ) -> Diff:
        """`claims` tied out against this export."""
        stated = Tolerance() if tolerance is None else Tolerance.parse(tolerance)
        export: Any = self
        question = Question(**asked)
        return run_diff(
            SYSTEM, export, claims, question, tolerance=stated, least_coverage=least_coverage
        )


@contextmanager
def opened(place: Path) -> Iterator[Opened]:
    """The export at `place`."""
    with SYSTEM.open(place, Reading(cache=False)) as export:
        yield Opened(export)


def month_of(claims: Claims, month: str) -> Claims:
    """The same figures, said to be of that month: a CSV says none."""
    year, number = map(int, month.split("-"))
    last = {4: 30, 6: 30, 9: 30, 11: 30, 2: 28}.get(number, 31)
    return replace(claims, since=date(year, number, 1), until=date(year, number, last))


def capture_of(place: Path) -> Capture:
    """The reads in a directory by name: JSON with its numbers as they were written, CSV as rows."""
    found: Capture = {name: loads((place / f"{name}.json").read_bytes()) for name in JSON_READS}
    text = (place / CSV_FILE).read_text("utf-8")
    found[CSV_FILE] = list(csv.reader(io.StringIO(text, newline="")))
    return found


def written(place: Path, capture: Mapping[str, Any]) -> Path:
    """`capture` as files in the directory `place`, which is emptied before."""
    place.mkdir(parents=True, exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for name, document in capture.items():
        if name.endswith(".csv"):
            (place / name).write_text(csv_text(document), "utf-8", newline="")
        else:
            (place / f"{name}.json").write_text(json_text(document), "utf-8")
    return place


def claims_of(place: Path, capture: Mapping[str, Any]) -> Claims:
    """The figures of `capture`, read from files in `place`."""
    return read_claims(written(place, capture))


def csv_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows as the product writes CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def json_text(value: Any) -> str:
    """JSON text in which a `NumberText` keeps its digits."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}: {json_text(item)}" for key, item in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(json_text(item) for item in value) + "]"
    return json.dumps(value)


def at(document: Any, place: Place) -> Any:
    """What stands at `place`."""
    for step in place:
        document = document[step]
    return document


def changed(capture: Mapping[str, Any], read: str, place: Place, value: Any) -> Capture:
    """`capture` with another value at one place of one read."""
    found = {**capture, read: copy.deepcopy(capture[read])}
    at(found[read], place[:-1])[place[-1]] = value
    return found


def numbers(document: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Every number in a JSON document, with its place."""
    if isinstance(document, NumberText):
        yield place, str(document)
    elif isinstance(document, dict):
        for key, item in document.items():
            yield from numbers(item, (*place, key))
    elif isinstance(document, list):
        for position, item in enumerate(document):
            yield from numbers(item, (*place, position))


def pointer(place: Place) -> str:
    """`place` as it stands in a row."""
    return "".join(f"/{step}" for step in place)


def moved(text: str, units: int) -> NumberText:
    """The number `text` moved by so many units of its last printed digit."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    amount = Fraction(mantissa) * 10**decimals + units
    assert amount.denominator == 1
    digits = f"{abs(amount.numerator):0{decimals + 1}d}"
    shown = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    sign = "-" if amount < 0 else ""
    return NumberText(sign + shown + (f"e{exponent}" if exponent else ""))
