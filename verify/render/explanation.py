"""An explanation: the conclusion first, then who owes how much of each difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from verify.exact import plain, rounded
from verify.render import diagnosis
from verify.render.flat import csv_of
from verify.render.pipes import pipe_table
from verify.render.safe import inert, markdown_text, shown_key, visible
from verify.render.sheet import Sheet
from verify.render.tables import Column, Page
from verify.render.words import UNVERIFIED, export_words, sets_that_fit
from verify.result import Value

if TYPE_CHECKING:
    from verify.compare.explain import Explanation, Waterfall
    from verify.compare.worlds import Choice

MOST_REMAINING = 12
_CSV = ("lever", "measure", "step", "switch", "value", "amount")


def conclusion(told: Explanation) -> str:
    """What was found, in one sentence."""
    if told.diff.verdict != "differs":
        return "nothing to explain: no figure differs from what the records give"
    if not told.before:
        return "nothing to explain: no figure differs by its amount; a finding is an error"
    if not told.sets:
        return f"unexplained: none of {_tried(told)} makes the figures follow from the records"
    left = len(told.remaining)
    if left:
        noun = "differs" if left == 1 else "differ"
        shown = "figure" if told.before == 1 else "figures"
        return (
            f"explained in part: {told.mended:,} of {told.before:,} {shown} that differ; {left:,} "
            f"{noun} all the same"
        )
    return f"explained: all {told.tested:,} figures shown then follow from the records"


def _tried(told: Explanation) -> str:
    tried = f"{told.tried:,} other sets of choices"
    if not told.unheld:
        return tried
    return f"{tried} ({told.unheld:,} that fit totals were not held against every row)"


def _as_if(told: Explanation) -> str:
    if told.remaining:
        return "what is explained follows if the product calculated as if"
    return "the product calculated as if"


def _steps_of(told: Explanation) -> str:
    """Whose steps the waterfall has, where it could have others; else empty."""
    if told.fitting < 2 or not any(fall.steps for fall in told.waterfalls):
        return ""
    return f"the steps are those of the first of {sets_that_fit(told)}"


def _meant(choice: Choice) -> str:
    value = choice.value if isinstance(choice.value, str) else str(choice.value).lower()
    return f"{choice.meaning}: {choice.name} = {value}"


def _same(choice: Choice) -> str:
    shown = ", ".join(choice.also[:3])
    more = len(choice.also) - 3
    return f"{shown} and {more} more zones" if more > 0 else shown


def _alternatives(told: Explanation) -> Iterator[str]:
    for choices in told.sets:
        yield "; ".join(_meant(choice) for choice in choices)


def table(told: Explanation, *, width: int, colour: bool) -> str:
    """The page for a terminal of `width` columns."""
    page = Page(width=width, colour=colour)
    draw(page, told)
    return page.text()


def draw(page: Sheet, told: Explanation) -> None:
    """The same on any sheet."""
    if told.diff.export.trust == "unverified":
        page.loud(UNVERIFIED)
    page.line(conclusion(told), "bold")
    page.blank()
    if told.sets and told.fitting > 1:
        page.line(f"{sets_that_fit(told)}:")
    for choices in told.sets:
        page.line(_as_if(told))
        for choice in choices:
            page.line(f"  - {visible(_meant(choice))}")
            if choice.also:
                page.line(f"    the same days: {visible(_same(choice))}", "dim")
    if told.sets:
        page.line(
            f"found among {told.tried:,} sets of choices, held against {told.tested:,} figures",
            "dim",
        )
    page.blank()
    page.pairs(export_words(told.diff.export, digits=12, period=told.diff.result.period))
    if told.waterfalls:
        page.heading("from the recomputed figure to the product's")
        for unit in dict.fromkeys(_unit(told, fall) for fall in told.waterfalls):
            _falls(page, [fall for fall in told.waterfalls if _unit(told, fall) == unit], unit)
        if steps := _steps_of(told):
            page.line(steps, "dim")
        page.line("unexplained below half a unit of the last printed digit is rounding", "dim")
    if told.remaining:
        page.heading("what is left unexplained")
        rows: list[tuple[Value, ...]] = [
            (
                row.at.lever,
                row.at.dimension or "total",
                shown_key(row.at.key) if row.at.dimension else "",
                row.at.measure,
                row.figure,
                row.recomputed,
                row.verdict.replace("_", " "),
            )
            for row in told.remaining[:MOST_REMAINING]
        ]
        titles = ("lever", "by", "key", "measure", "figure", "then", "verdict")
        page.table([Column(title, kind="name") for title in titles], [_texts(r) for r in rows])
        hidden = len(told.remaining) - MOST_REMAINING
        if hidden > 0:
            page.line(f"and {hidden:,} more; {page.JSON} has every row")
        for sentence in diagnosis.where_the_rest_lies(told):
            page.line(sentence)
    if told.diagnosis is not None:
        diagnosis.draw(page, told.diagnosis)


def _texts(row: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(
        "" if cell is None else cell if isinstance(cell, str) else rounded(cell, 6) for cell in row
    )


def _unit(told: Explanation, fall: Waterfall) -> str:
    """What a figure is counted in."""
    if fall.at.measure == "usd":
        return "USD"
    levers = told.diff.result.levers
    return next((lever.unit for lever in levers if lever.lever == fall.at.lever), "")


def _falls(page: Sheet, falls: Sequence[Waterfall], unit: str) -> None:
    names = _names(falls)
    columns = [
        Column("lever", kind="name"),
        Column("recomputed", unit),
        *(Column(name, unit) for name in names),
        Column("unexplained", unit),
        Column("product", unit),
    ]
    page.table(columns, [_line(waterfall, names) for waterfall in falls])


def _names(falls: Iterable[Waterfall]) -> list[str]:
    return list(dict.fromkeys(step.choice.name for fall in falls for step in fall.steps))


def _line(waterfall: Waterfall, names: list[str]) -> tuple[Value, ...]:
    amounts = {step.choice.name: step.amount for step in waterfall.steps}
    return (
        waterfall.at.lever,
        waterfall.recomputed,
        *(amounts.get(name) for name in names),
        waterfall.unexplained,
        Fraction(waterfall.figure),
    )


def csv(told: Explanation) -> str:
    """The waterfalls in long form, exact: a line a step, from recomputed to the product's. Where
    more than one set fits, two lines at the end count those listed and all that fit."""

    def lines() -> Iterator[tuple[Value, ...]]:
        for fall in told.waterfalls:
            at = (fall.at.lever, fall.at.measure)
            yield (*at, "recomputed", "", "", fall.recomputed)
            for step in fall.steps:
                value = step.choice.value
                shown = value if isinstance(value, str) else str(value).lower()
                yield (*at, "step", step.choice.name, shown, step.amount)
            yield (*at, "unexplained", "", "", fall.unexplained)
            yield (*at, "figure", "", "", fall.recomputed + fall.delta)
        if told.sets and told.fitting > 1:
            yield ("", "", "sets_listed", "", "", len(told.sets))
            yield ("", "", "sets_fitting", "", "", told.fitting)

    return csv_of(_CSV, lines())


def markdown(told: Explanation) -> str:
    """What finance can paste: the conclusion, the causes, and the exact waterfall."""
    parts = [f"# {markdown_text(conclusion(told))}\n"]
    if told.sets:
        words = _as_if(told)
        counted = f" ({sets_that_fit(told)})" if told.fitting > 1 else ""
        parts.append(f"{words[0].upper()}{words[1:]}{counted}\n")
        parts.append("".join(f"- {markdown_text(text)}\n" for text in _alternatives(told)))
    names = _names(told.waterfalls)
    rows = [
        [
            markdown_text(fall.at.lever),
            plain(fall.recomputed),
            *(_exact(fall, name) for name in names),
            plain(fall.unexplained),
            markdown_text(fall.figure),
        ]
        for fall in told.waterfalls
    ]
    header = ["lever", "recomputed", *names, "unexplained", "product"]
    parts.append(pipe_table(header, rows, [False] + [True] * (len(header) - 1)))
    if steps := _steps_of(told):
        parts.append(f"{steps[0].upper()}{steps[1:]}.\n")
    parts += [f"- {inert(text)}" for text in diagnosis.where_the_rest_lies(told)]
    if told.diagnosis is not None:
        parts.append(diagnosis.markdown(told.diagnosis))
    return "\n".join(part for part in parts if part)


def _exact(fall: Waterfall, name: str) -> str:
    return next((plain(s.amount) for s in fall.steps if s.choice.name == name), "")
