"""Days and periods of every zone, against a walk over the clock."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.lighthouse import first_instant as walked_instant

from verify.errors import UsageProblem
from verify.period import (
    Period,
    first_instant,
    month_end,
    month_period,
    parse_date,
    utc_text,
    zone_named,
)

ZONES = sorted(available_timezones() - {"localtime"})
ODD_ZONES = (
    "UTC",
    "Europe/Madrid",
    "America/Santiago",
    "America/Havana",
    "America/Asuncion",
    "America/Sao_Paulo",
    "America/St_Johns",
    "America/Scoresbysund",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Asia/Gaza",
    "Asia/Tehran",
    "Asia/Pyongyang",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
    "Pacific/Chatham",
    "Antarctica/Troll",
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DATES = st.dates(date(1971, 1, 2), date(2100, 12, 30))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


# --- the first instant of a day --------------------------------------------------------------


@given(DATES, st.sampled_from(ZONES))
@settings(max_examples=400, deadline=None)
def test_a_day_begins_at_the_first_instant_that_shows_it(day: date, zone: str) -> None:
    tz = ZoneInfo(zone)
    first = first_instant(day, zone)
    assert first.tzinfo is UTC
    assert first.microsecond == 0
    assert first.astimezone(tz).date() >= day
    assert (first - timedelta(microseconds=1)).astimezone(tz).date() < day


@given(DATES, st.sampled_from(ODD_ZONES))
@settings(max_examples=60, deadline=None)
def test_a_day_begins_where_a_walk_over_the_clock_finds_it(day: date, zone: str) -> None:
    assume(not shown_twice(day, zone))
    assert first_instant(day, zone) == EPOCH + timedelta(seconds=walked_instant(zone, day))


def test_days_around_every_change_of_every_zone_begin_where_a_walk_finds_them() -> None:
    """All days of a few years next to which some zone moved its clock, a sample of the zones."""
    rng = random.Random("zones")
    for zone in (*rng.sample(ZONES, 40), *ODD_ZONES):
        for day in change_days(zone, rng.choice((1979, 1995, 2011, 2026))):
            if not shown_twice(day, zone):
                expected = EPOCH + timedelta(seconds=walked_instant(zone, day))
                assert first_instant(day, zone) == expected, (zone, day)


def shown_twice(day: date, zone: str) -> bool:
    """Whether the clock goes back over the midnight that begins the day, as it did at 00:01 in
    Newfoundland. Such a day begins when it is first shown."""
    first, tz = first_instant(day, zone), ZoneInfo(zone)
    return any((first + timedelta(minutes=n)).astimezone(tz).date() < day for n in range(181))


def test_a_day_that_is_shown_twice_begins_when_it_is_first_shown() -> None:
    day = date(1995, 10, 29)
    assert shown_twice(day, "America/St_Johns")
    assert first_instant(day, "America/St_Johns") == at("1995-10-29T02:30:00Z")


def change_days(zone: str, year: int) -> list[date]:
    """The days of a year on which, or next to which, the offset of a zone changes."""
    tz = ZoneInfo(zone)
    noons = [datetime(year, 1, 1, 12, tzinfo=UTC) + timedelta(days=n) for n in range(365)]
    offsets = [noon.astimezone(tz).utcoffset() for noon in noons]
    changed = [n for n in range(1, 365) if offsets[n] != offsets[n - 1]]
    return [noons[n + step].date() for n in changed for step in (-1, 0, 1) if n + step < 365]


@pytest.mark.parametrize(
    ("zone", "day", "start", "hours"),
    [
        ("UTC", "2026-06-01", "2026-06-01T00:00:00Z", 24),
        ("Europe/Madrid", "2026-03-29", "2026-03-28T23:00:00Z", 23),
        ("Europe/Madrid", "2026-10-25", "2026-10-24T22:00:00Z", 25),
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z", 23),  # begins at 01:00
        ("America/Santiago", "2026-04-04", "2026-04-04T03:00:00Z", 25),  # 23:00 comes twice
        ("America/Havana", "2026-11-01", "2026-11-01T04:00:00Z", 25),  # midnight comes twice
        ("Asia/Kathmandu", "2026-10-01", "2026-09-30T18:15:00Z", 24),
        ("Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00Z", Fraction(47, 2)),
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", Fraction(49, 2)),
        ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", 24),
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0),  # does not exist
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", 24),
        ("Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00:00Z", 0),
        ("Africa/Monrovia", "1972-01-07", "1972-01-07T00:44:30Z", Fraction(83730, 3600)),
    ],
)
def test_days_that_are_not_like_others(
    zone: str, day: str, start: str, hours: int | Fraction
) -> None:
    only = Period(date.fromisoformat(day), date.fromisoformat(day), zone)
    assert (only.start, only.hours) == (at(start), hours)


# --- periods ---------------------------------------------------------------------------------


@given(DATES, st.integers(0, 70), st.sampled_from(ZONES), st.booleans())
@settings(max_examples=250, deadline=None)
def test_days_are_the_period_without_gap_or_overlap(
    since: date, length: int, zone: str, lost: bool
) -> None:
    period = Period(since, since + timedelta(days=length), zone, last_day_lost=lost)
    days = list(period.days())
    assert len(days) == length + (not lost)
    borders = [period.start, *(day.end for day in days)]
    assert borders == [*(day.start for day in days), period.end]
    assert borders == sorted(borders)
    assert sum((Fraction((day.end - day.start).total_seconds()) for day in days), Fraction(0)) == (
        period.hours * 3600
    )
    assert [day.date for day in days] == [since + timedelta(days=n) for n in range(len(days))]


@given(DATES, st.sampled_from(ZONES), st.integers(0, 10**12))
@settings(max_examples=250, deadline=None)
def test_an_instant_lies_in_the_day_that_its_clock_shows(since: date, zone: str, step: int) -> None:
    period = Period(since, since + timedelta(days=9), zone)
    span = (period.end - period.start) // timedelta(microseconds=1)
    instant = period.start + timedelta(microseconds=step % max(span, 1))
    (day,) = [day for day in period.days() if day.start <= instant < day.end]
    assume(not shown_twice(day.date, zone))
    assert instant.astimezone(ZoneInfo(zone)).date() == day.date


@given(st.dates(date(1971, 2, 1), date(2100, 1, 1)), st.sampled_from(ZONES))
@settings(max_examples=150, deadline=None)
def test_months_follow_one_another(day: date, zone: str) -> None:
    first = day.replace(day=1)
    month = month_period(f"{first:%Y-%m}", zone)
    following = month_period(f"{month.until + timedelta(days=1):%Y-%m}", zone)
    assert month.end == following.start
    assert month.month == month.label == f"{first:%Y-%m}"
    assert month.until == month_end(day)
    assert (month.until + timedelta(days=1)).day == 1
    assert abs(month.hours - 24 * month.until.day) <= 25


@pytest.mark.parametrize(
    ("zone", "month", "hours"),
    [
        ("Europe/Madrid", "2026-03", 743),
        ("Europe/Madrid", "2026-10", 745),
        ("Europe/Madrid", "2026-07", 744),
        ("Australia/Lord_Howe", "2026-04", Fraction(1441, 2)),
        ("Pacific/Apia", "2011-12", 720),
        ("UTC", "2028-02", 696),
    ],
)
def test_hours_are_those_that_passed(zone: str, month: str, hours: int | Fraction) -> None:
    assert month_period(month, zone).hours == hours


def test_a_period_of_dates_has_a_label_of_dates() -> None:
    period = Period(date(2026, 6, 1), date(2026, 6, 29), "UTC")
    assert period.month is None
    assert period.label == "2026-06-01 to 2026-06-29"


def test_a_program_that_loses_the_last_day() -> None:
    whole = Period(date(2026, 6, 1), date(2026, 6, 30), "Europe/Madrid")
    short = Period(date(2026, 6, 1), date(2026, 6, 30), "Europe/Madrid", last_day_lost=True)
    assert (short.start, short.hours) == (whole.start, whole.hours - 24)
    nothing = Period(date(2026, 6, 1), date(2026, 6, 1), "UTC", last_day_lost=True)
    assert list(nothing.days()) == []
    assert nothing.hours == 0


@pytest.mark.parametrize(
    ("since", "until"),
    [
        (date(2026, 6, 2), date(2026, 6, 1)),
        (date(1, 1, 1), date(2026, 6, 1)),
        (date(2026, 6, 1), date(9999, 12, 31)),
    ],
)
def test_a_period_that_is_none_is_refused(since: date, until: date) -> None:
    with pytest.raises(UsageProblem):
        Period(since, until, "UTC")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Etc/GMT+12", "UTC"])
def test_the_first_and_the_last_period_that_can_be(zone: str) -> None:
    period = Period(date(1971, 1, 1), date(9998, 12, 31), zone)
    assert period.start < period.end
    assert Period(date(9998, 12, 31), date(9998, 12, 31), zone).hours == 24


# --- names and texts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Mars/Base",
        "Europe",
        "/etc/localtime",
        "../../etc/localtime",
        "Europe/../Europe/Madrid",
        "./UTC",
        "Europe\\Madrid",
        "Europe/Madrid\0",
        "Europe/Madrid ",
        "+02:00",
        "a" * 5000,
        "\ud800",
        "größe",
        "\x1b[2J",
    ],
)
def test_a_name_that_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(UsageProblem, match="not an IANA time zone"):
        zone_named(name)
    with pytest.raises(UsageProblem):
        Period(date(2026, 6, 1), date(2026, 6, 1), name)


def test_every_zone_has_a_month() -> None:
    for zone in ZONES:
        hours = month_period("2026-10", zone).hours
        assert abs(hours - 744) <= 2, zone  # an Antarctic station moves its clocks by two hours
        assert (hours * 2).denominator == 1, zone


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026",
        "2026-00",
        "2026-13",
        "2026-1",
        "26-10",
        "2026-10-01",
        "2026/10",
        " 2026-10",
        "2026-10\n",
        "２０２６-10",
    ],
)
def test_a_text_that_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        month_period(text, "UTC")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-10",
        "2026-10-32",
        "2026-02-29",
        "20261001",
        "2026-W40-4",
        "2026-10-1",
        "2026-10-01\n",
        "2026-10-01T00:00",
        "0000-01-01",
        "２０２６-10-01",
    ],
)
def test_a_text_that_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        parse_date(text)


@given(st.dates())
def test_a_date_is_read_as_it_is_written(day: date) -> None:
    assert parse_date(day.isoformat()) == day


@given(
    st.datetimes(
        min_value=datetime.fromisoformat("1001-01-02"),
        max_value=datetime.fromisoformat("9998-12-30"),
        timezones=st.sampled_from([UTC, *map(ZoneInfo, ODD_ZONES)]),
    )
)
def test_an_instant_is_written_so_that_it_can_be_read(instant: datetime) -> None:
    text = utc_text(instant)
    assert text.endswith("Z")
    assert datetime.fromisoformat(text) == instant.astimezone(UTC)
    assert not text.endswith("0Z") or "." not in text
