"""LightHouse exports of a few lines, and one measure out of what is recomputed from them.

Unless it is said otherwise a record is of the deployment `d`, lies in October 2026, and a price
card is of September. Prices are USD per million tokens, so that a million tokens at a price of 3
are 3 USD.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from support.exports import record, write_export
from verify.result import LeverResult, Recomputation, Value
from verify.systems import system_named
from verify.systems.base import Export, Question, Reading

MEGA = 1_000_000
SEPTEMBER = "2026-09-01T00:00:00Z"
START = "2026-10-01T00:00:00Z"
INSIDE = "2026-10-05T12:00:00Z"
LAST = "2026-10-31T23:59:59.999999Z"
END = "2026-11-01T00:00:00Z"
BORDERS = ("2026-09-30T23:59:59.999999Z", START, LAST, END)


class Books:
    """Exports made on the spot, each opened once however often it is asked."""

    def __init__(self, place: Path, stack: ExitStack) -> None:
        self._place = place
        self._stack = stack
        self._opened: dict[tuple[Any, ...], Export] = {}

    def ask(self, *lines: bytes, zone: str = "UTC", **question: Any) -> Recomputation:
        """What is recomputed from an export of these lines, for October 2026 if not otherwise."""
        place = self._place / str(len(self._opened))
        export = self._opened.get((lines, zone))
        if export is None:
            export = self._open(write_export(place, lines, zone=zone))
            self._opened[lines, zone] = export
        if "since" not in question:
            question = {"month": "2026-10", **question}
        return export.recompute(Question(**question))

    def _open(self, path: Path) -> Export:
        export = system_named("lighthouse").open(path, Reading(cache=False))
        return self._stack.enter_context(export)

    def lever(self, name: str, *lines: bytes, **question: Any) -> LeverResult:
        """One lever of that."""
        return self.ask(*lines, levers=(name,), **question).lever(name)

    def by_deployment(
        self, name: str, measure: str, *lines: bytes, **question: Any
    ) -> dict[str | None, Value]:
        """One measure of a lever by deployment."""
        result = self.lever(name, *lines, by=("deployment",), **question)
        return rows(result, "deployment", measure)


def rows(result: LeverResult, dimension: str, measure: str) -> dict[str | None, Value]:
    """One measure by the keys of a dimension."""
    return {row.key: row.measures[measure] for row in result.by[dimension]}


def said(result: LeverResult) -> tuple[str, Value]:
    """Its status and its figure."""
    return result.status, result.usd


def found(result: LeverResult) -> dict[str, int]:
    """How often each finding of a lever was made."""
    return {finding.code: finding.count for finding in result.findings}


# --- lines -----------------------------------------------------------------------------------


def usd(input_per_m: Any, read: Any = None, write: Any = None, output: Any = None) -> Any:
    """A price card; what is not given is null."""
    return {
        "input_per_m": input_per_m,
        "output_per_m": output,
        "cache_read_per_m": read,
        "cache_write_per_m": write,
    }


def model(name: str, price: Any, *, on: str = "d", ts: str = SEPTEMBER, **attrs: Any) -> bytes:
    """A model's line of a price card, `window` its context window."""
    window = attrs.pop("window", None)
    if window is not None:
        attrs["limits"] = {"context_tokens": window}
    return record("models", on, ts, model=name, price=price, **attrs)


def wide(name: str, price: Any, *, on: str = "d", **attrs: Any) -> bytes:
    """A model whose window is in nobody's way."""
    return model(name, price, on=on, window=10 * MEGA, **attrs)


def call(name: str = "m", *, on: str = "d", ts: str = INSIDE, **attrs: Any) -> bytes:
    """A call; `read` and `write` are its cache tokens."""
    for short, long in (("read", "cache_read_tokens"), ("write", "cache_write_tokens")):
        if short in attrs:
            attrs[long] = attrs.pop(short)
    return record("model_call", on, ts, model=name, **attrs)


def search(corpus: Any, sent: Any, *, on: str = "d", ts: str = INSIDE, **attrs: Any) -> bytes:
    """A retrieval."""
    return record(
        "retrieval", on, ts, corpus_tokens_in_scope=corpus, context_tokens_sent=sent, **attrs
    )


def decision(big: Any, small: Any, *, on: str = "d", ts: str = INSIDE, **attrs: Any) -> bytes:
    """A decision between `big`, the baseline, and `small`, with what each would cost."""
    candidates = [{"model": "big", "cost_usd": big}, {"model": "small", "cost_usd": small}]
    values = {"candidates": candidates, "baseline": "big", "picked": "small", **attrs}
    return record("routing_decision", on, ts, **values)


def profile(name: Any, rate: Any, *, on: str = "d", ts: str = SEPTEMBER) -> bytes:
    """A deployment's profile."""
    return record("deployment_profile", on, ts, profile=name, always_on_usd_per_hour=rate)


def cost(amount: Any, *, on: str = "d", ts: str = INSIDE, kind: Any = "infrastructure") -> bytes:
    """A cost record."""
    return record("cost", on, ts, kind=kind, usd=amount)


def moved(line: bytes, deployment: str) -> bytes:
    """The same line of another deployment than `d`."""
    return line.replace(b'"deployment": "d"', f'"deployment": "{deployment}"'.encode(), 1)


def strictly(line: bytes) -> bytes:
    """The same line with a number beside its attributes that is too long for a binary double, so
    that the fast reader leaves it to the strict one."""
    long = b'"attrs": {"other": 1.00000000000000000001'
    return line.replace(b'"attrs": {', long + b", ", 1)
