"""Lines of JSON, damaged at random: by bytes, and by what the bytes mean.

Nothing here knows what a reader accepts. A mutation may leave a line valid, break it, or make two
parsers read two things from it; which of these it is, is for the tests to find out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

TOKEN = re.compile(
    rb'"(?:[^"\\]|\\.)*"'  # a string
    rb"|-?[0-9][-+.0-9eE]*"  # a number, or nearly
    rb"|[A-Za-z]+"
    rb"|[ \t\r\n]+"
    rb"|.",
    re.DOTALL,
)


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


NUMBERS = words(
    "0 -0 1 -1 5 1.5 0.1 -0.5 0.0 -0.0 5.0 5.00 5e0 0.5e1 50E-1 -5.0 05 -05 00 1. .5 +5 1e 1e+ - "
    "--1 1e3 1E+3 1e-3 1e15 1e16 1e18 1e19 1e20 1e22 1e23 1e-7 1e-17 1e-18 1e-19 100e-20 1e308 "
    "1e309 1e400 -1e400 1e-323 1e-324 1e-350 -1e-400 0e400 0e-400 0e99999999999 1e99999999999 "
    "1e-99999999999 1e+00000000003 1e-00000000003 1e-00000000400 1e00000999999999 0x10 1_000 "
    "1,000 9007199254740992 9007199254740993 9007199254740993.0 9223372036854775807 "
    "9223372036854775808 -9223372036854775808 -9223372036854775809 9223372036854775807.0 "
    "9223372036854775807.5 18446744073709551615 18446744073709551616 99999999999999999999 "
    "100000000000000000000 0.30000000000000004 0.1000000000000000055 0.12345678901234567 "
    "0.123456789012345678 0.1234567890123456789 0.000000000000000001 0.0000000000000000001 "
    "1.0000000000000000000000 123456789012345.6 1234567890123456 1234567890123456e1 "
    "123456789012345e3 123456789012345.0 1234567890123456.0 12345678901234567.0 "
    "1.23456789012345e5 999999999999999.9 0.33333333333333333 4.35 2.675 1.005 1e0 1.0e0 NaN nan "
    "Infinity -Infinity inf -inf INF true false null"
)

STRINGS = (
    r'""',
    r'"x"',
    r'"1"',
    r'"5"',
    r'"null"',
    r'"None"',
    r'"a\u0062c"',
    r'"\u0000"',
    r'"x\u0000"',
    r'"\ud83d\ude00"',
    r'"\ud83d"',
    r'"\ude00"',
    r'"\ud83d\ud83d\ude00"',
    r'"\uD83Dx"',
    r'"\/"',
    r'"\b\f\n\r\t\"\\"',
    r'"\x41"',
    r'"\u12"',
    '"\u2028\u2029\x7f\ufeff"',
    '"\t"',
    '"e\u0301"',
    '"\u00e9"',
    r'"\"model\":1"',
    r'"ok"',
    r'"refused"',
    r'"Refused"',
    r'"refus\u0065d"',
    r'"infrastructure"',
    r'"always_on"',
    r'"ephemeral"',
)
BAD_UTF8 = (b'"\xff"', b'"\xc3"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"')

TIMESTAMPS = (
    *words(
        "2026-06-10T12:00:00Z 2026-06-10T12:00:00 2026-06-10T12:00:00z 2026-06-10T12:00:00+00:00 "
        "2026-06-10T12:00:00-00:00 2026-06-10T12:00:00+02:00 2026-06-10T12:00:00+23:59 "
        "2026-06-10T12:00:00-23:59 2026-06-10T12:00:00+24:00 2026-06-10T12:00:00+02 "
        "2026-06-10T12:00:00+0200 2026-06-10T12:00:00+02:60 2026-06-10T12:00:00+02:00:00 "
        "2026-06-10T12:00:60Z 2026-06-30T23:59:60Z 2026-06-10T24:00:00Z 2026-06-10T23:60:00Z "
        "2026-02-29T00:00:00Z 2028-02-29T00:00:00Z 2026-06-31T00:00:00Z 2026-13-01T00:00:00Z "
        "2026-00-01T00:00:00Z 2026-06-00T00:00:00Z 0000-01-01T00:00:00Z 0001-01-01T00:00:00Z "
        "0001-06-01T00:00:00Z 0010-01-01T00:00:00Z 0100-01-01T00:00:00Z 0990-01-01T00:00:00Z "
        "1969-12-31T23:59:59Z 9999-12-31T23:59:59Z 9999-01-01T00:00:00Z 10000-01-01T00:00:00Z "
        "2026-06-10T12:00:00.Z 2026-06-10T12:00:00.5Z 2026-06-10T12:00:00.123456Z "
        "2026-06-10T12:00:00.1234567Z 2026-06-10T12:00:00.123456000Z 2026-06-30T23:59:59.9999999Z "
        "2026-05-31T23:59:59.9999999999Z 2026-06-10T12:00:00,5Z 2026-06-10 2026-06-10T12:00Z "
        "2026-06-10T12Z 20260610T120000Z 2026-W24-3T12:00:00Z 2026-161T12:00:00Z "
        "26-06-10T12:00:00Z 2026-6-10T12:00:00Z 2026-06-10T1:00:00Z +2026-06-10T12:00:00Z "
        "-2026-06-10T12:00:00Z "
        "2026-06-10T12:00:00UTC 2026-06-10T12:00:00ZZ 1781092800 infinity epoch now"
    ),
    "2026-06-10 12:00:00Z",
    "2026-06-10T12:00:00 Z",
    " 2026-06-10T12:00:00Z",
    "2026-06-10T12:00:00Z ",
    "2026-06-10T12:00:00\u221202:00",
    "2026-06-1\u0660T12:00:00Z",
    "2026-06-10\\u005412:00:00Z",
    "2026-06-10T12:00:00Z\\n",
    "2026-06-10T12:00:00Z\\u0000",
)

BYTES = b'{}[]",:\\0123456789eE+-.nultrfasNIy \t\r\n\x00\x0b\x0c\x1f\x7f\x80\xa0\xc3\xed\xef\xff'

Mutation = Callable[[random.Random, bytes], bytes]


def tokens_of(line: bytes) -> list[bytes]:
    """Strings, numbers, words, white space and single bytes; joined they are the line."""
    return TOKEN.findall(line)


def _places(tokens: Sequence[bytes], first: bytes) -> list[int]:
    return [at for at, token in enumerate(tokens) if token[:1] in first]


# --- bytes -----------------------------------------------------------------------------------


def drop_bytes(rng: random.Random, line: bytes) -> bytes:
    at = rng.randrange(len(line) + 1)
    return line[:at] + line[at + rng.choice((1, 1, 1, 2, 5)) :]


def add_bytes(rng: random.Random, line: bytes) -> bytes:
    at = rng.randrange(len(line) + 1)
    new = bytes(rng.choice(BYTES) for _ in range(rng.choice((1, 1, 1, 2, 4))))
    return line[:at] + new + line[at:]


def change_byte(rng: random.Random, line: bytes) -> bytes:
    at = rng.randrange(max(len(line), 1))
    new = rng.choice(BYTES) if rng.random() < 0.7 else rng.randrange(256)
    return line[:at] + bytes([new]) + line[at + 1 :]


def flip_bit(rng: random.Random, line: bytes) -> bytes:
    at = rng.randrange(max(len(line), 1))
    return line[:at] + bytes([line[at] ^ 1 << rng.randrange(8)]) + line[at + 1 :] if line else line


def swap_neighbours(rng: random.Random, line: bytes) -> bytes:
    at = rng.randrange(max(len(line) - 1, 1))
    return line[:at] + line[at : at + 2][::-1] + line[at + 2 :]


def cut_short(rng: random.Random, line: bytes) -> bytes:
    return line[: rng.randrange(len(line) + 1)]


def repeat_piece(rng: random.Random, line: bytes) -> bytes:
    start = rng.randrange(len(line) + 1)
    end = start + rng.choice((1, 5, 20, len(line)))
    return line[:end] + line[start:end] + line[end:]


def dress_ends(rng: random.Random, line: bytes) -> bytes:
    front = rng.choice((b"", b"", b" ", b"\t", b"\xef\xbb\xbf", b"\x0b", b"\x0c", b"\x00", b","))
    back = rng.choice(
        (b"", b"\r", b" ", b"\t\r", b"\x0b", b"\x0c", b"\x00", b",", b" {}", b"}", b"//")
    )
    return front + line + back


# --- tokens ----------------------------------------------------------------------------------


def _with_token(tokens: list[bytes], at: int, new: bytes) -> bytes:
    return b"".join(tokens[:at]) + new + b"".join(tokens[at + 1 :])


def respell_number(rng: random.Random, line: bytes) -> bytes:
    """Another number, or the same one in other letters."""
    tokens = tokens_of(line)
    places = _places(tokens, b"-0123456789")
    if not places:
        return line
    at = rng.choice(places)
    own = tokens[at]
    forms = [
        own + b".0",
        own + b"e0",
        own + b"E+00",
        own + b"0e-1",
        b"-" + own,
        b"0" + own,
        b'"' + own + b'"',
        own + b".0000000000000000000",
        own + b"0" * 20 + b"e-20",
        own + rng.choice(NUMBERS).encode(),
    ]
    chosen = rng.choice(forms) if rng.random() < 0.35 else rng.choice(NUMBERS).encode()
    return _with_token(tokens, at, chosen)


def change_digit(rng: random.Random, line: bytes) -> bytes:
    """Another digit somewhere in a number or a timestamp: nearly always valid still."""
    digits = [at for at, byte in enumerate(line) if 48 <= byte <= 57]
    if not digits:
        return line
    at = rng.choice(digits)
    return line[:at] + str(rng.randrange(10)).encode() + line[at + 1 :]


def respell_string(rng: random.Random, line: bytes) -> bytes:
    """Another string in the place of one, be it a key or a value."""
    tokens = tokens_of(line)
    places = _places(tokens, b'"')
    if not places:
        return line
    at = rng.choice(places)
    chance = rng.random()
    if chance < 0.45:
        new = rng.choice(STRINGS).encode()
    elif chance < 0.55:
        new = rng.choice(BAD_UTF8)
    elif chance < 0.75:
        new = tokens[rng.choice(places)]
    elif chance < 0.9:
        new = escaped(rng, tokens[at])
    else:
        new = tokens[at].swapcase() if rng.random() < 0.5 else tokens[at].title()
    return _with_token(tokens, at, new)


def escaped(rng: random.Random, token: bytes) -> bytes:
    """The same string with one of its letters as a \\u escape."""
    letters = [
        at
        for at in range(1, len(token) - 1)
        if chr(token[at]).isascii() and chr(token[at]).isalnum()
    ]
    if not letters or b"\\" in token:
        return token
    at = rng.choice(letters)
    return token[:at] + b"\\u%04x" % token[at] + token[at + 1 :]


def change_timestamp(rng: random.Random, line: bytes) -> bytes:
    tokens = tokens_of(line)
    places = [at for at, token in enumerate(tokens) if re.match(rb'"[0-9]{4}-[0-9]{2}-', token)]
    if not places:
        return line
    return _with_token(tokens, rng.choice(places), b'"' + rng.choice(TIMESTAMPS).encode() + b'"')


def exchange_tokens(rng: random.Random, line: bytes) -> bytes:
    tokens = tokens_of(line)
    if len(tokens) < 2:
        return line
    one, two = rng.sample(range(len(tokens)), 2)
    tokens[one], tokens[two] = tokens[two], tokens[one]
    return b"".join(tokens)


def drop_or_double_token(rng: random.Random, line: bytes) -> bytes:
    tokens = tokens_of(line)
    if not tokens:
        return line
    at = rng.randrange(len(tokens))
    return _with_token(tokens, at, tokens[at] * rng.choice((0, 2)))


def replace_value(rng: random.Random, line: bytes) -> bytes:
    """Some other kind of value behind a colon, in the place of a plain one."""
    tokens = tokens_of(line)
    places = [
        at + 1
        for at, token in enumerate(tokens[:-1])
        if token == b":" and tokens[at + 1][:1] not in b"{["
    ]
    if not places:
        return line
    values = (
        b"null", b"true", b"false", b"0", b'""', b"{}", b"[]", b"[null]", b"[{}]", b"NaN",
        b"-Infinity", b'{"model":"m-a"}', b'[{"model":"m-a","cost_usd":1}]', b"1.5", b'"1"',
        b"1e400", b"-1",
    )  # fmt: skip
    return _with_token(tokens, rng.choice(places), rng.choice(values))


# --- members ---------------------------------------------------------------------------------


def _members(tokens: Sequence[bytes]) -> list[tuple[int, int]]:
    """Start and end of each `"key": value` in the tokens, at any depth."""
    found = []
    for at, token in enumerate(tokens):
        behind = at + 1
        while behind < len(tokens) and not tokens[behind].strip():
            behind += 1
        if token[:1] != b'"' or behind >= len(tokens) or tokens[behind] != b":":
            continue
        end, depth = behind + 1, 0
        while end < len(tokens):
            if tokens[end] in (b"{", b"["):
                depth += 1
            elif tokens[end] in (b"}", b"]"):
                if depth == 0:
                    break
                depth -= 1
            elif tokens[end] == b"," and depth == 0:
                break
            end += 1
        found.append((at, end))
    return found


def repeat_member(rng: random.Random, line: bytes) -> bytes:
    """A key once more in its object or in another: as it is, escaped, or with another value."""
    tokens = tokens_of(line)
    members = _members(tokens)
    if not members:
        return line
    start, end = rng.choice(members)
    key, value = tokens[start], b"".join(tokens[start + 1 : end])
    if rng.random() < 0.3:
        key = escaped(rng, key)
    if rng.random() < 0.5:
        value = b":" + rng.choice((b"1", b"null", b'"x"', b"NaN", b"{}", b"2.5"))
    member = key + value
    at = rng.choice(rng.choice(members)) if rng.random() < 0.5 else rng.choice((start, end))
    if at in [begin for begin, _ in members]:
        return b"".join([*tokens[:at], member, b",", *tokens[at:]])
    return b"".join([*tokens[:at], b",", member, *tokens[at:]])


def drop_member(rng: random.Random, line: bytes) -> bytes:
    tokens = tokens_of(line)
    members = _members(tokens)
    if not members:
        return line
    start, end = rng.choice(members)
    if end < len(tokens) and tokens[end] == b"," and rng.random() < 0.9:
        end += 1
    elif start > 0 and tokens[start - 1] == b",":
        start -= 1
    return b"".join([*tokens[:start], *tokens[end:]])


def add_member(rng: random.Random, line: bytes) -> bytes:
    """Something that nobody reads, or that nobody should."""
    tokens = tokens_of(line)
    members = _members(tokens)
    if not members:
        return line
    new = rng.choice(
        (
            b'"note":NaN', b'"note":-Infinity', b'"note":1e999', b'"note":{"a":1,"a":2}',
            b'"note":[1,2,]', b'"note":"\\ud83d"', b'"note":12345678901234567890.5', b'"note":nan',
            b'"verify:line":"1"', b'"verify:finer":"9"', b'"note":[[[[]]]]', b'"note":"\xff"',
            b'"":0', b'"model":"m-b"', b'"price":{"input_per_m":7}', b'"cost_usd":3',
            b'"line_no":1',
            b'"note":1,"note":2', b'"ts":"2020-01-01T00:00:00Z"', b'"type":"cost"', b'"attrs":{}',
        )
    )  # fmt: skip
    start, _ = rng.choice(members)
    return b"".join([*tokens[:start], new, b",", *tokens[start:]])


def trailing_comma(rng: random.Random, line: bytes) -> bytes:
    tokens = tokens_of(line)
    places = [at for at, token in enumerate(tokens) if token in (b"}", b"]")]
    if not places:
        return line
    at = rng.choice(places)
    comma = rng.choice((b",", b",", b" , ", b",,"))
    return b"".join([*tokens[:at], comma, *tokens[at:]])


def white_space(rng: random.Random, line: bytes) -> bytes:
    tokens = tokens_of(line)
    at = rng.randrange(len(tokens) + 1)
    space = rng.choice((b" ", b"\t", b"\r", b"\n", b"  \t", b"\x0b", b"\x0c", b"\xc2\xa0", b"\x00"))
    return b"".join([*tokens[:at], space, *tokens[at:]])


TYPES = words(
    "models model_call retrieval routing_decision deployment_profile cost heartbeat Model_call "
    "COST model\\u005fcall"
)


def change_type(rng: random.Random, line: bytes) -> bytes:
    """The record under another type, with whatever attributes it had."""
    return re.sub(
        rb'("type"\s*:\s*)"[^"]*"',
        lambda m: m[1] + b'"' + rng.choice(TYPES).encode() + b'"',
        line,
        count=1,
    )


OF_MEANING: tuple[Mutation, ...] = (
    respell_number, respell_number, respell_number, change_digit, respell_string, change_timestamp,
    change_timestamp, replace_value, repeat_member, repeat_member, drop_member, add_member,
    trailing_comma, change_type,
)  # fmt: skip
OF_BYTES: tuple[Mutation, ...] = (
    drop_bytes, add_bytes, change_byte, flip_bit, swap_neighbours, cut_short, repeat_piece,
    dress_ends, exchange_tokens, drop_or_double_token, white_space,
)  # fmt: skip


def mutated(rng: random.Random, line: bytes, bytes_share: float = 0.4) -> bytes:
    """The line after one mutation, sometimes two or three."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        kind = OF_BYTES if rng.random() < bytes_share else OF_MEANING
        line = rng.choice(kind)(rng, line)
    return line
