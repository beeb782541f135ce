"""Charts as static SVG, made offline: the bridge of a difference, and a lever by day.

They draw amounts of the result: where a bar ends is a double, which is finer than any pixel; what
is read out of a chart is rounded from the exact amount. Colours are placeholders that the page's
style sheet replaces, in light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from verify.exact import rounded
from verify.render.words import is_number
from verify.result import Row
from verify.signoff.extra import package
from verify.signoff.months import money_of
from verify.signoff.result import Bridge, SignOff

WIDTH = 640
_EDGE = Fraction(10) ** 300  # a scale's own sums have to stay within doubles
_TOLD = 6  # decimals of an amount that is read out
_RECOMPUTED, _PRODUCT, _UP, _DOWN, _REST = "#000001", "#000002", "#000003", "#000004", "#000005"
_INK, _GRID = "#000006", "#000007"
_INNER = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_ID = re.compile(r'((?:id="|url\(#|href="#))([^")]+)')
_NUMBER = re.compile(r'(?<=[ ,("MLHVCZhvlmcz-])(\d+\.\d{3})\d+')
_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "sans-serif",
    "padding": {"left": 30, "top": 8, "right": 20, "bottom": 30},  # other fonts are wider
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "gridColor": _GRID,
        "domainColor": _INK,
        "tickColor": _INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
}


def bridge_chart(bridge: Bridge, ident: str) -> str:
    """The difference of one figure, from the recomputed amount (0) to the product's: causes by
    their number, then what is unexplained, then rounding."""
    alt = package("altair")
    values, at = [], Fraction(0)
    named = [(f"cause {number}", amount) for number, (_, amount) in enumerate(bridge.steps, 1)]
    for name, amount in (
        *named,
        ("unexplained", bridge.unexplained),
        ("rounding", bridge.rounding),
    ):
        colour = _UP if amount >= 0 else _DOWN
        values.append(_bar(name, at, at + amount, colour if name in dict(named) else _REST))
        at += amount
    values.append(_bar("difference", Fraction(0), at, _PRODUCT))
    order = [value["name"] for value in values]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(height=18)
        .encode(
            y=alt.Y("name:N", sort=order, title=None),
            x=alt.X("start:Q", title=f"product's less recomputed, {bridge.unit}"),
            x2="end:Q",
            color=alt.Color("colour:N", scale=None, legend=None),
        )
        .properties(width=WIDTH - 130, height=28 * len(values))
    )
    amounts = [*(amount for _, amount in named), bridge.unexplained, bridge.rounding, at]
    desc = "; ".join(
        f"{name} {rounded(amount, _TOLD)}" for name, amount in zip(order, amounts, strict=True)
    )
    title = f"{bridge.lever}: from the recomputed figure to the product's"
    return _svg(chart, ident, title, f"{desc}, all in {bridge.unit}")


def _bar(name: str, start: Fraction, end: Fraction, colour: str) -> dict[str, Any]:
    return {"name": name, "start": _place(start), "end": _place(end), "colour": colour}


def _place(amount: Fraction) -> float:
    """Where an amount is drawn: one beyond what a chart can scale, at its edge."""
    return float(min(max(amount, -_EDGE), _EDGE))


def day_chart(result: SignOff, lever: str, ident: str) -> str | None:
    """A lever by local day: bars are recomputed, ticks the product's figures where it shows them.
    None where the lever has no days."""
    alt = package("altair")
    found = next((own for own in result.days.levers if own.lever == lever), None)
    rows = found.by.get("day", ()) if found is not None else ()
    shown = _shown_by_day(result, lever)
    measures = money_of(found, rows) if found is not None else []
    if not measures:
        return None
    measure = _telling(measures, shown)
    days = _values(rows, measure)
    if not days:
        return None
    bars = [{"day": day, "amount": _place(value)} for value, day in days]
    base = alt.Chart(alt.Data(values=bars)).encode(
        x=alt.X("day:O", title=None, axis=alt.Axis(labelAngle=-90))
    )
    layers = [
        base.mark_bar(color=_RECOMPUTED).encode(
            y=alt.Y("amount:Q", title=f"{measure}, {found.unit if found else ''}")
        )
    ]
    ticks = [{"day": day, "amount": _place(v)} for day, v in sorted(shown.get(measure, {}).items())]
    if ticks:
        own = alt.Chart(alt.Data(values=ticks)).encode(x="day:O", y="amount:Q")
        layers.append(own.mark_tick(color=_PRODUCT, thickness=3, size=14, opacity=1))
    chart = alt.layer(*layers).properties(width=WIDTH - 80, height=200)
    whose = "bars recomputed" + (", ticks as the product shows it" if ticks else "")
    (least, first), (most, last) = (side(days, key=lambda day: day[0]) for side in (min, max))
    desc = (
        f"{measure} for {len(bars)} days, {whose}; least {rounded(least, _TOLD)} on {first}, "
        f"most {rounded(most, _TOLD)} on {last}"
    )
    return _svg(chart, ident, f"{lever} by day: {whose}", desc)


def _values(rows: Sequence[Row], measure: str) -> list[tuple[Fraction, str]]:
    """Each day's exact amount, and the day."""
    return [
        (Fraction(value), row.key)
        for row in rows
        if row.key is not None and is_number(value := row.measures.get(measure))
    ]


def _shown_by_day(result: SignOff, lever: str) -> dict[str, dict[str, Fraction]]:
    """The product's own figures by day, by measure."""
    found: dict[str, dict[str, Fraction]] = {}
    for row in result.diff.rows:
        at = row.at
        if at.lever == lever and at.dimension == "day" and at.key and row.delta is not None:
            assert is_number(row.recomputed)
            found.setdefault(at.measure, {})[at.key] = row.delta + row.recomputed
    return found


def _telling(measures: list[str], shown: Mapping[str, Any]) -> str:
    """The measure to draw: one that the product shows too, else the lever's own figure."""
    both = [name for name in measures if name in shown]
    own = [name for name in ("usd", "saved_usd", "saving_usd") if name in measures]
    return (both or own or measures)[-1 if both else 0]


def _svg(chart: Any, ident: str, title: str, desc: str) -> str:
    spec = chart.configure(**_CONFIG).to_json()
    drawn: str = package("vl_convert").vegalite_to_svg(spec, allowed_base_urls=[])
    start = drawn.index(">") + 1
    box = re.search(r'viewBox="[^"]*"', drawn[:start])
    assert box is not None
    body = _NUMBER.sub(r"\1", _INNER.sub("", drawn[start:]))
    body = _ID.sub(rf"\1{ident}-\2", body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {box[0]} '
        f'aria-labelledby="{ident}-title {ident}-desc">'
        f'<title id="{ident}-title">{escape(title)}</title>'
        f'<desc id="{ident}-desc">{escape(desc)}</desc>{body}'
    )
