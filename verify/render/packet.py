"""The page of a packet that a person reads first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verify.exact import plain
from verify.render.pipes import cell, pipe_table
from verify.render.safe import inert, markdown_text, shown_key, visible
from verify.render.words import export_words, sets_that_fit

if TYPE_CHECKING:
    from verify.compare.explanation import Explanation
    from verify.compare.packet import Evidence, Packet
    from verify.result import Recomputation


def readme(packet: Packet) -> str:
    """The disagreement in Markdown: figures, method, evidence, and how to repeat it."""
    return "\n".join(_parts(packet))


def _parts(packet: Packet) -> Iterator[str]:
    told = packet.told
    yield "# Two calculations of one saving disagree\n"
    words = export_words(told.diff.export, period=told.diff.result.period)
    yield "".join(f"- {label}: {inert(text)}\n" for label, text in words)
    yield "## The figures\n"
    header = ["lever", "measure", "product", "recomputed", "difference"]
    rows = [
        [
            cell(row.at.lever),
            cell(row.at.measure),
            markdown_text(row.figure or ""),
            cell(row.recomputed),
            cell(row.delta),
        ]
        for row in packet.totals
    ]
    if rows:
        yield pipe_table(header, rows, [False, False, True, True, True])
    else:
        yield "Every total agrees; rows of breakdowns do not.\n"
    yield "## Why\n"
    yield _why(packet)
    yield "## Evidence\n"
    if packet.evidence:
        yield (
            "Each directory is a small export of its own: the fewest records that show it, with "
            "what the calculation reads of them and no more. `packet.json` names the line of each "
            "in the whole export and the SHA-256 of that line.\n"
        )
    for evidence in packet.evidence:
        yield _evidence(evidence, _whose(told))
    for missing in packet.missing:
        yield f"- not shown in records: {markdown_text(missing)}\n"
    if packet.redacted:
        yield "Names of agents and packs are replaced, each by the same one everywhere.\n"


def _why(packet: Packet) -> str:
    if not packet.told.sets:
        return (
            "No other choice of the method gives the product's figures. What differs is located "
            "below; it is unexplained.\n"
        )
    told = packet.told
    choices = told.sets[0]
    lines = "".join(
        f"- {markdown_text(choice.meaning)} (`{choice.name}={_shown(choice.value)}`)\n"
        for choice in choices
    )
    follow = "The product's figures follow from the records"
    if told.remaining:
        follow = f"Of {told.before:,} figures that differ {told.mended:,} follow from the records"
    return f"{follow} if it calculated as if\n\n{lines}{_more(told)}"


def _more(told: Explanation) -> str:
    """What else fits, and what nothing explains."""
    parts = []
    if told.fitting > 1:
        parts.append(f"This is the first of {sets_that_fit(told)}.")
    if told.remaining:
        parts.append("What differs all the same is located below; it is unexplained.")
    return f"\n{' '.join(parts)}\n" if parts else ""


def _whose(told: Explanation) -> str:
    """The other method: the product's own, where all is explained in one way alone."""
    return "the product's" if told.fitting == 1 and not told.remaining else "the other"


def _evidence(evidence: Evidence, whose: str) -> str:
    count = len(evidence.lines)
    parts = [f"### {evidence.place}\n", f"{count:,} {'record' if count == 1 else 'records'}."]
    if evidence.other is not None:
        one, two = (_usd(side, evidence.lever) for side in (evidence.stated, evidence.other))
        parts.append(f"By the stated method they save {one} USD, by {whose} {two} USD.")
    if evidence.row is not None:
        at = evidence.row.at
        by = f"{visible(at.lever)} by {visible(at.dimension or '')}"
        where = f"{by}, {shown_key(at.key)}, {visible(at.measure)}"
        figure = markdown_text(evidence.row.figure or "nothing")
        parts.append(
            f"{inert(where)}: the product shows {figure}, "
            f"the records give {cell(evidence.row.recomputed)}."
        )
        if evidence.row.reason:
            parts.append(f"{markdown_text(evidence.row.reason)}.")
    commands = "".join(f"    {command}\n" for command in evidence.commands)
    return "\n".join(parts) + f"\n\n{commands}"


def _usd(result: Recomputation, lever: str) -> str:
    usd = result.lever(lever).usd
    return "no" if usd is None else plain(usd)


def _shown(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()
