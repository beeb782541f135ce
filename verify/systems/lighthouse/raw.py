"""The lines of an export as they stand in it, by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verify.errors import IntegrityFailure, Problem
from verify.systems.lighthouse.load import Loaded
from verify.trust.source import Source
from verify.trust.tap import Tap


def lines_at(source: Source, loaded: Loaded, lines: Sequence[int]) -> Iterator[bytes]:
    """The lines of those numbers (ascending), from bytes that are the same as were loaded.

    Raises IntegrityFailure at the end of a file that has changed.
    """
    numbers = iter(lines)
    wanted = next(numbers, None)
    for part in loaded.parts:
        with source.open(part.path) as handle:
            tap, first = Tap(handle, part.path), part.first_line
            for block in tap.blocks():
                after = part.first_line + tap.lines
                if wanted is not None and wanted < after:
                    found = block.split(b"\n")
                    while wanted is not None and wanted < after:
                        yield found[wanted - first]
                        wanted = next(numbers, None)
                first = after
        if tap.sha256 != part.sha256:
            problem = Problem("file_digest", part.path, "it changed while it was being read")
            raise IntegrityFailure([problem])
