"""Archives that are refused, by what is wrong with them: exit code, and code of the problem.

Each is a sound export in an archive, and one thing more.
"""

from __future__ import annotations

import gzip
import stat
import struct
import unicodedata
import zlib
from collections.abc import Callable

from support.archives import GOOD, TAR_END, Tarred, Zipped, deflated, pax, tar_of, zip_of
from support.exports import record

LINE = record("model_call", "d", "2026-06-01T00:00:00Z", model="m", outcome="ok")


def plain(files: dict[str, bytes]) -> list[Zipped]:
    """The members of a sound zip."""
    return [Zipped(name, data) for name, data in files.items()]


def zip_of_body(members: list[Zipped]) -> bytes:
    """A zip up to its directory."""
    whole = zip_of(members)
    return whole[: whole.index(b"PK\1\2")]


ZEROS = bytes(65 << 20)
ACCENT = "é"
TWICE = [Zipped("a.txt", b"1" * 100), Zipped("a.txt", b"2" * 100)]
CUT = b"visible\nhidden\n"


def alone(member: Zipped) -> bytes:
    """The header of a stored member, and its data."""
    return zip_of([member])[: 30 + len(member.name) + len(member.data)]


# What is added to a sound export, what exit code that gives, and what code the problem has.
BAD_ZIP: dict[str, tuple[list[Zipped], int, str]] = {
    "parent": ([Zipped("../a.txt")], 3, "archive_unsafe"),
    "parent inside": ([Zipped("a/../../b.txt")], 3, "archive_unsafe"),
    "absolute": ([Zipped("/etc/passwd")], 3, "archive_unsafe"),
    "absolute folder": ([Zipped("/")], 3, "archive_unsafe"),
    "drive": ([Zipped("C:/a.txt")], 3, "archive_unsafe"),
    "backslash": ([Zipped("a\\b.txt")], 3, "archive_unsafe"),
    "empty name": ([Zipped("")], 3, "archive_unsafe"),
    "empty part": ([Zipped("a//b.txt")], 3, "archive_unsafe"),
    "dot part": ([Zipped("a/./b.txt")], 3, "archive_unsafe"),
    "control character": ([Zipped("a\nb.txt")], 3, "archive_unsafe"),
    "NUL in a name": ([Zipped("records.jsonl\0.txt")], 3, "archive_unsafe"),
    "name of 2,000 characters": ([Zipped("a" * 2000)], 3, "archive_unsafe"),
    "symlink": ([Zipped("a", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)], 3, "archive_unsafe"),
    "device": ([Zipped("a", mode=stat.S_IFCHR)], 3, "archive_unsafe"),
    "FIFO": ([Zipped("a", mode=stat.S_IFIFO)], 3, "archive_unsafe"),
    "folder named as a file": ([Zipped("a", mode=stat.S_IFDIR)], 3, "archive_unsafe"),
    "symlink named as a folder": ([Zipped("a/", mode=stat.S_IFLNK)], 3, "archive_unsafe"),
    "folder that holds data": ([Zipped("a/", b"data")], 3, "archive_ambiguous"),
    "twice": (TWICE, 3, "archive_duplicate"),
    "the records twice": ([Zipped("records.jsonl", LINE)], 3, "archive_duplicate"),
    "twice but for the case": ([Zipped("Records.JSONL")], 3, "archive_duplicate"),
    "twice but for Unicode form": (
        [Zipped(unicodedata.normalize(form, f"{ACCENT}.txt")) for form in ("NFC", "NFD")],
        3,
        "archive_duplicate",
    ),
    "twice but for ./": ([Zipped("./records.jsonl")], 3, "archive_duplicate"),
    "file and folder": ([Zipped("a"), Zipped("a.b"), Zipped("A/b")], 3, "archive_duplicate"),
    "file and empty folder": ([Zipped("a"), Zipped("a/")], 3, "archive_duplicate"),
    "encrypted": ([Zipped("a", b"?" * 20, flags=1)], 3, "archive_encrypted"),
    "more than listed": ([Zipped("a", CUT, size=8)], 3, "archive_ambiguous"),
    "more than listed, checksum of the part": (
        [Zipped("a", CUT, size=8, crc=zlib.crc32(CUT[:8]))],
        3,
        "archive_ambiguous",
    ),
    "less than listed": ([Zipped("a", CUT, size=99)], 3, "archive_ambiguous"),
    "less than listed, stored": ([Zipped("a", CUT, 0, size=99)], 3, "archive_ambiguous"),
    "packed bytes left over": (
        [Zipped("a", CUT, packed=deflated(CUT) + b"hidden")],
        3,
        "archive_ambiguous",
    ),
    "another name in its header": ([Zipped("a", local_name="b")], 3, "archive_ambiguous"),
    "another size in its header": ([Zipped("a", CUT, local_size=3)], 3, "archive_ambiguous"),
    "no size behind it": ([Zipped("a", CUT, flags=8, descriptor=b"")], 3, "archive_ambiguous"),
    "another size behind it": (
        [Zipped("a", CUT, flags=8, descriptor=b"PK\7\x08" + bytes(12))],
        3,
        "archive_ambiguous",
    ),
    "one member under two names": ([Zipped("a", CUT), Zipped("b", at=0)], 3, "archive_ambiguous"),
    "one member inside another": (
        [Zipped("a", alone(Zipped("b", CUT, 0)), 0), Zipped("b", CUT, 0, at=-1)],
        3,
        "archive_ambiguous",
    ),
    "bomb by ratio": ([Zipped("a", ZEROS)], 3, "archive_bomb"),
    "bomb by its own account": ([Zipped("a", CUT, size=1 << 31)], 3, "archive_bomb"),
    "bomb in total": ([Zipped("a", bytes(200_000), 0)], 3, "archive_bomb"),
    "checksum": ([Zipped("a", CUT, crc=1)], 2, ""),
    "damaged data": ([Zipped("a", CUT, packed=b"\xff" * 20)], 2, ""),
    "cut data": ([Zipped("a", CUT, packed=deflated(CUT)[:-2])], 2, ""),
    "no data": ([Zipped("a", packed=b"")], 2, ""),
    "unknown method": ([Zipped("a", CUT, 99)], 2, ""),
    "no header where it is said to be": ([Zipped("a", at=5)], 2, ""),
    "behind the end": ([Zipped("a", at=1 << 30)], 2, ""),
}


