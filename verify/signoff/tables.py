"""The tables that page, Markdown and workbook share: rows of text and exact amounts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from verify.period import utc_text
from verify.render.diff.told import all_findings, untold
from verify.render.safe import visible
from verify.render.words import coverage_words, export_words, finding_words
from verify.result import CardCell, Value, period_json
from verify.signoff.result import SignOff
from verify.signoff.words import TICKS, policy_lines

PRICES = (
    ("input_per_m", "Input"),
    ("output_per_m", "Output"),
    ("cache_read_per_m", "Cache read"),
    ("cache_write_per_m", "Cache write"),
)


@dataclass(frozen=True)
class Amount:
    """An exact amount and to how many decimals it is shown."""

    value: Fraction | int
    places: int


Cell = str | Amount | None


@dataclass(frozen=True)
class Table:
    """`columns` are their titles and how wide they want to be, in characters. Text is visible
    already."""

    title: str
    columns: tuple[tuple[str, int], ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def particulars(result: SignOff) -> Table:
    """Whose figures these are, for when, and by what terms."""
    diff = result.diff
    rows = [
        (name.capitalize(), text)
        for name, text in export_words(diff.export, period=diff.result.period)
    ]
    rows += policy_lines(result)
    rows.append(("Made", utc_text(result.created)))
    return Table("Particulars", (("What", 18), ("", 80)), tuple(rows))


def inputs(result: SignOff) -> Table:
    """Every file that was read."""
    rows = tuple(
        (
            visible(file.name),
            f"{file.bytes:,}",
            "" if file.records is None else f"{file.records:,}",
            file.sha256,
        )
        for file in result.evidence.inputs
    )
    columns = (("File", 38), ("Bytes", 14), ("Records", 12), ("SHA-256", 66))
    return Table("Files read", columns, rows)


def tests(result: SignOff) -> Table:
    """The tests of completeness."""
    rows = tuple(
        (visible(t.name), visible(t.expected), visible(t.found), t.result)
        for t in result.evidence.tests
    )
    columns = (("Test", 28), ("Expected", 50), ("Found", 50), ("Result", 14))
    return Table("Tests of completeness", columns, rows)


def parameters(result: SignOff) -> Table:
    """What was asked, the method, and the programs."""
    period = period_json(result.diff.result.period)
    rows = [(f"Period, {name}", text or "open") for name, text in period.items() if name != "hours"]
    rows += [("Period, hours", period["hours"] or "open")]
    method = result.diff.result.method
    rows += [(f"Method, {visible(name)}", _word(value)) for name, value in method.items()]
    plain_names = ("system", "time_zone", "baseline_model", "manifest_sha256", "now")
    rows += [
        (f"Asked, {name.replace('_', ' ')}", visible(str(result.parameters[name])))
        for name in plain_names
        if result.parameters[name] is not None
    ]
    if result.parameters["levers"]:
        only = f"{', '.join(result.parameters['levers'])} alone"
        rows.append(("Asked, levers", visible(only)))
    for group in ("options", "fields"):
        rows += [
            (f"{group.capitalize()}, {visible(name)}", visible(str(value)))
            for name, value in result.parameters[group].items()
        ]
    rows += [(f"Version, {name}", text) for name, text in result.evidence.versions.items()]
    rows += [(f"SHA-256, {name}", text) for name, text in result.evidence.queries.items()]
    return Table("Parameters, method and programs", (("What", 34), ("Value", 70)), tuple(rows))


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else visible(str(value))


def price_cards(result: SignOff) -> Table | None:
    """The card of each deployment and model; None where the levers have none."""
    cells = [cell for lever in result.diff.result.levers for cell in lever.cells]
    if not cells:
        return None
    columns = (
        ("Deployment", 26),
        ("Model", 30),
        *((f"{title} USD/M", 14) for _, title in PRICES),
        ("Snapshot", 26),
        ("Of", 22),
        ("Line", 10),
    )
    note = "USD per million tokens. A dash is a price that is not known; it is not 0."
    return Table("Price cards", columns, tuple(_card(cell) for cell in cells), note)


def _card(cell: CardCell) -> tuple[Cell, ...]:
    prices = cell.price or {}
    return (
        visible(cell.deployment),
        visible(cell.model),
        *(_price(prices.get(name)) for name, _ in PRICES),
        "" if cell.snapshot is None else visible(cell.snapshot),
        cell.snapshot_at or "",
        "" if cell.card_line is None else str(cell.card_line),
    )


def _price(value: Fraction | None) -> Amount | None:
    from verify.render.words import places_for

    return None if value is None else Amount(value, places_for("USD/M", [value]))


def months(result: SignOff) -> Table | None:
    """A column a month; None where the period lies in one."""
    found = result.months
    if found is None:
        return None
    columns = (
        ("Lever", 16),
        ("Measure", 18),
        ("Basis", 24),
        *((label, 16) for label in found.labels),
        ("Sum of months", 16),
        ("Period", 16),
        ("Difference", 16),
    )
    rows: list[tuple[Cell, ...]] = []
    for line in found.lines:
        places = 6 if line.unit == "USD" else 0
        amounts = (*line.amounts, line.total, line.period, line.difference)
        shown = (None if amount is None else Amount(amount, places) for amount in amounts)
        rows.append((visible(line.lever), visible(line.measure), line.basis, *shown))
    note = (
        "By the period's days, everything is priced as the period is, and the months add up to it. "
        "Each month by itself is priced on the cards and profiles at its own end, as its own "
        "sign-off would be; the difference is what that changes."
    )
    return Table("Months", columns, tuple(rows), note)


def exceptions(result: SignOff) -> Table:
    """Findings, and what could not be concluded."""
    rows = [
        (finding.severity, finding.code, f"{finding.count:,}", finding_words(finding))
        for finding in all_findings(result.diff)
    ]
    rows += [("open", "inconclusive", "", visible(reason)) for reason in _open(result)]
    columns = (("Severity", 10), ("Code", 26), ("Count", 10), ("What was found", 100))
    return Table("Exceptions", columns, tuple(rows))


def _open(result: SignOff) -> Iterator[str]:
    yield from dict.fromkeys((*result.diff.inconclusive, *untold(result.diff)))


def legend() -> Table:
    """The tick marks."""
    rows = tuple((mark, name.replace("_", " "), meaning) for name, (mark, meaning) in TICKS.items())
    own = (("Σ", "footed", "added up on the sheet by a formula and compared with the total"),)
    return Table("Tick marks", (("Mark", 8), ("Verdict", 20), ("Meaning", 80)), rows + own)


def coverage_text(result: SignOff) -> dict[str, str]:
    """Each lever's coverage in words."""
    return {
        line.lever: coverage_words(line.coverage).replace(" %", "\N{NO-BREAK SPACE}%")
        for line in result.lead
        if line.coverage is not None
    }
