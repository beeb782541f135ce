"""Is anything lost? Each block of the original, looked for in what was emitted.

A block is *verbatim* when the output has it as it was, *anchored* when an anchor leads to where it
stands, *repeated* when it is neither but the output keeps the same text elsewhere, and else *lost*:
it was stripped without a trace in the output and can only be had back from the store. Occurrences
count: of a block that stands three times in the original and once in the output, two are repeated.

An anchor is good when it names the report's own original, lies inside it, splits no character, and
leads to exactly one block. Output blocks that are none of the original's, without an anchor and not
layout, are *foreign*. Positions are in UTF-16 code units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from verify.systems.prompt2md.blocks import Anchor, Block, Emitted, Units, anchors_in, blocks_of
from verify.systems.prompt2md.reports import Report


@dataclass(frozen=True)
class Flaw:
    """Something wrong in the output: the code of its finding, words, and the line of the block
    where it stands."""

    code: str
    words: str
    line: int | None


@dataclass(frozen=True)
class Audit:
    """What became of an original's blocks in one report.

    `anchors` counts those found, `resolved` the good ones. `restored_tokens` are the program's
    tokens after stripping and before summarizing: those of the output's body with every summary
    replaced by the block that its anchor leads to; None when an anchor leads to none.
    """

    blocks: tuple[Block, ...]
    verbatim: tuple[Block, ...]
    anchored: tuple[Block, ...]
    repeated: tuple[Block, ...]
    lost: tuple[Block, ...]
    anchors: int
    resolved: int
    restored_tokens: int | None
    flaws: tuple[Flaw, ...]


def audit(report: Report, output: Emitted, original: str) -> Audit:
    """Look for every block of `original` in `output`, which is the report's Markdown."""
    blocks = blocks_of(original)
    known = {block.text for block in blocks}
    at = {(block.start, block.end): block for block in blocks}
    units = Units(original)
    kept: Counter[str] = Counter()
    ranges: list[Anchor] = []
    flaws: list[Flaw] = []
    seen, restored = 0, 0
    whole = True
    for block in output.body:
        if block.text in known:
            kept[block.text] += 1
            restored += block.tokens
            continue
        found, malformed = anchors_in(block.text)
        seen += len(found) + malformed
        whole = whole and not malformed
        flaws += [_malformed(block)] * malformed
        for anchor in found:
            flaw = _flaw(anchor, report.source_id, units, at)
            if flaw is None:
                ranges.append(anchor)
                restored += at[anchor.start, anchor.end].tokens
            else:
                whole = False
                flaws.append(Flaw(flaw[0], f"{_named(anchor)} {flaw[1]}", block.line))
        if not found and not malformed:
            restored += block.tokens
            flaws.append(Flaw("block_foreign", f"[{block.start}, {block.end}) of it", block.line))
    if output.stamped not in (None, report.source_id):
        flaws.append(Flaw("anchor_foreign", f"its stamp names the source {output.stamped}", None))
    fates = _fates(blocks, kept, ranges)
    return Audit(
        blocks,
        verbatim=fates["verbatim"],
        anchored=fates["anchored"],
        repeated=fates["repeated"],
        lost=fates["lost"],
        anchors=seen,
        resolved=len(ranges),
        restored_tokens=restored if whole else None,
        flaws=tuple(flaws),
    )


def _fates(
    blocks: Sequence[Block], kept: Counter[str], ranges: Sequence[Anchor]
) -> dict[str, tuple[Block, ...]]:
    """The blocks by what became of them. `kept` counts the output's blocks by their text."""
    led_to = {(anchor.start, anchor.end) for anchor in ranges}
    left, texts = kept.copy(), set(kept)
    verbatim, anchored, gone = [], [], []
    for block in blocks:
        if (block.start, block.end) in led_to:
            texts.add(block.text)
            anchored.append(block)
        elif left[block.text]:
            left[block.text] -= 1
            verbatim.append(block)
        else:
            gone.append(block)
    return {
        "verbatim": tuple(verbatim),
        "anchored": tuple(anchored),
        "repeated": tuple(block for block in gone if block.text in texts),
        "lost": tuple(block for block in gone if block.text not in texts),
    }


def _named(anchor: Anchor) -> str:
    return f"#{anchor.start}-{anchor.end}"


def _malformed(block: Block) -> Flaw:
    return Flaw("anchor_malformed", f"in the block [{block.start}, {block.end})", block.line)


def _flaw(
    anchor: Anchor, own: str, units: Units, at: dict[tuple[int, int], Block]
) -> tuple[str, str] | None:
    """What is wrong with an anchor: a code and words; None for a good one."""
    if anchor.source != own:
        return "anchor_foreign", f"leads to the source {anchor.source}"
    if not anchor.start < anchor.end <= len(units):
        return "anchor_out_of_range", f"where the original has {len(units)} units"
    inside = [end for end in (anchor.start, anchor.end) if units.splits(end)]
    if inside:
        return "anchor_splits_character", f"at {inside[0]}"
    if (anchor.start, anchor.end) not in at:
        return "anchor_not_a_block", f"where {_blocks_there(anchor, at)}"
    return None


def _blocks_there(anchor: Anchor, at: dict[tuple[int, int], Block]) -> str:
    """The block that an anchor comes nearest to, in words."""
    met = [(s, e) for s, e in at if s < anchor.end and anchor.start < e]
    if not met:
        return "no block stands"
    shown = ", ".join(f"[{start}, {end})" for start, end in met[:2])
    return f"the block{'s' if len(met) > 1 else ''} {shown} stand{'' if len(met) > 1 else 's'}"
