"""What a proxy saw on the wire: the tokens of each request, by the session that sent it.

The log is another party's record of the sessions whose transcripts the program reads. A null is a
request of which the proxy measured nothing: it adds nothing and is counted. A line that is no
request is left out and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.errors import UnreadableInput
from verify.exact import Printed
from verify.systems.mcp_savings.inputs import Hashed, Inputs
from verify.systems.mcp_savings.measures import WIRE_TOKENS
from verify.trust.strictjson import NotStrictJson, NumberText, loads
from verify.trust.tap import LineTooLong, Tap


@dataclass
class Requests:
    """The requests of one session. `tokens` are sums over what was measured, `gaps` the requests in
    which it was not, by kind of token; `unmeasured` are requests with any gap."""

    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WIRE_TOKENS, 0))
    gaps: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WIRE_TOKENS, 0))
    requests: int = 0
    unmeasured: int = 0

    def add(self, counts: Mapping[str, int | None]) -> None:
        """One more request."""
        self.requests += 1
        self.unmeasured += any(count is None for count in counts.values())
        for name, count in counts.items():
            if count is None:
                self.gaps[name] += 1
            else:
                self.tokens[name] += count

    def known(self, name: str) -> int | None:
        """The sum of one kind of token; None where no request measured it."""
        return self.tokens[name] if self.gaps[name] < self.requests else None


@dataclass(frozen=True)
class Log:
    """A proxy's log: its requests by session (None: the proxy knew of none), and the numbers of the
    lines that are no request."""

    file: Hashed
    sessions: Mapping[str | None, Requests]
    unread: tuple[int, ...]


def read_log(inputs: Inputs) -> Log | None:
    """The log of an export, if it has one. Raises UnreadableInput."""
    if inputs.log is None or inputs.root is None:
        return None
    sessions: dict[str | None, Requests] = {}
    unread = []
    with inputs.root.open(inputs.log) as handle:
        tap = Tap(handle, inputs.log)
        number = 0
        try:
            for block in tap.blocks():
                for line in block.removesuffix(b"\n").split(b"\n"):
                    number += 1
                    if not line.strip():
                        continue
                    try:
                        key, counts = _request(loads(line))
                    except (NotStrictJson, ValueError):
                        unread.append(number)
                    else:
                        sessions.setdefault(key, Requests()).add(counts)
        except LineTooLong as error:
            raise UnreadableInput(
                f"{inputs.log} line {error.line} is longer than any line read"
            ) from None
    file = Hashed(inputs.log, "request log", tap.bytes, tap.sha256)
    return Log(file, sessions, tuple(unread))


def _request(entry: Any) -> tuple[str | None, dict[str, int | None]]:
    """Session and tokens of a line. Raises ValueError where it is no request."""
    if not isinstance(entry, dict) or not any(name in entry for name in WIRE_TOKENS):
        raise ValueError("it has no tokens")
    session = entry.get("session")
    key = session.get("key") if isinstance(session, dict) else None
    if key is not None and (not isinstance(key, str) or isinstance(key, NumberText)):
        raise ValueError("the session's key is no text")
    return key, {name: _count(entry[name]) if name in entry else None for name in WIRE_TOKENS}


def _count(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, NumberText):
        raise ValueError("tokens are no number")
    count = Printed.read(value).value
    if count.denominator != 1 or count < 0:
        raise ValueError("tokens are no count")
    return int(count)
