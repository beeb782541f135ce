"""The members of a zip, by its central directory.

The directory says where each member lies and how large it is; all of that is held against the
members' own headers, against each other and against the bytes that come out. What unzippers take
differently is refused: a second directory, a member inside another one, two names or two sizes for
one member. Bytes that belong to no member, as in front of the first one, are never read.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from verify.trust.archive.member import (
    MAX_MEMBERS,
    Damaged,
    Member,
    Refusals,
    shown,
    too_dense,
)
from verify.trust.inflate import ERRORS, Surplus, inflate

CHUNK = 64 * 1024
MAX_DIRECTORY = 64 << 20
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_LISTED = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_MAX_COMMENT = 0xFFFF
_FULL = (0xFFFF,) * 4 + (0xFFFFFFFF,) * 2
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_HAS_DESCRIPTOR = 0x0008
_PATCH = 0x0020
_UTF8 = 0x0800
_STORED, _DEFLATED = 0, 8
_KINDS = {
    stat.S_IFLNK: "a symlink",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder with the name of a file",
}


class Listed(NamedTuple):
    """A member as the central directory has it; `start` is where its own header lies."""

    name: str
    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    start: int

    @property
    def kind(self) -> str:
        """`file`, `folder`, or in words what else it is."""
        form = stat.S_IFMT(self.mode)
        if self.name.endswith("/"):
            plain, word = (0, stat.S_IFREG, stat.S_IFDIR), "folder"
        else:
            plain, word = (0, stat.S_IFREG, stat.S_IFREG), "file"
        return word if form in plain else _KINDS.get(form, "of no known type")


class _Directory(NamedTuple):
    start: int
    size: int
    members: int
    shift: int  # how far everything lies behind where the archive says it does


def members(handle: BinaryIO, refusals: Refusals) -> Iterator[Member]:
    """Every member, in the order in which they lie. Raises Damaged, and what `refusals` does.

    Nothing is unpacked of a zip that contradicts itself or is too large by its own account.
    """
    entries, end = directory(handle, refusals)
    placed = _placed(handle, entries, end, refusals)
    _weigh(entries, refusals)
    sane = not refusals.problems
    for entry, at in placed:
        data: Iterator[bytes] = iter(())
        if entry.flags & _ENCRYPTED:
            refusals.add("archive_encrypted", "it is encrypted", entry.name)
        elif entry.kind == "folder" and entry.size:
            refusals.add("archive_ambiguous", f"a folder of {entry.size:,} bytes", entry.name)
        elif entry.kind == "file" and sane:
            data = _data(handle, entry, at, refusals)
        yield Member(entry.name, entry.kind, data)


def directory(handle: BinaryIO, refusals: Refusals) -> tuple[list[Listed], int]:
    """The central directory, and where it begins. Raises Damaged, and what `refusals` does."""
    where = _find(handle, refusals)
    if where.members > MAX_MEMBERS or where.size > MAX_DIRECTORY:
        refusals.stop(
            "archive_bomb",
            f"it lists {where.members:,} members in {where.size:,} bytes; the limits are "
            f"{MAX_MEMBERS:,} members and {MAX_DIRECTORY:,} bytes",
        )
    data = _exactly(handle, where.start, where.size)
    found: list[Listed] = []
    at = 0
    while at < len(data):
        if len(found) == MAX_MEMBERS:
            refusals.stop("archive_bomb", f"it lists more than {MAX_MEMBERS:,} members")
        if len(data) - at < _LISTED.size or data[at : at + 4] != b"PK\1\2":
            raise Damaged(f"its directory cannot be read at byte {where.start + at:,}")
        fields = _LISTED.unpack_from(data, at)
        name_size, extra_size, comment_size = fields[10:13]
        at += _LISTED.size
        raw_name = data[at : at + name_size]
        extra = data[at + name_size : at + name_size + extra_size]
        at += name_size + extra_size + comment_size
        found.append(_listed(fields, raw_name, extra, where.shift))
    if at != len(data):
        raise Damaged("its directory is cut off")
    if len(found) != where.members:
        message = f"it says that it lists {where.members:,} members and lists {len(found):,}"
        refusals.stop("archive_ambiguous", message)
    return found, where.start


def _find(handle: BinaryIO, refusals: Refusals) -> _Directory:
    size = handle.seek(0, 2)
    tail_at = max(size - _END.size - _MAX_COMMENT, 0)
    tail = _exactly(handle, tail_at, size - tail_at)
    ends = []
    at = tail.find(b"PK\5\6")
    while at >= 0:
        if len(tail) - at >= _END.size and _END.unpack_from(tail, at)[7] == len(tail) - at - 22:
            ends.append(tail_at + at)
        at = tail.find(b"PK\5\6", at + 1)
    if not ends:
        raise Damaged("there is no directory at its end")
    if len(ends) > 1:
        refusals.stop("archive_ambiguous", f"{len(ends)} directories fit its end")
    end = ends[0]
    _, disk, start_disk, here, count, length, offset, _ = _END.unpack_from(tail, end - tail_at)
    if end >= _LOCATOR64.size + _END64.size:
        mark, locator_disk, locator_at, _ = _LOCATOR64.unpack(
            _exactly(handle, end - _LOCATOR64.size, _LOCATOR64.size)
        )
        if mark == b"PK\6\7":
            end -= _LOCATOR64.size + _END64.size
            mark, own, _, _, *large = _END64.unpack(_exactly(handle, end, _END64.size))
            if mark != b"PK\6\6" or own != _END64.size - 12:
                raise Damaged("its large directory is not where it should be")
            small = (disk, start_disk, here, count, length, offset)
            for short, long, full in zip(small, large, _FULL, strict=True):
                if short not in (long, full):
                    refusals.stop("archive_ambiguous", "its two directories do not say the same")
            disk, start_disk, here, count, length, offset = large
            if locator_disk or locator_at + (end - length - offset) != end:
                refusals.stop("archive_ambiguous", "its large directory is said to lie elsewhere")
    if disk or start_disk or here != count:
        raise Damaged("it is one of several parts")
    if end - length < offset:
        raise Damaged("its directory is not where it should be; it is cut off in front")
    return _Directory(end - length, length, count, end - length - offset)


def _listed(fields: tuple[int, ...], raw_name: bytes, extra: bytes, shift: int) -> Listed:
    flags, method, crc = fields[3], fields[4], fields[7]
    size, packed, start = _large(extra, fields[9], fields[8], fields[16])
    try:
        name = raw_name.decode("utf-8")
    except UnicodeDecodeError:  # without the flag it is the code page of the first zips
        name = raw_name.decode("utf-8" if flags & _UTF8 else "cp437", "surrogateescape")
    return Listed(name, raw_name, flags, method, crc, packed, size, fields[15] >> 16, start + shift)


def _large(extra: bytes, *values: int) -> list[int]:
    """`values` with those that need more than 32 bits taken from the field that holds them."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        field = extra[at + 4 : at + 4 + size]
        at += 4 + size
        if kind != 1:
            continue
        found = []
        for value in values:
            if value == 0xFFFFFFFF:
                if len(field) < 8:
                    raise Damaged("a large size is cut off")
                value, field = int.from_bytes(field[:8], "little"), field[8:]
            found.append(value)
        return found
    return list(values)


