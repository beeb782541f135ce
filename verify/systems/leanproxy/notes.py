"""What is odd about the lines of a store, counted as they go by; the first few are remembered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import lt
from typing import TYPE_CHECKING

from verify.findings import EXAMPLES
from verify.systems.leanproxy.instants import ZERO
from verify.systems.leanproxy.shape import Governor, Snapshot, Telemetry

if TYPE_CHECKING:
    from verify.systems.leanproxy.lines import Line

ESTIMATOR = "chars/4"
_HALF = 2**63
_MOST_WORDS = 5


def wrapped(number: int) -> int:
    """An integer as 64 bits hold it: sums of the product wrap around, silently."""
    return (number + _HALF) % (2 * _HALF) - _HALF


@dataclass
class Note:
    """How often something was seen, the first lines of it, and first words about it."""

    count: int = 0
    examples: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


@dataclass
class Notes:
    """Everything noted, by the code of the finding that it becomes."""

    found: dict[str, Note] = field(default_factory=dict)
    estimators: set[str] = field(default_factory=set)

    def add(self, code: str, number: int, words: str = "") -> None:
        """One more line. `number` counts through the whole store."""
        note = self.found.get(code)
        if note is None:
            note = self.found[code] = Note()
        note.count += 1
        if note.count <= EXAMPLES:
            note.examples.append(number)
        if words and len(note.words) < _MOST_WORDS and words not in note.words:
            note.words.append(words)

    def get(self, code: str) -> Note | None:
        """What was noted under a code."""
        return self.found.get(code)

    def marks(self, line: Line) -> tuple[str, ...]:
        """What a line says of itself that every equal line says too."""
        return tuple(self._marks(line))

    def _marks(self, line: Line) -> Iterator[str]:
        if line.session == "":
            yield "usage_line_empty" if line.at == ZERO else "usage_session_unnamed"
        elif line.at == ZERO:
            yield "usage_stamp_absent"
        if line.estimator not in (ESTIMATOR, ""):
            if len(self.estimators) < _MOST_WORDS:
                self.estimators.add(line.estimator)
            yield "usage_estimator"
        governor = None if line.snapshot is None else line.snapshot.governor
        if governor is not None:
            computed = wrapped(governor.original_tokens - governor.returned_tokens)
            if governor.saved_tokens != computed:
                yield "usage_saved_differs"

    def fell(self, session: str, number: int, names: tuple[str, ...]) -> None:
        """Counters of a session that went down from one line to a later one."""
        self.add("usage_counter_fell", number, f"session {session}: {', '.join(names)}")

    def order(self, session: str, number: int, step: int, fell: tuple[str, ...] | None) -> None:
        """A line whose instant is not after that of its session's line before it."""
        if step == 0:
            self.add("usage_stamp_repeated", number, session)
            if fell:
                self.fell(session, number, fell)
        elif fell is not None and not fell:
            self.add("usage_clock_back", number, session)
        else:
            self.add("usage_out_of_order", number, session)


def changes(before: Snapshot | None, now: Snapshot | None) -> tuple[str, ...] | None:
    """The counters that are lower than before; empty where others rose, None where none changed."""
    if before is None or now is None or before == now:
        return None
    fell = _lower(before.telemetry, now.telemetry)
    if before.governor is not None:
        if now.governor is None:
            return (*fell, "response_governor")
        # What was saved falls when a result grew, and is made of two counters that do not.
        fell += (one for one in _lower(before.governor, now.governor) if one != "saved_tokens")
    return tuple(fell)


def _lower(before: Telemetry | Governor, now: Telemetry | Governor) -> list[str]:
    if not any(map(lt, now, before)):
        return []
    return [name for name, old, new in zip(now._fields, before, now, strict=True) if new < old]
