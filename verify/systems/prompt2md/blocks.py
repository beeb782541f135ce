"""Markdown as prompt2md takes it apart: blocks, anchors, and what its layout adds.

The program counts block by block: paragraphs, tables and lists as far as the next blank line, a
fenced piece of code together with the blank lines in it, each heading on its own. White space at
the ends of a block belongs to none. Positions are in UTF-16 code units, as in its anchors.

Readings, where the program's reports do not tell: lines end at a line feed alone (a carriage return
before it is trimmed from a block's end and counted inside it); a heading is `#` to `######` and a
blank, a fence three or more backticks or tildes, either after three spaces at most, and both begin
a block without a blank line before them; a fence that nothing closes runs to the end; white space
is what JavaScript trims, and a byte-order mark before the first line hides no heading or fence. The
layout is what stands last: the stamp, and a breakpoint before it, also after an open fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from verify.systems.prompt2md.arithmetic import token_count

SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
ANCHOR_START = "<!-- p2md:src="
_ANCHOR = re.compile(r"<!-- p2md:src=([0-9a-f]{16})#([0-9]{1,15})-([0-9]{1,15}) -->")
_STAMP = re.compile(r"(?:^|\n\n)<!-- p2md:generated (\S+) source=([0-9a-f]{16}) -->\s*\Z")
_MARK = re.compile(r"(?:^|\n\n)<!-- p2md:cache-breakpoint -->\s*\Z")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t\r]|$)")
_FENCE = re.compile(r" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)", re.DOTALL)


def utf16_units(text: str) -> int:
    """How many UTF-16 code units `text` has."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def tokens_of(text: str) -> int:
    """The program's estimate of the tokens of `text`, taken as one piece."""
    return token_count(utf16_units(text))


@dataclass(frozen=True)
class Block:
    """A block: its text, where it stands ([start, end) in UTF-16 code units of the whole), and the
    number of its first line, counted from 1."""

    text: str
    start: int
    end: int
    line: int

    @property
    def tokens(self) -> int:
        """The program's estimate for it."""
        return token_count(self.end - self.start)


@dataclass(frozen=True)
class Anchor:
    """Where a summarized section says that its original stands: `[start, end)` of `source`."""

    source: str
    start: int
    end: int


class Units:
    """A text by its UTF-16 code units."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-16-le", "surrogatepass")

    def __len__(self) -> int:
        return len(self._data) // 2

    def splits(self, at: int) -> bool:
        """Whether position `at` lies inside a surrogate pair."""
        return 0 < at < len(self) and self._high(at - 1) and self._low(at)

    def _high(self, at: int) -> bool:
        return 0xD8 <= self._data[2 * at + 1] <= 0xDB

    def _low(self, at: int) -> bool:
        return 0xDC <= self._data[2 * at + 1] <= 0xDF


@lru_cache(maxsize=64)
def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of `text`, in order."""
    return tuple(_blocks(text))


def _blocks(text: str) -> Iterator[Block]:
    pending: list[str] = []
    start = line = 0
    position = len(text) - len(text.removeprefix("\ufeff"))
    fence = ""
    for number, content in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        opened = "" if fence else _opening(content)
        alone = not fence and bool(opened or _HEADING.match(content))
        if pending and not fence and (alone or not content.strip(SPACE)):
            yield from _trimmed(pending, start, line)
            pending = []
        if not pending:
            start, line = position, number
        pending.append(content)
        closed = fence and _closes(content, fence)
        fence = "" if closed else fence or opened
        if closed or (alone and not fence):
            yield from _trimmed(pending, start, line)
            pending = []
        position += utf16_units(content) + 1
    if pending:
        yield from _trimmed(pending, start, line)


def _opening(content: str) -> str:
    """The fence that a line opens, or nothing."""
    match = _FENCE.fullmatch(content)
    return (match[1] or match[2]) if match else ""


def _closes(content: str, fence: str) -> bool:
    bare = content.strip(SPACE)
    indent = len(content) - len(content.lstrip(" "))
    return indent <= 3 and len(bare) >= len(fence) and bare == fence[0] * len(bare)


def _trimmed(lines: Sequence[str], start: int, line: int) -> Iterator[Block]:
    """The block that these lines are, unless nothing is left of them."""
    whole = "\n".join(lines)
    left = whole.lstrip(SPACE)
    if left:
        cut = whole[: len(whole) - len(left)]  # white space has one code unit a character
        kept = left.rstrip(SPACE)
        begin = start + len(cut)
        yield Block(kept, begin, begin + utf16_units(kept), line + cut.count("\n"))


@dataclass(frozen=True)
class Emitted:
    """A report's Markdown: the blocks of its body, and the tokens of those that the layout added.

    `stamped` is the source that the stamp names; None where there is no stamp.
    """

    body: tuple[Block, ...]
    breakpoint_tokens: int
    volatile_tokens: int
    stamped: str | None

    @property
    def body_tokens(self) -> int:
        """Tokens after summarizing, before the layout."""
        return sum(block.tokens for block in self.body)

    @property
    def stable_tokens(self) -> int:
        """P: the body, and the breakpoint where there is one."""
        return self.body_tokens + self.breakpoint_tokens


def emitted(markdown: str) -> Emitted:
    """Take a report's Markdown apart."""
    body, stamp_tokens, mark_tokens = markdown, 0, 0
    stamp = _STAMP.search(body)
    if stamp is not None:
        body, stamp_tokens = body[: stamp.start()], tokens_of(stamp[0].strip(SPACE))
    mark = _MARK.search(body)
    if mark is not None:
        body, mark_tokens = body[: mark.start()], tokens_of(mark[0].strip(SPACE))
    return Emitted(blocks_of(body), mark_tokens, stamp_tokens, stamp[2] if stamp else None)


def anchors_in(text: str) -> tuple[tuple[Anchor, ...], int]:
    """The anchors in a block, and how many more look like one and are none."""
    found = tuple(Anchor(m[1], int(m[2]), int(m[3])) for m in _ANCHOR.finditer(text))
    return found, text.count(ANCHOR_START) - len(found)
