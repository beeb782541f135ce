"""What sessions used, from an agent's transcripts, by the program's rule.

A transcript is one session, and active when it was last written at most thirty minutes before the
time of asking; then the whole file counts, however old its lines are. A line counts when it has
`message.usage`. Its key is `message.id`, else its `uuid`; a line without a key is passed over, and
of the lines with one key the last counts, since a message is logged again as it grows. A value that
is no number counts 0. A line that is no JSON is passed over: the last one may be half written.

[reading] `message.id` gives way to `uuid` where it is absent or null; of another type than text,
the line has no key. Token counts are taken as the decimals that they are written as; those that a
JavaScript number would not hold exactly are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify.errors import UnreadableInput
from verify.exact import Printed
from verify.systems.mcp_savings.inputs import Hashed, Inputs, Transcript
from verify.systems.mcp_savings.javascript import NotJson, parse
from verify.systems.mcp_savings.measures import SESSION_TOKENS
from verify.trust.strictjson import NumberText
from verify.trust.tap import LineTooLong, Tap

ACTIVE_MINUTES = 30
_WINDOW = ACTIVE_MINUTES * 60_000
_EXACT = 2**53  # up to here a JavaScript number holds every integer
_USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}

Tokens = Mapping[str, Fraction]


@dataclass
class Lines:
    """Line numbers of a transcript, by what is odd about them."""

    without_id: list[int] = field(default_factory=list)
    malformed: list[int] = field(default_factory=list)
    null: list[int] = field(default_factory=list)
    not_numbers: list[int] = field(default_factory=list)
    odd_numbers: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Used:
    """What an active session used: tokens by our names, over `messages` distinct keys.

    `counted` lines went into it, repetitions included, of `lines` that could have: those with a
    usage, and those that are no JSON. `lost` are the tokens of lines without a key.
    """

    transcript: Transcript
    file: Hashed
    tokens: Tokens
    messages: int
    counted: int
    lines: int
    lost: Tokens
    odd: Lines


@dataclass(frozen=True)
class Sessions:
    """The sessions at a time of asking (milliseconds since 1970): those that were active, read;
    those that were not; and those of which nobody knows."""

    now: Fraction
    active: tuple[Used, ...]
    idle: tuple[Transcript, ...]
    undated: tuple[Transcript, ...]

    @property
    def files(self) -> tuple[Hashed, ...]:
        """The files that were read for it."""
        return tuple(used.file for used in self.active)


def sessions_at(inputs: Inputs, now: Fraction) -> Sessions:
    """The sessions of an export at `now`, in milliseconds since 1970; the newest first.

    Raises UnreadableInput.
    """
    active, idle, undated = [], [], []
    for transcript in inputs.transcripts:
        if transcript.written is None:
            undated.append(transcript)
        elif now - transcript.written > _WINDOW:
            idle.append(transcript)
        else:
            active.append(_read(inputs, transcript))
    active.sort(key=lambda used: -(used.transcript.written or 0))
    return Sessions(now, tuple(active), tuple(idle), tuple(undated))


def summed(each: Iterable[Tokens]) -> dict[str, Fraction]:
    """Tokens added up by name; 0 over nothing, which whoever shows it must tell from a sum."""
    total = dict.fromkeys(SESSION_TOKENS, Fraction(0))
    for counted in each:
        for name, value in counted.items():
            total[name] += value
    return total


def _read(inputs: Inputs, transcript: Transcript) -> Used:
    assert inputs.root is not None
    counts: dict[str, Tokens] = {}
    lost: list[Tokens] = []
    odd = Lines()
    counted = lines = 0
    with inputs.root.open(transcript.path) as handle:
        tap = Tap(handle, transcript.path)
        for number, usage, key in _usages(tap, transcript.path, odd):
            lines += 1
            tokens = _tokens(usage, number, odd)
            if key is None:
                odd.without_id.append(number)
                lost.append(tokens)
            else:
                counted += 1
                counts[key] = tokens
    return Used(
        transcript,
        Hashed(transcript.path, "transcript", tap.bytes, tap.sha256),
        summed(counts.values()),
        len(counts),
        counted,
        lines + len(odd.malformed),
        summed(lost),
        odd,
    )


def _usages(tap: Tap, path: str, odd: Lines) -> Iterator[tuple[int, Any, str | None]]:
    """Each line with a usage: its number, the usage, and its key."""
    for number, line in _numbered(tap, path):
        try:
            entry = parse(line.decode("utf-8", "replace")).value
        except NotJson:
            if line.strip():
                odd.malformed.append(number)
            continue
        if entry is None:
            odd.null.append(number)
        message = entry.get("message") if isinstance(entry, dict) else None
        usage = message.get("usage") if isinstance(message, dict) else None
        if isinstance(entry, dict) and isinstance(message, dict) and isinstance(usage, dict | list):
            found = message.get("id")
            key = entry.get("uuid") if found is None else found
            yield number, usage, key if _is_text(key) else None


def _numbered(tap: Tap, path: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        for block in tap.blocks():
            for line in block.removesuffix(b"\n").split(b"\n"):
                number += 1
                yield number, line
    except LineTooLong as error:
        raise UnreadableInput(f"{path} line {error.line} is longer than any line read") from None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, NumberText)


def _tokens(usage: Any, number: int, odd: Lines) -> dict[str, Fraction]:
    fields = usage if isinstance(usage, dict) else {}
    details = fields.get("output_tokens_details")
    thinking = details.get("thinking_tokens") if isinstance(details, dict) else None
    values = {name: fields.get(theirs) for name, theirs in _USAGE.items()}
    values["reasoning_tokens"] = thinking
    return {name: _count(value, number, odd) for name, value in values.items()}


def _count(value: Any, number: int, odd: Lines) -> Fraction:
    if value is None:
        return Fraction(0)
    if not isinstance(value, NumberText):
        _note(odd.not_numbers, number)
        return Fraction(0)
    try:
        count = Printed.read(value).value
    except ValueError:
        _note(odd.not_numbers, number)
        return Fraction(0)
    if count.denominator != 1 or not 0 <= count <= _EXACT:
        _note(odd.odd_numbers, number)
    return count


def _note(numbers: list[int], number: int) -> None:
    if not numbers or numbers[-1] != number:
        numbers.append(number)
