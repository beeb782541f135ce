"""What a sign-off is asked for, and how an attestation records it so that it can be asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from verify.period import parse_date, parse_instant, utc_text
from verify.signoff.policy import Policy
from verify.systems.base import Question, Reading


@dataclass(frozen=True)
class Request:
    """An export, the product's figures (None: the export carries them), and the terms.

    `largest` is the size of the sets of choices that an explanation tries.
    """

    export: Path
    figures: Path | None = None
    system: str | None = None
    policy: Policy = field(default_factory=Policy)
    question: Question = field(default_factory=Question)
    reading: Reading = field(default_factory=Reading)
    largest: int = 2


def parameters(request: Request, system: str) -> dict[str, Any]:
    """All that is needed to ask again, beside the inputs themselves."""
    asked, reading = request.question, request.reading
    return {
        "system": system,
        "levers": list(asked.levers),
        "month": asked.month,
        "since": None if asked.since is None else _instant_text(asked.since),
        "until": None if asked.until is None else asked.until.isoformat(),
        "now": None if asked.now is None else utc_text(asked.now),
        "time_zone": asked.time_zone,
        "baseline_model": asked.baseline_model,
        "options": dict(asked.options),
        "switches": dict(asked.switches),
        "fields": dict(reading.fields),
        "manifest_sha256": reading.manifest_sha256,
        "skip_invalid": reading.skip_invalid,
        "largest": request.largest,
    }


def question_of(document: Mapping[str, Any]) -> Question:
    """The question that `parameters` recorded. Raises KeyError, TypeError, UsageProblem."""
    since, until, now = document["since"], document["until"], document["now"]
    return Question(
        levers=tuple(document["levers"]),
        month=document["month"],
        since=None if since is None else _instant(since),
        until=None if until is None else parse_date(until),
        now=None if now is None else parse_instant(now),
        time_zone=document["time_zone"],
        baseline_model=document["baseline_model"],
        options=dict(document["options"]),
        switches=dict(document["switches"]),
    )


def _instant_text(value: date | datetime) -> str:
    return utc_text(value) if isinstance(value, datetime) else value.isoformat()


def _instant(text: str) -> date | datetime:
    return parse_date(text) if len(text) == 10 else parse_instant(text)
