"""What was typed, as a question to an export."""

from __future__ import annotations

from verify import asking
from verify.asking import coverage_share
from verify.errors import UsageProblem
from verify.systems.base import Question, System

__all__ = ["coverage_share", "question"]


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
    return asking.question(
        system,
        levers=levers or (),
        period=period,
        since=since,
        until=until,
        time_zone=tz,
        by=by or (),
        baseline_model=baseline_model,
        now=now,
        options=dict(_setting(text) for text in settings or ()),
        switches=dict(system.parse_switch(text) for text in method or ()),
    )


def _setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise UsageProblem(f"{text!r} sets nothing", advice="Write it as --set NAME=VALUE.")
    return name, value
