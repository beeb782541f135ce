"""What a reader of prompt2md's figures should know: its own kinds of finding."""

from __future__ import annotations

from verify.findings import Kind, register

register(
    Kind(
        "document_invalid",
        "error",
        "A report cannot be read beyond doubt",
        "It is not JSON, or not of the form of a report; its figures are not compared.",
    ),
    Kind(
        "reports_changed",
        "error",
        "The reports changed while they were read",
        "The figures compared are not those of the files whose digest is shown.",
    ),
    Kind(
        "original_missing",
        "error",
        "A report's original is not in the store",
        "What was cut from the text cannot be had back, and the raw tokens cannot be recounted.",
    ),
    Kind(
        "original_overwritten",
        "error",
        "A stored text is not the one that its id names",
        "An id is the beginning of the text's SHA-256. The text was exchanged, or stored under "
        "another id; it is not used as an original.",
    ),
    Kind(
        "store_entry_unreadable",
        "error",
        "An entry of the store cannot be read",
        "It is not JSON, or not of the form of an entry; the original in it is lost.",
    ),
    Kind(
        "original_not_given",
        "info",
        "The originals were not given",
        "Raw tokens and the phases before summarizing cannot be recounted, and nothing can be said "
        "of what was lost. Lay the store beside the reports.",
    ),
    Kind(
        "markdown_not_given",
        "info",
        "Reports without their Markdown",
        "Their figures follow from each other at best: nothing in them was counted again.",
    ),
    Kind(
        "anchor_malformed",
        "error",
        "What looks like an anchor is none",
        "Where the section's original stands cannot be told.",
    ),
    Kind(
        "anchor_foreign",
        "error",
        "An anchor or stamp names another original",
        "It leads to a text that the report is not about.",
    ),
    Kind(
        "anchor_out_of_range",
        "error",
        "An anchor leads beyond its original",
        "Its end lies after the end of the text, or not after its beginning.",
    ),
    Kind(
        "anchor_splits_character",
        "error",
        "An anchor splits a character",
        "One of its ends lies between the halves of a surrogate pair: what it leads to is no text.",
    ),
    Kind(
        "anchor_not_a_block",
        "error",
        "An anchor does not lead to a block",
        "It leads into the original, but not to the section that was summarized.",
    ),
    Kind(
        "blocks_lost",
        "warning",
        "Blocks of the original are not in the output",
        "They stand in it neither as they were nor under an anchor: they were stripped, and "
        "nothing in the output says so. They can be had back from the store, by position.",
    ),
    Kind(
        "blocks_repeated",
        "info",
        "Repeated blocks were left out",
        "The output keeps the block elsewhere; what is lost is that it stood here too.",
    ),
    Kind(
        "block_foreign",
        "warning",
        "Blocks of the output are not from the original",
        "They are neither in it as they are, nor lead to it by an anchor, nor layout.",
    ),
    Kind(
        "headline_uncompressed",
        "warning",
        "A headline on a text that was not compressed",
        "Nothing was stripped or summarized. The raw text is priced without a cache and the output "
        "with one: the saving is the provider's cache, which the raw text would have had too.",
    ),
    Kind(
        "cache_forfeited",
        "warning",
        "Compressed below the least length that is cached",
        "The raw text would have been cached and the compressed one is not: a call after the first "
        "costs more effective tokens than the raw text would have.",
    ),
    Kind(
        "eligible_without_layout",
        "warning",
        "Eligible for the cache although the layout was skipped",
        "Without stamp and breakpoint nothing makes the provider cache the prefix: the figures for "
        "later calls are what could be, not what is.",
    ),
    Kind(
        "negative_savings",
        "warning",
        "The compressed text is longer than the raw one",
        "The savings are negative.",
    ),
    Kind(
        "counter_unnamed",
        "warning",
        "Reports that do not name their token counter",
        "The tokens are UTF-16 code units divided by four, which no model bills.",
    ),
    Kind(
        "counter_estimate",
        "warning",
        "The program's tokens are not those of a tokenizer",
        "A quarter of a UTF-16 code unit is an estimate. Its error is that against o200k_base, "
        "counted over the whole text.",
    ),
    Kind(
        "provider_unknown",
        "warning",
        "Reports for a provider without a profile",
        "Nothing is known of the prices of its cache, so these figures are not recomputed. Name a "
        "file of profiles with --set profiles=FILE.",
    ),
    Kind(
        "profile_contradicted",
        "warning",
        "A report reckons with another profile",
        "Its figures for calls do not follow from its own tokens by the provider's profile.",
    ),
    Kind(
        "documents_repeated",
        "info",
        "Several reports are about one document",
        "Totals count it once a report.",
    ),
    Kind(
        "members_unknown",
        "info",
        "Reports hold more than is known of them",
        "Nothing in these members was compared.",
    ),
)
