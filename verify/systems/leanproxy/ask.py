"""Questions to a usage store: checked, and turned into levers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

from verify.errors import UnreadableInput, UsageProblem
from verify.exact import Printed
from verify.findings import Finding
from verify.period import Stretch
from verify.result import LeverResult, Recomputation, Value
from verify.systems.base import Question
from verify.systems.leanproxy import bridge, levers
from verify.systems.leanproxy.instants import DAY, SECOND, ZERO, parse_stamp, stamp_text
from verify.systems.leanproxy.measures import (
    DIMENSIONS,
    LEVERS,
    PRICE,
    REPORT,
    SINCE,
    VIEW,
    WINDOWS,
)
from verify.systems.leanproxy.report import TRUNCATION, files_read, latest, snapshots, totals
from verify.systems.leanproxy.store import Store
from verify.systems.leanproxy.windows import (
    LIVE,
    TODAY,
    VIEWS,
    Window,
    day_start,
    days,
    seen,
    week_start,
    window,
)

STORED, RECOMPUTED = "stored", "recomputed"
SAVED = "saved"
SWITCHES = {SAVED: (STORED, RECOMPUTED), VIEW: VIEWS}
"""The switches of the method: whose saved_tokens the report's rows are made of, and which of the
product's readers makes the windows (also an option)."""


@dataclass(frozen=True)
class Asked:
    """A question that has been checked. Instants are nanoseconds since 1970; `since` None is no
    cut."""

    levers: tuple[str, ...]
    by: tuple[str, ...]
    since: int | None
    now: int | None
    view: str
    price: Fraction | None
    stored: bool

    @property
    def cut(self) -> int | None:
        """The cut that the store has to be read at: none at a midnight, where days part anyway."""
        return None if self.since is None or self.since % DAY == 0 else self.since

    def period(self) -> Stretch:
        """What it covers: from the cut on."""
        if self.since is None:
            return Stretch()
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.since // 1000)
        return Stretch(moment)

    def method(self) -> Mapping[str, Value]:
        """The choices by which the figures are made."""
        found: dict[str, Value] = {SAVED: STORED if self.stored else RECOMPUTED}
        if self.now is not None:
            found |= {VIEW: self.view, "now": stamp_text(self.now)}
        if self.since is not None and self.since % 1000:
            found[SINCE] = stamp_text(self.since)
        return found


def checked(question: Question) -> Asked:
    """The question, or UsageProblem where it cannot be asked of a usage store."""
    _refused(question)
    now = None if question.now is None else nanoseconds(question.now)
    names = _levers(question.levers, now)
    for dimension in question.by:
        having = [name for name in LEVERS if dimension in DIMENSIONS[name]]
        if not set(having) & set(names):
            known = sorted({one for name in names for one in DIMENSIONS[name]})
            raise UsageProblem(
                f"{', '.join(names)} cannot be broken down by {dimension!r}",
                advice=f"There are {', '.join(known)}.",
            )
    asked = Asked(
        names,
        tuple(question.by),
        _since(question),
        now,
        LIVE,
        _price(question.options.get(PRICE)),
        True,
    )
    view = {VIEW: question.options[VIEW]} if VIEW in question.options else {}
    return replace(asked, **given({**view, **question.switches}))


def given(switches: Mapping[str, str | bool]) -> dict[str, Any]:
    """The fields of a question that switches set. Raises UsageProblem for what is none."""
    fields: dict[str, Any] = {}
    for name, value in switches.items():
        allowed = SWITCHES.get(name)
        if allowed is None or value not in allowed:
            known = ", ".join(f"{key} can be {' or '.join(SWITCHES[key])}" for key in SWITCHES)
            raise UsageProblem(f"{name}={value} is not a method switch", advice=f"{known}.")
        fields |= {"stored": value == STORED} if name == SAVED else {VIEW: value}
    return fields


def _refused(question: Question) -> None:
    if question.month is not None or question.until is not None:
        raise UsageProblem(
            "a report reaches from a cut to the end of the store",
            advice="Use --since DATE or TIME, or --now TIME for the windows today and week.",
        )
    if question.time_zone not in (None, "UTC"):
        raise UsageProblem("the store's days are UTC days; --tz has no meaning for it")
    if question.baseline_model is not None:
        raise UsageProblem("a usage store names no models; --baseline-model has no meaning for it")


