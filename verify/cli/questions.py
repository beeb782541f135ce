"""What was typed, as a question to an export."""

from __future__ import annotations

from fractions import Fraction

from verify.errors import UsageProblem
from verify.period import parse_date
from verify.systems.base import Question, System


def question(
    system: System,
    levers: list[str] | None,
    period: str | None,
    since: str | None,
    until: str | None,
    tz: str | None,
    by: list[str] | None,
    baseline_model: str | None,
    method: list[str] | None,
) -> Question:
    """The question. Raises UsageProblem for options that do not fit together."""
    if period is not None and (since is not None or until is not None):
        raise UsageProblem("--period names a month, --since and --until name days: use one form")
    if (since is None) != (until is None):
        raise UsageProblem("--since and --until go together; both days are included")
    return Question(
        levers=tuple(levers or ()),
        month=period,
        since=None if since is None else parse_date(since),
        until=None if until is None else parse_date(until),
        time_zone=tz,
        by=tuple(dict.fromkeys(by or ())),
        baseline_model=baseline_model,
        switches=dict(system.parse_switch(text) for text in method or ()),
    )


def coverage_share(text: str | None) -> Fraction | None:
    """`0.9` or `90%` as a fraction of 1. Raises UsageProblem."""
    if text is None:
        return None
    try:
        percent = text.endswith("%")
        share = Fraction(text.removesuffix("%")) / (100 if percent else 1)
        if not 0 <= share <= 1:
            raise ValueError(text)
    except (ValueError, ZeroDivisionError):
        raise UsageProblem(f"{text!r} is not a share", advice="Write it as 0.9 or 90%.") from None
    return share
