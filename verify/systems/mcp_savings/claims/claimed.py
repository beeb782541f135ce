"""A document's figures as claims that can be tied out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from verify.compare.figures import At, Claims, Figure
from verify.errors import UnreadableInput
from verify.exact import plain
from verify.findings import EXAMPLES, Finding
from verify.systems.mcp_savings import findings as _kinds  # noqa: F401 (registers them)
from verify.systems.mcp_savings.claims.read import is_document, read_shown, strange_places
from verify.systems.mcp_savings.claims.shown import HOSTS_OWN, SHOWN, Shown, where
from verify.systems.mcp_savings.inputs import SNAPSHOT, is_snapshot
from verify.systems.mcp_savings.measures import MODEL, NO_MODEL
from verify.tokens import ENCODING

_CARRIED = ("measure*.json", "measurement*.json", "split*.json", "report*.txt", "measure*.txt")
_SHOWN = 3


def read_claims(path: Path) -> Claims:
    """The figures of the report or measurement at `path`. Raises UnreadableInput."""
    return _claims(read_shown(path))


def carried_claims(path: Path) -> Claims | None:
    """The figures that an export carries: those of its snapshot, else those of the one measurement
    or report that lies in it. Raises UnreadableInput where there are several of these."""
    if path.is_file():
        return read_claims(path)
    if is_snapshot(path / SNAPSHOT):
        return read_claims(path / SNAPSHOT)
    found = sorted({file for pattern in _CARRIED for file in path.glob(pattern)})
    documents = [file for file in found if file.is_file() and is_document(file)]
    if len(documents) > 1:
        names = ", ".join(file.name for file in documents)
        raise UnreadableInput(
            f"{path} carries several of the program's documents: {names}",
            advice="Name one of them with --figures.",
        )
    return read_claims(documents[0]) if documents else None


def _claims(shown: Shown) -> Claims:
    options = {}
    if shown.model is not None:
        options[MODEL] = shown.model
    elif shown.encoding is not None:  # a measurement does not say for which model it counted
        options[MODEL] = ENCODING if shown.encoding else NO_MODEL
    return Claims(
        tuple(shown.by_at.values()),
        shown.derived,
        since=None,
        until=None,
        time_zone=None,
        accepted=_accepted(shown),
        complete=tuple(shown.complete),
        findings=(*_findings(shown), *shown.findings),
        source={SHOWN: shown},
        asked={"options": options} if options else {},
    )


def _accepted(shown: Shown) -> dict[At, str]:
    """A snapshot is the only record of its host's own count of a session."""
    if not shown.carries_session:
        return {}
    return {figure.at: HOSTS_OWN for figure in shown.session}


def _findings(shown: Shown) -> Iterator[Finding]:
    rounded = [
        figure
        for figure in (*shown.by_at.values(), *shown.session)
        if figure.half_unit and figure.at.measure != "share_percent"
    ]
    if rounded:
        examples = ", ".join(_unit_words(figure) for figure in rounded[:_SHOWN])
        more = " and so on" if len(rounded) > _SHOWN else ""
        message = f"{len(rounded):,} figures are compared within half a printed unit: "
        yield Finding("figures_humanised", f"{message}{examples}{more}", len(rounded))
    places = list(dict.fromkeys(strange_places(shown)))
    if places:
        named = ", ".join(places[:EXAMPLES])
        more = f" and {len(places) - EXAMPLES:,} more" if len(places) > EXAMPLES else ""
        message = f"{shown.read} shows what nothing here compares: {named}{more}"
        yield Finding("read_unknown", message, len(places))
    if shown.measured_at is not None:
        message = f"the report says {shown.measured_at}, which is the time of the snapshot"
        yield Finding("measured_when_unknown", message)


def _unit_words(figure: Figure) -> str:
    value = figure.value if isinstance(figure.value, Fraction) else Fraction(0)
    half = figure.half_unit or Fraction(0)
    return f"{where(figure.at)} {plain(value)} within {plain(half)}"