# The same for a tar.
BAD_TAR: dict[str, tuple[list[Tarred], int, str]] = {
    "parent": ([Tarred("../a.txt")], 3, "archive_unsafe"),
    "absolute": ([Tarred("/etc/passwd")], 3, "archive_unsafe"),
    "drive": ([Tarred("C:a.txt")], 3, "archive_unsafe"),
    "backslash": ([Tarred("a\\b.txt")], 3, "archive_unsafe"),
    "empty name": ([Tarred("")], 3, "archive_unsafe"),
    "control character": ([Tarred("a\tb.txt")], 3, "archive_unsafe"),
    "file named as a folder": ([Tarred("a/", b"1")], 3, "archive_unsafe"),
    "long name that leaves": (
        [Tarred("x", b"../../a.txt\0", b"L"), Tarred("a")],
        3,
        "archive_unsafe",
    ),
    "extended name that leaves": ([pax({"path": "../a.txt"}), Tarred("a")], 3, "archive_unsafe"),
    "symlink": ([Tarred("a", type=b"2", link="/etc/passwd")], 3, "archive_unsafe"),
    "hard link": ([Tarred("a", type=b"1", link="records.jsonl")], 3, "archive_unsafe"),
    "character device": ([Tarred("a", type=b"3")], 3, "archive_unsafe"),
    "block device": ([Tarred("a", type=b"4")], 3, "archive_unsafe"),
    "FIFO": ([Tarred("a", type=b"6")], 3, "archive_unsafe"),
    "sparse": ([Tarred("a", b"1", type=b"S")], 3, "archive_unsafe"),
    "sparse, extended": (
        [pax({"GNU.sparse.major": "1"}), Tarred("a", b"1")],
        3,
        "archive_unsafe",
    ),
    "unknown type": ([Tarred("a", b"1", type=b"V")], 3, "archive_unsafe"),
    "twice": ([Tarred("records.jsonl", b"")], 3, "archive_duplicate"),
    "twice but for the case": ([Tarred("RECORDS.jsonl")], 3, "archive_duplicate"),
    "twice but for Unicode form": (
        [Tarred(unicodedata.normalize(form, ACCENT)) for form in ("NFC", "NFD")],
        3,
        "archive_duplicate",
    ),
    "file and folder": ([Tarred("a"), Tarred("a/b")], 3, "archive_duplicate"),
    "link with data": ([Tarred("a", b"1", type=b"1")], 3, "archive_ambiguous"),
    "folder with data": ([Tarred("a/", b"1", type=b"5")], 3, "archive_ambiguous"),
    "two sizes": ([pax({"size": "9"}), Tarred("a", b"1" * 512)], 3, "archive_ambiguous"),
    "two names": (
        [pax({"path": "a"}), Tarred("x", b"b\0", b"L"), Tarred("c")],
        3,
        "archive_ambiguous",
    ),
    "two long names": ([Tarred("x", b"b\0", b"L")] * 2 + [Tarred("c")], 3, "archive_ambiguous"),
    "two extended headers": ([pax({"a": "1"})] * 2 + [Tarred("c")], 3, "archive_ambiguous"),
    "a key twice": (
        [Tarred("x", b"10 path=a\n10 path=b\n", b"x"), Tarred("c")],
        3,
        "archive_ambiguous",
    ),
    "a name for all": ([pax({"path": "a"}, b"g"), Tarred("c")], 3, "archive_ambiguous"),
    "extended header of 2 MiB": (
        [Tarred("x", bytes(2 << 20), b"x"), Tarred("c")],
        3,
        "archive_bomb",
    ),
    "extended header of 8 GiB": ([Tarred("x", b"", b"x", size=(8 << 30) - 1)], 3, "archive_bomb"),
    "extended header that is none": ([Tarred("x", b"7 a=1\n", b"x"), Tarred("c")], 2, ""),
    "extended header of length 0": ([Tarred("x", b"0 a=1\n", b"x"), Tarred("c")], 2, ""),
    "extended size that is none": ([pax({"size": "-1"}), Tarred("c")], 2, ""),
    "extended header and no member": ([pax({"a": "1"})], 2, ""),
    "negative size": ([Tarred("a", size=-512)], 2, ""),
    "larger than the archive": ([Tarred("a", b"1", size=1 << 30)], 2, ""),
    "huge": ([Tarred("a", b"1", size=(1 << 33) - 1)], 2, ""),
}


