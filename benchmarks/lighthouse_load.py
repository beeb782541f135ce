"""How long a cold and a warm answer take, as ratios against other programs in the same run.

    python benchmarks/lighthouse_load.py --records 200000 2000000 --forms gz zst --plain-python

Each line is a whole process, timed from outside, the best of several turns taken in rotation:
`verify recompute` with nothing stored, the same with the database stored, the loading alone
(hashed, checked and typed), DuckDB's own bare load of the same columns into a database file,
SHA-256 of the file, and a plain Python script of the retrieval formula. Figures of one machine say
little; their ratios say more.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import zstandard

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
# The same with a column for each attribute, as the store has them.
FLAT = BARE.replace("SELECT * FROM", "SELECT * EXCLUDE (attrs), unnest(attrs) FROM")
LOAD = """
import sys
from pathlib import Path
from verify.systems.lighthouse.load import load
from verify.trust.source import DirectorySource
load(DirectorySource(Path(sys.argv[1])), ["records.jsonl"], Path(sys.argv[2]))
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


@dataclass(frozen=True)
class Took:
    """What one process took: wall seconds, and the most memory it held, in MB."""

    seconds: float
    memory: float


def run(command: list[str], environment: dict[str, str]) -> Took:
    """Run a whole process and measure it from outside."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return Took(time.perf_counter() - started, usage.ru_maxrss / 1024)


def packed(export: Path, form: str) -> Path:
    """A copy of the export whose records are packed, with a manifest that fits."""
    place = export.with_name(f"export-{form}")
    place.mkdir()
    target = place / f"records.jsonl.{form}"
    with (export / "records.jsonl").open("rb") as plain, target.open("wb") as out:
        if form == "gz":
            with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6, mtime=0) as writer:
                shutil.copyfileobj(plain, writer, 1 << 20)
        else:
            with zstandard.ZstdCompressor(level=3).stream_writer(out) as writer:
                shutil.copyfileobj(plain, writer, 1 << 20)
    manifest = json.loads((export / "manifest.json").read_text("utf-8"))
    with target.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    entry = {"path": target.name, "sha256": digest, "bytes": target.stat().st_size}
    manifest["files"] = [entry]
    (place / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return place


def measure(
    records: int, turns: int, forms: list[str], slow: bool, made: Path | None
) -> dict[str, Took]:
    """Each program in turn, the best of `turns`; `made` is an export that lies there already."""
    with tempfile.TemporaryDirectory(prefix="verify-bench-") as place:
        export, cache, bare = Path(place, "export"), f"{place}/cache", f"{place}/bare.duckdb"
        loaded = f"{place}/loaded.duckdb"
        environment = {**os.environ, "VERIFY_CACHE_DIR": cache}
        verify = [sys.executable, "-m", "verify"]
        if made is not None:
            export = made
        else:
            make = [*verify, "sample", str(export), "--records", str(records), "--quiet"]
            subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        lines = str(export / "records.jsonl")

        def ask(which: Path) -> list[str]:
            told = ["--period", "2026-10", "--format", "json", "--quiet"]
            return [*verify, "recompute", str(which), *told]

        programs = {
            "verify, nothing stored": [*ask(export), "--no-cache"],
            "verify, stored": ask(export),
            "verify, the load alone": [sys.executable, "-c", LOAD, str(export), loaded],
            "DuckDB, bare load": [sys.executable, "-c", BARE, lines, bare],
            "DuckDB, bare load, a column each": [sys.executable, "-c", FLAT, lines, bare],
            "SHA-256 alone": [sys.executable, "-c", HASH, lines],
        }
        for form in forms:
            programs[f"verify, nothing stored, .{form}"] = [
                *ask(packed(export, form)),
                "--no-cache",
            ]
        if slow:
            programs["plain Python, retrieval alone"] = [sys.executable, "-c", PLAIN, lines]
        run(ask(export), environment)  # fills the cache, and the page cache
        best: dict[str, Took] = {}
        for _ in range(turns):
            for name, command in programs.items():
                for old in (bare, loaded):
                    Path(old).unlink(missing_ok=True)
                took = run(command, environment)
                so_far = best.get(name, took)
                best[name] = Took(
                    min(so_far.seconds, took.seconds), max(so_far.memory, took.memory)
                )
        size = Path(lines).stat().st_size
        print(f"\n{records:,} records, {size:,} bytes, best of {turns}\n")
        print("| program | seconds | against the bare load | peak memory, MB |\n|---|---|---|---|")
        base = best["DuckDB, bare load"].seconds
        for name, took in best.items():
            ratio = took.seconds / base
            print(f"| {name} | {took.seconds:.2f} | {ratio:.2f} | {took.memory:.0f} |", flush=True)
        return best


def written(paths: list[Path]) -> dict[int, dict[str, Took]]:
    """What the tables of earlier runs say: a long one need not be repeated for its chart."""
    found: dict[int, dict[str, Took]] = {}
    for line in (line for path in paths for line in path.read_text("utf-8").splitlines()):
        if " records, " in line:
            records = int(line.partition(" ")[0].replace(",", ""))
        elif line.startswith("| ") and not line.startswith("| program"):
            name, seconds, _, memory = (cell.strip() for cell in line.strip("|").split("|"))
            found.setdefault(records, {})[name] = Took(float(seconds), float(memory))
    return found


def draw(found: dict[int, dict[str, Took]], target: Path) -> None:
    """Seconds and memory against records, as an SVG."""
    import altair
    import polars

    shown = {
        "verify, nothing stored": "verify, cold",
        "verify, stored": "verify, warm",
        "DuckDB, bare load": "bare load",
    }
    rows = [
        {"records": records, "program": shown[name], "value": value, "what": what}
        for records, best in found.items()
        for name, took in best.items()
        if name in shown
        for what, value in (("seconds", took.seconds), ("peak memory, MB", took.memory))
    ]
    panels = [
        altair.Chart(polars.DataFrame(rows))
        .transform_filter(altair.datum.what == what)
        .mark_line(point=True)
        .encode(
            x=altair.X(
                "records:Q",
                scale=altair.Scale(type="log", nice=False),
                axis=altair.Axis(values=sorted(found), format="~s"),
            ),
            y=altair.Y("value:Q", title=what, scale=altair.Scale(type=scale)),
            color=altair.Color(
                "program:N",
                scale=altair.Scale(range=["#0072B2", "#D55E00", "#009E73"]),
                legend=altair.Legend(labelLimit=300),
            ),
            shape=altair.Shape("program:N", legend=None),
        )
        .properties(width=300, height=240)
        for what, scale in (("seconds", "log"), ("peak memory, MB", "linear"))
    ]
    altair.hconcat(*panels).save(str(target))


def main() -> None:
    """Make exports, time each program in turn, print tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[200_000])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--forms", nargs="*", default=[], choices=["gz", "zst"])
    parser.add_argument("--plain-python", action="store_true", help="time the plain script too")
    parser.add_argument("--chart", type=Path, help="an SVG of time and memory against size")
    parser.add_argument("--export", type=Path, help="one that `verify sample` made before")
    parser.add_argument("--written", type=Path, nargs="+", help="draw what these runs printed")
    given = parser.parse_args()
    if given.written:
        draw(written(given.written), given.chart)
        return
    found = {
        records: measure(records, given.turns, given.forms, given.plain_python, given.export)
        for records in given.records
    }
    if given.chart:
        draw(found, given.chart)


if __name__ == "__main__":
    main()