def _weigh(entries: list[Listed], refusals: Refusals) -> None:
    """By the sizes in the directory: no more is ever taken out of a member."""
    for entry in entries:
        if (message := too_dense(entry.size, entry.packed)) is not None:
            refusals.add("archive_bomb", message, entry.name)
    size, packed = sum(entry.size for entry in entries), sum(entry.packed for entry in entries)
    if (message := refusals.too_large(size) or too_dense(size, packed)) is not None:
        refusals.add("archive_bomb", message)


def _placed(
    handle: BinaryIO, entries: list[Listed], end: int, refusals: Refusals
) -> list[tuple[Listed, int]]:
    """The members in the order in which they lie, with where their data begin."""
    placed: list[tuple[Listed, int]] = []
    free, last = 0, ""
    for entry in sorted(entries, key=lambda entry: entry.start):
        data_at, data_end = _span(handle, entry, end, refusals)
        if entry.start < free:
            message = f"it begins {free - entry.start:,} bytes before {shown(last)!r} ends"
            refusals.add("archive_ambiguous", message, entry.name)
        if data_end > free:
            free, last = data_end, entry.name
        placed.append((entry, data_at))
    return placed


def _span(handle: BinaryIO, entry: Listed, end: int, refusals: Refusals) -> tuple[int, int]:
    """Where the data of a member begin, and where it ends; its own header is compared."""
    if entry.start + _LOCAL.size > end:
        raise Damaged(f"{shown(entry.name)!r} is said to lie behind the last member")
    fields = _LOCAL.unpack(_exactly(handle, entry.start, _LOCAL.size))
    if fields[0] != b"PK\3\4":
        raise Damaged(f"there is no header of {shown(entry.name)!r} at byte {entry.start:,}")
    _, _, flags, method, _, _, crc, packed, size, name_size, extra_size = fields
    rest = _exactly(handle, entry.start + _LOCAL.size, name_size + extra_size)
    data_at = entry.start + _LOCAL.size + len(rest)
    data_end = data_at + entry.packed
    size, packed = _large(rest[name_size:], size, packed)
    own = [rest[:name_size], method, flags & _ENCRYPTED]
    listed = [entry.raw_name, entry.method, entry.flags & _ENCRYPTED]
    if flags & _HAS_DESCRIPTOR:
        data_end += _descriptor(handle, entry, data_end, refusals)
    else:
        own += [crc, packed, size]
        listed += [entry.crc, entry.packed, entry.size]
    if data_end > end:
        raise Damaged(f"{shown(entry.name)!r} is cut off")
    if own != listed:
        message = "its own header and the directory do not say the same of it"
        refusals.add("archive_ambiguous", message, entry.name)
    return data_at, data_end


