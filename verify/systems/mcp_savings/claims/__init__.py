"""What the program claims: its printed report, or its measurements as JSON, as figures."""

from __future__ import annotations

from verify.systems.mcp_savings.claims.claimed import carried_claims, read_claims
from verify.systems.mcp_savings.claims.shown import SHOWN, Listed, Shown

__all__ = ["SHOWN", "Listed", "Shown", "carried_claims", "read_claims"]
