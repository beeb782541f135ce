"""Groups from Polars frames: the second calculation in the form that `recompute` asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from verify.period import Period
from verify.systems.lighthouse.expressions import groups_of
from verify.systems.lighthouse.frames import Frames
from verify.systems.lighthouse.groups import QUARTER, Context, Rows, bad_rates
from verify.systems.lighthouse.method import Method
from verify.systems.lighthouse.noted import findings_of
from verify.systems.lighthouse.world import World, world_of


class FrameGroups:
    """See `verify.systems.lighthouse.groups.Groups`. `repeats` finds the lines that repeat an
    earlier one, byte for byte."""

    name = "polars"
    checked_by = None

    def __init__(self, frames: Frames, repeats: Callable[[], pl.Series]) -> None:
        self._frames = frames
        self._find_repeats = repeats
        self._repeats: pl.Series | None = None
        self._world: World | None = None

    def prepare(self, method: Method, period: Period) -> None:
        if method.dedupe and self._repeats is None:
            self._repeats = self._find_repeats()
        left_out = self._repeats if method.dedupe else None
        self._world = world_of(self._frames, method, period, left_out)

    def rows(self, query: str, context: Context) -> Rows:
        world = self._world
        assert world is not None, "prepare comes first"
        if query == "rates":
            rates = world.within("retrieval").select("sample_rate").drop_nulls().unique()
            return rates.rows(named=True)
        if query == "findings":
            return findings_of(world, bad_rates(self.rows("rates", context)))
        return groups_of(query, world, context)

    def quarters(self, types: Sequence[str]) -> dict[int, int]:
        found: dict[int, int] = {}
        for name in types:
            at = (self._frames[name]["ts"] // QUARTER).value_counts()
            for quarter, records in at.iter_rows():
                found[quarter] = found.get(quarter, 0) + records
        return found
