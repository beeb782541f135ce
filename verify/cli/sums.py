"""`verify check --write-manifest OUT`: a manifest of what lies there now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from verify.cli.output import deliver
from verify.errors import IntegrityFailure, Problem, UsageProblem


def write_sums(
    place: Path, out: Path, checked: Mapping[str, Any], notice: Callable[[str], None]
) -> None:
    """Write the digests of all files at `place` to `out`, which may not exist yet.

    `checked` is the document of the check; a file that is no longer what was checked raises
    IntegrityFailure.
    """
    from hashlib import sha256

    from verify.trust.manifest import LIST_NAMES, NAMES
    from verify.trust.source import open_source
    from verify.trust.sums import as_text, list_files

    inside = place.is_dir() and place.resolve() in out.resolve().parents
    if inside and (out.parent.resolve() != place.resolve() or out.name not in LIST_NAMES):
        raise UsageProblem(
            f"inside the export a manifest has to be {place / LIST_NAMES[0]}",
            advice="Elsewhere it can have any name; later runs then take it with --manifest.",
        )
    if out.exists() or (inside and any((place / name).exists() for name in NAMES)):
        raise UsageProblem(
            "there is a manifest already, and another one would hide what changed since",
            advice="Check against it, or name another place for the new one.",
        )
    source = open_source(place)
    try:
        files = list(list_files(source))
    finally:
        source.close()
    if not files:
        raise UsageProblem(f"{place} holds no file that a manifest could list")
    now = {file.path: file.sha256 for file in files}
    changed = [
        Problem("file_digest", file["path"], "it changed while it was read")
        for file in checked.get("files", ())
        if now.get(file["path"]) != file["sha256"]
    ]
    if changed:
        raise IntegrityFailure(changed, advice="Copy the export, and check the copy.")
    text = as_text(files)
    deliver(text, out)
    digest = sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    notice(f"wrote {out}, {len(files):,} files; write its SHA-256 down elsewhere: {digest}")
