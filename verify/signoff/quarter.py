"""Quarters as typed: `2026-Q4`."""

from __future__ import annotations

import re

from verify.period import month_period


def quarter_dates(text: str) -> tuple[str, str] | None:
    """The first and the last date of the calendar quarter `YYYY-Qn`; None for any other text."""
    match = re.fullmatch(r"([0-9]{4})-Q([1-4])", text)
    if match is None:
        return None
    year, last = match[1], 3 * int(match[2])
    first = month_period(f"{year}-{last - 2:02}", "UTC").since
    return first.isoformat(), month_period(f"{year}-{last:02}", "UTC").until.isoformat()
