"""What a reader of the product's figures should know about the store they were made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from verify.findings import EXAMPLES, Finding
from verify.systems.leanproxy.instants import DAY, date_text, stamp_text
from verify.systems.leanproxy.lines import Line
from verify.systems.leanproxy.report import files_read, totals
from verify.systems.leanproxy.shape import EMPTY
from verify.systems.leanproxy.store import Kept, Skipped, Store

RETENTION_DAYS = 90
"""How long the product keeps files unless told otherwise."""
MOST_TOLD = 20
_LINE = "usage_line_"
_SORTS = ("torn", "glued", "malformed", "mistyped")
_MESSAGES = {
    "usage_line_empty": 'without session and timestamp, counted as a session named ""',
    "usage_session_unnamed": 'without a session id, counted as one session named ""',
    "usage_stamp_absent": "without a timestamp, at the first instant of year 1",
    "usage_counter_fell": "with lower counters than the line before of the session",
    "usage_clock_back": "with an earlier timestamp than the line before of the session, and more "
    "counted",
    "usage_out_of_order": "with an earlier timestamp than the line before of the session",
    "usage_stamp_repeated": "with the timestamp of the line before of the session",
    "usage_saved_differs": "with saved_tokens that are not original less returned",
    "usage_file_day": "in the file of another UTC day",
    "blank_lines": "without anything in it",
}


def so_many(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def about_store(
    store: Store, ignored: Iterable[str], since: int | None, now: int | None
) -> Iterator[Finding]:
    """Findings about the whole store. `ignored` are files beside it; `now` the time of asking,
    where it is given."""
    for code, words in _MESSAGES.items():
        note = store.notes.get(code)
        if note is not None:
            more = f" ({'; '.join(note.words)})" if note.words else ""
            first = f"{'first' if note.count > 1 else 'it is'} {store.place_of(note.examples[0])}"
            message = f"{so_many(note.count, 'line')} {words}; {first}{more}"
            yield Finding(code, message, note.count, tuple(note.examples))
    note = store.notes.get("usage_estimator")
    if note is not None:
        names = ", ".join(sorted(repr(name) for name in store.notes.estimators))
        message = f"{so_many(note.count, 'line')} with another estimator than chars/4: {names}"
        yield Finding("usage_estimator", message, note.count, tuple(note.examples))
    for file in store.files:
        if file.too_long is not None:
            message = f"{file.path} line {file.too_long} has 8 MiB or more: the report fails"
            number = file.before + file.too_long
            yield Finding("usage_line_too_long", message, 1, (number,))
    yield from _about_files(store, list(ignored), since, now)


def _about_files(
    store: Store, ignored: list[str], since: int | None, now: int | None
) -> Iterator[Finding]:
    if ignored:
        shown = ", ".join(ignored[:EXAMPLES])
        more = f" and {len(ignored) - EXAMPLES} more" if len(ignored) > EXAMPLES else ""
        message = f"the product does not read {shown}{more}"
        yield Finding("usage_file_ignored", message, len(ignored))
    present = sorted(file.day for file in store.files)
    if not present:
        return
    first, last = present[0], present[-1]
    missing = (
        [day for day in range(first, last + 1) if day not in set(present)]
        if (last - first < 400_000)
        else []
    )
    if missing:
        shown = ", ".join(date_text(day) for day in missing[:EXAMPLES])
        more = " …" if len(missing) > EXAMPLES else ""
        span = f"{date_text(first)} to {date_text(last)}"
        message = f"{so_many(len(missing), 'day')} without a file from {span}: {shown}{more}"
        yield Finding("usage_days_missing", message, len(missing))
    newest = last if now is None else now // DAY
    if newest - first >= RETENTION_DAYS - 1:
        message = (
            f"the first file is of {date_text(first)}, {newest - first} days back; by default "
            f"the product keeps {RETENTION_DAYS} days, so older ones may be gone"
        )
        yield Finding("usage_retention_edge", message)
    if since is not None and since // DAY < first:
        message = (
            f"the cut is {stamp_text(since)}, the first file is of {date_text(first)}: "
            "what was before it is not in the store"
        )
        yield Finding("usage_cut_before_store", message)


def skipped_lines(store: Store, kept: Mapping[str, Kept], since: int | None) -> Iterator[Finding]:
    """Each line that the product passes over: where, why, and what it would add to the report
    whose lines are `kept`."""
    total = sum(file.skipped for file in store.files)
    if not total:
        return
    for skipped in store.skipped[:MOST_TOLD]:
        number = store.files[skipped.file].before + skipped.line
        place = store.place(skipped.file, skipped.line)
        words = f"{place}: {skipped.reason.words}; {_would_add(store, skipped, kept, since)}"
        yield Finding(_LINE + skipped.reason.sort, words, 1, (number,))
    counts = ", ".join(
        f"{note.count:,} {sort}"
        for sort in _SORTS
        if (note := store.notes.get(_LINE + sort)) is not None
    )
    if total > 1:
        original, saved = _difference(kept, _best(store, store.skipped, kept, since))
        known = (
            "" if total == len(store.skipped) else f" (the first {len(store.skipped):,} of them)"
        )
        message = (
            f"{total:,} lines are passed over: {counts}; together they{known} would add "
            f"{original:,} original and {saved:,} saved tokens, as far as they can be made out"
        )
        yield Finding("usage_lines_skipped", message, total)


def _would_add(store: Store, skipped: Skipped, kept: Mapping[str, Kept], since: int | None) -> str:
    if not skipped.lines:
        return "what it would add cannot be made out"
    read = skipped.file in files_read(store, since)
    if since is not None and not (read and any(line.at >= since for line in skipped.lines)):
        return "it would add nothing: the cut leaves it out"
    best = _best(store, [skipped], kept, since)
    if not best:
        return "it would add nothing: the report takes another line of its session"
    original, saved = _difference(kept, best)
    if not original and not saved:
        return "it would add nothing, though the report would take it"
    return f"it would add {original:,} original and {saved:,} saved tokens"


def _best(
    store: Store, skipped: Iterable[Skipped], kept: Mapping[str, Kept], since: int | None
) -> dict[str, Line]:
    """Of each session the line among `skipped` that the report would take if it read it."""
    read, best = files_read(store, since), dict[str, Line]()
    for one in skipped:
        for line in one.lines if one.file in read else ():
            taken = kept.get(line.session)
            if since is not None and line.at < since:
                continue
            if taken is not None and line.at <= taken.at:
                continue
            if line.session not in best or line.at > best[line.session].at:
                best[line.session] = line
    return best


def _difference(kept: Mapping[str, Kept], best: Mapping[str, Line]) -> tuple[int, int]:
    now = totals(line.snapshot or EMPTY for line in best.values())
    before = totals(kept[name].snapshot or EMPTY for name in best if name in kept)
    return now.original - before.original, now.saved - before.saved
