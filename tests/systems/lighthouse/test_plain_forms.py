"""What the fast path reads in a short way, against the strict reader and against the long way."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from verify.store.database import connect
from verify.systems.lighthouse.load import Loaded, load
from verify.systems.lighthouse.strict import InvalidLine, read_line
from verify.trust.source import DirectorySource

MILLISECONDS = "2026-06-01T00:00:00.000Z"
FINER = "2026-06-01T00:00:00.0000001Z"  # a line that goes to the strict reader


@contextmanager
def loaded(place: Path, lines: list[bytes]) -> Iterator[tuple[Loaded, duckdb.DuckDBPyConnection]]:
    """What loading these lines found, and a connection to their database."""
    place.mkdir()
    (place / "records.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    database = place / "store.duckdb"
    found = load(DirectorySource(place), ["records.jsonl"], database)
    connection = connect(database, read_only=True)
    try:
        yield found, connection
    finally:
        connection.close()


# --- timestamps -------------------------------------------------------------------------------

PLAIN = (
    "2026-10-13T07:06:26.038Z",
    "0001-01-03T00:00:00.000Z",
    "2024-02-29T23:59:59.999Z",
    "1000-12-31T00:00:00.000Z",
)
ODD = " \t+-.:,/_0123456789aeETZz\u0660\uff11é"


def is_near(text: str) -> bool:
    """Whether the JSON text of it is about as long as that of milliseconds in UTC."""
    return 25 <= len(json.dumps(text, ensure_ascii=False).encode()) <= 27


def timestamps() -> list[str]:
    """Plain ones, each with one or two characters replaced, left out, put in or moved."""
    found = dict.fromkeys(PLAIN)
    for plain in PLAIN:
        for at in range(len(plain)):
            found |= dict.fromkeys(plain[:at] + odd + plain[at + 1 :] for odd in ODD)
            found[plain[:at] + plain[at + 1 :]] = None
            for other in range(len(plain)):
                without = plain[:at] + plain[at + 1 :]
                found |= dict.fromkeys(without[:other] + odd + without[other:] for odd in " +-0")
    rng = random.Random(26)
    for _ in range(4_000):
        text = list(rng.choice(PLAIN))
        for _ in range(rng.randint(2, 4)):
            text[rng.randrange(len(text))] = rng.choice(ODD)
        found["".join(text)] = None
    return [text for text in found if is_near(text)]


def test_a_timestamp_is_read_as_the_strict_reader_reads_it(tmp_path: Path) -> None:
    texts = timestamps()
    lines = [
        json.dumps(
            {"type": "cost", "deployment": "d", "ts": text, "attrs": {"usd": 1}},
            ensure_ascii=False,
        ).encode()
        for text in texts
    ]
    wanted: dict[int, tuple[datetime, bool]] = {}
    for number, line in enumerate(lines, start=1):
        try:
            text = read_line(line, {}, number)
        except InvalidLine:
            continue
        assert text is not None
        at: str = json.loads(text)["ts"]
        instant = datetime.fromisoformat(at.removesuffix("Z")).replace(tzinfo=UTC)
        wanted[number] = instant, not at.endswith("Z")
    with loaded(tmp_path / "export", lines) as (found, connection):
        rows = connection.execute("SELECT line, ts, ts_naive FROM record").fetchall()
    assert {line: (at, naive) for line, at, naive in rows} == wanted
    assert {at.line for at in found.invalid} == set(range(1, len(lines) + 1)) - set(wanted)
    assert len(wanted) > 400
    assert len(found.invalid) > 4_000


# --- costs of candidates ----------------------------------------------------------------------

# Among them those that look like the text around them, and one name that begins another.
NAMES = ("a", "ab", "", "m}", '","cost_usd":1', "é", '{"model":"a"', "a\\", 'a"', "[", "null")
COSTS: tuple[Any, ...] = (0, 1, 3, -2, 0.25, -0.5, 1e-7, 12.5, 0.000000001, 5e-9, None)


def candidates(rng: random.Random) -> list[dict[str, Any]]:
    """Some models with their costs, some of them twice, some without a cost."""
    few = rng.sample(NAMES, 4)
    costs = COSTS if rng.random() < 0.3 else COSTS[:-1]
    return [
        {"model": rng.choice(few), "cost_usd": rng.choice(costs)} for _ in range(rng.randint(0, 5))
    ]


def written(rng: random.Random, listed: list[dict[str, Any]]) -> Iterator[str]:
    """The same candidates in forms that JSON does not tell apart, plainest first."""
    yield json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    yield json.dumps(listed, indent=1).replace("\n", " ")
    yield json.dumps([dict(reversed(one.items())) for one in listed])
    yield json.dumps([{**one, "note": rng.choice(NAMES)} for one in listed])
    yield json.dumps([{**one, "deeper": [{"cost_usd": -1}]} for one in listed])
    bare = [{k: v for k, v in one.items() if v is not None} for one in listed]
    yield json.dumps([{**one, "deeper": {"cost_usd": -1}} for one in bare])
    yield json.dumps([{k: v for k, v in one.items() if v is not None} for one in listed])


def test_costs_are_the_same_however_candidates_are_written(tmp_path: Path) -> None:
    rng = random.Random(39)
    lines: list[bytes] = []
    groups: list[list[int]] = []
    expected = []
    for _ in range(600):
        listed = candidates(rng)
        named = [one["model"] for one in listed] or ["a"]
        picked, baseline = (rng.choice((*named, *named, "a", None)) for _ in range(2))
        names = json.dumps({"picked": picked, "baseline": baseline})[1:-1]
        group = []
        for text in written(rng, listed):
            for ts in (MILLISECONDS, FINER):
                lines.append(
                    f'{{"type":"routing_decision","deployment":"d","ts":"{ts}","attrs":'
                    f'{{"candidates":{text},{names}}}}}'.encode()
                )
                group.append(len(lines))
        groups.append(group)
        expected.append(
            (first_cost(listed, picked), first_cost(listed, baseline), negative(listed))
        )
    with loaded(tmp_path / "export", lines) as (found, connection):
        rows = connection.execute(
            "SELECT line, picked_usd, baseline_usd, negative_costs FROM routing_decision"
        ).fetchall()
        plain = connection.execute("SELECT count(*) FROM decided WHERE plain").fetchone()
    assert found.invalid == ()
    own = {line: values for line, *values in rows}
    for group, values in zip(groups, expected, strict=True):
        assert {tuple(own[line]) for line in group} == {values}
    assert plain is not None
    assert plain[0] > len(lines) / 3
    assert sum(one is not None and two is not None for one, two, _ in expected) > 40


def first_cost(listed: list[dict[str, Any]], model: str | None) -> Decimal | None:
    """Of the first candidate of that name."""
    costs = [one["cost_usd"] for one in listed if model is not None and one["model"] == model]
    return None if not costs or costs[0] is None else Decimal(repr(costs[0]))


def negative(listed: list[dict[str, Any]]) -> int:
    """How many cost less than nothing."""
    return sum(one["cost_usd"] is not None and one["cost_usd"] < 0 for one in listed)
