"""Archives built byte by byte, each wrong in one way; and good ones of every form."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, cast
from unittest.mock import patch

import zstandard

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Zipped:
    """A member of a zip. What is None is as it should be."""

    name: str
    data: bytes = b""
    method: int = 8
    mode: int = stat.S_IFREG | 0o644
    flags: int = 0
    size: int | None = None  # as listed
    crc: int | None = None  # as listed
    packed: bytes | None = None  # what lies in the archive
    local_name: str | None = None
    local_size: int | None = None
    descriptor: bytes | None = None  # what lies behind the data
    at: int | None = None  # where it is said to begin


def zip_of(members: Sequence[Zipped], *, count: int | None = None, disk: int = 0) -> bytes:
    """A zip of these members."""
    body, listing = b"", b""
    for member in members:
        packed = member.packed
        if packed is None:
            packed = deflated(member.data) if member.method == 8 else member.data
        size = len(member.data) if member.size is None else member.size
        crc = zlib.crc32(member.data) if member.crc is None else member.crc
        at = len(body) if member.at is None else member.at
        name = member.name.encode()
        common = (20, member.flags | 0x800, member.method, 0, 0x21)
        listing += b"PK\1\2" + struct.pack("<H5H", 3 << 8 | 20, *common)
        listing += struct.pack("<3L5H2L", crc, len(packed), size, len(name), 0, 0, 0, 0,
                               member.mode << 16, at) + name  # fmt: skip
        if member.at is not None:
            continue
        local_name = name if member.local_name is None else member.local_name.encode()
        sizes = (crc, len(packed), size if member.local_size is None else member.local_size)
        if member.flags & 8:
            sizes = (0, 0, 0)
        body += b"PK\3\4" + struct.pack("<5H3L2H", *common, *sizes, len(local_name), 0)
        body += local_name + packed
        if member.flags & 8:
            right = struct.pack("<4s3L", b"PK\7\x08", crc, len(packed), size)
            body += right if member.descriptor is None else member.descriptor
    counted = len(members) if count is None else count
    end = struct.pack("<4H2LH", disk, disk, counted, counted, len(listing), len(body), 0)
    return body + listing + b"PK\5\6" + end


def deflated(data: bytes) -> bytes:
    """A raw deflate stream."""
    maker = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return maker.compress(data) + maker.flush()


@dataclass(frozen=True)
class Tarred:
    """A member of a tar. `size` is what its header says, when that is not so."""

    name: str
    data: bytes = b""
    type: bytes = b"0"
    size: int | None = None
    link: str = ""


TAR_END = bytes(1024)


def tar_of(members: Sequence[Tarred], *, end: bytes = TAR_END) -> bytes:
    """A tar of these members, with plain headers."""
    return b"".join(tar_member(member) for member in members) + end


def tar_member(member: Tarred) -> bytes:
    """One header and its data."""
    size = len(member.data) if member.size is None else member.size
    octal = f"{size:011o}\0".encode() if size >= 0 else size.to_bytes(12, signed=True)
    block = bytearray(512)
    block[0:100] = member.name.encode("utf-8", "surrogateescape")[:100].ljust(100, b"\0")
    block[100:124] = b"0000644\0" + b"0000000\0" * 2
    block[124:148] = octal + b"0" * 11 + b"\0"
    block[148:156] = b" " * 8
    block[156:157] = member.type
    block[157:257] = member.link.encode().ljust(100, b"\0")
    block[257:265] = b"ustar\x0000"
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    return bytes(block) + member.data + bytes(-len(member.data) % 512)


def pax(records: Mapping[str, str], kind: bytes = b"x") -> Tarred:
    """An extended header with these records."""
    lines = []
    for key, value in records.items():
        rest = f" {key}={value}\n".encode()
        length = len(rest) + len(str(len(rest) + 2))
        lines.append(str(length).encode() + rest)
    return Tarred("./PaxHeader", b"".join(lines), kind)


def _zip(files: Files, *, method: int = zipfile.ZIP_DEFLATED, to: IO[bytes] | None = None) -> bytes:
    place = io.BytesIO() if to is None else to
    with zipfile.ZipFile(place, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return b"" if to is not None else cast(io.BytesIO, place).getvalue()


def _zip64(files: Files) -> bytes:
    with patch("zipfile.ZIP64_LIMIT", -1), patch("zipfile.ZIP_FILECOUNT_LIMIT", 0):
        return _zip(files)


class _Unseekable(io.RawIOBase):
    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        self.data += bytes(cast(bytes, data))
        return len(cast(bytes, data))


def _zip_streamed(files: Files) -> bytes:
    place = _Unseekable()
    _zip(files, to=cast(IO[bytes], place))
    return place.data


def _zip_commented(files: Files) -> bytes:
    place = io.BytesIO(_zip(files))
    with zipfile.ZipFile(place, "a") as archive:
        archive.comment = b"packed for the auditor, PK\5\6 and all"
    return place.getvalue()


def _tar(files: Files, form: int = tarfile.PAX_FORMAT, folders: Sequence[str] = ()) -> bytes:
    place = io.BytesIO()
    with tarfile.open(fileobj=place, mode="w", format=form) as archive:
        for folder in folders:
            info = tarfile.TarInfo(folder)
            info.type = tarfile.DIRTYPE
            archive.addfile(info)
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1.5 if form == tarfile.PAX_FORMAT else 1
            archive.addfile(info, io.BytesIO(data))
    return place.getvalue()


def _inside(folder: str, files: Files) -> dict[str, bytes]:
    return {folder + name: data for name, data in files.items()}


def _gzip_in_two(data: bytes) -> bytes:
    return gzip.compress(data[:700], mtime=0) + gzip.compress(data[700:], mtime=0)


def zstd(data: bytes) -> bytes:
    """One frame with its checksum, whose header does not say how much is in it."""
    maker = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    return maker.compress(data) + maker.flush()


def _zstd_in_two(data: bytes) -> bytes:
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0skip"
    return zstd(data[:700]) + skipped + zstandard.compress(data[700:])


SIDECAR = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "

# Every form of a good archive: a file name, and what makes it from an export's files.
GOOD: dict[str, tuple[str, Callable[[Files], bytes]]] = {
    "zip": ("e.zip", _zip),
    "zip in capitals": ("E.ZIP", _zip),
    "zip, stored": ("e.zip", lambda files: _zip(files, method=zipfile.ZIP_STORED)),
    "zip64": ("e.zip", _zip64),
    "zip64 with data in front": ("e.zip", lambda files: b"#!/bin/sh\n" + _zip64(files)),
    "zip, sizes behind the data": ("e.zip", _zip_streamed),
    "zip with a comment": ("e.zip", _zip_commented),
    "zip with data in front": ("e.zip", lambda files: b"MZ" + bytes(500) + _zip(files)),
    "zip of a folder": ("e.zip", lambda files: _zip({"e/": b""} | _inside("e/", files))),
    "tar": ("e.tar", _tar),
    "tar, plain headers": ("e.tar", lambda files: _tar(files, tarfile.USTAR_FORMAT)),
    "tar, GNU headers": ("e.tar", lambda files: _tar(files, tarfile.GNU_FORMAT)),
    "tar of a folder": ("e.tar", lambda files: _tar(_inside("e/", files), folders=["e/"])),
    "tar of .": ("e.tar", lambda files: _tar(_inside("./", files), folders=["./"])),
    "tar of ./folder": ("e.tar", lambda files: _tar(_inside("./e/", files), folders=["./e/"])),
    "tar, long folder, POSIX": ("e.tar", lambda files: _tar(_inside("é" * 150 + "/", files))),
    "tar, long folder, GNU": (
        "e.tar",
        lambda files: _tar(_inside("e" * 150 + "/", files), tarfile.GNU_FORMAT),
    ),
    "tar, long folder, plain": (
        "e.tar",
        lambda files: _tar(_inside("e" * 90 + "/", files), tarfile.USTAR_FORMAT),
    ),
    "tar with a note for all": (
        "e.tar",
        lambda files: tar_member(pax({"comment": "0123abc"}, b"g")) + _tar(files),
    ),
    "tgz": ("e.tgz", lambda files: gzip.compress(_tar(files), mtime=0)),
    "tar.gz in two members": ("e.tar.gz", lambda files: _gzip_in_two(_tar(files))),
    "tar.zst": ("e.tar.zst", lambda files: zstd(_tar(files))),
    "tar.zst in two frames": ("e.tar.zst", lambda files: _zstd_in_two(_tar(files))),
}

# The same with what macOS adds, which nothing reads and which is said.
FROM_A_MAC: dict[str, tuple[str, Callable[[Files], bytes]]] = {
    "zip": (
        "e.zip",
        lambda files: _zip(
            {"e/": b"", ".DS_Store": b"\0"}
            | _inside("e/", files)
            | {"e/.DS_Store": b"\0", "__MACOSX/e/._records.jsonl": SIDECAR, "__MACOSX/._e": SIDECAR}
        ),
    ),
    "tar": ("e.tar", lambda files: _tar({"._records.jsonl": SIDECAR} | dict(files))),
    "tar of a folder": (
        "e.tar",
        lambda files: _tar(
            {"./._e": SIDECAR, "./e/._records.jsonl": SIDECAR} | _inside("./e/", files)
        ),
    ),
}
