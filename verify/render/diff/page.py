"""A diff as a page for the terminal: the conclusion, a line a lever, and then what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from verify.compare.tieout import Diff, DiffRow
from verify.render.diff.figures import (
    CELLS,
    Digits,
    Group,
    figure_of,
    figures_words,
    groups,
    is_word,
    key_of,
    largest_first,
    percent,
    reason_words,
    unit_of,
    verdict_words,
)
from verify.render.diff.told import (
    LeverLine,
    all_findings,
    conclusion,
    lever_lines,
    policy_words,
    untold,
)
from verify.render.safe import visible
from verify.render.sheet import Sheet
from verify.render.tables import Column, Page
from verify.render.words import coverage_words, export_words, loud_words
from verify.result import Value

MOST_ROWS = 12
"""More rows of a lever and dimension than these are left to the other forms."""

_DIGEST_DIGITS = 12
# What the head of the page has said already.
_SAID = frozenset({"manifest_unauthenticated"})
_STYLES = {"agrees": "bold green", "differs": "bold red", "inconclusive": "bold yellow"}
_WIDE = 120
"""From this width on, all about a lever stands on one line."""


def table(
    diff: Diff, *, width: int, colour: bool, unusual: Mapping[str, Value] | None = None
) -> str:
    """The page for a terminal of `width` columns. `unusual` are the switches of the method that
    are set otherwise than stated."""
    page = Page(width=width, colour=colour)
    draw(page, diff, wide=width >= _WIDE, unusual=unusual)
    return page.text()


def draw(
    page: Sheet, diff: Diff, *, wide: bool, unusual: Mapping[str, Value] | None = None
) -> None:
    """The same on any sheet; `wide`: all about a lever on one line."""
    for warning in loud_words(diff.export, unusual or {}):
        page.loud(warning)
    page.line(conclusion(diff), _STYLES.get(diff.verdict, "bold"))
    page.blank()
    head = export_words(diff.export, digits=_DIGEST_DIGITS, period=diff.result.period)
    page.pairs([*(pair for pair in head if pair[0] != "from"), *policy_words(diff)])
    lines = lever_lines(diff)
    if lines:
        page.blank()
        _levers(page, lines, wide=wide, filtered=diff.concluded is not None)
    told = groups(diff)
    for line in lines:
        parts = told.get(line.lever, [])
        if parts:
            page.heading(visible(line.lever), _counts(line, parts, diff.concluded is not None))
        for number, group in enumerate(parts):
            if number:
                page.blank()
            _group(page, group, wide=wide, filtered=diff.concluded is not None)
    if lines:
        if told:
            page.blank()
        page.line(page.ROUNDED, "dim")
    _rest(page, diff)


def _rest(page: Sheet, diff: Diff) -> None:
    findings = [finding for finding in all_findings(diff) if finding.code not in _SAID]
    if findings:
        page.heading("findings")
        page.findings(findings)
    reasons = untold(diff)
    if reasons:
        page.heading("what cannot be concluded")
        for reason in reasons[:MOST_ROWS]:
            page.line(f"- {visible(reason)}")
        if len(reasons) > MOST_ROWS:
            page.line(f"and {len(reasons) - MOST_ROWS:,} more; {page.MORE} has all", "dim")


def _levers(page: Sheet, lines: Sequence[LeverLine], *, wide: bool, filtered: bool) -> None:
    """The headline and the levers, on one line each, or on two where the page is narrow."""
    digits = {unit: _lever_digits(unit, lines) for unit in {line.unit for line in lines}}
    unit = lines[0].unit if len(digits) == 1 else ""
    name = [Column("lever", kind="name")]
    figures = [
        Column("product", unit, kind="ordinal"),
        Column("own read", unit, kind="ordinal", rank=1),
        Column("recomputed", unit, kind="ordinal"),
        Column("difference", unit, kind="ordinal"),
        Column("verdict", kind="words"),
    ]
    basis = [Column("status", kind="name"), Column("coverage", kind="words", rank=1)]
    basis += [Column("shown")] if filtered else [Column("differ"), Column("figures")]
    names: list[tuple[Value, ...]] = [(line.lever,) for line in lines]
    money: list[tuple[Value, ...]] = [
        (
            digits[line.unit].amount(line.figure),
            digits[line.unit].amount(line.from_read),
            digits[line.unit].amount(line.recomputed),
            digits[line.unit].difference(line.delta),
            verdict_words(line.verdict) or None,
        )
        for line in lines
    ]
    counts: list[tuple[Value, ...]] = [
        (
            line.status,
            coverage_words(line.coverage) if line.coverage else None,
            *((line.rows,) if filtered else (line.differing, line.rows)),
        )
        for line in lines
    ]
    if wide:
        rows = [a + b + c for a, b, c in zip(names, money, counts, strict=True)]
        page.table([*name, *figures, *basis], rows)
        return
    page.table([*name, *figures], [a + b for a, b in zip(names, money, strict=True)])
    page.blank()
    page.table([*name, *basis], [a + b for a, b in zip(names, counts, strict=True)])


def _lever_digits(unit: str, lines: Sequence[LeverLine]) -> Digits:
    own = [line for line in lines if line.unit == unit]
    amounts = [value for line in own for value in (line.figure, line.from_read, line.recomputed)]
    return Digits.of(unit, amounts, [line.delta for line in own if line.delta is not None])


def _counts(line: LeverLine, parts: Sequence[Group], filtered: bool) -> str:
    """`7 of 137 figures differ, 5 only in the figures`."""
    count = Counter(row.verdict for group in parts for row in group.rows)
    words: list[str] = []
    for verdict, number in count.items():
        shown = f"{number:,}"
        if not words and not filtered:
            shown += f" of {figures_words(line.rows)}"
        several = verdict == "differs" and number > 1
        words.append(f"{shown} {'differ' if several else verdict_words(verdict)}")
    return ", ".join(words)


def _group(page: Sheet, group: Group, *, wide: bool, filtered: bool) -> None:
    words = [row for row in group.rows if is_word(row)][:MOST_ROWS]
    amounts = [row for row in group.rows if not is_word(row)]
    room = MOST_ROWS - len(words)
    hidden = len(group.rows) - len(words) - min(len(amounts), room)
    title = f"{visible(group.title)}, "
    title += "" if filtered else f"{len(group.rows):,} of "
    title += figures_words(len(group.rows) if filtered else group.of)
    if hidden and any(row.delta != 0 for row in amounts):
        amounts = largest_first(amounts)
        title += ", largest first"
    amounts = amounts[:room]
    numbers: dict[str, int] = {}
    if len({reason_words(row) for row in group.rows}) == 1:
        title += f": {visible(reason_words(group.rows[0]))}"
    else:
        for row in (*words, *amounts):
            numbers.setdefault(reason_words(row), len(numbers) + 1)
    page.line(title)
    if words:
        _words(page, group, words, numbers)
    if words and amounts:
        page.blank()
    if amounts:
        _amounts(page, group, amounts, numbers, wide=wide)
    page.pairs((str(number), visible(reason)) for reason, number in numbers.items())
    if hidden:
        noun = "row" if hidden == 1 else "rows"
        by = "" if group.dimension is None else f" {visible(group.title)}"
        page.line(f"and {hidden:,} more {noun}{by}; {page.MORE} has every row", "dim")


def _words(page: Sheet, group: Group, rows: Sequence[DiffRow], numbers: Mapping[str, int]) -> None:
    columns = [Column("figure", kind="name"), Column("recomputed", kind="name")]
    cells: list[list[Value]] = [[row.figure, _word(row.recomputed)] for row in rows]
    _framed(page, group, rows, columns, cells, numbers)


def _word(value: Value) -> Value:
    return value if value is None or isinstance(value, str) else str(value)


def _amounts(
    page: Sheet,
    group: Group,
    rows: Sequence[DiffRow],
    numbers: Mapping[str, int],
    *,
    wide: bool,
) -> None:
    units = {unit_of(row.at.measure) for row in rows}
    digits = {unit: _digits(unit, rows) for unit in units}
    columns = [
        Column("figure", kind="ordinal"),
        Column("recomputed", kind="ordinal"),
        Column("difference", kind="ordinal"),
    ]
    # Where space is short, two names in a key need it more.
    relative = wide or group.dimension != CELLS
    if relative:
        columns.append(Column("relative", kind="ordinal", rank=1))
    cells: list[list[Value]] = []
    for row in rows:
        shown = digits[unit_of(row.at.measure)]
        cell: list[Value] = [shown.amount(figure_of(row)), shown.amount(row.recomputed)]
        cell.append(shown.difference(row.delta))
        cells.append([*cell, percent(row.relative)] if relative else cell)
    _framed(page, group, rows, columns, cells, numbers)


def _digits(unit: str, rows: Sequence[DiffRow]) -> Digits:
    own = [row for row in rows if unit_of(row.at.measure) == unit]
    amounts = [value for row in own for value in (figure_of(row), row.recomputed)]
    return Digits.of(unit, amounts, [row.delta for row in own if row.delta is not None])


def _framed(
    page: Sheet,
    group: Group,
    rows: Sequence[DiffRow],
    columns: Sequence[Column],
    cells: Sequence[Sequence[Value]],
    numbers: Mapping[str, int],
) -> None:
    """A table of `cells`: before them key and measure, behind them the reason's number, and for
    totals, which two reads may both show, the read."""
    total = group.dimension is None
    before = [] if total else [Column(visible(group.key_title), kind="key")]
    before.append(Column("measure", kind="words"))
    behind = [Column("why", kind="ordinal")] if numbers else []
    if total:
        behind.append(Column("read", kind="name", rank=2))
    lines: list[list[Value]] = []
    for row, own in zip(rows, cells, strict=True):
        line: list[Value] = [] if total else [key_of(row.at)]
        line += [row.at.measure, *own]
        if numbers:
            line.append(numbers[reason_words(row)])
        if total:
            line.append(row.read)
        lines.append(line)
    page.table([*before, *columns, *behind], lines)
