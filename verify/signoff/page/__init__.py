"""`signoff.html`: the sign-off as one page that needs nothing but itself.

No script, no request: the policy inside allows its one style sheet by digest and nothing else.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from importlib.resources import files

from verify.render.safe import shown_key, visible
from verify.signoff import charts, tables
from verify.signoff.lead_table import bridge_table, lead_table
from verify.signoff.page.html import chart, folded, pairs, table, text
from verify.signoff.result import Bridge, SignOff
from verify.signoff.words import (
    BLANKS,
    NOT_PROVEN,
    PROCEDURE,
    PURPOSE,
    STAMPS,
    conclusion,
    detail,
    period_label,
    warnings,
)


def page(result: SignOff) -> str:
    """The page; the same result gives the same text."""
    style = files("verify.signoff.page").joinpath("style.css").read_text("utf-8")
    allowed = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    )
    title = f"Sign-off: {result.title}, {visible(period_label(result))}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{text(title)}</title><style>{style}</style></head>\n<body>"
        + "\n".join((_head(result), "<main>", *_parts(result), "</main>"))
        + "</body></html>\n"
    )


def _head(result: SignOff) -> str:
    whose = shown_key(result.diff.export.tenant) if result.diff.export.tenant else result.title
    loud = "".join(f'<p class="loud">{text(words)}</p>' for words in warnings(result))
    return (
        f"<header><h1>{text(f'Savings reported by {result.title}: {whose}, ')}"
        f"{text(visible(period_label(result)))}</h1>{loud}"
        f'<div class="verdict {result.verdict}"><span class="stamp">{STAMPS[result.verdict]}</span>'
        f"<p>{text(visible(conclusion(result)))}</p>"
        f'<p class="soft">{text(visible(detail(result)))}</p></div></header>'
    )


def _parts(result: SignOff) -> Iterator[str]:
    yield "<h2>Lead sheet</h2>" + table(lead_table(result), "lead", caption=False)
    months = tables.months(result)
    if months is not None:
        yield "<h2>Months</h2>" + table(months, "months", caption=False)
    lines = "".join(f"<p>{text(words)}</p>" for words in BLANKS)
    yield f'<div class="sign">{lines}</div>'
    yield f"<h2>Purpose and procedure</h2><p>{text(PURPOSE)}</p>{_listed(PROCEDURE)}"
    yield pairs(tables.particulars(result).rows)
    yield "<h2>Causes</h2>" + "".join(_bridges(result))
    yield "<h2>By day</h2>" + (
        "".join(_days(result)) or "<p>No lever of this product has days.</p>"
    )
    yield "<h2>Exceptions</h2>" + table(tables.exceptions(result), "exceptions", caption=False)
    yield "<h2>Evidence</h2>" + table(tables.tests(result), "tests")
    yield table(tables.inputs(result), "inputs")
    cards = tables.price_cards(result)
    if cards is not None:
        yield folded("Price cards", table(cards, "cards", caption=False))
    yield folded(
        "Parameters, method and programs",
        table(tables.parameters(result), "parameters", caption=False),
    )
    yield "<h2>Working papers</h2>" + "".join(_papers(result))
    yield "<h2>Tick marks</h2>" + table(tables.legend(), "legend", caption=False)
    yield f"<h2>What is not proven</h2>{_listed(NOT_PROVEN)}"


def _listed(lines: tuple[str, ...]) -> str:
    return "<ol>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ol>"


def _bridges(result: SignOff) -> Iterator[str]:
    if not result.bridges:
        yield "<p>The product shows no total that could be bridged.</p>"
    for number, bridge in enumerate(result.bridges):
        if number == 0 or _worth_drawing(bridge):
            svg = charts.bridge_chart(bridge, f"bridge{number}")
            words = f"{visible(bridge.lever)}: what the difference is made of"
            yield chart(svg, words, f"bridge{number}")
        yield table(bridge_table(bridge), f"bridge{number}-table")


def _worth_drawing(bridge: Bridge) -> bool:
    return bool(bridge.steps or bridge.unexplained)


def _days(result: SignOff) -> Iterator[str]:
    for number, line in enumerate(result.lead):
        svg = charts.day_chart(result, line.lever, f"day{number}")
        if svg is not None:
            words = f"{visible(line.lever)} by day; bars are recomputed, marks are the product's"
            yield chart(svg, words, f"day{number}")


def _papers(result: SignOff) -> Iterator[str]:
    for lever, paper in result.queries.items():
        shown = "\n".join(visible(line) for line in paper.splitlines())
        code = f'<pre tabindex="0" aria-label="query of {text(visible(lever))}">{text(shown)}</pre>'
        yield folded(f"{visible(lever)}: query and formula", code)
