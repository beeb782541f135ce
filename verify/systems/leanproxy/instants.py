"""Instants as the product reads and prints them: integers of nanoseconds since 1970, in UTC.

They reach further than any calendar of the standard library: the product's zero time is the first
instant of year 1, and a line of a store may say any year from 0 to 9999.
"""

from __future__ import annotations

import re

SECOND = 1_000_000_000
DAY = 86_400 * SECOND
_STAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_PLAIN = re.compile(
    rb"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}):([0-5][0-9])(?:\.([0-9]{1,9}))?Z"
)
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MOST_MINUTES = 50_000


def day_number(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01 in the Gregorian calendar; None where there is no such date."""
    if not 1 <= month <= 12 or not 1 <= day <= _LENGTHS[month - 1] + (month == 2 and _leap(year)):
        return None
    # Count years from March, so that a leap day ends its year.
    years, months = (year, month - 3) if month > 2 else (year - 1, month + 9)
    era, part = divmod(years, 400)
    in_era = part * 365 + part // 4 - part // 100 + (153 * months + 2) // 5 + day - 1
    return era * 146_097 + in_era - 719_468


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def date_text(day: int) -> str:
    """The date `YYYY-MM-DD` of a day number."""
    era, in_era = divmod(day + 719_468, 146_097)
    part = (in_era - in_era // 1460 + in_era // 36_524 - in_era // 146_096) // 365
    in_year = in_era - (365 * part + part // 4 - part // 100)
    months = (5 * in_year + 2) // 153
    month = months + 3 if months < 10 else months - 9
    year = era * 400 + part + (month <= 2)
    return f"{year:04d}-{month:02d}-{in_year - (153 * months + 2) // 5 + 1:02d}"


def parse_day(text: str) -> int | None:
    """The day number of a date `YYYY-MM-DD`; None for any other text."""
    match = _DATE.fullmatch(text)
    return day_number(int(match[1]), int(match[2]), int(match[3])) if match else None


def parse_stamp(text: str) -> tuple[int, int] | None:
    """The instant that a timestamp names, and its offset from UTC in seconds; None for one that
    the product does not read.

    It is RFC 3339 as the product's own library has it: an hour may lack its first digit, a comma
    may stand for the point, digits after the ninth are dropped, there is no second 60, and an
    offset may reach 24:60 [reading].
    """
    match = _STAMP.fullmatch(text)
    if match is None:
        return None
    day = day_number(int(match[1]), int(match[2]), int(match[3]))
    hour, minute, second = int(match[4]), int(match[5]), int(match[6])
    if day is None or hour > 23 or minute > 59 or second > 59:
        return None
    offset = 0
    if match[8]:
        hours, minutes = int(match[9]), int(match[10])
        if hours > 24 or minutes > 60:
            return None
        offset = (hours * 60 + minutes) * (-60 if match[8] == "-" else 60)
    fraction = int((match[7] or "")[:9].ljust(9, "0"))
    seconds = hour * 3600 + minute * 60 + second - offset
    return day * DAY + seconds * SECOND + fraction, offset


_minutes: dict[bytes, int | None] = {}


def plain_stamp(text: bytes) -> int | None:
    """The same instant for a timestamp in UTC as the product itself writes it; None for one that
    is written otherwise, which says nothing about whether it can be read."""
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    minute = match[1]
    if minute not in _minutes:
        if len(_minutes) >= _MOST_MINUTES:
            _minutes.clear()
        parsed = parse_stamp(f"{minute.decode()}:00Z")
        _minutes[minute] = None if parsed is None else parsed[0]
    start = _minutes[minute]
    if start is None:
        return None
    fraction = match[3]
    return (
        start
        + int(match[2]) * SECOND
        + (int(fraction) * 10 ** (9 - len(fraction)) if fraction else 0)
    )


def stamp_text(instant: int, offset: int = 0) -> str:
    """An instant as the product prints it: no zeros at the end of a fraction, `Z` for UTC."""
    day, inside = divmod(instant + offset * SECOND, DAY)
    seconds, fraction = divmod(inside, SECOND)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    zone = "Z"
    if offset:
        apart = abs(offset) // 60
        zone = f"{'-' if offset < 0 else '+'}{apart // 60:02d}:{apart % 60:02d}"
    return f"{date_text(day)}T{hour:02d}:{minute:02d}:{second:02d}{digits}{zone}"


def _zero() -> int:
    day = day_number(1, 1, 1)
    assert day is not None
    return day * DAY


ZERO = _zero()
"""The product's zero time: a line without a timestamp has it, and as a cut it means none."""
