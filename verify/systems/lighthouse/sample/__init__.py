"""Synthetic LightHouse exports, as realistic and as awkward as real ones, at any size.

`make_sample(out, plan, switches)` makes one with the product's API reads, `write_records` its
records alone, `build_reads` the reads of an opened export alone. The modules behind them are

- `catalogue`: which deployments, models, price cards, packs and agents there are (data only);
- `timeline`: the period's edges and local days, and the text of a timestamp;
- `lines`: the one place that lays out a record's JSON;
- `rare`: the few lines that every export has (snapshots, profiles, costs, edges, corner cases);
- `bulk`: the lines that fill the rest (calls, searches, decisions, types no lever reads);
- `records`: the plan, and the stream that mixes the two;
- `reads`: what the product answers, calculated by the stated method or another;
- `make`: the directory of records, manifest and reads.
"""

from verify.systems.lighthouse.sample.make import Claim, SampleReport, make_sample
from verify.systems.lighthouse.sample.reads import ProductReads, build_reads, product_reads
from verify.systems.lighthouse.sample.records import (
    MINIMUM_RECORDS,
    RecordCounts,
    SamplePlan,
    write_records,
)

__all__ = [
    "MINIMUM_RECORDS",
    "Claim",
    "ProductReads",
    "RecordCounts",
    "SamplePlan",
    "SampleReport",
    "build_reads",
    "make_sample",
    "product_reads",
    "write_records",
]
