"""An export in one file: a zip, or a tar, plain or compressed. Nothing in it is believed.

All members are read once, in order, into one file that has no name (`spool`); from there they are
served. So no name in an archive ever becomes a path, the archive may be exchanged meanwhile, and
what is hashed and parsed are the same bytes. It needs room on disk for all that is unpacked, and
little memory. An archive is refused as a whole, with every problem found:

1. A member is a plain file or folder, and its name a path that a manifest could list: not empty,
   absolute, with a drive, a backslash, a control character or a parent step (`archive_unsafe`).
2. No two members are one file, not even after Unicode normalisation and case folding, and none is
   a file and a folder (`archive_duplicate`).
3. Two readers could not unpack it differently: the sizes stated are those of what comes out,
   headers agree, members do not overlap, nothing lies behind the end (`archive_ambiguous`).
4. No member is encrypted (`archive_encrypted`).
5. It has at most 100,000 members, unpacks to at most 64 GiB (or `VERIFY_MAX_UNPACKED` bytes), and
   beyond 64 MiB to at most 200 times what was read of it (`archive_bomb`). Reading stops there.

An archive that is cut off or damaged is unreadable. A folder that holds everything is the export,
as when a folder was packed; "./" in front of names is passed over. Archives inside are files like
any other. What macOS adds beside files (`._name`, `.DS_Store`) is there, and never records.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from verify.errors import UnreadableInput
from verify.trust.archive.member import MAX_NAME, Damaged, Member, Refusals, shown
from verify.trust.archive.spool import Spool
from verify.trust.archive.tar import members as tar_members
from verify.trust.archive.tar import unpacked
from verify.trust.archive.zip import directory
from verify.trust.archive.zip import members as zip_members
from verify.trust.inflate import ERRORS
from verify.trust.manifest import unsafe_path
from verify.trust.source import Entry

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst")
_SIDECAR = b"\x00\x05\x16\x07"  # how an AppleDouble file begins


class _Held(NamedTuple):
    start: int
    size: int
    sidecar: bool


class _Sidecar(Entry):
    """What macOS writes beside a file. Its name ends like that file's; no reader takes it."""

    @property
    def holds_records(self) -> bool:
        return False


class ArchiveSource:
    """The members of an archive, unpacked."""

    def __init__(self, label: str, held: dict[str, _Held], spool: Spool) -> None:
        self.label = label
        self._held = held
        self._spool = spool

    def entries(self) -> list[Entry]:
        return [
            _Sidecar(name, "sidecar", held.size) if held.sidecar else Entry(name, "file", held.size)
            for name, held in sorted(self._held.items())
        ]

    def open(self, name: str) -> BinaryIO:
        held = self._held.get(name)
        if held is None:
            raise UnreadableInput(f"cannot read {name}: it is no member of {self.label}")
        return self._spool.open(held.start, held.size)

    def close(self) -> None:
        self._spool.close()


def is_archive(path: Path) -> bool:
    """Whether `path` is a file with the name of an archive."""
    return _form(path) is not None and path.is_file()


def open_archive(path: Path) -> ArchiveSource:
    """Unpack the archive at `path`; close it, or what was unpacked stays until the end.

    Raises IntegrityFailure with all that it is refused for, UnreadableInput where it is damaged.
    """
    refusals = Refusals(str(path))
    spool = Spool()
    try:
        with _members(path, refusals) as members:
            held = _unpack(members, refusals, spool)
        refusals.settle()
    except BaseException:
        spool.close()
        raise
    return ArchiveSource(str(path), _without_folder(held), spool)


def member_names(path: Path) -> Iterator[str]:
    """The names in the archive at `path` as they stand there, of whatever kind; reads no further
    than it is asked to. Raises as `open_archive` does."""
    refusals = Refusals(str(path))
    with _members(path, refusals, names_only=True) as members:
        for member in members:
            yield member.name


def _form(path: Path) -> str | None:
    lowered = path.name.lower()
    return next((suffix for suffix in SUFFIXES if lowered.endswith(suffix)), None)


