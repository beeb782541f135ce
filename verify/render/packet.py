"""The page of a packet that a person reads first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verify.exact import plain
from verify.render.pipes import cell, pipe_table
from verify.render.safe import markdown_text, shown_key
from verify.render.words import export_words

if TYPE_CHECKING:
    from verify.compare.packet import Evidence, Packet
    from verify.result import Recomputation


def readme(packet: Packet) -> str:
    """The disagreement in Markdown: figures, method, evidence, and how to repeat it."""
    return "\n".join(_parts(packet))


def _parts(packet: Packet) -> Iterator[str]:
    told = packet.told
    yield "# Two calculations of one saving disagree\n"
    words = export_words(told.diff.export, period=told.diff.result.period)
    yield "".join(f"- {label}: {markdown_text(text)}\n" for label, text in words)
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
        yield _evidence(evidence)
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
    choices = packet.told.sets[0]
    lines = "".join(
        f"- {markdown_text(choice.meaning)} (`{choice.name}={_shown(choice.value)}`)\n"
        for choice in choices
    )
    others = len(packet.told.sets) - 1
    more = f"\n{others} other explanations give the same figures.\n" if others else ""
    return f"The product's figures follow from the records if it calculated as if\n\n{lines}{more}"


def _evidence(evidence: Evidence) -> str:
    count = len(evidence.lines)
    parts = [f"### {evidence.place}\n", f"{count:,} {'record' if count == 1 else 'records'}."]
    if evidence.other is not None:
        one, two = (_usd(side, evidence.lever) for side in (evidence.stated, evidence.other))
        parts.append(f"By the stated method they save {one} USD, by the product's {two} USD.")
    if evidence.row is not None:
        at = evidence.row.at
        where = f"{at.lever} by {at.dimension}, {shown_key(at.key)}, {at.measure}"
        figure = markdown_text(evidence.row.figure or "nothing")
        parts.append(
            f"{markdown_text(where)}: the product shows {figure}, "
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
