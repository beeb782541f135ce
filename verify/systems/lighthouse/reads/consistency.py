"""Where the reads contradict themselves or each other, whatever the records say.

Printed figures are rounded, so the rows of a breakdown may miss their total by half a unit each,
and half a unit for the total itself; a sum of binary floats by 1e-12 of itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from verify.compare.figures import HEADLINE, At, Derived, Figure
from verify.compare.verdicts import DOLLAR_DECIMALS, FLOAT_NOISE
from verify.exact import Printed, plain
from verify.findings import EXAMPLES, Finding
from verify.result import CardCell
from verify.systems.lighthouse.fields import PRICE
from verify.systems.lighthouse.measures import MEASURES
from verify.systems.lighthouse.reads.depth2 import Row, csv_cells, number
from verify.systems.lighthouse.reads.documents import CSV_READ
from verify.systems.lighthouse.reads.figures import TOKENS

Card = Mapping[str, Fraction | None]

_UNITS = {m.name: m.unit for measures in MEASURES.values() for m in measures}
# Whole numbers by nature; tokens of searches are not among them, sampling weighs them.
_EXACT = frozenset(
    {
        "measured",
        "unmeasured",
        "decisions",
        "uncomparable",
        "calls",
        "coverage_measured",
        "coverage_total",
        *TOKENS,
    }
)


def contradictions(
    figures: Iterable[Figure], depth2: Mapping[At, Derived], statuses: Mapping[str, str]
) -> Iterator[Finding]:
    """Every place where a read does not agree with itself or with another."""
    shown = list(figures)
    precision = _Precision(shown)
    yield from _duplicates(shown)
    yield from _restated(shown, precision)
    yield from _rows_against_totals(shown, precision)
    yield from _against_inputs(shown, depth2, statuses, precision)


class _Precision:
    """Half a unit of each measure, by the most decimals that any figure of it shows."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._decimals: dict[tuple[str, str], int] = {}
        for figure in figures:
            if isinstance(figure.shown, Printed):
                at = (figure.at.lever, figure.at.measure)
                least = DOLLAR_DECIMALS if _UNITS.get(figure.at.measure) == "USD" else 0
                shown = max(self._decimals.get(at, least), figure.shown.decimals)
                self._decimals[at] = shown

    def ties(self, at: At, one: Fraction, other: Fraction, shares: int) -> bool:
        """Whether two figures agree, when one is a sum of `shares` rounded ones."""
        if at.measure in _EXACT:
            return one == other
        decimals = self._decimals[at.lever, at.measure]
        half = Fraction(1, 2 * 10**decimals) if decimals else Fraction(0)
        allowed = max(half * (shares + 1), FLOAT_NOISE * max(abs(one), abs(other)))
        return abs(one - other) <= allowed


def _name(figure: Figure) -> str:
    return f"{figure.read} {figure.pointer}"


def _duplicates(figures: list[Figure]) -> Iterator[Finding]:
    seen: dict[tuple[str, At], Figure] = {}
    told: set[tuple[str, str, str | None, str | None]] = set()
    for figure in figures:
        first = seen.setdefault((figure.read, figure.at), figure)
        place = (figure.read, figure.at.lever, figure.at.dimension, figure.at.key)
        if first is not figure and place not in told:
            told.add(place)
            what = f"{figure.at.key!r} of {figure.at.dimension}" if figure.at.dimension else "it"
            message = f"{figure.read}: {what} is shown twice, at {first.pointer} and "
            yield Finding("read_duplicate_row", message + figure.pointer)


def _restated(figures: list[Figure], precision: _Precision) -> Iterator[Finding]:
    """One figure that two reads both show."""
    first: dict[At, Figure] = {}
    for figure in figures:
        before = first.setdefault(figure.at, figure)
        if before is figure or before.read == figure.read:
            continue
        one, other = before.shown, figure.shown
        if isinstance(one, Printed) and isinstance(other, Printed):
            same = precision.ties(figure.at, one.value, other.value, 1)
        else:
            same = one == other
        if not same:
            message = f"{_name(before)} shows {before.text}, {_name(figure)} shows {figure.text}"
            yield Finding("reads_disagree", message)


