"""The price cards: which are used, how they changed, what is not on them, and odd prices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from verify.compare.diagnosis import Cell, Diagnosis, Section
from verify.exact import from_decimal, plain, rounded
from verify.findings import EXAMPLES, Finding
from verify.period import utc_text
from verify.systems.lighthouse.diagnose import list_prices
from verify.systems.lighthouse.diagnose.context import (
    Context,
    a_line,
    difference,
    exact,
    figures,
    named_queries,
)
from verify.systems.lighthouse.levers import PRICES
from verify.systems.lighthouse.load import sql

MOST_CHANGES = 40
"""Changes whose effect is worked out; each takes a recomputation."""
_JUST_AFTER = timedelta(microseconds=1)
_FAR = 20
"""How many times another price is far from all others: less than the least slip of unit, 100."""
_SLIPS = (
    (100, "cents for dollars"),
    (1_000, "per thousand tokens, not per million"),
    (1_000_000, "per token, not per million"),
)

Card = Mapping[tuple[str, str], Mapping[str, Any]]


def diagnose(context: Context) -> Diagnosis:
    """The card used, its changes with their effects, what is missing from it, and odd prices."""
    queries = named_queries("cards")
    used = _card(context, context.period.end)
    snapshots = context.rows(queries["snapshots"])
    instants = [row["ts"] for row in context.rows(queries["instants"])]
    changes, effects, left_out = _changes(context, instants)
    passed_over = list(_passed_over(snapshots, used))
    taken = _if_taken(context) if passed_over else {}
    unpriced = context.rows(queries["unpriced"])
    prices = context.rows(queries["prices"])
    odd = list(_odd(used, prices))
    dearer = list(_dearer(used))
    listed = list_prices.against(used, context.period.until)
    sections = (
        Section(
            "card",
            "the price card used, USD per million tokens",
            ("deployment", "model", "snapshot", "snapshot_at", "line", "window_tokens", *PRICES),
            tuple(_used_row(row) for _, row in sorted(used.items())),
        ),
        Section(
            "card_changes",
            "what changed on the cards inside the period",
            ("at", "deployment", "model", "what", "before", "after", "line"),
            tuple(changes),
            "one card is used for the whole period: the newest complete one before its end",
        ),
        Section(
            "card_effects",
            "each figure with the card before and after each change",
            ("at", "lever", "usd_before", "usd_after", "effect"),
            tuple(effects),
            "the whole period priced on either card"
            + (f"; {left_out:,} later changes are not worked out" if left_out else ""),
        ),
        Section(
            "card_incomplete",
            "incomplete snapshots newer than the one used",
            ("deployment", "snapshot", "at", "models", "size", "says_complete", "line"),
            tuple(passed_over),
        ),
        Section(
            "unpriced_models",
            "models called that the card does not price",
            ("deployment", "model", "on_card", "calls", "tokens", "lines"),
            tuple(
                (
                    r["deployment"],
                    r["model"],
                    r["on_card"],
                    r["calls"],
                    int(r["tokens"]),
                    tuple(r["lines"]),
                )
                for r in unpriced
            ),
        ),
        Section(
            "odd_prices",
            "prices far from those of every other card of the model",
            (
                "deployment",
                "model",
                "what",
                "price",
                "nearest_other",
                "times",
                "looks_like",
                "line",
            ),
            tuple(odd),
        ),
        Section(
            "dear_cache_reads",
            "cards on which reading a cache costs more than input",
            ("deployment", "model", "input_per_m", "cache_read_per_m", "line"),
            tuple(dearer),
        ),
        listed,
    )
    return Diagnosis(sections, tuple(_findings(changes, effects, passed_over, taken, odd, dearer)))


def _card(context: Context, end: datetime) -> Card:
    rows = context.engine.rows(sql("card"), {"end": end, "card": "newest_complete"})
    return {(row["deployment"], row["model"]): row for row in rows}


def _used_row(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    prices = (from_decimal(row[name]) for name in PRICES)
    at = utc_text(row["snapshot_at"])
    names = (row["deployment"], row["model"], row["snapshot"], at, row["line"])
    return (*names, row["window_tokens"], *prices)


def _changes(
    context: Context, instants: Sequence[datetime]
) -> tuple[list[tuple[Cell, ...]], list[tuple[Cell, ...]], int]:
    """What each instant of a snapshot changed on the cards, the effects, and how many changes came
    after the last that was worked out."""
    changed: list[tuple[Cell, ...]] = []
    moments: list[datetime] = []
    before = _card(context, context.period.start)
    for instant in instants:
        after = _card(context, instant + _JUST_AFTER)
        found = list(_differences(utc_text(instant), before, after))
        changed += found
        moments += [instant] if found else []
        before = after
    worked_out = moments[:MOST_CHANGES]
    effects: list[tuple[Cell, ...]] = []
    usd: Mapping[str, Fraction | None] | None = None
    cards = context.on_cards([*worked_out[:1], *(at + _JUST_AFTER for at in worked_out)])
    for number, levers in enumerate(cards):
        then = figures(levers)
        for name, amount in then.items() if usd is not None else ():
            assert usd is not None
            effect = difference(amount, usd[name])
            effects.append((utc_text(worked_out[number - 1]), name, usd[name], amount, effect))
        usd = then
    return changed, effects, len(moments) - len(worked_out)


def _differences(at: str, before: Card, after: Card) -> Iterator[tuple[Cell, ...]]:
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, {}), after.get(name, {})
        line = new.get("line")
        for what in ("window_tokens", *PRICES):
            one, two = _price(old.get(what)), _price(new.get(what))
            if one != two:
                yield (at, *name, what, one, two, line)


def _price(value: Any) -> Fraction | int | None:
    return value if value is None or isinstance(value, int) else Fraction(value)


def _passed_over(snapshots: Iterable[Mapping[str, Any]], used: Card) -> Iterator[tuple[Cell, ...]]:
    newest: dict[str, datetime] = {}
    for (deployment, _), row in used.items():
        newest[deployment] = max(newest.get(deployment, row["snapshot_at"]), row["snapshot_at"])
    for row in snapshots:
        known = newest.get(row["deployment"])
        if not row["is_complete"] and (known is None or row["newest"] > known):
            at = utc_text(row["newest"])
            names = (row["deployment"], row["snapshot"], at)
            yield (*names, row["models"], row["size"], row["complete"], row["line"])


def _odd(used: Card, prices: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Cell, ...]]:
    """Prices of the cards used that no other price of any card for the model is near to."""
    known: dict[tuple[str, str], list[tuple[str, Fraction]]] = {}
    for row in prices:
        at = (row["model"], row["kind"])
        known.setdefault(at, []).append((row["deployment"], Fraction(row["price"])))
    for (deployment, model), row in sorted(used.items()):
        for what in PRICES:
            price = from_decimal(row[what])
            own = (deployment, price)
            others = {p for d, p in known.get((model, what), ()) if (d, p) != own and p > 0}
            if price is None or price <= 0 or not others:
                continue
            nearest = min(others, key=lambda other: _times(price, other))
            times = _times(price, nearest)
            if times >= _FAR:
                names = (deployment, model, what, price, nearest, price / nearest)
                yield (*names, _slip(price / nearest), row["line"])


def _times(one: Fraction, other: Fraction) -> Fraction:
    return max(one / other, other / one)


def _slip(ratio: Fraction) -> str | None:
    """The slip of unit that a ratio looks like; prices of deployments differ by less than twice."""
    times = max(ratio, 1 / ratio)
    for factor, words in _SLIPS:
        if Fraction(factor, 2) < times < factor * 2:
            if factor == 100 and ratio < 1:
                return "dollars where the others have cents"
            return words if ratio < 1 or factor == 100 else f"{factor:,} times too high"
    return None


def _dearer(used: Card) -> Iterator[tuple[Cell, ...]]:
    for (deployment, model), row in sorted(used.items()):
        price, read = from_decimal(row["input_per_m"]), from_decimal(row["cache_read_per_m"])
        if price is not None and read is not None and read > price:
            yield (deployment, model, price, read, row["line"])


def _findings(
    changes: Sequence[tuple[Cell, ...]],
    effects: Sequence[tuple[Cell, ...]],
    passed_over: Sequence[tuple[Cell, ...]],
    taken: Mapping[str, Cell],
    odd: Iterable[tuple[Cell, ...]],
    dearer: Iterable[tuple[Cell, ...]],
) -> Iterator[Finding]:
    if changes:
        instants = dict.fromkeys(row[0] for row in changes)
        last = next(reversed(instants))
        moved = _moved({str(row[1]): row[4] for row in effects if row[0] == last})
        times = "once" if len(instants) == 1 else f"{len(instants)} times"
        effect = f"; the last change moves {moved}" if moved else ""
        lines = sorted({row[6] for row in changes if isinstance(row[6], int)})
        message = f"the price card changed {times} inside the period{effect}"
        yield Finding("card_changed", message, len(instants), tuple(lines[:EXAMPLES]))
    if passed_over:
        deployments = sorted({str(row[0]) for row in passed_over})
        named = ", ".join(deployments[:3]) + (" and more" if len(deployments) > 3 else "")
        snapshots = "snapshot is" if len(passed_over) == 1 else "snapshots are"
        moved = _moved(taken)
        effect = (
            f"; taking the newest of them moves {moved}" if moved else "; no figure hangs on it"
        )
        lines = sorted(row[6] for row in passed_over if isinstance(row[6], int))[:EXAMPLES]
        message = (
            f"{len(passed_over)} incomplete {snapshots} newer than the card used ({named}){effect}"
        )
        yield Finding("card_incomplete", message, len(passed_over), tuple(lines))
    for deployment, model, what, price, nearest, _, slip, line in odd:
        looks = f": {slip}?" if slip else ""
        message = (
            f"{deployment}: {what} of {model} is {plain(exact(price))}, the nearest other card "
            f"says {plain(exact(nearest))}{looks}"
        )
        yield Finding("card_unit", message, 1, a_line(line))
    for deployment, model, price, read, line in dearer:
        each = f"{plain(exact(read))} to read from cache, {plain(exact(price))} as input"
        message = f"{deployment}: {model} costs {each}"
        yield Finding("card_cache_read", message, 1, a_line(line))


def _moved(effects: Mapping[str, Cell]) -> str:
    return " and ".join(
        f"{lever} by {rounded(usd, 6)} USD"
        for lever, usd in effects.items()
        if isinstance(usd, Fraction) and usd
    )


def _if_taken(context: Context) -> dict[str, Cell]:
    """What each figure would move by if incomplete snapshots counted."""
    stated = figures(context.recomputed().levers)
    then = figures(context.recomputed((), {"card": "newest_any"}).levers)
    return {lever: difference(then[lever], usd) for lever, usd in stated.items()}