def _levers(asked: Sequence[str], now: int | None) -> tuple[str, ...]:
    for name in asked:
        if name not in LEVERS:
            raise UsageProblem(
                f"leanproxy-mcp has no lever {name!r}", advice=f"It has {', '.join(LEVERS)}."
            )
        if name in WINDOWS and now is None:
            raise UsageProblem(
                f"the window {name} depends on the time of asking",
                advice="Give it with --now, e.g. --now 2026-10-01T12:00:00Z.",
            )
    default = LEVERS if now is not None else [name for name in LEVERS if name not in WINDOWS]
    return tuple(name for name in LEVERS if name in (asked or default))


def nanoseconds(moment: datetime) -> int:
    """An instant of the standard library as nanoseconds since 1970."""
    since = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds * 1000


def _since(question: Question) -> int | None:
    given: int | None = None
    if isinstance(question.since, datetime):
        given = nanoseconds(question.since)
    elif isinstance(question.since, date):
        given = nanoseconds(datetime.combine(question.since, time(), UTC))
    text = question.options.get(SINCE)
    if text is not None:
        parsed = parse_stamp(text)
        if parsed is None:
            raise UsageProblem(f"{text!r} is not a timestamp", advice="Write it as RFC 3339.")
        if given is not None and given // 1000 != parsed[0] // 1000:
            raise UsageProblem(f"the cut is given twice: {stamp_text(given)} and {text}")
        given = parsed[0]
    return None if given == ZERO else given


def _price(text: str | None) -> Fraction | None:
    if text is None:
        return None
    try:
        price = Printed.read(text).value
    except ValueError:
        price = Fraction(-1)
    if price < 0:
        raise UsageProblem(
            f"{text!r} is no price", advice=f"Write {PRICE}=3.00, USD per million tokens."
        )
    return price


def answer(store: Store, asked: Asked) -> Iterator[LeverResult]:
    """The levers asked for, in order. Raises UnreadableInput where the product's report fails."""
    _whole(store, asked.since)
    kept = latest(store, asked.since)
    whole = totals(snapshots(kept.values()), stored=asked.stored)
    every_day = list(days(store, asked.since)) if "day" in asked.by else []
    teller = next((name for name in reversed(asked.levers) if name not in WINDOWS), None)
    for name in asked.levers:
        notes: list[Finding] = []
        if name in WINDOWS:
            yield _window(store, asked, name)
            continue
        if name == REPORT:
            found = levers.report(whole, kept, every_day, asked.by, asked.price, asked.stored)
            notes += bridge.about_report(store, kept, asked.since)
        else:
            found = levers.mechanism(name, whole, kept, every_day, asked.by, asked.stored)
            notes += bridge.governor_off(kept) if name == TRUNCATION else ()
        if every_day and name == teller:
            notes.append(bridge.about_days([day for _, day in every_day], whole))
        yield replace(found, findings=tuple(notes))


def asked_of(result: Recomputation) -> Asked:
    """What a result was asked for, but for its levers and breakdowns."""
    method, start = result.method, result.period.start
    exact = method.get(SINCE)
    since = parse_stamp(str(exact)) if exact is not None else None
    now = parse_stamp(str(method["now"])) if "now" in method else None
    return Asked(
        (),
        (),
        since[0] if since else None if start is None else nanoseconds(start),
        now[0] if now else None,
        str(method.get(VIEW, LIVE)),
        None,
        method[SAVED] == STORED,
    )


def window_of(store: Store, asked: Asked, name: str) -> Window:
    """The window of that name at the time of asking."""
    assert asked.now is not None
    start = (day_start if name == TODAY else week_start)(asked.now)
    return window(seen(store, asked.view, asked.now), start)


def _window(store: Store, asked: Asked, name: str) -> LeverResult:
    assert asked.now is not None
    lines = seen(store, asked.view, asked.now)
    found = window_of(store, asked, name)
    steps = bridge.Bridge.between(latest(store, asked.since), found)
    detail: dict[str, Value] = {VIEW: asked.view, **steps.as_detail()}
    notes: tuple[Finding, ...] = tuple(
        bridge.about_window(store, found, steps, lines, asked.view == LIVE)
    )
    result = levers.windowed(name, found, stamp_text(found.start), detail, asked.by)
    return replace(result, findings=notes)


def _whole(store: Store, since: int | None) -> None:
    for at in sorted(files_read(store, since)):
        file = store.files[at]
        if file.too_long is not None:
            raise UnreadableInput(
                f"{file.path} line {file.too_long} has 8 MiB or more, which the product cannot "
                "read: its report fails",
                advice="No figure can be recomputed that the product could show.",
            )
