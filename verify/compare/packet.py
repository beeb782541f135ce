"""What one sends to the vendor: a disagreement with the fewest records that show it.

A packet is a directory: `README.md` for a person, `packet.json` for a program, and for each lever a
small export of its own from which anyone can recompute both figures. The records carry what the
levers read of them and no more; each is named by its line in the whole export and the SHA-256 of
that line. Before a packet is handed on, its exports are opened and recomputed as a reader would.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from verify.compare.explanation import Explanation
from verify.compare.tieout import DiffRow
from verify.compare.verdicts import DIFFERING
from verify.compare.worlds import Choice
from verify.errors import UsageProblem
from verify.period import Period
from verify.result import Recomputation, Value, json_value, period_json
from verify.systems.base import Evidencing, Export, Question, Reading, System
from verify.trust.strictjson import NumberText

FORMAT = "verify-packet/1"
MOST_ROWS = 5
"""Rows that no method explains, of which the records are handed on."""
_REDACTED = ("agent", "pack")

Switches = Mapping[str, str | bool]


@dataclass(frozen=True)
class Evidence:
    """Records that show a disagreement about one lever: by `switches` they give another figure than
    by the stated method, or, where there are none, `row` is what the product shows of them.

    `place` is their directory in the packet, `lines` their numbers and digests in the export.
    `stated` and `other` are the two recomputations of these records alone.
    """

    place: str
    lever: str
    switches: Switches
    lines: tuple[tuple[int, str], ...]
    stated: Recomputation
    other: Recomputation | None
    row: DiffRow | None
    commands: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        sides = {"stated": self.stated, "other": self.other}
        return {
            "directory": self.place,
            "lever": self.lever,
            "switches": dict(self.switches),
            "lines": [{"line": line, "sha256": digest} for line, digest in self.lines],
            **{
                name: None if side is None else _lever_json(side, self.lever)
                for name, side in sides.items()
            },
            "row": None if self.row is None else self.row.as_json(),
            "commands": list(self.commands),
        }


@dataclass(frozen=True)
class Packet:
    """All of a packet but the records. `totals` are the rows of totals that differ, `missing` the
    levers and rows for which no few records could be found, in words."""

    told: Explanation
    totals: tuple[DiffRow, ...]
    evidence: tuple[Evidence, ...]
    missing: tuple[str, ...]
    redacted: bool

    def as_json(self) -> dict[str, Any]:
        """The document that stands in `packet.json`."""
        told, result = self.told, self.told.diff.result
        return {
            "format": FORMAT,
            "export": told.diff.export.as_json(),
            "period": period_json(result.period),
            "method": {name: json_value(value) for name, value in result.method.items()},
            "sets": [{choice.name: choice.value for choice in chosen} for chosen in told.sets],
            "fitting": told.fitting,
            "figures": [row.as_json() for row in self.totals],
            "waterfall": [fall.as_json() for fall in told.waterfalls],
            "evidence": [part.as_json() for part in self.evidence],
            "missing": list(self.missing),
            "redacted": self.redacted,
        }


@dataclass
class _Names:
    """Agent and pack names, each exchanged for one of its own, the same everywhere."""

    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str, name: Any) -> Any:
        if not isinstance(name, str) or kind not in _REDACTED:
            return name
        at = (kind, name)
        if at not in self.known:
            count = sum(other == kind for other, _ in self.known) + 1
            self.known[at] = f"{kind}-{count}"
        return self.known[at]


def write_packet(
    system: System, export: Export, told: Explanation, question: Question, out: Path, redact: bool
) -> Packet:
    """Make the packet of an explanation at `out`, which must not exist or be an empty directory.

    Raises UsageProblem when there is no disagreement, when the product's records cannot be handed
    on singly, or when `out` cannot be written.
    """
    from verify.render.jsontext import dumps
    from verify.render.packet import readme

    if told.diff.verdict != "differs" or not any(r.verdict in DIFFERING for r in told.diff.rows):
        raise UsageProblem("no figure differs, so there is no disagreement to make a packet of")
    if not isinstance(export, Evidencing):
        raise UsageProblem(f"no packet can be made of records of {system.title}")
    require_free(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".verify-packet-", dir=out.parent) as beside:
            place = Path(beside) / "packet"
            place.mkdir()
            packet = _Maker(system, export, told, question, place, redact).packet()
            (place / "packet.json").write_text(dumps(packet.as_json()), "utf-8")
            (place / "README.md").write_text(readme(packet), "utf-8")
            place.rename(out)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise UsageProblem(f"cannot write {out}: {why}") from error
    return packet


def require_free(out: Path) -> None:
    """Raise UsageProblem where something stands at `out` that is no empty directory."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageProblem(f"{out} already stands there", advice="Name another directory.")


