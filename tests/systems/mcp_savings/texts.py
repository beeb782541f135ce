"""JSON texts with all that two serialisers could write differently, and Node to write them."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import IO, Any

from hypothesis import strategies as st

NODE = shutil.which("node")

_SCRIPT = """
const lines = require('readline').createInterface({input: process.stdin});
lines.on('line', line => {
  let answer = null;
  try {
    const text = JSON.stringify(JSON.parse(JSON.parse(line)));
    answer = [text, Buffer.byteLength(text, 'utf8')];
  } catch {}
  process.stdout.write(JSON.stringify(answer) + '\\n');
});
"""

_EDGES = (
    *("0", "-0", "-0.0", "0e9", "1.0", "100.50", "1e21", "1E21", "1e20", "999999999999999934463"),
    *("123456789012345680000", "1e-6", "1e-7", "0.000001", "0.0000012345", "5e-324", "2e-324"),
    *(
        "1.7976931348623157e308",
        "1e400",
        "-1e400",
        "9007199254740993",
        "0.1",
        "0.30000000000000004",
    ),
    *("123456789.125", "4.35", "1e+5", "12E-1", "-1e-7", "1e2"),
)
_exponents = st.integers(-330, 330).map(lambda power: f"e{power}")
numbers = (
    st.sampled_from(_EDGES)
    | st.integers(-(10**6), 10**6).map(str)
    | st.integers(0, 2**200).map(str)
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.tuples(st.integers(0, 10**18).map(str), _exponents).map("".join)
    | st.tuples(st.integers(0, 99), st.from_regex(r"[0-9]{1,20}", fullmatch=True)).map(
        lambda parts: f"{parts[0]}.{parts[1]}"
    )
)
_plain = st.characters(min_codepoint=0x20, exclude_characters='"\\', codec="utf-8")
_escapes = st.sampled_from([r"\n", r"\"", r"\\", r"\/", r"\b", r"\f", r"\r", r"\t"]) | st.integers(
    0, 0xFFFF
).map(lambda unit: f"\\u{unit:04x}")
_halves = st.integers(0xD800, 0xDFFF).map(lambda unit: f"\\u{unit:04X}")
strings = st.lists(_plain | _escapes | _halves | st.just(r"\ud83d\ude80"), max_size=8).map(
    lambda pieces: '"' + "".join(pieces) + '"'
)
keys = strings | st.sampled_from(
    [
        '"0"',
        '"7"',
        '"10"',
        '"01"',
        '"-1"',
        '"4294967294"',
        '"4294967295"',
        '"1e3"',
        '"__proto__"',
        '""',
    ]
)
_blanks = st.sampled_from(["", " ", "\n", "\t ", "\r\n"])


def _array(items: list[str], blank: str) -> str:
    return "[" + f"{blank},{blank}".join(items) + blank + "]"


def _object(members: list[tuple[str, str]], blank: str) -> str:
    return "{" + f",{blank}".join(f"{key}{blank}:{value}" for key, value in members) + "}"


texts = st.recursive(
    numbers | strings | st.sampled_from(["true", "false", "null"]),
    lambda inner: (
        st.builds(_array, st.lists(inner, max_size=4), _blanks)
        | st.builds(_object, st.lists(st.tuples(keys, inner), max_size=6), _blanks)
    ),
    max_leaves=20,
)


class Node:
    """A running Node that parses JSON texts and writes them again."""

    def __init__(self) -> None:
        assert NODE is not None
        self._process = subprocess.Popen(
            [NODE, "-e", _SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def stringified(self, text: str) -> tuple[str, int] | None:
        """What Node writes, and its length in bytes; None where it cannot parse the text."""
        there, back = self._process.stdin, self._process.stdout
        assert there is not None
        assert back is not None
        return self._asked(there, back, text)

    def _asked(self, there: IO[str], back: IO[str], text: str) -> tuple[str, int] | None:
        there.write(json.dumps(text) + "\n")
        there.flush()
        answer: Any = json.loads(back.readline())
        return None if answer is None else (answer[0], answer[1])

    def close(self) -> None:
        """Let it go."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()
