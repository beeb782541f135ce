"""What only this product's documents need: lists of the largest, in which ties have no order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from verify.compare.figures import At, Claims
from verify.compare.tieout import DiffRow
from verify.compare.verdicts import Precision, Tolerance, judge
from verify.exact import Printed
from verify.result import Value
from verify.systems.leanproxy.documents import DASHBOARD, SAVINGS
from verify.systems.leanproxy.measures import REPORT, WINDOWS
from verify.systems.leanproxy.reads import LISTS, ROUNDED
from verify.systems.leanproxy.report import Totals, by_server, by_tool, snapshots
from verify.systems.leanproxy.store import Kept
from verify.systems.leanproxy.windows import Window

MOST_LISTED = 10
_ORDER = "largest first"


def report_rows(claims: Claims, kept: Mapping[str, Kept]) -> list[DiffRow]:
    """The report's lists of largest tools and servers against the lines `kept`: as many as there
    should be, none left out that is larger than one shown, largest first."""
    document = claims.source.get(SAVINGS)
    if document is None:
        return []
    tools = by_tool(snapshots(kept.values()))
    servers = by_server(tools, windows=False)
    rows: list[DiffRow] = []
    for member, dimension in LISTS.items():
        sizes = {
            name: one.original for name, one in (tools if dimension == "tool" else servers).items()
        }
        shown = document.get(member) or []
        rows += _largest(member, dimension, sizes, shown)
    return rows


def _largest(
    member: str, dimension: str, sizes: Mapping[str, int], shown: Sequence[Mapping[str, Any]]
) -> Iterator[DiffRow]:
    count, expected = len(shown), min(len(sizes), MOST_LISTED)
    yield _row(At(REPORT, f"{member}_shown"), str(count), expected, count == expected, member)
    yield _order(
        At(REPORT, f"{member}_order"), [int(row["original_tokens"]) for row in shown], member
    )
    names = {row["tool"] for row in shown}
    least = min((sizes[name] for name in names if name in sizes), default=None)
    every = len(sizes) <= MOST_LISTED or count < MOST_LISTED or least is None
    for name, size in sizes.items():
        if name not in names and (every or size > (least or 0)):
            at = At(REPORT, "original_tokens", dimension, name)
            reason = "the list of the largest lacks it"
            yield DiffRow(
                at, None, None, size, None, "only_in_records", reason, SAVINGS, f"/{member}"
            )


def table_rows(claims: Claims, whole: Totals) -> list[DiffRow]:
    """The percentage of the CSV's last row, which shows one decimal of it."""
    figure = claims.source.get(ROUNDED)
    if figure is None or not isinstance(figure.shown, Printed):
        return []
    shown, precision = figure.shown.value, Precision(figure.shown.decimals)
    verdict = judge(shown, whole.percent, precision, Tolerance())
    reason = "" if verdict != "differs" else "the records give another figure"
    own = claims.from_reads.get(figure.at)
    return [
        DiffRow(
            figure.at,
            figure.text,
            own.value if own else None,
            whole.percent,
            shown - whole.percent,
            verdict,
            reason,
            figure.read,
            figure.pointer,
        )
    ]


def window_rows(claims: Claims, windows: Mapping[str, Window]) -> list[DiffRow]:
    """The largest server and tool that each window names, any of equal ones, and the order of its
    lists."""
    document = claims.source.get(DASHBOARD)
    if document is None:
        return []
    rows: list[DiffRow] = []
    for name in WINDOWS:
        part, window = document[name], windows[name]
        for member, found in (("top_server", window.servers), ("top_tool", window.tools)):
            sizes = {key: one.original for key, one in found.items()}
            rows.append(_top(At(name, member), part.get(member, ""), sizes, f"/{name}/{member}"))
        for member in ("by_server", "by_tool"):
            sizes_shown = [int(row["original_tokens"]) for row in part[member]]
            at = At(name, f"{member}_order")
            rows.append(_order(at, sizes_shown, f"{name}/{member}", DASHBOARD))
    return rows


def _top(at: At, shown: str, sizes: Mapping[str, int], pointer: str) -> DiffRow:
    most = max(sizes.values(), default=None)
    largest = sorted(name for name, size in sizes.items() if size == most)
    fits = shown in largest if largest else shown == ""
    value = shown if fits else largest[0] if largest else ""
    return _row(at, shown, value, fits, pointer.removeprefix("/"), DASHBOARD)


def _order(at: At, sizes: Iterable[int], member: str, read: str = SAVINGS) -> DiffRow:
    given = list(sizes)
    fits = given == sorted(given, reverse=True)
    return _row(at, _ORDER if fits else "another order", _ORDER, fits, member, read)


def _row(at: At, shown: str, value: Value, fits: bool, member: str, read: str = SAVINGS) -> DiffRow:
    reason = "" if fits else "the records say otherwise"
    verdict = "exact" if fits else "differs"
    return DiffRow(at, shown, None, value, None, verdict, reason, read, f"/{member}")