def _zstd_bomb() -> bytes:
    """The head of a good tar, then 12 GiB of blocks that each repeat one byte 131,072 times."""
    head = tar_of([Tarred("manifest.json"), Tarred("a", size=(1 << 33) - 1)], end=b"")
    start = len(head) << 3 | 0 << 1
    blocks = b"\x28\xb5\x2f\xfd\x00\x58" + start.to_bytes(3, "little") + head
    return (
        blocks
        + (131072 << 3 | 1 << 1).to_bytes(3, "little")
        + b"a"
        + 100_000 * ((131072 << 3 | 1 << 1).to_bytes(3, "little") + b"a")
    )


def _second_directory(data: bytes) -> bytes:
    """A zip whose comment is another end of it."""
    end = data[-22:]
    return data[:-2] + struct.pack("<H", len(end)) + end


def _zip64_apart(data: bytes) -> bytes:
    """A zip64 whose small directory names another number of members than the large one."""
    at = data.rindex(b"PK\5\6")
    return data[: at + 8] + b"\1\0\1\0" + data[at + 12 :]


# An archive from an export's files.
Bend = Callable[[dict[str, bytes]], bytes]


def good(form: str, bend: Callable[[bytes], bytes] = bytes) -> Bend:
    """A good archive, bent."""
    return lambda files: bend(GOOD[form][1](files))


