"""Synthetic LightHouse records, as realistic and as awkward as a real export, at any size.

`write_records(plan, out)` is the whole interface; the modules behind it are

- `catalogue`: which deployments, models, price cards, packs and agents there are (data only);
- `timeline`: the period's edges and local days, and the text of a timestamp;
- `lines`: the one place that lays out a record's JSON;
- `rare`: the few lines that every export has (snapshots, profiles, costs, edges, corner cases);
- `bulk`: the lines that fill the rest (calls, searches, decisions, types no lever reads);
- `records`: the plan, and the stream that mixes the two.
"""

from verify.systems.lighthouse.sample.records import (
    MINIMUM_RECORDS,
    RecordCounts,
    SamplePlan,
    write_records,
)

__all__ = ["MINIMUM_RECORDS", "RecordCounts", "SamplePlan", "write_records"]
