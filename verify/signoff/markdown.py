"""`signoff.md`: what goes into a ticket or a mail; every amount to its last digit."""

from __future__ import annotations

from collections.abc import Iterator

from verify.exact import rounded
from verify.render.pipes import pipe_table
from verify.render.safe import inert, visible
from verify.signoff import tables
from verify.signoff.lead_table import bridge_table, lead_table
from verify.signoff.result import SignOff
from verify.signoff.tables import Amount, Cell, Table
from verify.signoff.words import (
    NOT_PROVEN,
    PROCEDURE,
    PURPOSE,
    STAMPS,
    conclusion,
    detail,
    exact_text,
    period_label,
    warnings,
)


def markdown(result: SignOff) -> str:
    """The document."""
    return "\n".join(_parts(result))


def _parts(result: SignOff) -> Iterator[str]:
    period = inert(visible(period_label(result)))
    yield f"# {STAMPS[result.verdict]}: {inert(result.title)}, {period}\n"
    for warning in warnings(result):
        yield f"> **{inert(warning)}**\n"
    yield f"{inert(visible(conclusion(result)))}\n"
    yield f"{inert(visible(detail(result)))}\n"
    yield _table(lead_table(result))
    months = tables.months(result)
    if months is not None:
        yield f"## Months\n\n{_table(months)}\n{inert(months.note)}\n"
    yield "| Prepared by | Date | Reviewed by | Date |\n| --- | --- | --- | --- |\n| | | | |\n"
    yield f"## Purpose and procedure\n\n{inert(PURPOSE)}\n"
    yield _listed(PROCEDURE)
    yield _table(tables.particulars(result))
    yield "## Causes\n"
    for bridge in result.bridges:
        yield f"### {inert(bridge_table(bridge).title)}\n\n{_table(bridge_table(bridge))}"
    for heading, table in (
        ("Exceptions", tables.exceptions(result)),
        ("Tests of completeness", tables.tests(result)),
        ("Files read", tables.inputs(result)),
        ("Parameters, method and programs", tables.parameters(result)),
        ("Tick marks", tables.legend()),
    ):
        yield f"## {heading}\n\n{_table(table)}"
    yield f"## What is not proven\n\n{_listed(NOT_PROVEN)}"


def _listed(lines: tuple[str, ...]) -> str:
    return "".join(f"{number}. {inert(line)}\n" for number, line in enumerate(lines, 1))


def _table(table: Table) -> str:
    numeric = [
        any(isinstance(row[at], Amount) for row in table.rows) for at in range(len(table.columns))
    ]
    header = [inert(title) or " " for title, _ in table.columns]
    return pipe_table(header, [[_cell(cell) for cell in row] for row in table.rows], numeric)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Amount):
        text = exact_text(cell.value)
        # No decimal writes a third out: the rounded one to read, and the fraction to hold it to.
        return f"{rounded(cell.value, cell.places)} ({text})" if "/" in text else text
    return "—" if cell is None else inert(cell)
