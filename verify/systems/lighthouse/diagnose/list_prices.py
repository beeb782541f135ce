"""The cards used against public list prices, where the optional package that carries them is
installed. Information: a list price is in no figure, and a contract may well say another.

Nothing is fetched: the prices are those inside the installed package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from verify.compare.diagnosis import Cell, Section
from verify.exact import from_decimal
from verify.systems.lighthouse.levers import PRICES

EXTRA = "pip install 'verify-savings[prices]'"
_PACKAGE = "genai_prices"
_NAMES = dict(
    zip(PRICES, ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok"), strict=True)
)
_COLUMNS = ("deployment", "model", "listed_as", "what", "card", "list_price", "times")


def available() -> bool:
    """Whether the extra is installed."""
    return find_spec(_PACKAGE) is not None


def against(card: Mapping[tuple[str, str], Mapping[str, Any]], day: date) -> Section:
    """Each price of the card beside the list price on `day`, where the model is listed."""
    title = "the card beside public list prices, USD per million tokens"
    if not available():
        return Section("list_prices", title, _COLUMNS, (), f"not looked at; it needs {EXTRA}")
    note = f"information, in no figure; {_PACKAGE} {version('genai-prices')}, prices of {day}"
    return Section("list_prices", title, _COLUMNS, tuple(_rows(card, day)), note)


def _rows(
    card: Mapping[tuple[str, str], Mapping[str, Any]], day: date
) -> Iterator[tuple[Cell, ...]]:
    listed = {model: _listed(model, day) for _, model in card}
    for (deployment, model), row in sorted(card.items()):
        found = listed[model]
        if found is None:
            continue
        for what in PRICES:
            own, public = from_decimal(row[what]), found[1].get(what)
            times = own / public if own is not None and public else None
            if own is not None or public is not None:
                yield (deployment, model, found[0], what, own, public, times)


def _listed(model: str, day: date) -> tuple[str, dict[str, Fraction]] | None:
    """The name under which a model is listed, and its prices on that day; of prices in tiers the
    first. None where it is not listed."""
    snapshot = import_module(f"{_PACKAGE}.data_snapshot").get_snapshot()
    try:
        provider, info = snapshot.find_provider_model(model, None, None, None)
    except LookupError:
        return None
    at = datetime.combine(day, time(), UTC)
    prices = {what: _price(info.get_prices(at), name) for what, name in _NAMES.items()}
    known = {what: price for what, price in prices.items() if price is not None}
    return f"{provider.id}/{info.id}", known


def _price(prices: Any, name: str) -> Fraction | None:
    value = getattr(prices, name, None)
    value = getattr(value, "base", value)
    return Fraction(value) if isinstance(value, Decimal | int) else None