class _Maker:
    """Puts a packet together at `place`."""

    def __init__(
        self,
        system: System,
        export: Evidencing,
        told: Explanation,
        question: Question,
        place: Path,
        redact: bool,
    ) -> None:
        self._system = system
        self._export = export
        self._told = told
        self._place = place
        self._redact = redact
        self._names = _Names()
        period = told.diff.result.period
        assert isinstance(period, Period)
        self._period = period
        self._question = replace(
            question,
            levers=(),
            by=(),
            month=None,
            since=period.since,
            until=period.until,
            time_zone=period.time_zone,
        )
        self._missing: list[str] = []

    def packet(self) -> Packet:
        totals = {
            row.at: row
            for row in self._told.diff.rows
            if row.at.dimension is None and row.verdict in DIFFERING
        }
        evidence = [*self._of_methods(), *self._of_rows()]
        return Packet(
            self._told, tuple(totals.values()), tuple(evidence), tuple(self._missing), self._redact
        )

    def _of_methods(self) -> Iterator[Evidence]:
        """For each lever and each choice that moves it, few records that it moves alone; where the
        choices only do so together, few that they do."""
        falls = {fall.at.lever: fall for fall in self._told.waterfalls if fall.steps}
        for lever in (name for name in falls if name in self._system.levers):
            chosen = [step.choice for step in falls[lever].steps]
            made = [evidence for c in chosen if (evidence := self._of_choices(lever, (c,)))]
            if not made and len(chosen) > 1:
                together = self._of_choices(lever, tuple(chosen))
                made = [together] if together else []
            if not made:
                self._missing.append(f"{lever}: no few records show it; it takes the whole export")
            yield from made

    def _of_choices(self, lever: str, choices: tuple[Choice, ...]) -> Evidence | None:
        switches = {choice.name: choice.value for choice in choices}
        lines = self._export.lines_that_differ(self._question, lever, switches)
        place = "-".join([lever, *switches])
        return self._packed(place, lever, lines, switches, None) if lines else None

    def _of_rows(self) -> Iterator[Evidence]:
        """The records of rows that no method explains, as the stated one recomputes them: nearest
        rows are located under another one, which may have given them another value."""
        left = {row.at for row in self._told.remaining}
        wrong = {r.at: r for r in self._told.diff.rows if r.verdict in DIFFERING and r.at in left}
        located = [*self._told.alone, *(row for near in self._told.nearest for row in near.rows)]
        places = dict.fromkeys(row.at for row in located if row.at.dimension is not None)
        rows = [wrong[at] for at in places if at in wrong]
        for number, row in enumerate(rows[:MOST_ROWS], 1):
            at = row.at
            assert at.dimension is not None
            lines = self._export.lines_of_row(self._question, at.lever, at.dimension, at.key)
            place = f"{at.lever}-row-{number}"
            made = self._packed(place, at.lever, lines, {}, row) if lines else None
            if made is None:
                key = self._names.of(at.dimension, at.key) if self._redact else at.key
                self._missing.append(f"{at.lever} by {at.dimension}, {key}: it takes many records")
            else:
                yield made
        if len(rows) > MOST_ROWS:
            self._missing.append(f"{len(rows) - MOST_ROWS:,} more rows; see verify explain")

    def _packed(
        self, place: str, lever: str, lines: Sequence[int], switches: Switches, row: DiffRow | None
    ) -> Evidence | None:
        """The records written as an export and recomputed; whole, where what levers read of them
        does not show it; None where that does not either."""
        dimension = row.at.dimension if row is not None else None
        keep = [dimension] if dimension is not None else []
        written = self._export.written(lines)
        reduced = [self._text(record) for record in self._export.reduced(lines, keep)]
        for records in (reduced,) if self._redact else (reduced, written):
            target = self._place / place
            self._export.pack(target, records, self._period.time_zone)
            by = (dimension,) if dimension in self._system.dimensions[lever] else ()
            asked = replace(self._question, levers=(lever,), by=by)
            with self._system.open(target, Reading(cache=False)) as opened:
                stated = opened.recompute(asked)
                other = opened.recompute(replace(asked, switches=switches)) if switches else None
            shown = self._redacted(row)
            if not _shows(stated, other, lever, shown if by else None):
                shutil.rmtree(target)
                continue
            digests = tuple(
                (line, hashlib.sha256(raw).hexdigest())
                for line, raw in zip(lines, written, strict=True)
            )
            commands = tuple(self._commands(place, lever, by, switches))
            return Evidence(place, lever, switches, digests, stated, other, shown, commands)
        return None

    def _redacted(self, row: DiffRow | None) -> DiffRow | None:
        if row is None or not self._redact or row.at.dimension is None:
            return row
        key = self._names.of(row.at.dimension, row.at.key)
        return replace(row, at=replace(row.at, key=key))

    def _text(self, record: Mapping[str, Any]) -> bytes:
        if self._redact:
            attrs = {n: self._names.of(n, value) for n, value in record["attrs"].items()}
            record = {**record, "attrs": attrs}
        return _compact(record).encode()

    def _commands(
        self, place: str, lever: str, by: tuple[str, ...], switches: Switches
    ) -> Iterator[str]:
        period = self._period
        when = (
            f"--period {period.month}"
            if period.month
            else (f"--since {period.since} --until {period.until}")
        )
        command = f"verify recompute {place} --lever {lever} {when}"
        command += "".join(f" --by {dimension}" for dimension in by)
        yield command
        if switches:
            given = (f" --method {name}={_shown(value)}" for name, value in switches.items())
            yield command + "".join(given)


def _shows(
    stated: Recomputation, other: Recomputation | None, lever: str, row: DiffRow | None
) -> bool:
    """Whether records show by themselves what the whole export shows: two figures, or the row."""
    if other is not None:
        return stated.lever(lever).usd != other.lever(lever).usd
    return row is None or _value(stated, row) == row.recomputed


def _value(result: Recomputation, row: DiffRow) -> Value:
    """What a recomputation says of a row."""
    assert row.at.dimension is not None
    for found in result.lever(row.at.lever).by[row.at.dimension]:
        if found.key == row.at.key:
            return found.measures.get(row.at.measure)
    return None


def _lever_json(result: Recomputation, lever: str) -> dict[str, Any]:
    document = result.as_json()
    (found,) = [part for part in document["levers"] if part["lever"] == lever]
    return {"method": document["method"], **found}


def _shown(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _compact(value: Any) -> str:
    """JSON text on one line, each number with its own digits."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, Mapping):
        items = (f"{json.dumps(key, ensure_ascii=False)}:{_compact(v)}" for key, v in value.items())
        return "{" + ",".join(items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_compact, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
