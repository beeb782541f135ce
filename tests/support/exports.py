"""Exports made on the spot: lines in, a directory with a fitting manifest out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FORMAT = "lighthouse-export/1"


def write_export(
    place: Path,
    lines: Sequence[bytes],
    *,
    zone: str | None = "UTC",
    tenant: str = "acme",
    name: str = "records.jsonl",
) -> Path:
    """A directory with `lines` as one file of records, and a manifest that fits."""
    return write_bytes(
        place, {name: b"".join(line + b"\n" for line in lines)}, zone=zone, tenant=tenant
    )


def write_bytes(
    place: Path, files: dict[str, bytes], *, zone: str | None = "UTC", tenant: str = "acme"
) -> Path:
    """A directory with these files, and a manifest that fits them."""
    place.mkdir(parents=True, exist_ok=True)
    listed = []
    for name, data in files.items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        listed.append(
            {"path": name, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        )
    manifest: dict[str, Any] = {"format": FORMAT, "tenant": tenant, "files": listed}
    if zone is not None:
        manifest["time_zone"] = zone
    (place / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return place


def record(kind: str, deployment: str, ts: str, /, **attrs: Any) -> bytes:
    """One line."""
    document = {"type": kind, "deployment": deployment, "ts": ts, "attrs": attrs}
    return json.dumps(document, ensure_ascii=False).encode()
