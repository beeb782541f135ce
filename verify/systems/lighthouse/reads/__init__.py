"""The product's own API reads: what they carry, as figures, and what follows from them alone.

All that is our reading of the reads' form stands in this folder. `documents` recognises and opens
them, `figures` lists every figure shown, `depth2` recomputes figures from the reads' own inputs,
`consistency` finds where reads contradict themselves or each other.
"""

from __future__ import annotations

from verify.systems.lighthouse.reads.claims import read_claims

__all__ = ["read_claims"]
