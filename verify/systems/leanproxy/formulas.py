"""Each lever's formula and where it comes from, for `verify lever`."""

from __future__ import annotations

_OF_LATEST = """
    of each session the latest line at or after the cut, summed           [stated]
    of equal timestamps the first line read; sums wrap at 64 bits         [reading]"""

FORMULAS = {
    "schema": f"""
saved = schema_native_tokens_total - schema_sent_tokens_total             [stated]
calls = schema_listings_total{_OF_LATEST}""",
    "response_truncation": f"""
saved = saved_tokens - projection_saved_tokens - dedup_saved_tokens
        - summarize_saved_tokens                                          [stated]
original = original_tokens, resulting = returned_tokens, calls = truncated
    saved_tokens is the store's; --method saved=recomputed: original less returned{_OF_LATEST}""",
    "response_projection": f"""
saved = projection_saved_tokens, calls = projected                        [stated]{_OF_LATEST}""",
    "response_dedup": f"""
saved = dedup_saved_tokens, calls = dedup_hits                            [stated]{_OF_LATEST}""",
    "response_summarization": f"""
saved = summarize_saved_tokens, calls = summarized                        [stated]{_OF_LATEST}""",
    "discovery": f"""
saved = -discovery_tokens_total, calls = discovery_calls_total            [stated]
    a cost: never in the total{_OF_LATEST}""",
    "report": f"""
total_saved    = the saved tokens of every row but discovery              [stated]
total_original = schema original + response_truncation original           [stated]
percent        = total_saved / total_original x 100; 0 where the original is not positive
extra_turns    = discovery calls: an estimate of turns, never of tokens   [stated]
cost_saved     = total_saved / 1,000,000 x the price given                [stated]{_OF_LATEST}""",
    "today": """
per session: latest line - last line before 00:00 UTC, each counter at least 0   [stated]
saved = native - sent, + original - returned of the differences                  [stated]
    the latter at least 0; a tool is left out when neither its results nor its
    original tokens grew; live reads files from the day before the week on       [reading]""",
}
FORMULAS["week"] = FORMULAS["today"].replace("before 00:00 UTC", "before Monday 00:00 UTC")
