"""Pieces of a page: escaped text, tables with headers, and what a reader of screens needs."""

from __future__ import annotations

from html import escape

from verify.exact import rounded
from verify.render.safe import DASH
from verify.signoff.tables import Amount, Cell, Table
from verify.signoff.words import exact_text

SHORT = 24
"""Up to so many characters a cell stays on one line."""
CODE = 60
"""From so many characters without a blank on, a cell is code: a digest, a quotient."""


def text(words: str) -> str:
    """Text that is visible already, escaped."""
    return escape(words, quote=True)


def table(found: Table, ident: str, *, caption: bool = True) -> str:
    """A table in a container of its own that scrolls, so that the page never does."""
    numeric = {
        at
        for at in range(len(found.columns))
        if any(isinstance(row[at], Amount) for row in found.rows)
    }
    head = "".join(
        f'<th scope="col"{_class("number" if at in numeric else "")}>{text(title) or "Value"}</th>'
        for at, (title, _) in enumerate(found.columns)
    )
    body = "".join(f"<tr>{_row(row, found)}</tr>" for row in found.rows)
    if not found.rows:
        body = f'<tr><td colspan="{len(found.columns)}">none</td></tr>'
    note = f'<p class="soft">{text(found.note)}</p>' if found.note else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{ident}">'
        f'<table><caption id="{ident}"{_class("" if caption else "unseen")}>{text(found.title)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )


def _row(row: tuple[Cell, ...], found: Table) -> str:
    first, *rest = row
    cells = [f'<th scope="row">{_shown(first)}</th>']
    for cell, (_, width) in zip(rest, found.columns[1:], strict=True):
        cells.append(f"<td{_class(_kind(cell, width))}>{_shown(cell)}</td>")
    return "".join(cells)


def _kind(cell: Cell, width: int) -> str:
    if isinstance(cell, Amount):
        return "number"
    if isinstance(cell, str) and len(cell) >= CODE and " " not in cell:
        return "code"
    if width >= 40:
        return "wide"
    return "short" if isinstance(cell, str) and len(cell) <= SHORT else ""


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _shown(cell: Cell) -> str:
    if cell is None:
        return DASH
    if isinstance(cell, Amount):
        exactly = text(exact_text(cell.value))
        return f'<span title="{exactly}">{rounded(cell.value, cell.places)}</span>'
    return text(cell)


def pairs(rows: tuple[tuple[Cell, ...], ...]) -> str:
    """Labels with what they label."""
    return "<dl>" + "".join(f"<dt>{_shown(a)}</dt><dd>{_shown(b)}</dd>" for a, b in rows) + "</dl>"


def chart(svg: str, caption: str, ident: str) -> str:
    """A drawing with its caption, which scrolls by itself where it does not fit."""
    return (
        f'<figure><div class="scroll" role="region" tabindex="0" aria-labelledby="{ident}-caption">'
        f'{svg}</div><figcaption id="{ident}-caption">{text(caption)}</figcaption></figure>'
    )


def folded(title: str, inside: str) -> str:
    """Something long, folded under its title."""
    return f"<details><summary>{text(title)}</summary>{inside}</details>"
