"""Lines that stand in an export more than once, byte for byte.

The database knows which records look alike; whether their lines are the same bytes is decided on
the bytes, read again and held against the digest of the first reading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from verify.engines.duckdb import DuckEngine
from verify.errors import IntegrityFailure, Problem
from verify.systems.lighthouse.load import Loaded, Part
from verify.trust.source import Source
from verify.trust.tap import LineTooLong, Tap

_ALIKE = """
    SELECT line, look
    FROM (
        SELECT line, hash(type, deployment, ts, model, pack, agent, id, input_tokens,
                          output_tokens, cache_read_tokens, cache_write_tokens,
                          corpus_tokens_in_scope, context_tokens_sent) AS look
        FROM lines
        WHERE type IN ('"models"', '"model_call"', '"retrieval"', '"routing_decision"',
                       '"deployment_profile"', '"cost"')
    )
    QUALIFY count(*) OVER (PARTITION BY look) > 1
    ORDER BY line
"""


def repeated_lines(engine: DuckEngine, source: Source, loaded: Loaded) -> list[int]:
    """The numbers of the lines that repeat an earlier one, in order, for the record
    types that levers read. The first of them counts."""
    return list(originals(engine, source, loaded))


def originals(engine: DuckEngine, source: Source, loaded: Loaded) -> dict[int, int]:
    """For each line that repeats an earlier one, in order, the first that it repeats."""
    alike = {row["line"]: row["look"] for row in engine.rows(_ALIKE)}
    if not alike:
        return {}
    seen: dict[tuple[int, bytes], int] = {}
    repeats = {}
    for part in loaded.parts:
        for line, raw in _lines(source, part):
            if line in alike:
                what = (alike[line], hashlib.sha256(raw).digest())
                if what in seen:
                    repeats[line] = seen[what]
                seen.setdefault(what, line)
    return repeats


def _lines(source: Source, part: Part) -> Iterator[tuple[int, bytes]]:
    with source.open(part.path) as handle:
        tap = Tap(handle, part.path)
        line = part.first_line
        try:
            for block in tap.blocks():
                if line == part.first_line and part.byte_order_mark:
                    block = block.removeprefix(b"\xef\xbb\xbf")
                lines = block.split(b"\n")
                if block.endswith(b"\n"):
                    lines.pop()
                for raw in lines:
                    yield line, raw
                    line += 1
        except LineTooLong:  # nothing after it was loaded either
            tap.drain()
    if tap.sha256 != part.sha256:
        problem = Problem("file_digest", part.path, "it changed while it was being read")
        raise IntegrityFailure([problem])
