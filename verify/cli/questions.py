"""What was typed, as a question to an export."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from verify.errors import UsageProblem
from verify.period import parse_date, parse_instant
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
    now: str | None = None,
    settings: list[str] | None = None,
) -> Question:
    """The question. Raises UsageProblem for options that do not fit together."""
    if period is not None and (since is not None or until is not None):
        raise UsageProblem("--period names a month, --since and --until name days: use one form")
    own = dict(_setting(system, text) for text in settings or ())
    return Question(
        levers=tuple(levers or ()),
        month=period,
        since=None if since is None else _date_or_instant(since),
        until=None if until is None else parse_date(until),
        time_zone=tz,
        by=tuple(dict.fromkeys(by or ())),
        baseline_model=baseline_model,
        now=None if now is None else parse_instant(now),
        options=own,
        switches=dict(system.parse_switch(text) for text in method or ()),
    )


def _date_or_instant(text: str) -> date | datetime:
    return parse_date(text) if len(text) <= 10 else parse_instant(text)


def _setting(system: System, text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or name not in system.options:
        known = ", ".join(f"{key} ({meaning})" for key, meaning in system.options.items())
        raise UsageProblem(
            f"{system.title} has no option {name!r}",
            advice=f"It has {known}." if known else "It has none of its own.",
        )
    return name, value


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
