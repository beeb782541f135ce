"""What the records say about figures beyond the figures: a query each, and a small function.

`zones` where days lie, `coverage` what is measured, `cards` what prices it, `sampling` how sure it
is, `identity` what stands there twice, `plausible` what cannot be.
"""

from __future__ import annotations

from verify.compare.diagnosis import Diagnosis
from verify.systems.lighthouse import findings as _registered  # noqa: F401
from verify.systems.lighthouse.diagnose import (
    cards,
    coverage,
    identity,
    plausible,
    sampling,
    zones,
)
from verify.systems.lighthouse.diagnose.context import Context

_PARTS = (
    zones.diagnose,
    coverage.diagnose,
    cards.diagnose,
    sampling.diagnose,
    identity.diagnose,
    plausible.diagnose,
)


def diagnose(context: Context) -> Diagnosis:
    """All sections and findings of one export and period."""
    found = [part(context) for part in _PARTS]
    return Diagnosis(
        tuple(section for part in found for section in part.sections),
        tuple(finding for part in found for finding in part.findings),
    )
