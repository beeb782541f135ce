"""`attestation.json`: an in-toto Statement about the inputs, with the sign-off as its predicate.

Subjects are the export's files and the captured reads. Every amount is text, so that canonical
JSON, whose numbers are doubles, cannot round one. Without a key the file is the Statement itself;
with one it is a DSSE envelope around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.period import utc_text
from verify.result import LeverResult, Value, json_value, period_json
from verify.signoff.canonical import canonical, digest
from verify.signoff.dsse import signed
from verify.signoff.result import SignOff

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:verify-savings:signoff:v1"


def statement(
    result: SignOff, documents: Mapping[str, str], places: Mapping[str, str | None]
) -> dict[str, Any]:
    """The Statement. `documents` are the digests of the other documents, `places` where export and
    figures lie, seen from the sign-off's directory."""
    return {
        "_type": STATEMENT,
        "subject": [
            {"name": file.name, "digest": {"sha256": file.sha256}}
            for file in result.evidence.inputs
        ],
        "predicateType": PREDICATE,
        "predicate": {
            "created": utc_text(result.created),
            "inputs": dict(places),
            "documents": dict(documents),
            **outcome(result),
        },
    }


def outcome(result: SignOff) -> dict[str, Any]:
    """All of the predicate that follows from the inputs, the terms and the program: what a replay
    makes anew and compares."""
    diff = result.diff
    return {
        "parameters": dict(result.parameters),
        "policy": {**result.policy.as_json(), "sha256": result.policy.sha256},
        "versions": dict(result.evidence.versions),
        "queries": dict(result.evidence.queries),
        "export": {**diff.export.as_json(), "records": str(diff.export.records)},
        "period": period_json(diff.result.period),
        "method": {name: json_value(value) for name, value in diff.result.method.items()},
        "verdict": result.verdict,
        "lead": {line.lever: _lead(line.as_json()) for line in result.lead},
        "levers": {lever.lever: _lever(lever) for lever in diff.result.levers},
        "rows": {"count": str(len(diff.rows)), "sha256": rows_digest(result)},
        "bridges": {bridge.lever: bridge.as_json() for bridge in result.bridges},
        "completeness": {test.name: test.result for test in result.evidence.tests},
    }


def rows_digest(result: SignOff) -> str:
    """One digest over every figure that was compared, as signoff.json lists them."""
    return digest([row.as_json() for row in result.diff.rows])


def _lead(line: dict[str, Any]) -> dict[str, Any]:
    coverage = line["coverage"]
    texts = coverage and {name: str(count) for name, count in coverage.items()}
    counts = {name: str(line[name]) for name in ("compared", "differing")}
    return {**line, "coverage": texts, **counts}


def _lever(lever: LeverResult) -> dict[str, Any]:
    return {
        "status": lever.status,
        "figure": _text(lever.figure),
        "unit": lever.unit,
        "totals": {name: _text(value) for name, value in lever.totals.items()},
        "coverage": f"{lever.coverage.measured} of {lever.coverage.total}",
    }


def _text(value: Value) -> str | bool | None:
    return value if value is None or isinstance(value, bool | str) else str(json_value(value))


def attestation(document: dict[str, Any], key: Any | None) -> bytes:
    """The bytes of the file: canonical JSON, signed where there is a key."""
    payload = canonical(document)
    return canonical(signed(payload, key)) if key is not None else payload
