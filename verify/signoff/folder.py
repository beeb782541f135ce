"""The directory of a sign-off: all documents, put there in one step or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from verify.errors import UsageProblem
from verify.render.jsontext import dumps
from verify.signoff.attestation import attestation, statement
from verify.signoff.markdown import markdown
from verify.signoff.page import page
from verify.signoff.request import Request
from verify.signoff.result import SignOff
from verify.signoff.workbook import workbook

WORKBOOK, PAGE, NOTE, DATA = "signoff.xlsx", "signoff.html", "signoff.md", "signoff.json"
ATTESTATION = "attestation.json"
DOCUMENTS = (WORKBOOK, PAGE, NOTE, DATA)
"""What an attestation names, no less and no more."""


def claimed(out: Path, request: Request) -> None:
    """Raises UsageProblem where `out` may not be: something lies there, or it would lie inside its
    own inputs and change what they are."""
    if out.exists() or out.is_symlink():
        raise UsageProblem(
            f"{out} is there already, and a sign-off replaces nothing",
            advice="Name a new directory, or move that one away.",
        )
    if not out.parent.is_dir():
        raise UsageProblem(f"{out.parent} is no directory", advice="Make it first.")
    for place in (request.export, request.figures):
        if place is not None and place.resolve() in (out.resolve(), *out.resolve().parents):
            raise UsageProblem(
                f"{out} lies inside {place}, which is signed off",
                advice="Name a directory beside it.",
            )


def spared(place: Path, output: Path) -> None:
    """Raises UsageProblem where an answer put at `output` would replace a part of the sign-off at
    `place`."""
    for name in (*DOCUMENTS, ATTESTATION):
        own = place / name
        # The answer replaces a name, not what a link of that name leads to.
        replaced = output.parent.resolve() / output.name == place.resolve() / name
        if replaced or (own.exists() and output.exists() and own.samefile(output)):
            raise UsageProblem(
                f"{output} is {name} of the sign-off, which is replayed and not replaced",
                advice="Name another file with -o.",
            )


def drawn(result: SignOff) -> dict[str, bytes]:
    """Every document but the attestation; the same result gives the same bytes."""
    return {
        WORKBOOK: workbook(result),
        PAGE: _bytes(page(result)),
        NOTE: _bytes(markdown(result)),
        DATA: _bytes(dumps(result.as_json())),
    }


def write(result: SignOff, out: Path, request: Request, key: Any | None) -> None:
    """Draw every document and put the directory in its place. Raises UsageProblem."""
    documents = drawn(result)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in documents.items()}
    places = {
        "export": relative(request.export, out),
        "figures": None if request.figures is None else relative(request.figures, out),
        "manifest": None
        if request.reading.manifest is None
        else relative(request.reading.manifest, out),
    }
    documents[ATTESTATION] = attestation(statement(result, digests, places), key)
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise UsageProblem(f"cannot write {out}: {(error.strerror or '').lower()}") from None
    try:
        for name, data in documents.items():
            (made / name).write_bytes(data)
        made.chmod(0o777 & ~_umask())
        made.rename(out)
    except OSError as error:
        raise UsageProblem(f"cannot write {out}: {(error.strerror or '').lower()}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def relative(place: Path, out: Path) -> str:
    """Where `place` lies, seen from inside `out`, with forward slashes."""
    return Path(os.path.relpath(place.resolve(), out.parent.resolve() / out.name)).as_posix()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
