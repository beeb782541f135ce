"""The API reads that the product would answer with, computed from an export by a chosen method.

Each figure is recomputed exactly and rounded once, at the end, to what the product prints. So under
the stated method the reads agree with the records; under another one they differ exactly where,
and by as much as, that choice makes a difference.

Beyond the figures: rows stand in the order of their keys' text, null as if it were `None`; a row by
model carries one card, that of the deployment with the most cached tokens (read and written) for
that model, whatever the other deployments pay; decisions stand in file order with every attribute
that their record has, in its order and with its digits.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from verify.errors import UsageProblem
from verify.exact import plain
from verify.period import Period
from verify.result import CardCell, LeverResult, Recomputation, Row, Value
from verify.systems.base import Export, Question
from verify.systems.lighthouse.export import LightHouseExport
from verify.systems.lighthouse.levers import PRICES
from verify.systems.lighthouse.load import Loaded
from verify.systems.lighthouse.raw import lines_at
from verify.trust.source import Source
from verify.trust.strictjson import NumberText, loads

BASELINE = "stuff the whole scope, up to the smallest context window called"
"""What the retrieval read names as its baseline."""

_STUFFING = ("agent", "pack", "index", "model", "deployment", "day")
_CACHING = ("agent", "pack", "deployment", "provider")
_BY = tuple(dict.fromkeys((*_STUFFING, *_CACHING)))
_SEARCH_TOKENS = ("stuffed_tokens", "sent_tokens", "tokens_avoided")
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_ROUTING_MONEY = ("saving_usd", "escalation_usd", "off_saving_usd")
_CSV_PRICES = ("input_per_m", "cache_read_per_m", "cache_write_per_m")
_PLACES = 6
_CHUNK = 1_000
"""Decisions that are printed at once."""

_DECISIONS = "SELECT line FROM routing_decision WHERE ts >= $start AND ts < $end ORDER BY line"

_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class ProductReads:
    """The reads of one period: the recomputation that they print, what they claim of each lever,
    and what each of them holds, the decisions apart.

    The product knows its headline by month only: for other periods there is none among them.
    `bodies` can be iterated as often as wanted while the export is open.
    """

    recomputation: Recomputation
    claims: tuple[Mapping[str, Any], ...]
    documents: Mapping[str, Mapping[str, Any]]
    _source: Source
    _loaded: Loaded
    _decision_lines: Sequence[int]

    def bodies(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """File name and content, in pieces: the list of decisions is never held as a whole."""
        for name, document in self.documents.items():
            text = _printed(document) + "\n"
            pieces = self._with_decisions(text) if name == "routing" else iter([text.encode()])
            yield f"{name}.json", pieces
        cells = self.recomputation.lever("caching").cells
        yield "caching.group_by_deployment.csv", iter([_by_deployment_csv(cells)])

    def _with_decisions(self, text: str) -> Iterator[bytes]:
        yield (text.removesuffix("\n}\n") + ',\n "decisions": [').encode()
        margin, chunk = "\n  ", []
        for raw in lines_at(self._source, self._loaded, self._decision_lines):
            record = loads(raw)
            shown = {"deployment": record["deployment"], "ts": record["ts"], **record["attrs"]}
            chunk.append(margin + _printed(shown, 2))
            margin = ",\n  "
            if len(chunk) == _CHUNK:
                yield "".join(chunk).encode()
                chunk.clear()
        yield "".join(chunk).encode()
        yield b"\n ]\n}\n" if self._decision_lines else b"]\n}\n"


def product_reads(export: Export, question: Question) -> ProductReads:
    """What the product answers when it calculates with the switches of `question`.

    Of the question count `since`, `until`, `time_zone` (all three needed), `switches` and
    `baseline_model`. The reads name that time zone also when the switch `zone` is another.
    Raises UsageProblem for an export of another product, a switch or a period that does not exist.
    """
    if not isinstance(export, LightHouseExport):
        raise UsageProblem(f"{export.identity.system} is not LightHouse; its reads are unknown")
    if question.since is None or question.until is None or question.time_zone is None:
        raise UsageProblem("the reads of a product need two dates and a time zone")
    period = Period(question.since, question.until, question.time_zone)
    result = export.recompute(replace(question, levers=(), month=None, by=_BY))
    engine, source, loaded = export.inside
    within = {"start": result.period.start, "end": result.period.end}
    # The engine still leaves out what the recomputation left out: repeats, under `dedupe`.
    lines = [row["line"] for row in engine.rows(_DECISIONS, within)]
    dates = {
        "since": period.since.isoformat(),
        "until": period.until.isoformat(),
        "time_zone": period.time_zone,
    }
    claims = tuple(_lever(lever, question.baseline_model) for lever in result.levers)
    documents = {
        "retrieval": dates | {"stuffing": _stuffing(result.lever("retrieval"))},
        "caching": dates | _caching(result.lever("caching")),
        "profiles": dates | {"deployments": _profiles(result.lever("infrastructure"))},
        "routing": dates | {"totals": _routing_totals(result.lever("routing"))},
    }
    if period.month:
        named = {"period": period.month, "time_zone": period.time_zone}
        documents["headline"] = named | _headline(claims)
    return ProductReads(result, claims, documents, source, loaded, lines)


def build_reads(
    export: Export,
    *,
    since: date,
    until: date,
    time_zone: str,
    switches: Mapping[str, str | bool],
    baseline_model: str | None = None,
) -> Mapping[str, bytes]:
    """File name to content of the reads for `since` to `until`, both included, all in memory.

    `switches` are the choices of method by which the product calculates; those not named are the
    stated ones. See `product_reads`.
    """
    question = Question(
        since=since,
        until=until,
        time_zone=time_zone,
        baseline_model=baseline_model,
        switches=switches,
    )
    return {name: b"".join(pieces) for name, pieces in product_reads(export, question).bodies()}


# The product itself calculates in floats; those below imitate what it prints. They stand here,
# in a simulated product, and nowhere else: each is made of an exact value as the last step.


def _usd(value: Value) -> NumberText | None:
    if value is None:
        return None
    return NumberText(repr(float(round(_exact(value), _PLACES))))


def _tokens(value: Value) -> int | NumberText:
    exact = _exact(value)
    return exact.numerator if exact.denominator == 1 else NumberText(repr(float(exact)))


def _exact(value: Value) -> Fraction:
    assert isinstance(value, Fraction | int)
    return Fraction(value)


def _headline(claims: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Its total adds what it prints, of those levers that are `ok`."""
    counted = [Fraction(claim["usd"]) for claim in claims if claim["status"] == "ok"]
    return {"usd": _usd(sum(counted, Fraction(0))) if counted else 0, "levers": list(claims)}


