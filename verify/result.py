"""Results: what every system hands back and every renderer draws. Nothing here computes.

A value is an `int` (counts, plain token sums), a `Fraction` (any other exact amount), a `str`
(a name), a `bool`, or None (unknown; never 0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verify.exact import plain
from verify.findings import Finding
from verify.period import Period, Stretch, utc_text

if TYPE_CHECKING:
    import polars as pl

Value = int | Fraction | str | bool | None
Key = str | None


@dataclass(frozen=True)
class Measure:
    """A measured quantity: `name` as in JSON, `unit` (`USD`, `tokens`, or empty for counts)."""

    name: str
    unit: str
    label: str


@dataclass(frozen=True)
class ExportIdentity:
    """Which bytes the figures rest on, and how far they are vouched for.

    `sha256` is that of the records file, or of the list of digests where there are several files.
    `trust` is `pinned`, `unauthenticated`, `unmanifested` or `unverified`.
    """

    system: str
    tenant: str | None
    sha256: str
    records: int
    trust: str

    def as_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "tenant": self.tenant,
            "sha256": self.sha256,
            "records": self.records,
            "trust": self.trust,
        }


@dataclass(frozen=True)
class Coverage:
    """How many of `total` could be measured."""

    measured: int
    total: int

    @property
    def share(self) -> Fraction | None:
        """Measured over total; None over nothing."""
        return Fraction(self.measured, self.total) if self.total else None


@dataclass(frozen=True)
class Row:
    """One row of a breakdown: its key (None is the null key) and its measures."""

    key: Key
    measures: Mapping[str, Value]


@dataclass(frozen=True)
class CardCell:
    """Caching for one deployment and model, beside the price card it was priced on.

    Prices are USD per million tokens. `snapshot`, `snapshot_at` and `card_line` say where the card
    stands in the export; all None when the model is on no card.
    """

    deployment: str
    model: str
    price: Mapping[str, Fraction | None] | None
    snapshot: str | None
    snapshot_at: str | None
    card_line: int | None
    measures: Mapping[str, Value]

    @property
    def key(self) -> str:
        """Deployment and model as one key that no name can forge: a JSON array of the two."""
        return cell_key(self.deployment, self.model)


@dataclass(frozen=True)
class LeverResult:
    """One lever recomputed. `usd` is *the figure*: None where the status has none.

    A product that saves something other than dollars gives `amount` in `unit` instead.
    `alternatives` are dimensions of `by` whose rows are choices of one thing and no parts of it:
    they have no total.
    """

    lever: str
    status: str
    usd: Fraction | None
    totals: Mapping[str, Value]
    coverage: Coverage
    by: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    cells: tuple[CardCell, ...] = ()
    detail: Mapping[str, Value] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    amount: Fraction | int | None = None
    unit: str = "USD"
    alternatives: tuple[str, ...] = ()

    @property
    def figure(self) -> Fraction | int | None:
        """What the lever saved, in its `unit`."""
        return self.usd if self.unit == "USD" else self.amount

    def to_polars(self, by: str | None = None, *, scale: int | None = None) -> pl.DataFrame:
        """The totals as one row; with `by` a row a key of that dimension, which has to have been
        asked for; `by="card"` the cells of deployment and model with their price cards.

        Counts are integers. Exact amounts are decimals where all of a column are finite, else exact
        text (`124966/3`); with a `scale` decimals rounded half to even. Raises UsageProblem.
        """
        from verify.render.frames import lever_frame

        return lever_frame(self, by, scale)

    def conclusive(self, least: Fraction | None = None) -> bool:
        """Whether it has a figure that counts, and at least that share of coverage."""
        if self.status != "ok":
            return False
        share = self.coverage.share
        return least is None or (share is not None and share >= least)


@dataclass(frozen=True)
class Recomputation:
    """All levers asked for, over one period, by one method.

    `engine` computed the groups, where a system has a choice of engines; `checked_by` computed them
    as well and found the same. `unusual` are the switches that the question set otherwise than
    stated.
    """

    export: ExportIdentity
    period: Period | Stretch
    method: Mapping[str, Value]
    levers: tuple[LeverResult, ...]
    findings: tuple[Finding, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    engine: str | None = None
    checked_by: str | None = None
    unusual: Mapping[str, str | bool] = field(default_factory=dict)

    def lever(self, name: str) -> LeverResult:
        """The lever of that name. Raises KeyError."""
        for lever in self.levers:
            if lever.lever == name:
                return lever
        raise KeyError(name)

    def to_polars(self, *, scale: int | None = None) -> pl.DataFrame:
        """A row a lever: its status, figure, unit and coverage. See `verify.render.frames`."""
        from verify.render.frames import levers_frame

        return levers_frame(self, scale)

    def _repr_html_(self) -> str:
        from verify.render.notebook import recomputation_html

        return recomputation_html(self)

    def as_json(self) -> dict[str, Any]:
        """The document that `recompute --format json` prints."""
        document: dict[str, Any] = {
            "export": self.export.as_json(),
            "period": period_json(self.period),
            "method": {name: json_value(value) for name, value in self.method.items()},
            **self._engines(),
            "levers": [_lever_json(lever) for lever in self.levers],
            "findings": [finding.as_json() for finding in self.findings],
        }
        if self.fields:
            document["fields"] = dict(self.fields)
        return document

    def _engines(self) -> dict[str, str]:
        found = {"engine": self.engine, "checked_by": self.checked_by}
        return {name: value for name, value in found.items() if value is not None}


def cell_key(deployment: str, model: str) -> str:
    """The key of a deployment and model together."""
    return json.dumps([deployment, model], ensure_ascii=False, separators=(",", ":"))


def json_value(value: Value) -> Any:
    """Counts as integers, exact amounts as text, names and None as they are."""
    return plain(value) if isinstance(value, Fraction) else value


def period_json(period: Period | Stretch) -> dict[str, str | None]:
    """The period as every JSON output carries it; null where it has no such end."""
    start = None if period.start is None else utc_text(period.start)
    end = None if period.end is None else utc_text(period.end)
    days = period if isinstance(period, Period) else None
    return {
        "since": days.since.isoformat() if days else start,
        "until": days.until.isoformat() if days else end,
        "time_zone": period.time_zone,
        "start": start,
        "end": end,
        "hours": plain(days.hours) if days else None,
    }


def _measures(measures: Mapping[str, Value]) -> dict[str, Any]:
    return {name: json_value(value) for name, value in measures.items()}


def _lever_json(lever: LeverResult) -> dict[str, Any]:
    document: dict[str, Any] = {
        "lever": lever.lever,
        "status": lever.status,
        "usd": json_value(lever.usd),
        "totals": _measures(lever.totals),
        "coverage": {"measured": lever.coverage.measured, "total": lever.coverage.total},
        "by": {
            dimension: [{"key": row.key, **_measures(row.measures)} for row in rows]
            for dimension, rows in lever.by.items()
        },
        "detail": _measures(lever.detail),
        "findings": [finding.as_json() for finding in lever.findings],
    }
    if lever.unit != "USD":
        document |= {"amount": json_value(lever.amount), "unit": lever.unit}
    if lever.cells:
        document["cells"] = [_cell_json(cell) for cell in lever.cells]
    return document


def _cell_json(cell: CardCell) -> dict[str, Any]:
    return {
        "deployment": cell.deployment,
        "model": cell.model,
        "price": None if cell.price is None else _measures(cell.price),
        "snapshot": cell.snapshot,
        "snapshot_at": cell.snapshot_at,
        "card_line": cell.card_line,
        **_measures(cell.measures),
    }
