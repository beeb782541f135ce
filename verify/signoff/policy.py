"""What was agreed before the run: materiality, and the least coverage. It has a digest of its own.

The digest is made, and said, before an export is opened; replay makes it anew from what the
attestation says the policy was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify.compare.verdicts import Tolerance
from verify.exact import plain
from verify.signoff.canonical import digest


@dataclass(frozen=True)
class Policy:
    """`tolerance` in the measure's unit and relative; `least_coverage` as a share, or None."""

    tolerance: Tolerance = field(default_factory=Tolerance)
    least_coverage: Fraction | None = None

    @property
    def sha256(self) -> str:
        """The digest of the policy's canonical JSON."""
        return digest(self.as_json())

    def as_json(self) -> dict[str, Any]:
        least = self.least_coverage
        return {
            "tolerance": {
                "abs": plain(self.tolerance.absolute),
                "rel": plain(self.tolerance.relative),
            },
            "min_coverage": None if least is None else plain(least),
        }

    @classmethod
    def read(cls, document: Any) -> Policy:
        """The policy that `as_json` wrote. Raises ValueError on anything else."""
        try:
            tolerance = document["tolerance"]
            least = document["min_coverage"]
            return cls(
                Tolerance(Fraction(tolerance["abs"]), Fraction(tolerance["rel"])),
                None if least is None else Fraction(least),
            )
        except (KeyError, TypeError, ZeroDivisionError) as error:
            raise ValueError(f"no policy: {error}") from None

    def threshold(self, recomputed: Fraction) -> Fraction:
        """The largest difference that is not material beside `recomputed`."""
        return max(self.tolerance.absolute, self.tolerance.relative * abs(recomputed))