def _lever(lever: LeverResult, baseline_model: str | None) -> dict[str, Any]:
    detail: dict[str, Any] = {}
    if lever.lever == "retrieval":
        detail["tokens_avoided"] = _tokens(lever.totals["tokens_avoided"])
    elif lever.lever == "caching":
        detail["cache_read_tokens"] = lever.totals["cache_read_tokens"]
    elif lever.lever == "routing":
        detail["source"] = lever.detail["source"]
        if detail["source"] == "counterfactual":
            detail |= {"baseline_model": baseline_model, "calls": lever.detail["calls"]}
    return {
        "lever": lever.lever,
        "status": lever.status,
        "usd": _usd(lever.usd),
        "coverage": {"measured": lever.coverage.measured, "total": lever.coverage.total},
        "detail": detail,
    }


def _in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (str(row.key), row.key is not None))


def _stuffing(lever: LeverResult) -> dict[str, Any]:
    document = {**_searches(lever.totals), "baseline": BASELINE}
    for name in _STUFFING:
        rows = _in_order(lever.by[name])
        document[f"by_{name}"] = [{"key": row.key, **_searches(row.measures)} for row in rows]
    return document


def _searches(measures: Mapping[str, Value]) -> dict[str, Any]:
    tokens = {name: _tokens(measures[name]) for name in _SEARCH_TOKENS}
    money = {name: _usd(measures[name]) for name in ("usd_uncached", "usd_cached")}
    counts = {name: measures[name] for name in ("measured", "unmeasured")}
    return {**tokens, **money, **counts}


