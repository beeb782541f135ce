"""What `verify check` describes of a prompt2md export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify import tokens
from verify.exact import rounded
from verify.findings import Finding
from verify.systems.prompt2md.blocks import blocks_of, utf16_units
from verify.systems.prompt2md.documents import Documents
from verify.systems.prompt2md.recount import Recount

_NO_TOKENIZER = f"the program's tokens against those of {tokens.ENCODING}: {tokens.EXTRA}"
_FATES = ("verbatim", "anchored", "repeated", "lost")


def described(
    recounts: Sequence[Recount],
    documents: Documents,
    texts: Sequence[Mapping[str, Any]] | None,
) -> dict[str, Any]:
    """The document of the check: counts, losslessness by report, originals, files.

    `texts` are rows of `tokenizer_rows`; None where no tokenizer is installed.
    """
    audited = [each for each in recounts if each.audit is not None]
    rows = sorted(map(_report_row, audited), key=_worst_first)
    summed = {
        "blocks": sum(len(each.audit.blocks) for each in audited if each.audit),
        **{name: sum(row[name] for row in rows) for name in (*_FATES, "foreign")},
        "anchors": sum(each.audit.anchors for each in audited if each.audit),
        "resolved": sum(each.audit.resolved for each in audited if each.audit),
    }
    return {
        "counts": {
            "reports": len(recounts),
            "documents": len({each.report.source_id for each in recounts}),
            "originals": sum(entry.problem is None for entry in documents.stored),
            "inputs": len(documents.inputs),
            "audited": len(audited),
        },
        "losslessness": summed,
        "reports": rows,
        "originals": list(_originals(recounts, documents)),
        **({} if texts is None else {"texts": list(texts)}),
        "files_read": [
            {"key": file.path, "role": file.role, "bytes": file.bytes, "sha256": file.sha256}
            for file in documents.files
        ],
        "not_checked": [
            "whether a summary says what its original says",
            "who made the reports, and when",
            "what a provider charged",
            *([_NO_TOKENIZER] if texts is None else []),
        ],
    }


def _report_row(each: Recount) -> dict[str, Any]:
    """What became of the original's blocks, anchors that lead nowhere, and foreign blocks."""
    assert each.audit is not None
    found = each.audit
    return {
        "key": each.report.key,
        **{fate: len(getattr(found, fate)) for fate in _FATES},
        "broken": found.anchors - found.resolved,
        "foreign": sum(flaw.code == "block_foreign" for flaw in found.flaws),
    }


def _worst_first(row: Mapping[str, Any]) -> tuple[int, int, int, str]:
    return -row["broken"], -row["lost"], -row["foreign"], row["key"]


def _originals(recounts: Sequence[Recount], documents: Documents) -> Iterator[dict[str, Any]]:
    by_source: dict[str, list[Recount]] = {}
    for each in recounts:
        by_source.setdefault(each.report.source_id, []).append(each)
    for source, members in by_source.items():
        text = documents.original(source)
        yield {
            "key": documents.name_of(source),
            "id": source,
            "units": None if text is None else utf16_units(text),
            "blocks": None if text is None else len(blocks_of(text)),
            "reports": len(members),
        }
    for entry in documents.stored:
        if entry.named not in by_source:
            text = entry.text if entry.problem is None else None
            yield {
                "key": documents.name_of(entry.named),
                "id": entry.named,
                "units": None if text is None else utf16_units(text),
                "blocks": None if text is None else len(blocks_of(text)),
                "reports": 0,
            }


def tokenizer_rows(recounts: Sequence[Recount], documents: Documents) -> list[dict[str, Any]]:
    """The program's tokens beside those of o200k_base, once for each text that was sent: those of
    the raw text (null without the original), of what is sent, and what that saves. The saving that
    is overstated most comes first."""
    texts: dict[tuple[str, str], Recount] = {}
    for each in recounts:
        if each.report.markdown is not None:
            texts.setdefault((each.report.source_id, each.report.markdown), each)
    originals = {source: documents.original(source) for source, _ in texts}
    known = [text for text in originals.values() if text is not None]
    counts = tokens.count_tokens([*known, *(sent for _, sent in texts)])
    real = dict(zip([*known, *(sent for _, sent in texts)], counts, strict=True))
    rows = []
    for (source, sent), each in texts.items():
        original = originals[source]
        raw = None if original is None else real[original]
        row = _TokenRow(each.report.key, each.prompt.raw, each.prompt.compressed, raw, real[sent])
        rows.append(row)
    return [row.shown() for row in sorted(rows, key=_TokenRow.place)]


@dataclass(frozen=True)
class _TokenRow:
    """One text: the program's tokens and the tokenizer's, of the raw text and of what is sent."""

    key: str
    raw: int
    sent: int
    real_raw: int | None
    real_sent: int

    def place(self) -> tuple[Fraction, str]:
        """Where it stands in the table."""
        claimed, real = _saved(self.raw, self.sent), _saved(self.real_raw, self.real_sent)
        return (real - claimed if claimed is not None and real is not None else _LAST), self.key

    def shown(self) -> dict[str, Any]:
        """It as a row; shares in percent, rounded to one decimal."""
        return {
            "key": self.key,
            "raw": self.raw,
            "sent": self.sent,
            "saved": _percent(_saved(self.raw, self.sent)),
            "o200k_raw": self.real_raw,
            "o200k_sent": self.real_sent,
            "o200k_saved": _percent(_saved(self.real_raw, self.real_sent)),
        }


_LAST = Fraction(10**6)


def _saved(raw: int | None, sent: int) -> Fraction | None:
    return Fraction(100 * (raw - sent), raw) if raw else None


def _percent(share: Fraction | None) -> str | None:
    return None if share is None else f"{rounded(share, 1)} %"


def tokenizer_words(rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """The error of the program's estimate, in words, over all texts and at its worst."""
    own = [row["raw"] for row in rows if row["o200k_raw"]], [row["sent"] for row in rows]
    real = [row["o200k_raw"] or 0 for row in rows], [row["o200k_sent"] for row in rows]
    parts = []
    for name, ours, theirs in zip(("raw", "sent"), own, real, strict=True):
        if sum(theirs):
            off = rounded(Fraction(100 * (sum(ours) - sum(theirs)), sum(theirs)), 1)
            parts.append(f"{name} {sum(ours):,} against {sum(theirs):,} ({off} %)")
    if not parts:
        return
    message = f"the program's tokens against {tokens.ENCODING}, {len(rows):,} texts: "
    message += ", ".join(parts)
    worst = rows[0]
    if worst["o200k_saved"] is not None:
        message += f"; {worst['key']} saves {worst['o200k_saved']}, not {worst['saved']}"
    yield Finding("counter_estimate", message, len(rows))