@contextmanager
def _members(
    path: Path, refusals: Refusals, *, names_only: bool = False
) -> Iterator[Iterator[Member]]:
    form = _form(path) or ""
    try:
        with path.open("rb") as handle:
            if form != ".zip":
                yield tar_members(unpacked(handle, form, refusals), refusals)
            elif names_only:
                listed, _ = directory(handle, refusals)
                yield (Member(entry.name, entry.kind, iter(())) for entry in listed)
            else:
                yield zip_members(handle, refusals)
    except (Damaged, *ERRORS) as error:
        message = f"it is no sound {form[1:]} archive: {error}"
        if refusals.problems:
            refusals.stop("file_unreadable", message)
        raise UnreadableInput(
            f"{path}: {message}", advice="It may be damaged or cut short: fetch it again."
        ) from None
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise UnreadableInput(f"cannot read {path}: {why}") from None


def _unpack(members: Iterator[Member], refusals: Refusals, spool: Spool) -> dict[str, _Held]:
    held: dict[str, _Held] = {}
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for member in members:
        name = _checked_name(member, refusals)
        start = spool.size
        for piece in member.data:
            spool.write(piece)
        if name is None:
            continue
        key = _folded(name)
        if member.kind == "folder":
            folders[key] = member.name
            continue
        if key in files:
            message = f"it and {shown(files[key])!r} are one file"
            refusals.add("archive_duplicate", message, member.name)
            continue
        files[key] = member.name
        size = spool.size - start
        held[name] = _Held(start, size, _is_sidecar(name, spool, start, size))
    _refuse_files_as_folders(files, folders, refusals)
    return held


def _checked_name(member: Member, refusals: Refusals) -> str | None:
    """The member's path inside the archive, or None where there is none to be used."""
    name = member.name.removeprefix("./")
    if member.kind == "folder":
        if member.name in (".", "./"):
            return None
        name = name.removesuffix("/")
    why = unsafe_path(name)
    if len(name) > MAX_NAME:
        why = f"it has {len(name):,} characters, the limit is {MAX_NAME:,}"
    if why is not None:
        refusals.add("archive_unsafe", f"its name is refused: {why}", member.name)
    if member.kind not in ("file", "folder"):
        message = f"it is {member.kind}; only plain files and folders are read"
        refusals.add("archive_unsafe", message, member.name)
        return None
    return name if why is None else None


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _refuse_files_as_folders(
    files: dict[str, str], folders: dict[str, str], refusals: Refusals
) -> None:
    # With the lowest character between parts, what lies in a folder follows it at once.
    ordered = sorted(key.replace("/", "\0") for key in files.keys() | folders.keys())
    for key, following in pairwise(ordered):
        name = files.get(key.replace("\0", "/"))
        if name is not None and following.startswith(key + "\0"):
            refusals.add("archive_duplicate", "it is a file and a folder", name)
    for key in files.keys() & folders.keys():
        refusals.add("archive_duplicate", "it is a file and a folder", files[key])


def _is_sidecar(name: str, spool: Spool, start: int, size: int) -> bool:
    if not name.rpartition("/")[2].startswith("._") or size < len(_SIDECAR):
        return False
    with spool.open(start, len(_SIDECAR)) as handle:
        return handle.read() == _SIDECAR


def _without_folder(held: dict[str, _Held]) -> dict[str, _Held]:
    """The same, seen from the one folder that everything lies in, if there is one."""
    own = [
        name
        for name, one in held.items()
        if not one.sidecar and name.rpartition("/")[2] != ".DS_Store"
    ]
    tops = {name.partition("/")[0] if "/" in name else "" for name in own}
    if len(tops) != 1 or "" in tops:
        return held
    folder = f"{tops.pop()}/"
    inside = {
        name.removeprefix(folder): one for name, one in held.items() if name.startswith(folder)
    }
    return inside | {
        name: one
        for name, one in held.items()
        if not name.startswith(folder) and name not in inside
    }
