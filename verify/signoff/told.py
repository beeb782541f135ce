"""A replay in words."""

from __future__ import annotations

from verify.render.safe import visible
from verify.signoff.change import Replay

MOST = 40
_SIGNATURES = {
    "unsigned": "not signed: it shows that nothing changed, not who made it",
    "not checked": "signed by {keyid}, NOT CHECKED; give --public-key",
    "valid": "valid, by {keyid}",
    "invalid": "INVALID",
}


def replay_text(found: Replay) -> str:
    """The answer first, then each change: what it is, as attested, as found."""
    lines = [_answer(found), f"made       {visible(found.created)}"]
    signature = _SIGNATURES[found.signature].format(keyid=found.keyid)
    lines.append(f"signature  {visible(signature)}")
    for change in found.changes[:MOST]:
        lines.append(f"{change.kind:<12}{visible(change.name)}")
        lines.append(f"  attested  {visible(change.attested)}")
        lines.append(f"  found     {visible(change.found)}")
    hidden = len(found.changes) - MOST
    if hidden > 0:
        lines.append(f"and {hidden:,} more changes; --format json lists all")
    return "\n".join(lines) + "\n"


def _answer(found: Replay) -> str:
    if found.changes:
        kinds = ", ".join(dict.fromkeys(change.kind for change in found.changes))
        noun = "change" if len(found.changes) == 1 else "changes"
        return f"not identical: {len(found.changes):,} {noun} ({kinds})"
    compared = (
        f"every digest, every document drawn anew, and {found.compared:,} amounts and words "
        "recomputed"
    )
    if found.signature == "not checked":
        return f"identical but for the signature, which was not checked: {compared}"
    return f"identical: {compared}"
