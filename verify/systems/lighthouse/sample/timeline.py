"""When the lines of a sample happen: the period's edges, its local days, the text of a timestamp.

Instants are aware datetimes in UTC.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from verify.period import Period, first_instant, zone_named

MARGIN_DAYS = 3
"""Local days covered before the first day of the period, and after its last."""

_HOUR = timedelta(hours=1)
_PAD_HOURS = 24
_OFFSETS = (
    (7_200, "+02:00"),
    (-25_200, "-07:00"),
    (32_400, "+09:00"),
    (-14_400, "-04:00"),
    (19_800, "+05:30"),
    (3_600, ".500+01:00"),
    (20_700, "+05:45"),
    (0, "+00:00"),
)


@dataclass(frozen=True)
class Timeline:
    """A period and the days around it that a sample covers.

    `days` are the first instants of the local days covered, in order, and of the day after the
    last of them.
    """

    period: Period
    zone: ZoneInfo
    days: tuple[datetime, ...]

    @classmethod
    def around(cls, period: Period) -> "Timeline":
        """The timeline of a period. Raises UsageProblem when its zone is unknown."""
        first = period.since - timedelta(days=MARGIN_DAYS)
        count = (period.until - period.since).days + 2 + 2 * MARGIN_DAYS
        days = tuple(
            first_instant(first + timedelta(days=number), period.time_zone)
            for number in range(count)
        )
        return cls(period, zone_named(period.time_zone), days)

    def at(self, fraction: float) -> datetime:
        """The instant at `fraction` of the period, to the millisecond; below 0 is before it."""
        start = self.period.start
        milliseconds = (self.period.end - start) // timedelta(milliseconds=1)
        return start + timedelta(milliseconds=int(milliseconds * fraction))

    def seams(self) -> Iterator[datetime]:
        """The instants that decide on which side of the period's edges a record falls.

        At each edge: itself, one microsecond and one millisecond before and after; then midnight
        UTC of the same date and the instant halfway to it.
        """
        period = self.period
        for edge, day in (
            (period.start, period.since),
            (period.end, period.until + timedelta(days=1)),
        ):
            for microseconds in (-1000, -1, 0, 1, 1000):
                yield edge + timedelta(microseconds=microseconds)
            midnight = datetime.combine(day, time(), UTC)
            yield midnight
            yield edge + (midnight - edge) // 2

    def local(self, instant: datetime) -> str:
        """RFC 3339 text in the zone's own offset: `2026-10-01T00:00:00.000+02:00`."""
        return _iso(instant.astimezone(self.zone))


def zulu(instant: datetime) -> str:
    """RFC 3339 text in UTC with milliseconds, or microseconds where needed: `…T00:00:00.000Z`."""
    return _iso(instant).replace("+00:00", "Z")


def _iso(instant: datetime) -> str:
    digits = "microseconds" if instant.microsecond % 1000 else "milliseconds"
    return instant.isoformat(timespec=digits)


def stamps(timeline: Timeline, rng: random.Random) -> Callable[[], str]:
    """A function that gives the text of a new random timestamp at each call.

    Local working hours are four times as likely as others. Most texts end in milliseconds and
    `Z`, about one in thirty carries another offset.
    """
    begin = timeline.days[0].replace(minute=0)
    hours: list[int] = []
    for number in range((timeline.days[-1] - begin) // _HOUR):
        local = (begin + number * _HOUR).astimezone(timeline.zone)
        busy = local.weekday() < 5 and 8 <= local.hour < 18
        hours += [(number + _PAD_HOURS) * 3600] * (4 if busy else 1)
    first, count = begin - _PAD_HOURS * _HOUR, hours[-1] // 3600 + 1 + _PAD_HOURS
    prefixes = [(first + number * _HOUR).isoformat()[:14] for number in range(count)]
    minutes = [f"{second // 60:02d}:{second % 60:02d}" for second in range(3600)]
    suffixes = [f".{number:03d}Z" for number in range(1000)]
    suffixes += ["Z"] * 16 + [f".{number * 1_001:06d}Z" for number in range(7, 15)]
    uniform, bits, size = rng.random, rng.getrandbits, len(hours)

    def stamp() -> str:
        second = hours[int(uniform() * size)] + int(uniform() * 3600)
        drawn = bits(15)
        if drawn >= 1024:
            return prefixes[second // 3600] + minutes[second % 3600] + suffixes[drawn & 1023]
        shift, suffix = _OFFSETS[drawn & 7]
        second += shift
        return prefixes[second // 3600] + minutes[second % 3600] + suffix

    return stamp