def _rows_against_totals(figures: list[Figure], precision: _Precision) -> Iterator[Finding]:
    totals: dict[tuple[str, str, str], Figure] = {}
    rows: dict[tuple[str, str, str, str], list[Printed]] = {}
    for figure in figures:
        if not isinstance(figure.shown, Printed) or figure.read == HEADLINE:
            continue
        at = figure.at
        if at.dimension is None:
            totals[figure.read, at.lever, at.measure] = figure
        else:
            rows.setdefault((figure.read, at.lever, at.measure, at.dimension), []).append(
                figure.shown
            )
    for (read, lever, measure, dimension), members in rows.items():
        total = totals.get((read, lever, measure))
        if total is None or not isinstance(total.shown, Printed):
            continue
        if any(member.unrounded for member in members):
            continue
        summed = sum((member.value for member in members), Fraction(0))
        if not precision.ties(At(lever, measure), summed, total.shown.value, len(members)):
            off = plain(total.shown.value - summed)
            message = (
                f"{read}: {measure} by {dimension} adds up to {plain(summed)}, "
                f"its total shows {total.text} ({off} apart)"
            )
            yield Finding("read_rows_total", message)


def _against_inputs(
    figures: list[Figure],
    depth2: Mapping[At, Derived],
    statuses: Mapping[str, str],
    precision: _Precision,
) -> Iterator[Finding]:
    for figure in figures:
        derived = depth2.get(figure.at)
        if derived is None or not isinstance(figure.shown, Printed):
            continue
        lever = figure.at.lever
        if figure.at.measure == "usd" and statuses.get(lever, "ok") != "ok" and lever != HEADLINE:
            continue
        if not precision.ties(figure.at, derived.value, figure.shown.value, derived.shares):
            code = "headline_not_sum" if lever == HEADLINE else "read_not_its_inputs"
            off = plain(figure.shown.value - derived.value)
            given = plain(derived.value)
            message = f"{_name(figure)} shows {figure.text}, its own inputs give {given}"
            yield Finding(code, f"{message} ({off} apart)")


def card_differences(
    cells: Iterable[CardCell], read_cells: Iterable[Mapping[str, Any]]
) -> Iterator[Finding]:
    """Cards that the caching read shows and the records do not give: one finding for all."""
    own = {(cell.deployment, cell.model): cell.price for cell in cells}
    other: list[str] = []
    for row in read_cells:
        at = (row["deployment"], row["model"])
        if at not in own:
            continue
        claimed, price = _card(row.get("price")), own[at] or {}
        if not _same_card(claimed, price):
            given, recorded = (_prices(card) for card in (claimed, price))
            other.append(f"{at[0]} / {at[1]} at {given} where the records' card has {recorded}")
    if other:
        more = f"; and {len(other) - EXAMPLES} more" if len(other) > EXAMPLES else ""
        message = f"the caching read prices {'; '.join(other[:EXAMPLES])}{more}"
        message += " (USD per million: input, output, cache read, cache write)"
        yield Finding("read_card", message, len(other))


def card_contradictions(reads: Mapping[str, Any]) -> Iterator[Finding]:
    """Cards that the caching read shows in two ways, and rows that only one form of it has."""
    read = reads.get("caching", {})
    cells, rows = read.get("by_deployment_model"), csv_cells(reads.get(CSV_READ, ()))
    if cells is not None and CSV_READ in reads:
        yield from _two_forms(cells, rows)
    cards: dict[str, list[Card]] = {}
    for cell in rows if cells is None else cells:
        cards.setdefault(cell["model"], []).append(_card(cell["price"]))
    for position, row in enumerate(read.get("by_model", ())):
        among = cards.get(row["key"])
        if among is None or "price" not in row:
            continue
        shown = _card(row["price"])
        several = row["price"] is None and any(not _same_card(among[0], card) for card in among)
        if not several and not any(_same_card(shown, card) for card in among):
            message = f"caching /by_model/{position} shows a card of {_prices(shown)}, "
            message += "which is that of none of its deployments"
            yield Finding("read_not_its_inputs", message)


def _two_forms(cells: Iterable[Row], rows: Iterable[Row]) -> Iterator[Finding]:
    one, other = (
        {(row["deployment"], row["model"]): _card(row["price"]) for row in form}
        for form in (cells, rows)
    )
    for at in dict.fromkeys((*one, *other)):
        where = f"{at[0]} / {at[1]}"
        if at not in one or at not in other:
            without = "caching" if at not in one else "caching.csv"
            yield Finding("reads_disagree", f"{without} has no row for {where}, its other form has")
        elif not _same_card(one[at], other[at]):
            message = f"caching prices {where} at {_prices(one[at])}, "
            yield Finding("reads_disagree", f"{message}caching.csv at {_prices(other[at])}")


def _card(price: Row | None) -> Card:
    return {name: number(price[name]) for name in PRICE if name in price} if price else {}


def _same_card(one: Card, other: Card) -> bool:
    """Equal prices; that of output only where both carry it. No card is one without a price."""
    names = [name for name in PRICE if name != "output_per_m" or (name in one and name in other)]
    return all(one.get(name) == other.get(name) for name in names)


def _prices(card: Card) -> str:
    return ", ".join("none" if (v := card.get(name)) is None else plain(v) for name in PRICE)
