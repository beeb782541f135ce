"""Findings about one report or one window: what it holds that its reader may not expect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from verify.findings import Finding
from verify.systems.leanproxy.diagnose import so_many
from verify.systems.leanproxy.notes import wrapped
from verify.systems.leanproxy.report import Totals, before, snapshots, totals
from verify.systems.leanproxy.shape import EMPTY, Snapshot
from verify.systems.leanproxy.store import Group, Kept, Store
from verify.systems.leanproxy.windows import Window


def saved_of(found: Iterable[Kept | None]) -> int:
    """Saved tokens of lines, as the report has them."""
    return totals((one.snapshot or EMPTY) for one in found if one is not None).saved


def about_report(store: Store, kept: Mapping[str, Kept], since: int | None) -> Iterator[Finding]:
    """Findings about the report whose lines are `kept`."""
    whole = totals(snapshots(kept.values()))
    if since is not None:
        earlier = before(store, since)
        spans = [earlier[session] for session in kept if session in earlier]
        if spans:
            share = totals(snapshots(spans))
            message = (
                f"{len(spans):,} of {len(kept):,} sessions began before the cut; the report counts "
                f"them whole, with {share.original:,} original and {share.saved:,} saved tokens "
                "that they had counted before it"
            )
            yield Finding("usage_session_spans", message, len(spans))
    recomputed = totals(snapshots(kept.values()), stored=False)
    if recomputed.saved != whole.saved:
        message = (
            f"stored savings give {whole.saved:,} saved tokens, original less returned gives "
            f"{recomputed.saved:,} ({whole.saved - recomputed.saved:+,})"
        )
        yield Finding("usage_saved_differs", message)
    if whole.overflowed:
        yield Finding("usage_sum_overflowed", "sums of the sessions leave 64 bits and wrap around")


def governor_off(kept: Mapping[str, Kept]) -> Iterator[Finding]:
    """How many of the sessions have nothing that the response rows are made of."""
    off = sum((one.snapshot or EMPTY).governor is None for one in kept.values())
    if off:
        message = (
            f"the response governor was off in {off:,} of {len(kept):,} sessions: nothing was "
            "measured there"
        )
        yield Finding("usage_governor_off", message, off)


def about_days(windows: Iterable[Window], whole: Totals) -> Finding:
    """That days are not the report, and by how much."""
    days = sum(window.totals.saved for window in windows)
    message = (
        f"the days add up to {days:,} saved tokens, the report has {whole.saved:,}: a day is what "
        "sessions counted on it, by the window rule"
    )
    return Finding("usage_days_not_report", message)


@dataclass(frozen=True)
class Bridge:
    """From the report's saved tokens to a window's:
    `report - older - earlier + floored + otherwise = window`.

    `older`: sessions that the window does not have. `earlier`: what its sessions had counted
    before it. `floored`: differences that were below 0, and savings recomputed. `otherwise`: lines
    that the reader of the window takes and the report does not, or the other way round.
    """

    report: int
    older: int
    earlier: int
    floored: int
    otherwise: int

    @classmethod
    def between(cls, kept: Mapping[str, Kept], window: Window) -> Bridge:
        """`kept` are the report's lines by session."""
        parts = window.parts
        taken = saved_of(part.latest for part in parts.values())
        earlier = saved_of(part.base for part in parts.values())
        return cls(
            saved_of(kept.values()),
            saved_of(one for session, one in kept.items() if session not in parts),
            earlier,
            wrapped(window.totals.saved - taken + earlier),
            wrapped(taken - saved_of(one for session, one in kept.items() if session in parts)),
        )

    def as_detail(self) -> dict[str, int]:
        """Its steps under the names that outputs carry."""
        return {
            "report_saved_tokens": self.report,
            "older_sessions_saved_tokens": self.older,
            "earlier_saved_tokens": self.earlier,
            "floored_saved_tokens": self.floored,
            "read_otherwise_saved_tokens": self.otherwise,
        }


def about_window(
    store: Store,
    window: Window,
    steps: Bridge,
    lines: Iterable[tuple[Group, Kept]],
    live: bool,
) -> Iterator[Finding]:
    """Why the window is not the report, and what it misses. `lines` are those its reader sees."""
    if window.totals.saved != steps.report:
        yield Finding("usage_window_bridge", _bridge_words(steps, window.totals.saved))
    fell = [s for s, part in window.parts.items() if part.base and _fell(part.latest, part.base)]
    if fell:
        many = so_many(len(fell), "session")
        message = f"{many} with counters lower than before the window: {fell[0]}"
        yield Finding("usage_window_fell", message + (" …" if len(fell) > 1 else ""), len(fell))
    if not live:
        return
    seen = before(store, window.start)
    unseen = {
        session: part.base
        for session, part in window.parts.items()
        if session in seen and _worse(part.base, seen[session])
    }
    if unseen:
        again = totals(snapshots(seen[session] for session in unseen))
        known = totals((base.snapshot or EMPTY) for base in unseen.values() if base is not None)
        message = (
            f"the live reader cannot see the last line before the window of "
            f"{so_many(len(unseen), 'session')}: {again.original - known.original:,} original and "
            f"{again.saved - known.saved:,} saved tokens from before count in it"
        )
        yield Finding("usage_baseline_unseen", message, len(unseen))
    out = _left_out(lines, window)
    if out:
        many = so_many(len(out), "session")
        message = f"{many} whose latest line cannot be decoded whole: {out[0]}"
        yield Finding("usage_window_left_out", message + (" …" if len(out) > 1 else ""), len(out))


def _worse(base: Kept | None, other: Kept) -> bool:
    """Whether a baseline is not as good as another one."""
    return base is None or base.snapshot is None or other.at > base.at


def _bridge_words(steps: Bridge, saved: int) -> str:
    words = [f"the report has {steps.report:,} saved tokens, the window {saved:,}"]
    if steps.older:
        words.append(f"{steps.older:,} are of sessions older than the window")
    if steps.earlier:
        words.append(f"{steps.earlier:,} its sessions had counted before it")
    if steps.floored:
        words.append(f"{steps.floored:+,} by differences held at 0 or savings recomputed")
    if steps.otherwise:
        words.append(f"{steps.otherwise:+,} by lines that its reader takes otherwise")
    return "; ".join(words)


def _fell(latest: Kept, base: Kept) -> bool:
    now, then = latest.snapshot or EMPTY, base.snapshot or EMPTY
    return any(new < old for new, old in zip(_counters(now), _counters(then), strict=True))


def _counters(snapshot: Snapshot) -> tuple[int, ...]:
    governor = snapshot.governor
    counters = (0,) * 11 if governor is None else (*governor[:4], *governor[5:])
    return (*snapshot.telemetry, *counters)


def _left_out(lines: Iterable[tuple[Group, Kept]], window: Window) -> list[str]:
    newest: dict[str, Kept] = {}
    for group, kept in lines:
        if kept.later_than(newest.get(group.session)):
            newest[group.session] = kept
    return sorted(
        session
        for session, kept in newest.items()
        if kept.snapshot is None and kept.at >= window.start
    )