def _descriptor(handle: BinaryIO, entry: Listed, at: int, refusals: Refusals) -> int:
    """The length of the record that follows data whose size was not known before."""
    handle.seek(at)
    found = handle.read(24)
    for form in ("<LQQ", "<LLL"):
        if form == "<LLL" and max(entry.packed, entry.size) > 0xFFFFFFFF:
            continue
        numbers = struct.pack(form, entry.crc, entry.packed, entry.size)
        for record in (b"PK\7\x08" + numbers, numbers):
            if found.startswith(record):
                return len(record)
    if not entry.packed and not entry.size:  # some leave it out where there is nothing to say
        return 0
    message = "the sizes behind it and in the directory are not the same"
    refusals.add("archive_ambiguous", message, entry.name)
    return 0


def _data(handle: BinaryIO, entry: Listed, at: int, refusals: Refusals) -> Iterator[bytes]:
    """What a member holds, never more than the directory says."""
    if entry.method not in (_STORED, _DEFLATED) or entry.flags & _PATCH:
        message = f"{shown(entry.name)!r} is compressed by method {entry.method}"
        raise Damaged(f"{message}; what is read is stored (0) and deflated (8)")
    chunks = _chunks(handle, at, entry.packed)
    size, crc = 0, 0
    try:
        for piece in inflate(chunks) if entry.method == _DEFLATED else chunks:
            size += len(piece)
            if size > entry.size:
                message = f"more bytes come out of it than the {entry.size:,} that are listed"
                refusals.add("archive_ambiguous", message, entry.name)
                return
            crc = zlib.crc32(piece, crc)
            yield piece
    except Surplus as error:
        message = f"{error.count:,} of its {entry.packed:,} packed bytes are no part of it"
        refusals.add("archive_ambiguous", message, entry.name)
    except ERRORS as error:
        raise Damaged(f"{shown(entry.name)!r}: {error}") from None
    if size != entry.size:
        message = f"{size:,} bytes come out of it, {entry.size:,} are listed"
        refusals.add("archive_ambiguous", message, entry.name)
    elif crc != entry.crc:
        raise Damaged(f"{shown(entry.name)!r} has another checksum (CRC-32)")


def _chunks(handle: BinaryIO, at: int, size: int) -> Iterator[bytes]:
    handle.seek(at)
    while size:
        chunk = handle.read(min(size, CHUNK))
        if not chunk:
            raise EOFError("it ends in the middle of its data")
        size -= len(chunk)
        yield chunk


def _exactly(handle: BinaryIO, at: int, size: int) -> bytes:
    handle.seek(at)
    data = handle.read(size)
    if len(data) < size:
        raise Damaged(f"it ends at byte {at + len(data):,}")
    return data
