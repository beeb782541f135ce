"""A capture: reads with a `capture.json` that says where they came from, when, and their digests.

It is believed only when every body is the one it names, and none is missing or added.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.errors import IntegrityFailure, Problem, UnreadableInput
from verify.trust.strictjson import NotStrictJson, loads

CAPTURE = "capture.json"
FORMAT = "verify-capture/1"


@dataclass(frozen=True)
class Capture:
    """What `capture.json` says: the bodies of each read, in the order of its pages, as hashed."""

    document: dict[str, Any]
    pages: dict[str, list[tuple[str, bytes]]]


def open_capture(place: Path) -> Capture | None:
    """The capture in the directory `place`, checked; None where there is none.

    Raises IntegrityFailure when a body is not the one captured, UnreadableInput when the capture
    itself cannot be read or is not complete.
    """
    path = place / CAPTURE
    if not path.exists():
        return None
    try:
        document = loads(path.read_bytes())
        reads = document["reads"]
        entries = [(str(e["read"]), str(e["file"]), str(e["sha256"])) for e in reads]
        if document["format"] != FORMAT:
            raise ValueError(document["format"])
    except (OSError, NotStrictJson, KeyError, TypeError, ValueError):
        raise UnreadableInput(
            f"{path} is not a capture that this version reads",
            advice="Capture again, or remove it: the reads then count as saved by hand.",
        ) from None
    if document.get("complete") is not True:
        raise UnreadableInput(f"{path} broke off before its last read", advice="Run fetch again.")
    problems = []
    pages: dict[str, list[tuple[str, bytes]]] = {}
    for read, file, digest in entries:
        if "/" in file or "\\" in file or file.startswith("."):
            problems.append(Problem("file_digest", file, "no name that a capture gives"))
            continue
        try:
            body = (place / file).read_bytes()
        except OSError:
            problems.append(Problem("file_missing", file, "captured but not there"))
            continue
        found = hashlib.sha256(body).hexdigest()
        pages.setdefault(read, []).append((file, body))
        if found != digest:
            message = f"its SHA-256 is {found}, the capture says {digest}"
            problems.append(Problem("file_digest", file, message))
    known = {file for _, file, _ in entries} | {CAPTURE}
    for child in sorted(place.iterdir()):
        if child.suffix.lower() in (".json", ".csv") and child.name not in known:
            problems.append(Problem("file_unlisted", child.name, "it is not of the capture"))
    if problems:
        raise IntegrityFailure(problems, advice="Capture the reads again with verify fetch.")
    return Capture(document, pages)
