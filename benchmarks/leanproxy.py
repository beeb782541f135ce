"""A busy month of a usage store, recomputed here and by a plain Python reader.

    python benchmarks/leanproxy.py                      5 million lines, a tenth of them changed
    python benchmarks/leanproxy.py --lines 500000 --changed 1

Each reader runs in a process of its own, which tells its time and its peak memory. Both have to
give the same totals. The store is made in a temporary directory, about 1.2 GB a million lines, and
removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

SESSIONS = 10
START = datetime(2026, 9, 1, tzinfo=UTC)
TOOLS = ("github.list_issues", "github.search_code", "fs.read_file", "jira.search", "db.query")
ZEROS = "".join(
    f'"{name}":0,'
    for name in (
        "errors_total",
        "redactions_total",
        "injection_detections_total",
        "cache_hits_total",
        "cache_misses_total",
        "policy_decisions_total",
        "rate_limit_waits_total",
        "tool_pin_events_total",
        "requests_in_flight",
        "governor_results_total",
        "governor_truncations_total",
        "governor_tokens_saved_total",
        "governor_projections_total",
        "governor_projection_tokens_saved_total",
        "governor_dedup_hits_total",
        "governor_dedup_tokens_saved_total",
        "governor_summarizations_total",
        "governor_summarization_tokens_saved_total",
        "governor_summarization_fallbacks_total",
    )
)


class Session:
    """A front end whose counters grow now and then."""

    def __init__(self, number: int, random_: random.Random) -> None:
        self.number, self.random = number, random_
        self.requests = self.native = self.sent = self.listings = 0
        self.tools = {name: [0, 0, 0] for name in TOOLS}
        self.text = self.rest()

    def change(self) -> None:
        self.requests += 1
        if self.requests % 20 == 1:
            self.native, self.sent = self.native + 10_049, self.sent + 318
            self.listings += 1
        tool = self.tools[self.random.choice(TOOLS)]
        original = self.random.randrange(100, 9_000)
        tool[0] += 1
        tool[1] += original
        tool[2] += min(original, 2_000)
        self.text = self.rest()

    def rest(self) -> str:
        rows = ",".join(
            f'{{"tool":"{name}","results":{n},"truncated":0,"original_tokens":{o},'
            f'"returned_tokens":{r}}}'
            for name, (n, o, r) in self.tools.items()
            if n
        )
        results, original, returned = (sum(t[at] for t in self.tools.values()) for at in range(3))
        return (
            f'","session_id":"stdio-{4000 + self.number}-1788220800","pid":{4000 + self.number},'
            '"estimator":"chars/4","snapshot":{"response_governor":{"enabled":true,'
            f'"max_tokens":4000,"results":{results},"truncated":0,"spilled":0,'
            f'"read_result_calls":0,"original_tokens":{original},"returned_tokens":{returned},'
            f'"saved_tokens":{original - returned},"projected":0,"projection_saved_tokens":0,'
            '"projection_rules":1,"default_projections":true,"dedup_enabled":true,"dedup_hits":0,'
            '"dedup_saved_tokens":0,"summarize_enabled":false,"summarized":0,'
            '"summarize_saved_tokens":0,"summarize_fallbacks":0,"store":{"entries":0,"bytes":0,'
            f'"evictions":0,"expirations":0,"disk":false}},"by_tool":[{rows}]}},"telemetry":{{'
            f'"requests_total":{self.requests},{ZEROS}"schema_listings_total":{self.listings},'
            f'"schema_native_tokens_total":{self.native},"schema_sent_tokens_total":{self.sent},'
            f'"discovery_calls_total":{self.listings},'
            f'"discovery_tokens_total":{self.listings * 154}}}}}}}\n'
        )


def make(place: Path, lines: int, changed: float) -> int:
    """Write a store of about so many lines; the bytes written."""
    random_ = random.Random(1)
    sessions = [Session(number, random_) for number in range(SESSIONS)]
    written = done = 0
    now = START
    while done < lines:
        with (place / f"usage-{now:%Y-%m-%d}.jsonl").open("w") as handle:
            end = min((lines - done) // SESSIONS or 1, 17_280)
            for tick in range(end):
                stamp = now + timedelta(seconds=5 * tick, microseconds=123_456)
                head = f'{{"timestamp":"{stamp:%Y-%m-%dT%H:%M:%S.%f}789Z'
                for session in sessions:
                    if random_.random() < changed:
                        session.change()
                    written += handle.write(head + session.text)
            done += end * SESSIONS
        now += timedelta(days=1)
    return written


PLAIN = """
import json, sys
from pathlib import Path
latest = {}
for path in sorted(Path(sys.argv[1]).glob("usage-*.jsonl")):
    with path.open() as lines:
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            before = latest.get(record["session_id"])
            if before is None or record["timestamp"] > before["timestamp"]:
                latest[record["session_id"]] = record
original = saved = 0
for record in latest.values():
    telemetry = record["snapshot"]["telemetry"]
    governor = record["snapshot"].get("response_governor") or {}
    native = telemetry["schema_native_tokens_total"]
    original += native + governor.get("original_tokens", 0)
    saved += native - telemetry["schema_sent_tokens_total"] + governor.get("saved_tokens", 0)
print(json.dumps([original, saved]))
"""
OURS = """
import json, sys, verify
with verify.open_export(sys.argv[1]) as export:
    totals = verify.recompute(export, levers=["report"]).lever("report").totals
print(json.dumps([totals["total_original_tokens"], totals["total_saved_tokens"]]))
"""


@dataclass(frozen=True)
class Run:
    """What a reader printed, its seconds by the clock and of processor, and its peak in MB."""

    printed: list[int]
    seconds: float
    processor: float
    memory: float


def run(code: str, place: Path) -> Run:
    """Run a reader in a process of its own."""
    wrapper = (
        "import resource, sys\n"
        f"{code}\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)\n"
    )
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", wrapper, str(place)], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - begun
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    peak, processor = done.stderr.split()[-2:]
    return Run(json.loads(done.stdout), seconds, float(processor), int(peak) / unit)


def main() -> None:
    """Make a store, run both readers, and say what they took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lines", type=int, default=5_000_000)
    parser.add_argument("--changed", type=float, default=0.1, help="share of lines that changed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="verify-benchmark-") as place:
        size = make(Path(place), arguments.lines, arguments.changed)
        print(f"{arguments.lines:,} lines, {size / 1e6:,.0f} MB, {arguments.changed:.0%} changed")
        ours, plain = run(OURS, Path(place)), run(PLAIN, Path(place))
    for name, one in (("verify", ours), ("plain Python", plain)):
        spent = f"{one.seconds:7.1f} s   {one.processor:7.1f} s of processor"
        print(f"{name:14} {spent}   {one.memory:6.0f} MB peak")
    print(f"processor ratio {ours.processor / plain.processor:.2f}")
    if ours.printed != plain.printed:
        sys.exit(f"the readers disagree: {ours.printed} and {plain.printed}")
    print(f"both say {ours.printed[1]:,} of {ours.printed[0]:,} tokens")


if __name__ == "__main__":
    main()