def _caching(lever: LeverResult) -> dict[str, Any]:
    totals = lever.totals
    document: dict[str, Any] = {
        "total": {
            "cache_read_tokens": totals["cache_read_tokens"],
            "cache_write_tokens": totals["cache_write_tokens"],
            "saved_usd": _usd(totals["saved_usd"]),
        },
        "by_model": [
            {"key": row.key, "price": _price(_shown_cell(row.key, lever.cells)), **_calls(row)}
            for row in _in_order(lever.by["model"])
        ],
    }
    for name in _CACHING:
        rows = _in_order(lever.by[name])
        document[f"by_{name}"] = [{"key": row.key, **_calls(row)} for row in rows]
    document["by_deployment_model"] = [
        {
            "deployment": cell.deployment,
            "model": cell.model,
            "price": _price(cell),
            **{name: cell.measures[name] for name in _TOKENS},
        }
        for cell in lever.cells
    ]
    return document


def _calls(row: Row) -> dict[str, Any]:
    tokens = {name: row.measures[name] for name in _TOKENS}
    return {**tokens, "saved_usd": _usd(row.measures["saved_usd"])}


def _shown_cell(model: str | None, cells: Iterable[CardCell]) -> CardCell:
    """The cell whose card a row by model shows; of equals the first by deployment."""
    return max(
        (cell for cell in cells if cell.model == model),
        key=lambda cell: sum(
            _exact(cell.measures[name]) for name in ("cache_read_tokens", "cache_write_tokens")
        ),
    )


def _price(cell: CardCell) -> dict[str, NumberText | None] | None:
    if cell.price is None:
        return None
    return {name: _per_million(cell.price[name]) for name in PRICES}


def _per_million(price: Fraction | None) -> NumberText | None:
    return None if price is None else NumberText(plain(price))


def _by_deployment_csv(cells: Iterable[CardCell]) -> bytes:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["deployment", "model", *_CSV_PRICES, *_TOKENS, "saved_usd"])
    for cell in cells:
        price = cell.price or {}
        prices = [_per_million(price.get(name)) for name in _CSV_PRICES]
        tokens = [cell.measures[name] for name in _TOKENS]
        saved = _usd(cell.measures["saved_usd"])
        table.writerow([cell.deployment, cell.model, *prices, *tokens, saved])
    return text.getvalue().encode()


def _profiles(lever: LeverResult) -> list[dict[str, Any]]:
    return [
        {
            "deployment": row.key,
            "profile": row.measures["profile"],
            "always_on_usd": _usd(row.measures["always_on_usd"]),
            "actual_usd": _usd(row.measures["actual_usd"]),
        }
        for row in lever.by["deployment"]
    ]


def _routing_totals(lever: LeverResult) -> dict[str, Any]:
    money = {name: _usd(lever.totals[name]) for name in _ROUTING_MONEY}
    return money | {name: lever.totals[name] for name in ("decisions", "uncomparable")}


def _printed(value: Any, depth: int = 0) -> str:
    """JSON text, indented by one space a level; a `NumberText` keeps its digits."""
    if isinstance(value, NumberText):
        return str(value)
    if not isinstance(value, dict | list):
        return _encode(value)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    if not value:
        return opening + closing
    if isinstance(value, dict):
        items = [f"{_encode(key)}: {_printed(item, depth + 1)}" for key, item in value.items()]
    else:
        items = [_printed(item, depth + 1) for item in value]
    margin = "\n" + " " * depth
    return f"{opening}{margin} {f',{margin} '.join(items)}{margin}{closing}"
