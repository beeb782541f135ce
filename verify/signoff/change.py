"""What a replay found: whatever is not as attested, by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

INTEGRITY = frozenset({"signature", "attestation", "document", "policy", "file"})
"""Changes of what was signed off; the others are of what comes out of it."""


@dataclass(frozen=True)
class Change:
    """One thing that is not as attested. `kind` is `signature`, `attestation`, `document`,
    `policy`, `file`, `version`, `query` or `figure`; a document that other programs could not draw
    anew is a change of `version`."""

    kind: str
    name: str
    attested: str
    found: str

    def as_json(self) -> dict[str, str]:
        return {
            "kind": self.kind,
            "name": self.name,
            "attested": self.attested,
            "found": self.found,
        }


@dataclass(frozen=True)
class Replay:
    """What a replay found. `signature` is `unsigned`, `not checked`, `valid` or `invalid`;
    `compared` counts the amounts held against each other, None where nothing was recomputed."""

    signature: str
    keyid: str | None
    created: str
    changes: tuple[Change, ...]
    compared: int | None

    @property
    def exit_code(self) -> int:
        """3 where what was signed off is not what is there, or nothing could be held against it;
        1 where something else comes out of it; 4 where a signature is there that nobody checked;
        else 0."""
        kinds = {change.kind for change in self.changes}
        if kinds & INTEGRITY:
            return 3
        if kinds:
            return 1
        if self.compared is None:  # nothing was recomputed, whatever the reason
            return 3
        return 4 if self.signature == "not checked" else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "identical": self.exit_code == 0,
            "signature": self.signature,
            "keyid": self.keyid,
            "created": self.created,
            "compared": self.compared,
            "changes": [change.as_json() for change in self.changes],
        }
