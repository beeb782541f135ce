"""What `verify explain` points out in LightHouse's records, whether or not a figure differs."""

from __future__ import annotations

from verify.findings import Kind, register

register(
    Kind(
        "zone_edges",
        "info",
        "Records lie between two readings of the period",
        "They belong to the period in one time zone and not in the other. A product that counts in "
        "the other zone shows other figures, and these lines are why.",
    ),
    Kind(
        "clock_change",
        "info",
        "A day of the period has not 24 hours",
        "The clocks change on it. Whatever is reckoned by the hour has an hour more or less.",
    ),
    Kind(
        "timestamp_future",
        "warning",
        "Records are dated after the export was made",
        "The clock of whoever wrote them is wrong, or their timestamps are; they may belong to "
        "another day.",
    ),
    Kind(
        "timestamp_far",
        "warning",
        "Records lie more than a year from the period",
        "They are in no figure of it. A date with a wrong year looks like this.",
    ),
    Kind(
        "silent_days",
        "warning",
        "Days of the period without any record",
        "Nothing happened on them, or nothing was recorded; the records cannot tell which.",
    ),
    Kind(
        "deployment_partial",
        "warning",
        "A deployment begins or ends in the middle of the period",
        "Its silence at that end is longer than any between its records. It was switched on or "
        "off, or its feed was.",
    ),
    Kind(
        "coverage_bound",
        "info",
        "What unmeasured searches could be worth at most",
        "If they were like the measured ones of their own pack. It is a bound that nothing proves, "
        "and it is never added to a figure.",
    ),
    Kind(
        "coverage_resting",
        "info",
        "Dollars rest on thinly covered records",
        "Of the records the least covered tenth carries more than a tenth of the dollars.",
    ),
    Kind(
        "card_changed",
        "info",
        "The price card changed inside the period",
        "One card is used for all of it, the newest complete one before its end. What each change "
        "does to the figures is shown; no part of it is a correction.",
    ),
    Kind(
        "card_incomplete",
        "info",
        "An incomplete snapshot is newer than the price card used",
        "It is passed over by rule. A product that takes it shows other figures.",
    ),
    Kind(
        "card_unit",
        "warning",
        "A price is far from that of every other card of the same model",
        "It is written per token or per thousand, in cents, or is wrong: what it prices is off by "
        "the same factor.",
    ),
    Kind(
        "card_cache_read",
        "warning",
        "Reading a cache costs more than the input it replaces",
        "Every cached token then counts as a loss. The two prices may have changed places.",
    ),
    Kind(
        "figure_is_estimate",
        "info",
        "A figure is an estimate from sampled records",
        "Its 95 % interval says how far chance alone could have moved it. The product and the "
        "recomputation use the same records, so it excuses no difference between them.",
    ),
    Kind(
        "lines_repeated",
        "warning",
        "Lines stand in the export more than once, byte for byte",
        "By the stated method each counts. What counting each once would change is shown.",
    ),
    Kind(
        "id_repeated",
        "warning",
        "One id stands on several records",
        "A call written again as it grew, one that was tried again, or two that share an id by "
        "chance: the contract counts lines, and none is dropped silently. What counting each id "
        "once would change is shown.",
    ),
    Kind(
        "saving_above_baseline",
        "warning",
        "A saving is greater than what it is measured against",
        "More cannot be saved than would have been spent. A price below nothing, a credit, or a "
        "factor applied twice does this.",
    ),
    Kind(
        "cached_tokens_outside",
        "info",
        "Cached tokens look to be counted beside input tokens",
        "Most calls that read a cache have fewer input tokens than cached ones, so the cached ones "
        "cannot be among them. That is how they are taken here.",
    ),
    Kind(
        "cached_tokens_inside",
        "warning",
        "Cached tokens may be counted among input tokens",
        "They are taken as not among them. In most calls that read a cache the input is at least "
        "as large, as it would be if they were: then they would be counted twice.",
    ),
)
