"""The frames of an export under one method and period: the price card, and who is in the period.

What `card.sql` and the views of the other calculation say, said once more in Polars.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from verify.engines.polars import day_of
from verify.period import Period
from verify.systems.lighthouse.frames import Frames
from verify.systems.lighthouse.method import Method
from verify.systems.lighthouse.typed import microseconds


@dataclass(frozen=True)
class World:
    """Frames without the lines that are left out, the period, and the card that counts in it."""

    frames: Frames
    period: Period
    card: pl.DataFrame

    def within(self, relation: str) -> pl.DataFrame:
        """The records of the period: start <= ts < end."""
        start, end = microseconds(self.period.start), microseconds(self.period.end)
        return self.frames[relation].filter(pl.col("ts") >= start, pl.col("ts") < end)

    def before_end(self, relation: str) -> pl.DataFrame:
        """The records before the end of the period."""
        return self.frames[relation].filter(pl.col("ts") < microseconds(self.period.end))

    def keyed(self, records: pl.DataFrame, dimension: str) -> pl.DataFrame:
        """Records of the period with the column `key`: what they are broken down by."""
        if dimension == "total":
            return records.with_columns(key=pl.lit(None, pl.String))
        if dimension == "day":
            days = day_of(records["ts"], list(self.period.days()), microseconds)
            return records.with_columns(days.alias("key"))
        return records.with_columns(key=pl.col(dimension))


def world_of(frames: Frames, method: Method, period: Period, repeats: pl.Series | None) -> World:
    """The world of a method. `repeats` are the lines that it leaves out."""
    if repeats is not None:
        frames = {
            name: frame.filter(~pl.col("line").is_in(repeats.implode()))
            for name, frame in frames.items()
        }
    return World(frames, period, card(frames, method.card, microseconds(period.end)))


def card(frames: Mapping[str, pl.DataFrame], rule: str, end: int) -> pl.DataFrame:
    """One row a deployment and model: the card by the rule that `Method.card` names.

    `end` is the first microsecond after the period.
    """
    listed = frames["models"].rename({"ts": "snapshot_at"})
    if rule not in ("newest_in_export", "last_in_file"):
        listed = listed.filter(pl.col("snapshot_at") < end)
    if rule != "last_in_file":
        chosen = _chosen(listed, whole=rule != "newest_any")
        listed = listed.join(chosen, on=["deployment", "snapshot"], how="semi")
    return listed.sort("line").unique(["deployment", "model"], keep="last").sort("line")


def _chosen(listed: pl.DataFrame, *, whole: bool) -> pl.DataFrame:
    """The newest snapshot of each deployment; of the complete ones alone, if `whole`."""
    models = pl.col("model").n_unique()
    snapshots = (
        listed.sort("snapshot_at", "ts_sub")
        .group_by("deployment", "snapshot")
        .agg(
            newest=pl.col("snapshot_at").last(),
            newest_sub=pl.col("ts_sub").last(),
            # Complete: no line says otherwise, and every size given is the number of its models.
            complete=pl.col("complete").ne_missing(False).all()
            & (pl.col("size").is_null() | (pl.col("size") == models)).all(),
        )
    )
    if whole:
        snapshots = snapshots.filter("complete")
    return snapshots.sort("newest", "newest_sub", "snapshot").unique("deployment", keep="last")
