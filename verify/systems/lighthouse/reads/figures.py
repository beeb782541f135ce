"""Every figure that a read shows, with its coordinates and its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from verify.compare.figures import HEADLINE, At, Figure
from verify.errors import UnreadableInput
from verify.exact import Printed
from verify.result import Key, cell_key
from verify.trust.strictjson import NumberText

RETRIEVAL_MEASURES = (
    "stuffed_tokens",
    "sent_tokens",
    "tokens_avoided",
    "usd_uncached",
    "usd_cached",
    "measured",
    "unmeasured",
)
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
CACHING_MEASURES = (*TOKENS, "saved_usd")
ROUTING_MEASURES = ("saving_usd", "escalation_usd", "off_saving_usd", "decisions", "uncomparable")
PROFILE_MEASURES = ("profile", "always_on_usd", "actual_usd")
# What our own recomputation shows: words that may look like a number, and what is no measure.
_WORDS = frozenset({"profile", "source"})
_NO_MEASURES = frozenset(
    {"key", "deployment", "model", "price", "snapshot", "snapshot_at", "card_line"}
)
# What a lever's detail shows that is a figure of its own.
DETAIL = {
    "retrieval": ("tokens_avoided",),
    "caching": ("cache_read_tokens",),
    "routing": ("source", "calls"),
}


def shown(value: Any) -> Printed | str | None:
    """A value of a read as it was printed."""
    if isinstance(value, NumberText):
        return Printed.read(value)
    return None if value is None else str(value)


def headline(document: Mapping[str, Any]) -> Iterator[Figure]:
    """The headline, and each lever's status, figure, coverage and detail."""
    yield Figure(At(HEADLINE, "usd"), shown(document["usd"]), HEADLINE, "/usd")
    for position, lever in enumerate(document["levers"]):
        name, pointer = lever["lever"], f"/levers/{position}"
        yield Figure(At(name, "status"), lever["status"], HEADLINE, f"{pointer}/status")
        yield Figure(At(name, "usd"), shown(lever.get("usd")), HEADLINE, f"{pointer}/usd")
        for part in ("measured", "total") if lever.get("coverage") else ():
            at = At(name, f"coverage_{part}")
            value = shown(lever["coverage"].get(part))
            yield Figure(at, value, HEADLINE, f"{pointer}/coverage/{part}")
        detail = lever.get("detail") or {}
        for measure in DETAIL.get(name, ()):
            if measure in detail:
                place = f"{pointer}/detail/{measure}"
                yield Figure(At(name, measure), shown(detail[measure]), HEADLINE, place)


def _measured(
    row: Mapping[str, Any],
    measures: tuple[str, ...],
    lever: str,
    read: str,
    pointer: str,
    dimension: str | None = None,
    key: Key = None,
) -> Iterator[Figure]:
    for measure in measures:
        if measure in row:
            at = At(lever, measure, dimension, key)
            yield Figure(at, shown(row[measure]), read, f"{pointer}/{measure}")


