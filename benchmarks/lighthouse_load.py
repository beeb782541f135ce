"""How long a cold and a warm answer take, as ratios against other programs in the same run.

    python benchmarks/lighthouse_load.py --records 2000000

Each line is a whole process, timed from outside, the best of several turns taken in rotation:
`verify recompute` with nothing stored, the same with the database stored, DuckDB's own bare load
of the same columns into a database file, SHA-256 of the file, and a plain Python script of the
retrieval formula. Figures of one machine say little; their ratios say more.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARE = """
import duckdb, sys
connection = duckdb.connect(sys.argv[2], config={"memory_limit": "640MB"})
connection.execute('''
    CREATE TABLE records AS SELECT * FROM read_ndjson(?, columns = {
        type: 'VARCHAR', deployment: 'VARCHAR', ts: 'TIMESTAMP', attrs: 'STRUCT(
            model VARCHAR, pack VARCHAR, agent VARCHAR, provider VARCHAR, "index" VARCHAR,
            outcome VARCHAR, id VARCHAR, input_tokens BIGINT, output_tokens BIGINT,
            cache_read_tokens BIGINT, cache_write_tokens BIGINT, corpus_tokens_in_scope BIGINT,
            context_tokens_sent BIGINT, sample_rate DOUBLE,
            candidates STRUCT(model VARCHAR, cost_usd DOUBLE)[], picked VARCHAR, baseline VARCHAR,
            applied BOOLEAN, profile VARCHAR, always_on_usd_per_hour DOUBLE, kind VARCHAR,
            usd DOUBLE, limits STRUCT(context_tokens BIGINT, context_window BIGINT),
            price STRUCT(input_per_m DOUBLE, output_per_m DOUBLE, cache_read_per_m DOUBLE,
                         cache_write_per_m DOUBLE),
            snapshot VARCHAR, complete BOOLEAN, size BIGINT)'})''', [sys.argv[1]])
connection.execute("CHECKPOINT")
"""
HASH = """
import hashlib, sys
with open(sys.argv[1], "rb") as handle:
    print(hashlib.file_digest(handle, "sha256").hexdigest())
"""
# The retrieval lever as one would write it down: one pass for windows and cards, one for searches.
PLAIN = """
import json, sys
cards, windows, searches, reads = {}, {}, [], set()
calls = set()
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    attrs, deployment = record["attrs"], record["deployment"]
    if record["type"] == "models":
        cards[deployment, attrs["model"]] = attrs
    elif record["type"] == "model_call":
        if attrs.get("outcome") != "refused":
            calls.add((deployment, attrs.get("pack"), attrs["model"]))
        if (attrs.get("cache_read_tokens") or 0) > 0:
            reads.add(deployment)
    elif record["type"] == "retrieval":
        searches.append((deployment, attrs))
for deployment, pack, model in calls:
    card = cards.get((deployment, model))
    if card and card.get("price"):
        limits = card.get("limits") or {}
        window = limits.get("context_tokens") or limits.get("context_window")
        if window:
            at = deployment, pack
            windows[at] = min(windows.get(at, window), window)
saved = 0.0
for deployment, attrs in searches:
    scope, sent = attrs.get("corpus_tokens_in_scope"), attrs.get("context_tokens_sent")
    price = (cards.get((deployment, attrs.get("model"))) or {}).get("price")
    if scope is None or sent is None or not price:
        continue
    window = windows.get((deployment, attrs.get("pack")), 200000)
    avoided = max(min(scope, window) - sent, 0)
    each = price["cache_read_per_m"] if deployment in reads else price["input_per_m"]
    saved += avoided / (attrs.get("sample_rate") or 1) * (each or price["input_per_m"] or 0) / 1e6
print(saved)
"""


def run(command: list[str], environment: dict[str, str]) -> tuple[float, int]:
    """Wall seconds, and peak memory in KiB of the children so far."""
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def main() -> None:
    """Make an export, time each program in turn, print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="verify-bench-") as place:
        export, cache, bare = f"{place}/export", f"{place}/cache", f"{place}/bare.duckdb"
        environment = {**os.environ, "VERIFY_CACHE_DIR": cache}
        verify = [sys.executable, "-m", "verify"]
        make = [*verify, "sample", export, "--records", str(arguments.records), "--quiet"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        records = f"{export}/records.jsonl"
        ask = [*verify, "recompute", export, "--period", "2026-10", "--format", "json", "--quiet"]
        programs = {
            "verify, nothing stored": [*ask, "--no-cache"],
            "verify, stored": ask,
            "DuckDB, bare load": [sys.executable, "-c", BARE, records, bare],
            "SHA-256 alone": [sys.executable, "-c", HASH, records],
            "plain Python, retrieval alone": [sys.executable, "-c", PLAIN, records],
        }
        run(ask, environment)  # fills the cache, and the page cache
        best: dict[str, float] = {}
        for _ in range(arguments.turns):
            for name, command in programs.items():
                Path(bare).unlink(missing_ok=True)
                seconds, _ = run(command, environment)
                best[name] = min(best.get(name, seconds), seconds)
        size = Path(records).stat().st_size
        print(f"{arguments.records:,} records, {size:,} bytes, best of {arguments.turns}\n")
        print("| program | seconds | against the bare load |\n|---|---|---|")
        for name, seconds in best.items():
            print(f"| {name} | {seconds:.2f} | {seconds / best['DuckDB, bare load']:.2f} |")


if __name__ == "__main__":
    main()
