"""Exports with one thing wrong: a sample's report and original, and a way to change them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).resolve().parents[3] / "sample_exports" / "prompt2md"
Json = dict[str, Any]


def sample_report(name: str) -> Json:
    """A report of the sample."""
    found: Json = json.loads((SAMPLE / "reports" / f"{name}.json").read_text("utf-8"))
    return found


def one(place: Path, name: str, change: Callable[[Json], object] = lambda _: None) -> Path:
    """An export of one report of the sample, changed by `change`, with its original."""
    document = sample_report(name)
    source = document["sourceId"]
    change(document)
    for folder in ("reports", "store"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    write(place / "reports" / f"{name}.json", document)
    shutil.copy(SAMPLE / "store" / f"{source}.json", place / "store")
    return place


def write(path: Path, document: Json) -> Path:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False), "utf-8", newline="")
    return path


def stored(text: str, **changes: Any) -> Json:
    """An entry of the store for `text`."""
    source = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {"sourceId": source, "text": text, "createdAt": "2026-11-30T00:00:00.000Z", **changes}


def codes(findings: list[Json]) -> dict[str, str]:
    """The messages of a JSON output's findings, by code."""
    return {finding["code"]: finding["message"] for finding in findings}


def all_findings(document: Json) -> dict[str, str]:
    """Those of the whole export and of every lever."""
    found = list(document["findings"])
    for lever in document.get("levers", ()):
        found += lever["findings"]
    return codes(found)