def breakdowns(part: Mapping[str, Any]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Each `by_…` of a read with its rows, but for the cells by deployment and model."""
    for name, rows in part.items():
        if name.startswith("by_") and name != "by_deployment_model" and isinstance(rows, list):
            yield name.removeprefix("by_"), rows


def retrieval(document: Mapping[str, Any]) -> Iterator[Figure]:
    """The totals of `stuffing` and of each breakdown of it."""
    part = document["stuffing"]
    yield from _measured(part, RETRIEVAL_MEASURES, "retrieval", "retrieval", "/stuffing")
    for dimension, rows in breakdowns(part):
        for position, row in enumerate(rows):
            place = f"/stuffing/by_{dimension}/{position}"
            yield from _measured(
                row,
                RETRIEVAL_MEASURES,
                "retrieval",
                "retrieval",
                place,
                dimension,
                row["key"],
            )


def caching(document: Mapping[str, Any]) -> Iterator[Figure]:
    """The totals, each breakdown, and the cells by deployment and model. Cards are inputs."""
    measures = CACHING_MEASURES
    yield from _measured(document.get("total") or {}, measures, "caching", "caching", "/total")
    for dimension, rows in breakdowns(document):
        for position, row in enumerate(rows):
            place = f"/by_{dimension}/{position}"
            yield from _measured(row, measures, "caching", "caching", place, dimension, row["key"])
    for position, row in enumerate(document.get("by_deployment_model") or ()):
        place = f"/by_deployment_model/{position}"
        key = cell_key(row["deployment"], row["model"])
        yield from _measured(row, measures, "caching", "caching", place, "deployment_model", key)


def caching_csv(rows: list[Mapping[str, Any]]) -> Iterator[Figure]:
    """Each row of caching grouped by deployment: one deployment and model."""
    for position, row in enumerate(rows):
        key = cell_key(row["deployment"], row["model"])
        yield from _measured(
            row,
            CACHING_MEASURES,
            "caching",
            "caching.csv",
            f"/{position}",
            "deployment_model",
            key,
        )


def routing(document: Mapping[str, Any]) -> Iterator[Figure]:
    """The totals. Decisions are tied out one by one elsewhere."""
    yield from _measured(
        document.get("totals") or {}, ROUTING_MEASURES, "routing", "routing", "/totals"
    )


def profiles(document: Mapping[str, Any]) -> Iterator[Figure]:
    """Each deployment."""
    for position, row in enumerate(document["deployments"]):
        yield from _measured(
            row,
            PROFILE_MEASURES,
            "infrastructure",
            "profiles",
            f"/deployments/{position}",
            "deployment",
            row["deployment"],
        )


def recomputation(document: Mapping[str, Any]) -> Iterator[Figure]:
    """Every figure of a `recompute --format json` document, as if a product had printed it."""
    for position, lever in enumerate(document["levers"]):
        name, pointer = lever["lever"], f"/levers/{position}"
        yield Figure(At(name, "status"), lever["status"], "recompute", f"{pointer}/status")
        yield Figure(At(name, "usd"), _own(lever["usd"], "usd"), "recompute", f"{pointer}/usd")
        for part in ("measured", "total"):
            at = At(name, f"coverage_{part}")
            place = f"{pointer}/coverage/{part}"
            yield Figure(at, _own(lever["coverage"][part], part), "recompute", place)
        for part in ("totals", "detail"):
            for measure, value in lever[part].items():
                apart = part == "detail" or measure == "usd"  # names that the lever has already
                at = At(name, f"{part}-{measure}" if apart else measure)
                yield Figure(at, _own(value, measure), "recompute", f"{pointer}/{part}/{measure}")
        for dimension, rows in lever["by"].items():
            for at_row, row in enumerate(rows):
                place = f"{pointer}/by/{dimension}/{at_row}"
                yield from _own_row(row, At(name, "", dimension, row["key"]), place)
        for position_of_cell, cell in enumerate(lever.get("cells", ())):
            key = cell_key(cell["deployment"], cell["model"])
            place = f"{pointer}/cells/{position_of_cell}"
            yield from _own_row(cell, At(name, "", "deployment_model", key), place)


def _own_row(row: Mapping[str, Any], at: At, pointer: str) -> Iterator[Figure]:
    for measure, value in row.items():
        if measure not in _NO_MEASURES:
            shown = _own(value, measure)
            yield Figure(replace(at, measure=measure), shown, "recompute", f"{pointer}/{measure}")


def _own(value: Any, measure: str) -> Printed | str | None:
    """One of our own amounts: an integer, or exact text, which rounds nothing."""
    if isinstance(value, NumberText):
        return Printed.read(value)
    if isinstance(value, str) and measure not in _WORDS and _is_amount(value):
        try:
            return Printed.amount(value)
        except ValueError:  # more digits than an integer may have here
            raise UnreadableInput(f"{measure}: an amount of {len(value):,} characters") from None
    return None if value is None else str(value)


def _is_amount(text: str) -> bool:
    whole, _, rest = text.removeprefix("-").partition("/" if "/" in text else ".")
    return whole.isascii() and whole.isdigit() and (not rest or rest.isdigit())


READERS = {
    "headline": headline,
    "retrieval": retrieval,
    "caching": caching,
    "routing": routing,
    "profiles": profiles,
    "recompute": recomputation,
}
