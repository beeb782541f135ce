"""An independent calculation of a report, written plainly from the published rules.

It shares no code with the package: blocks are known because the generator put them together, code
units are counted character by character, amounts are pairs of integers, and the ratio is what
Python's own division prints.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

# provider: read price, write surcharge (both as numerator and denominator), minimum, breakpoint
PROVIDERS: dict[str, tuple[tuple[int, int], tuple[int, int], int, bool]] = {
    "anthropic": ((1, 10), (1, 4), 1024, True),
    "openai": ((1, 2), (0, 1), 1024, False),
    "gemini": ((1, 4), (0, 1), 1024, False),
    "kimi": ((1, 10), (0, 1), 1024, False),
}
STAMP = "<!-- p2md:generated {at} source={id} -->"
MARK = "<!-- p2md:cache-breakpoint -->"


def units(text: str) -> int:
    """UTF-16 code units."""
    count = 0
    for character in text:
        count += 2 if ord(character) > 0xFFFF else 1
    return count


def tokens(text: str) -> int:
    count = units(text)
    return count // 4 + (1 if count % 4 else 0)


def half_up(numerator: int, denominator: int) -> int:
    """To a whole number, what lies half-way towards positive infinity."""
    whole, rest = divmod(numerator, denominator)
    return whole + 1 if 2 * rest >= denominator else whole


def is_half(numerator: int, denominator: int) -> bool:
    return 2 * (numerator % denominator) == denominator


@dataclass(frozen=True)
class Made:
    """A text put together on purpose, and what the compressor made of it.

    `blocks` are the original's, in order, each with the place where it begins; `fates` say of each
    `keep`, `strip` or a summary's first words.
    """

    original: str
    blocks: tuple[tuple[int, str], ...]
    fates: tuple[str, ...]
    provider: str
    layout: bool

    @property
    def source(self) -> str:
        return hashlib.sha256(self.original.encode("utf-8")).hexdigest()[:16]

    def pieces(self) -> list[str]:
        """The blocks of the output's body."""
        found = []
        for (start, text), fate in zip(self.blocks, self.fates, strict=True):
            if fate == "keep":
                found.append(text)
            elif fate != "strip":
                end = start + units(text)
                found.append(f"{fate} […]\n<!-- p2md:src={self.source}#{start}-{end} -->")
        return found

    def added(self) -> list[str]:
        """The blocks of the layout: a breakpoint for some providers, and the stamp."""
        if not self.layout:
            return []
        stamp = STAMP.format(at="2026-11-30T20:46:27.652Z", id=self.source)
        return [MARK, stamp] if PROVIDERS[self.provider][3] else [stamp]


def report(made: Made) -> tuple[dict[str, Any], int]:
    """The report that the program prints, and how many of its steps rounded half-way."""
    body, added = made.pieces(), made.added()
    raw = tokens(made.original)
    structure = sum(tokens(text) for _, text in made.blocks)
    pairs = list(zip(made.blocks, made.fates, strict=True))
    strip = sum(tokens(text) for (_, text), fate in pairs if fate != "strip")
    summarize = sum(tokens(text) for text in body)
    volatile = tokens(added[-1]) if added else 0
    stable = summarize + sum(tokens(text) for text in added[:-1])
    compressed = stable + volatile
    (read, of_read), (write, of_write), minimum, _ = PROVIDERS[made.provider]
    eligible = stable >= minimum
    halves = 0
    if eligible:
        first = half_up(stable * (of_write + write) + volatile * of_write, of_write)
        following = half_up(stable * read + volatile * of_read, of_read)
        halves += is_half(stable * (of_write + write), of_write)
        halves += is_half(stable * read, of_read)
    else:
        first = following = compressed
    amortized = half_up(first + 9 * following, 10)
    halves += is_half(first + 9 * following, 10)
    tenths = 0
    if raw:
        tenths = half_up(1000 * (raw - following), raw)
        halves += is_half(1000 * (raw - following), raw)
    phases = (structure, strip, summarize, compressed)
    named = zip(("structure", "strip", "summarize", "layout"), phases, strict=True)
    document = {
        "markdown": "\n\n".join([*body, *added]),
        "savings": {
            "rawTokens": raw,
            "compressedTokens": compressed,
            "savedTokens": raw - compressed,
            "ratio": compressed / raw if raw else 1,
            "phases": [{"phase": name, "tokens": count} for name, count in named],
            "cache": {
                "provider": made.provider,
                "stablePrefixTokens": stable,
                "volatileTokens": volatile,
                "cacheEligible": eligible,
                "effectiveTokensFirstCall": first,
                "effectiveTokensPerSubsequentCall": following,
                "amortizedTokensOver10Calls": amortized,
            },
            "subsequentSavingsVsRawPct": _decimal(tenths),
        },
        "sourceId": made.source,
        "warnings": [] if made.layout else [{"code": "layout-skipped", "message": "small"}],
    }
    return document, halves


def _decimal(tenths: int) -> float | int:
    return tenths // 10 if tenths % 10 == 0 else tenths / 10


def store_entry(made: Made) -> str:
    """The original as the store keeps it."""
    entry = {
        "sourceId": made.source,
        "text": made.original,
        "createdAt": "2026-11-30T20:46:27.000Z",
        "label": "generated",
    }
    return json.dumps(entry, ensure_ascii=False)
