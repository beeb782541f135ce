"""The kinds of finding that only a usage store can have."""

from __future__ import annotations

from verify.findings import Kind, register

_SKIPPED = "The product passes over such a line without a word, so it is in no figure."

register(
    Kind(
        "usage_line_torn",
        "warning",
        "Lines that end in the middle of a record",
        f"A write was cut short. {_SKIPPED}",
    ),
    Kind(
        "usage_line_glued",
        "warning",
        "Records that stand on one line",
        "After a write that was cut short the next record was appended to its rest. "
        f"{_SKIPPED} A whole record can be lost with it.",
    ),
    Kind(
        "usage_line_malformed",
        "warning",
        "Lines that are not JSON",
        f"{_SKIPPED} So is a line that begins with a byte-order mark.",
    ),
    Kind(
        "usage_line_mistyped",
        "warning",
        "Lines with a value of another type",
        "An integer written with a point, a number beyond 64 bits, a timestamp that is not "
        f"RFC 3339, a process id that is a string. {_SKIPPED}",
    ),
    Kind(
        "usage_lines_skipped",
        "warning",
        "What the skipped lines would add together",
        "The report with them, as far as they can be made out, less the report without them.",
    ),
    Kind(
        "usage_line_too_long",
        "error",
        "A line of 8 MiB or more",
        "The product cannot read it: its report fails, so no figure of it can be recomputed.",
    ),
    Kind(
        "usage_line_empty",
        "warning",
        "Lines without session and timestamp that count as a session",
        'null, {} and the like: the report counts one more session, named "", at the first '
        "instant of year 1.",
    ),
    Kind(
        "usage_session_unnamed",
        "info",
        "Lines without a session id",
        'The report takes all of them for one session, named "".',
    ),
    Kind(
        "usage_stamp_absent",
        "warning",
        "Lines without a timestamp",
        "They stand at the first instant of year 1: any other line of their session counts "
        "instead, and no cut or window sees them.",
    ),
    Kind(
        "usage_counter_fell",
        "warning",
        "Counters that went down within a session",
        "They are cumulative, so a later line cannot have less. The report takes the last line all "
        "the same, and what was counted before the fall is lost to it.",
    ),
    Kind(
        "usage_clock_back",
        "warning",
        "The clock went back within a session",
        "A line that was written later, with more counted, has an earlier timestamp. The report "
        "goes by timestamps, so the last of what was counted may be missing from it.",
    ),
    Kind(
        "usage_out_of_order",
        "info",
        "Lines that are not in the order of their timestamps",
        "The report goes by timestamps and is not changed by it.",
    ),
    Kind(
        "usage_stamp_repeated",
        "info",
        "Lines of a session with the timestamp of the line before",
        "If it is the latest, the first line read counts. The product sorts by timestamp alone, so "
        "nothing but that reading says which one it takes.",
    ),
    Kind(
        "usage_saved_differs",
        "warning",
        "Stored savings that are not original less returned",
        "The report trusts the store's saved_tokens; windows recompute it.",
    ),
    Kind(
        "usage_estimator",
        "warning",
        "Another estimator than chars/4",
        "The report calls every figure chars/4, whatever the lines say: tokens of two kinds are "
        "added up.",
    ),
    Kind(
        "usage_file_day",
        "warning",
        "Lines in the file of another day",
        "A cut and the live reader leave files out by the day in their name, so such a line may be "
        "missed or its session's earlier lines not be found.",
    ),
    Kind(
        "usage_file_ignored",
        "info",
        "Files that the product does not read",
        "Only usage-YYYY-MM-DD.jsonl is read, written exactly so.",
    ),
    Kind(
        "usage_days_missing",
        "info",
        "Days without a file",
        "No proxy ran, or the files are gone: the store does not say which.",
    ),
    Kind(
        "usage_retention_edge",
        "info",
        "The store reaches as far back as the product keeps files",
        "By default files go after 90 days, with what was counted in them: a report on everything "
        "is a report on what is left.",
    ),
    Kind(
        "usage_cut_before_store",
        "info",
        "The cut lies before the first file",
        "What happened between them is not in the store.",
    ),
    Kind(
        "usage_governor_off",
        "info",
        "Sessions without the response governor",
        "Their response rows are 0 because nothing was measured.",
    ),
    Kind(
        "usage_session_spans",
        "info",
        "Sessions that began before the cut",
        "The report counts them whole: also what they had counted before.",
    ),
    Kind(
        "usage_sum_overflowed",
        "warning",
        "Sums beyond 64 bits",
        "The product's sums wrap around, and so do these: they are not what was counted.",
    ),
    Kind(
        "usage_days_not_report",
        "info",
        "Days need not add up to the report",
        "A day has what its sessions counted on it, by the window rule. The report has sessions "
        "whole, trusts saved_tokens, and does not hold counters at 0.",
    ),
    Kind(
        "usage_window_bridge",
        "info",
        "Why a window is not the report",
        "Both count the same sessions; the steps between them add up exactly.",
    ),
    Kind(
        "usage_window_fell",
        "warning",
        "Counters lower than before the window",
        "A difference below 0 counts as 0.",
    ),
    Kind(
        "usage_baseline_unseen",
        "warning",
        "Baselines that the live reader cannot see",
        "It reads files from the day before the week on. A session whose last line before the "
        "window stands in an older file counts whole, with what it had counted before.",
    ),
    Kind(
        "usage_window_left_out",
        "warning",
        "Sessions that the live reader leaves out",
        "Timestamp and session of their latest line can be read, but the rest cannot.",
    ),
)
