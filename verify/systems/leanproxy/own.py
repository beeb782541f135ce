"""A recomputation of this program as figures, so that two runs can be set against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.compare.figures import At, Figure
from verify.exact import Printed
from verify.systems.leanproxy.documents import RECOMPUTE
from verify.systems.leanproxy.measures import PRICE
from verify.trust.strictjson import NumberText

_NAMES = frozenset({"timestamp", "server", "tool", "top_server", "top_tool"})


def own_figures(document: Mapping[str, Any]) -> tuple[list[Figure], list[tuple[str, str]]]:
    """Every figure of the document, and the breakdowns that it shows whole."""
    figures: list[Figure] = []
    complete = []
    for position, lever in enumerate(document["levers"]):
        name, pointer = lever["lever"], f"/levers/{position}"
        figures.append(Figure(At(name, "status"), lever["status"], RECOMPUTE, f"{pointer}/status"))
        amount = _own("amount", lever.get("amount"))
        figures.append(Figure(At(name, "amount"), amount, RECOMPUTE, f"{pointer}/amount"))
        for measure, value in lever["totals"].items():
            if measure != PRICE:
                place = f"{pointer}/totals/{measure}"
                figures.append(Figure(At(name, measure), _own(measure, value), RECOMPUTE, place))
        for dimension, rows in lever["by"].items():
            complete.append((name, dimension))
            for at_row, row in enumerate(rows):
                place = f"{pointer}/by/{dimension}/{at_row}"
                figures += [
                    Figure(
                        At(name, measure, dimension, row["key"]),
                        _own(measure, value),
                        RECOMPUTE,
                        f"{place}/{measure}",
                    )
                    for measure, value in row.items()
                    if measure != "key"
                ]
    return figures, complete


def _own(measure: str, value: Any) -> Printed | str | None:
    if value is None:
        return None
    if measure in _NAMES:
        return str(value)
    if isinstance(value, NumberText):
        return Printed.read(value)
    return Printed.amount(str(value))
