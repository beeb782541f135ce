"""Periods and local days, from the time-zone database alone.

A period is a run of whole local days of one zone, both ends included. It starts at the first
instant of its first day and ends just before the first instant of the day after its last. A day
can have 23, 25 or 23.5 hours, begin at 01:00, or not exist at all (Apia, 2011-12-30); no clock
arithmetic is done on local times.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from verify.errors import UsageProblem

_SECOND = timedelta(seconds=1)


def zone_named(name: str) -> ZoneInfo:
    """The IANA zone of that name. Raises UsageProblem for a name that is none."""
    try:
        if not name or name.startswith(("/", ".")) or "\\" in name:
            raise ValueError(name)
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, UnicodeError):
        raise UsageProblem(
            f"{name!r} is not an IANA time zone",
            advice="Use a name such as Europe/Madrid, Asia/Kathmandu or UTC.",
        ) from None


@lru_cache(maxsize=4096)
def first_instant(day: date, zone: str) -> datetime:
    """The first instant, in UTC, at which a clock in `zone` shows `day` (or, if it never does, the
    first at which it shows a later one)."""
    tz = zone_named(zone)
    midnight = datetime(day.year, day.month, day.day, tzinfo=tz)  # fold 0: the earlier of two
    instant = midnight.astimezone(UTC)
    if instant.astimezone(tz).replace(tzinfo=None) == midnight.replace(tzinfo=None):
        return instant
    # Midnight was skipped. The clock change lies between a moment that is surely on an earlier
    # day and this one; find its second.
    early, late = instant - timedelta(hours=30), instant
    while late - early > _SECOND:
        middle = early + ((late - early) // 2 // _SECOND) * _SECOND
        if middle.astimezone(tz).date() >= day:
            late = middle
        else:
            early = middle
    return late


@dataclass(frozen=True)
class Day:
    """One local day: `start <= t < end`, in UTC. Empty where the zone skipped it."""

    date: date
    start: datetime
    end: datetime


@dataclass(frozen=True)
class Period:
    """Whole local days of one zone, `since` and `until` both included.

    Raises UsageProblem when `until` is before `since` or the zone is unknown. `last_day_lost` is
    the period as a program reads it that takes `until` for the first day not to count.
    """

    since: date
    until: date
    time_zone: str
    last_day_lost: bool = False

    def __post_init__(self) -> None:
        zone_named(self.time_zone)
        if self.until < self.since:
            raise UsageProblem(f"the period ends ({self.until}) before it begins ({self.since})")
        if self.since.year < 1971 or self.until.year > 9998:
            raise UsageProblem(f"no period can reach from {self.since} to {self.until}")

    @property
    def start(self) -> datetime:
        """The first instant, in UTC; it belongs to the period."""
        return first_instant(self.since, self.time_zone)

    @property
    def end(self) -> datetime:
        """The first instant after the period, in UTC; it does not belong to it."""
        following = self.until if self.last_day_lost else self.until + timedelta(days=1)
        return first_instant(following, self.time_zone)

    @property
    def hours(self) -> Fraction:
        """The real hours between start and end: 743, 744 or 745 for a long month with a change."""
        return Fraction((self.end - self.start) // timedelta(microseconds=1), 3_600_000_000)

    @property
    def month(self) -> str | None:
        """`YYYY-MM` when the period is exactly a calendar month, else None."""
        whole = self.since.day == 1 and self.until == month_end(self.since)
        return f"{self.since:%Y-%m}" if whole else None

    @property
    def label(self) -> str:
        """The month, or the two dates."""
        return self.month or f"{self.since} to {self.until}"

    def days(self) -> Iterator[Day]:
        """Each local day in order; together they are the period, without gap or overlap."""
        day = self.since
        while day < self.until or (day == self.until and not self.last_day_lost):
            following = day + timedelta(days=1)
            yield Day(
                day,
                first_instant(day, self.time_zone),
                first_instant(following, self.time_zone),
            )
            day = following


@dataclass(frozen=True)
class Stretch:
    """What a system covers that knows no days of its own: from an instant on, up to another, or
    either end open."""

    start: datetime | None = None
    end: datetime | None = None
    time_zone: str = "UTC"

    @property
    def label(self) -> str:
        """The ends, in words."""
        if self.start is None and self.end is None:
            return "everything recorded"
        since = "" if self.start is None else f"since {utc_text(self.start)}"
        until = "" if self.end is None else f"until {utc_text(self.end)}"
        return f"{since} {until}".strip()


def month_end(day: date) -> date:
    """The last date of the month that `day` lies in."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def month_period(text: str, zone: str) -> Period:
    """The calendar month `YYYY-MM` in `zone`. Raises UsageProblem on any other text."""
    if not re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", text):
        raise UsageProblem(f"{text!r} is not a month", advice="Write it as YYYY-MM, e.g. 2026-10.")
    first = parse_date(f"{text}-01")
    return Period(first, month_end(first), zone)


def parse_date(text: str) -> date:
    """A date `YYYY-MM-DD`. Raises UsageProblem on any other text."""
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError(text)
        return date.fromisoformat(text)
    except ValueError:
        raise UsageProblem(f"{text!r} is not a date", advice="Write it as YYYY-MM-DD.") from None


def parse_instant(text: str) -> datetime:
    """An RFC 3339 timestamp with an offset, or a date, which is its first instant in UTC.

    Raises UsageProblem on any other text.
    """
    try:
        if len(text) == 10:
            return datetime.combine(parse_date(text), datetime.min.time(), UTC)
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is None:
            raise ValueError(text)
        return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageProblem(
            f"{text!r} is not a timestamp", advice="Write it as 2026-10-01T00:00:00Z."
        ) from None


def utc_text(instant: datetime) -> str:
    """An instant as `2026-09-30T22:00:00Z`, with a fraction only where there is one."""
    text = instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f".{instant.microsecond:06d}".rstrip("0") if instant.microsecond else ""
    return f"{text}{fraction}Z"