def tarred(files: dict[str, bytes], end: bytes = TAR_END) -> bytes:
    """A tar of the files."""
    return tar_of([Tarred(name, data) for name, data in files.items()], end=end)


# What the archive is called, how it is made, the exit code and the code of the problem.
BAD_WHOLE: dict[str, tuple[str, Bend, int, str]] = {
    "no zip": ("e.zip", lambda _: b"not an archive at all", 2, ""),
    "empty file.zip": ("e.zip", lambda _: b"", 2, ""),
    "empty file.tar": ("e.tar", lambda _: b"", 2, ""),
    "empty file.tgz": ("e.tgz", lambda _: b"", 2, ""),
    "empty file.tar.zst": ("e.tar.zst", lambda _: b"", 2, ""),
    "a tar called zip": ("e.zip", good("tar"), 2, ""),
    "a zip called tar": ("e.tar", good("zip"), 2, ""),
    "a tar called tgz": ("e.tgz", good("tar"), 2, ""),
    "a tgz called zst": ("e.tar.zst", good("tgz"), 2, ""),
    "zip, cut off": ("e.zip", good("zip", lambda data: data[:-30]), 2, ""),
    "zip, cut off in front": ("e.zip", good("zip", lambda data: data[9:]), 2, ""),
    "zip, something behind it": ("e.zip", good("zip", lambda data: data + b"x"), 2, ""),
    "zip of several parts": ("e.zip", lambda files: zip_of(plain(files), disk=1), 2, ""),
    "zip, two directories": ("e.zip", good("zip", _second_directory), 3, "archive_ambiguous"),
    "zip64, two directories": ("e.zip", good("zip64", _zip64_apart), 3, "archive_ambiguous"),
    "zip, other number of members": (
        "e.zip",
        lambda files: zip_of(plain(files), count=1),
        3,
        "archive_ambiguous",
    ),
    "tar, cut off in a member": ("e.tar", good("tar", lambda data: data[:700]), 2, ""),
    "tar, cut off behind a member": ("e.tar", lambda files: tarred(files, b""), 2, ""),
    "tar, cut off in a header": ("e.tar", lambda files: tarred(files, bytes(100)), 2, ""),
    "tar, damaged header": (
        "e.tar",
        lambda files: tarred(files).replace(b"records.jsonl\0", b"Records.jsonl\0"),
        2,
        "",
    ),
    "tar, members behind its end": (
        "e.tar",
        lambda files: tarred(files) + tar_of([Tarred("more.jsonl", LINE)]),
        3,
        "archive_ambiguous",
    ),
    "tar, members behind one empty block": (
        "e.tar",
        lambda files: tarred(files, bytes(512)) + tar_of([Tarred("more.jsonl", LINE)]),
        3,
        "archive_ambiguous",
    ),
    "tgz, cut off": ("e.tgz", good("tgz", lambda data: data[:-9]), 2, ""),
    "tgz, checksum": ("e.tgz", good("tgz", lambda data: data[:-8] + b"abcd" + data[-4:]), 2, ""),
    "tgz, something behind it": ("e.tgz", good("tgz", lambda data: data + b"x"), 2, ""),
    "tar.zst, cut off": ("e.tar.zst", good("tar.zst", lambda data: data[:-1]), 2, ""),
    "tar.zst, checksum": ("e.tar.zst", good("tar.zst", lambda d: d[:-1] + b"\0"), 2, ""),
    "tar.zst, something behind it": ("e.tar.zst", good("tar.zst", lambda d: d + b"x"), 2, ""),
    "tgz, bomb": (
        "e.tgz",
        lambda files: gzip.compress(tarred({**files, "a": ZEROS}), 1),
        3,
        "archive_bomb",
    ),
    "tgz, bomb behind its end": (
        "e.tgz",
        lambda files: gzip.compress(tarred(files) + ZEROS, 1),
        3,
        "archive_bomb",
    ),
    "tar.zst, bomb": ("e.tar.zst", lambda _: _zstd_bomb(), 3, "archive_bomb"),
}
