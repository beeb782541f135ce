"""The members of a tar, read front to back.

Only what every reader of tar agrees on is read: the plain, the POSIX and the GNU header, long names
of either kind, and sizes beyond 8 GiB. Whatever two readers could take differently is refused: two
names or two sizes for one member, data behind the end mark, a damaged header (which some readers
take for the end). Nothing that a header claims is set aside in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from verify.trust.archive.member import MAX_MEMBERS, Bytes, Damaged, Member, Refusals, shown
from verify.trust.inflate import gunzip, unzstd

BLOCK = 512
CHUNK = 64 * 1024
MAX_EXTENDED = 1 << 20
_OCTAL = re.compile(rb" *([0-7]*)[ \0]*")
_OLDEST_LARGEST = 0o77777777777  # what stands in the plain header when the size is too large for it
_FILES = (b"0", b"\0", b"7")
_FOLDER = b"5"
_WITHOUT_DATA = {
    b"1": "a hard link",
    b"2": "a symlink",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a FIFO",
}
_SPARSE = b"S"
_LONG_NAME, _LONG_LINK, _EXTENDED, _GLOBAL = b"L", b"K", b"x", b"g"
_SPEAKS_OF_NEXT = (_LONG_NAME, _LONG_LINK, _EXTENDED)


class _Header(NamedTuple):
    name: bytes
    size: int
    type: bytes


class _Next(NamedTuple):
    """What headers of their own said of the member that follows them."""

    long_name: bytes | None = None
    long_link: bytes | None = None
    extended: dict[bytes, bytes] | None = None


def unpacked(handle: BinaryIO, form: str, refusals: Refusals) -> Iterator[bytes]:
    """The tar inside `handle`, decompressed as `form` (a suffix) says and weighed on the way."""
    packed = 0

    def chunks() -> Iterator[bytes]:
        nonlocal packed
        while chunk := handle.read(CHUNK):
            packed += len(chunk)
            yield chunk

    if form == ".tar":
        pieces = chunks()
    else:
        pieces = unzstd(chunks()) if form == ".tar.zst" else gunzip(chunks())
    size = 0
    for piece in pieces:
        size += len(piece)
        refusals.weigh(size, packed)
        yield piece


class _Stream:
    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")
        self.at = 0

    def pieces(self, size: int | None = None) -> Iterator[memoryview]:
        """The next `size` bytes, or all that are left; fewer when it ends."""
        left = size
        while left is None or left > 0:
            if not self._rest:
                self._rest = memoryview(next(self._chunks, b""))
                if not self._rest:
                    return
            piece = self._rest if left is None else self._rest[:left]
            self._rest = self._rest[len(piece) :]
            self.at += len(piece)
            if left is not None:
                left -= len(piece)
            yield piece

    def take(self, size: int) -> bytes:
        return b"".join(self.pieces(size))

    def data(self, size: int, name: str) -> Iterator[memoryview]:
        """The `size` bytes of a member and the rest of its last block, which is not handed on."""
        end = self.at + size
        yield from self.pieces(size)
        if self.at < end or len(self.take(-size % BLOCK)) < -size % BLOCK:
            raise Damaged(f"it ends in the middle of {shown(name)!r}")


def members(chunks: Iterator[bytes], refusals: Refusals) -> Iterator[Member]:
    """Every member. Raises Damaged, and what `refusals` and the decompression raise."""
    stream = _Stream(chunks)
    said = _Next()
    count = 0
    while True:
        at = stream.at
        block = stream.take(BLOCK)
        if len(block) < BLOCK:
            raise Damaged(f"it ends at byte {at + len(block):,}, without the mark of its end")
        if not any(block):
            break
        header = _header(block, at)
        count += header.type not in _SPEAKS_OF_NEXT
        if count > MAX_MEMBERS:
            refusals.stop("archive_bomb", f"it has more than {MAX_MEMBERS:,} members")
        if header.type == _GLOBAL or header.type in _SPEAKS_OF_NEXT:
            said = _said(header, _extension(stream, header, refusals), said, refusals)
            continue
        name, size = _settled(header, said, refusals)
        said = _Next()
        member = _member(name, size, header.type, stream, refusals)
        yield member
        for _ in member.data:
            pass
    if said != _Next():
        raise Damaged("it ends after a header that speaks of a next member")
    for piece in stream.pieces():
        if any(bytes(piece).strip(b"\0")):
            refusals.stop("archive_ambiguous", f"there is data behind its end at byte {at:,}")


def _member(name: str, size: int, kind: bytes, stream: _Stream, refusals: Refusals) -> Member:
    nothing: Iterator[Bytes] = iter(())
    if kind == b"\0" and name.endswith("/"):  # how the oldest form writes a folder
        kind = _FOLDER
    if kind == _FOLDER or kind in _WITHOUT_DATA:
        word = _WITHOUT_DATA.get(kind, "folder")
        if size:  # some readers skip as many bytes, some do not
            refusals.stop("archive_ambiguous", f"{word} of {size:,} bytes", name)
        return Member(name, word, nothing)
    if kind == _SPARSE:  # how many headers follow is for its own format to say
        refusals.stop("archive_unsafe", "it is a sparse file; only plain files are read", name)
    word = "file" if kind in _FILES else f"of the type {kind.decode('latin-1')!r}"
    return Member(name, word, stream.data(size, name))


def _header(block: bytes, at: int) -> _Header:
    checksum = _number(block[148:156])
    if checksum != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise Damaged(f"the header at byte {at:,} has another checksum")
    size = _number(block[124:136])
    if size is None:
        raise Damaged(f"the header at byte {at:,} has no readable size")
    name = _text(block[:100])
    if block[257:263] == b"ustar\0" and (prefix := _text(block[345:500])):
        name = prefix + b"/" + name
    return _Header(name, size, block[156:157])


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes) -> int | None:
    if field[0] == 0x80:  # binary, for what octal digits cannot hold
        return int.from_bytes(field[1:])
    match = _OCTAL.fullmatch(field)
    return None if match is None else int(match[1] or b"0", 8)


def _extension(stream: _Stream, header: _Header, refusals: Refusals) -> bytes:
    if header.size > MAX_EXTENDED:
        message = f"an extended header of {header.size:,} bytes; the limit is {MAX_EXTENDED:,}"
        refusals.stop("archive_bomb", message)
    return b"".join(stream.data(header.size, "an extended header"))


def _said(header: _Header, data: bytes, said: _Next, refusals: Refusals) -> _Next:
    if header.type in (_LONG_NAME, _LONG_LINK):
        name = said.long_name if header.type == _LONG_NAME else said.long_link
        if name is not None:
            refusals.stop("archive_ambiguous", "two long names for one member")
        if header.type == _LONG_NAME:
            return said._replace(long_name=_text(data))
        return said._replace(long_link=_text(data))
    records = _extended(data, refusals)
    if header.type == _GLOBAL:
        for key in records:
            if key in (b"path", b"size", b"linkpath") or key.startswith(b"GNU.sparse."):
                word = shown(key.decode("utf-8", "replace"))
                message = f"a header for all members sets {word!r}"
                refusals.stop("archive_ambiguous", message)
        return said
    if said.extended is not None:
        refusals.stop("archive_ambiguous", "two extended headers for one member")
    return said._replace(extended=records)


def _extended(data: bytes, refusals: Refusals) -> dict[bytes, bytes]:
    """Records of the form `<length> <key>=<value>` and a newline; the length is that of it all."""
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        digits, blank, _ = data[at : at + 20].partition(b" ")
        end = at + int(digits) if digits.isdigit() else at
        record = data[at + len(digits) + 1 : end]
        key, equals, value = record[:-1].partition(b"=")
        if not (blank and equals and end <= len(data) and record.endswith(b"\n")):
            raise Damaged("an extended header is not of its form")
        if key in found:
            word = shown(key.decode("utf-8", "replace"))
            refusals.stop("archive_ambiguous", f"an extended header sets {word!r} twice")
        found[key] = value
        at = end
    return found


def _settled(header: _Header, said: _Next, refusals: Refusals) -> tuple[str, int]:
    """The member's name and size, from all that is said of it."""
    extended = said.extended or {}
    names = [name for name in (said.long_name, extended.get(b"path")) if name is not None]
    name = (names[0] if names else header.name).decode("utf-8", "surrogateescape")
    if len(names) > 1:
        refusals.stop("archive_ambiguous", "it has a long name of either kind", name)
    if any(key.startswith(b"GNU.sparse.") for key in extended):
        refusals.add("archive_unsafe", "it is a sparse file; only plain files are read", name)
    given = extended.get(b"size")
    if given is None:
        return name, header.size
    if not re.fullmatch(rb"[0-9]{1,18}", given):
        raise Damaged(f"the size of {shown(name)!r} is not a number")
    size = int(given)
    if header.size not in (0, size, _OLDEST_LARGEST):
        message = f"its header says {header.size:,} bytes, its extended header {size:,}"
        refusals.stop("archive_ambiguous", message, name)
    return name, size
