"""Each rule broken in one place of the code, and the test that has to fail then.

`old` stands exactly once in `file` and is replaced by `new`. Where the text of a rule is moved or
rewritten, its mutant moves with it: `test_mutants_apply.py` says so at once, `run.py` says whether
the test still notices.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One wrong change: the rule that it breaks, the change, and the tests that must fail."""

    name: str
    rule: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


_LIGHTHOUSE = "verify/systems/lighthouse"
_TESTS = "tests/systems/lighthouse"


def _in(file: str, *mutants: tuple[str, str, str, str, str]) -> tuple[Mutant, ...]:
    """Mutants of one file; a test is named by its function, or by file and function."""
    return tuple(
        Mutant(name, rule, file, old, new, (_test(test),)) for name, rule, old, new, test in mutants
    )


def _test(name: str) -> str:
    file, _, function = name.rpartition("::")
    return f"{_TESTS}/{file or 'test_rules'}.py::test_{function}"


def _of_records(name: str) -> str:
    return f"test_rules_of_records::{name}"


_CACHED_FLAG = _in(
    f"{_LIGHTHOUSE}/reads_cache.sql",
    (
        "flag_without_refused",
        "A refused call that read a cache makes its deployment's searches cached.",
        "AND cache_read_tokens > 0",
        "AND cache_read_tokens > 0 AND outcome IS DISTINCT FROM 'refused'",
        "a_refused_call_that_reads_a_cache_makes_the_searches_cached",
    ),
    (
        "flag_priced_only",
        "A call of a model without a price makes the searches cached like any other.",
        "SELECT DISTINCT deployment FROM model_call\n",
        "SELECT DISTINCT deployment FROM model_call SEMI JOIN card USING (deployment, model)\n",
        "a_call_of_a_model_without_a_price_makes_the_searches_cached",
    ),
    (
        "flag_at_zero",
        "Reading no cached token does not make the searches cached.",
        "cache_read_tokens > 0",
        "cache_read_tokens >= 0",
        "only_more_than_no_cached_token_makes_the_searches_cached",
    ),
    (
        "flag_negative",
        "A negative count of cached tokens does not make the searches cached.",
        "cache_read_tokens > 0",
        "cache_read_tokens <> 0",
        "only_more_than_no_cached_token_makes_the_searches_cached",
    ),
    (
        "flag_any_time",
        "Only calls in the period make the searches cached.",
        "WHERE ts >= $start AND ts < $end AND",
        "WHERE",
        "calls_outside_the_period_do_not_make_the_searches_cached",
    ),
    (
        "flag_border_start",
        "A call at the first instant of the period makes the searches cached.",
        "ts >= $start",
        "ts > $start",
        "the_first_instant_of_the_period_makes_the_searches_cached",
    ),
    (
        "flag_border_end",
        "A call at the instant after the period does not make the searches cached.",
        "ts < $end",
        "ts <= $end",
        "calls_outside_the_period_do_not_make_the_searches_cached",
    ),
)

_RETRIEVAL_QUERY = _in(
    f"{_LIGHTHOUSE}/retrieval.sql",
    (
        "called_refused",
        "A refused call gives neither a window nor a price.",
        "AND (outcome IS DISTINCT FROM 'refused' OR $refused_in_called)",
        "",
        "a_refused_call_is_no_call_for_the_price",
    ),
    (
        "called_ok_only",
        "A call with another outcome than refused is a call.",
        "outcome IS DISTINCT FROM 'refused'",
        "outcome IS NOT DISTINCT FROM 'ok'",
        "only_a_refused_call_is_no_call_for_the_window",
    ),
    (
        "called_null_outcome",
        "A call without an outcome is a call.",
        "outcome IS DISTINCT FROM 'refused'",
        "outcome <> 'refused'",
        "only_a_refused_call_is_no_call_for_the_window",
    ),
    (
        "called_switch_ignored",
        "Refused calls may be counted as called by a switch.",
        " OR $refused_in_called)",
        ")",
        "only_a_refused_call_is_no_call_for_the_window",
    ),
    (
        "called_border_start",
        "A call at the first instant of the period is one of those called.",
        "WHERE ts >= $start AND ts < $end",
        "WHERE ts > $start AND ts < $end",
        "calls_outside_the_period_give_no_window_and_no_price",
    ),
    (
        "called_border_end",
        "A call at the instant after the period is none of those called.",
        "WHERE ts >= $start AND ts < $end",
        "WHERE ts >= $start AND ts <= $end",
        "calls_outside_the_period_give_no_window_and_no_price",
    ),
    (
        "called_before",
        "A call before the period is none of those called.",
        "WHERE ts >= $start AND ts < $end",
        "WHERE ts < $end",
        "calls_outside_the_period_give_no_window_and_no_price",
    ),
    (
        "window_of_any",
        "The windows of models without a price do not count.",
        "(input_per_m IS NOT NULL OR NOT $window_priced_only)",
        "true",
        "windows_of_priced_models_only",
    ),
    (
        "window_of_paid",
        "A model at a price of 0 is priced, so that its window counts.",
        "(input_per_m IS NOT NULL OR",
        "(input_per_m > 0 OR",
        "windows_of_priced_models_only",
    ),
    (
        "window_switch_ignored",
        "The windows of unpriced models may be counted by a switch.",
        " OR NOT $window_priced_only)",
        ")",
        "windows_of_priced_models_only",
    ),
    (
        "window_greatest",
        "The window is the smallest of the models called.",
        "min(window_tokens) AS window_tokens",
        "max(window_tokens) AS window_tokens",
        "the_smallest_window_of_the_models_called",
    ),
    (
        "window_zero",
        "A window of 0 is unknown.",
        "window_tokens > 0 AND",
        "window_tokens >= 0 AND",
        "a_window_that_is_unknown_or_not_positive_is_passed_over",
    ),
    (
        "window_negative",
        "A negative window is unknown.",
        "window_tokens > 0 AND",
        "window_tokens <> 0 AND",
        "a_window_that_is_unknown_or_not_positive_is_passed_over",
    ),
    (
        "window_default",
        "Without a known window it is 200,000.",
        "coalesce(w.window_tokens, 200000) AS window_tokens",
        "coalesce(w.window_tokens, 128000) AS window_tokens",
        "a_window_that_is_unknown_or_not_positive_is_passed_over",
    ),
    (
        "window_default_of_scope",
        "A missing scope that is taken as the window is 200,000 where that is unknown.",
        "THEN coalesce(w.window_tokens, 200000)\n",
        "THEN w.window_tokens\n",
        "a_window_that_is_unknown_or_not_positive_is_passed_over",
    ),
    (
        "window_null_pack",
        "A search without a pack goes with the calls without one, for its window.",
        "w.pack IS NOT DISTINCT FROM r.pack",
        "w.pack = r.pack",
        "calls_count_for_their_own_pack_and_deployment",
    ),
    (
        "window_empty_pack",
        "A pack named by an empty text is not no pack.",
        "w.pack IS NOT DISTINCT FROM r.pack",
        "coalesce(w.pack, '') = coalesce(r.pack, '')",
        "calls_count_for_their_own_pack_and_deployment",
    ),
    (
        "price_null_pack",
        "A search without a pack goes with the calls without one, for its price.",
        "c.pack IS NOT DISTINCT FROM r.pack",
        "c.pack = r.pack",
        "calls_count_for_their_own_pack_and_deployment",
    ),
    (
        "fallback_dearest",
        "A search without a priced model is priced by the cheapest model called.",
        "ORDER BY input_per_m, model)",
        "ORDER BY input_per_m DESC, model)",
        "a_search_without_a_priced_model_takes_the_cheapest_called",
    ),
    (
        "fallback_tie",
        "Of equally cheap models the first by name prices.",
        "ORDER BY input_per_m, model)",
        "ORDER BY input_per_m, model DESC)",
        "of_equally_cheap_models_the_first_by_name_prices",
    ),
    (
        "fallback_tie_case",
        "Names are put in order by their characters, whatever their case.",
        "ORDER BY input_per_m, model)",
        "ORDER BY input_per_m, lower(model))",
        "of_equally_cheap_models_the_first_by_name_prices",
    ),
    (
        "fallback_none",
        "A model without an input price does not price its own search.",
        "coalesce(own.input_per_m, c.input_per_m)",
        "own.input_per_m",
        "a_search_without_a_priced_model_takes_the_cheapest_called",
    ),
    (
        "fallback_first",
        "A search of a priced model is priced by that model.",
        "coalesce(own.input_per_m, c.input_per_m)",
        "coalesce(c.input_per_m, own.input_per_m)",
        "a_search_of_a_priced_model_takes_its_price_called_or_not",
    ),
    (
        "fallback_for_free",
        "A price of 0 is a price: no other model's takes its place.",
        "coalesce(own.input_per_m, c.input_per_m)",
        "coalesce(nullif(own.input_per_m, 0), c.input_per_m)",
        "a_search_of_a_priced_model_takes_its_price_called_or_not",
    ),
    (
        "fallback_cache_read",
        "The cache-read price is that of the model that prices, or its input price.",
        "THEN own.cache_read_per_m ELSE c.cache_read_per_m END",
        "THEN coalesce(own.cache_read_per_m, c.cache_read_per_m) ELSE c.cache_read_per_m END",
        "the_cache_read_price_is_that_of_the_model_that_prices",
    ),
    (
        "stuffed_beyond_window",
        "No more than the window can be stuffed.",
        "least(scope, window_tokens) AS stuffed",
        "scope AS stuffed",
        "stuffed_is_at_most_the_window_and_avoided_never_negative",
    ),
    (
        "avoided_beyond_window",
        "What is avoided is counted from what fits into the window.",
        "greatest(least(scope, window_tokens) - context_tokens_sent, 0)",
        "greatest(scope - context_tokens_sent, 0)",
        "stuffed_is_at_most_the_window_and_avoided_never_negative",
    ),
    (
        "avoided_negative",
        "A search that sent more than its scope avoided nothing, not less than that.",
        "greatest(least(scope, window_tokens) - context_tokens_sent, 0)",
        "least(scope, window_tokens) - context_tokens_sent",
        "stuffed_is_at_most_the_window_and_avoided_never_negative",
    ),
    (
        "clamp_always",
        "By a switch a search may save less than nothing.",
        " AND $clamp",
        "",
        "stuffed_is_at_most_the_window_and_avoided_never_negative",
    ),
    (
        "measured_negative_scope",
        "A search with a negative scope is unmeasured.",
        "scope >= 0 AND context_tokens_sent >= 0",
        "scope IS NOT NULL AND context_tokens_sent >= 0",
        "a_search_is_measured_with_its_scope_and_what_was_sent",
    ),
    (
        "measured_negative_sent",
        "A search that sent a negative count is unmeasured.",
        "scope >= 0 AND context_tokens_sent >= 0",
        "scope >= 0 AND context_tokens_sent IS NOT NULL",
        "a_search_is_measured_with_its_scope_and_what_was_sent",
    ),
    (
        "measured_without_scope",
        "A search that does not say its scope is unmeasured.",
        "scope >= 0 AND context_tokens_sent >= 0",
        "coalesce(scope, 0) >= 0 AND context_tokens_sent >= 0",
        "a_search_is_measured_with_its_scope_and_what_was_sent",
    ),
    (
        "measured_empty_scope",
        "A scope of 0 is a scope.",
        "scope >= 0 AND",
        "scope > 0 AND",
        "a_search_is_measured_with_its_scope_and_what_was_sent",
    ),
    (
        "scope_always_window",
        "A missing scope is only taken as the window by a switch.",
        "CASE WHEN r.corpus_tokens_in_scope IS NULL AND $unmeasured_as_window",
        "CASE WHEN r.corpus_tokens_in_scope IS NULL",
        "a_missing_scope_may_be_taken_as_the_window",
    ),
    (
        "scope_negative_window",
        "A negative scope is not a missing one.",
        "CASE WHEN r.corpus_tokens_in_scope IS NULL AND $unmeasured_as_window",
        "CASE WHEN coalesce(r.corpus_tokens_in_scope, -1) < 0 AND $unmeasured_as_window",
        "a_missing_scope_may_be_taken_as_the_window",
    ),
    (
        "search_border_start",
        "A search at the first instant of the period is part of it.",
        "r.ts >= $start",
        "r.ts > $start",
        "the_borders_of_the_period_for_searches",
    ),
    (
        "search_border_end",
        "A search at the instant after the period is not part of it.",
        "r.ts < $end",
        "r.ts <= $end",
        "the_borders_of_the_period_for_searches",
    ),
    (
        "search_day_start",
        "A search at the first instant of a local day lies on that day.",
        "m.ts >= d.starts AND m.ts < d.ends",
        "m.ts > d.starts AND m.ts <= d.ends",
        _of_records("searches_lie_on_local_days"),
    ),
    (
        "search_model_key",
        "Searches without a model are a group of their own, not that of an empty name.",
        "WHEN 'model' THEN model",
        "WHEN 'model' THEN coalesce(model, '')",
        _of_records("no_name_and_an_empty_name_are_two_keys"),
    ),
)

_CACHING_QUERY = _in(
    f"{_LIGHTHOUSE}/caching.sql",
    (
        "caching_without_refused",
        "Refused calls are part of caching.",
        "(outcome IS DISTINCT FROM 'refused' OR $refused_in_caching)",
        "outcome IS DISTINCT FROM 'refused'",
        "refused_calls_are_part_of_caching",
    ),
    (
        "caching_refused_always",
        "By a switch refused calls leave caching.",
        "AND (outcome IS DISTINCT FROM 'refused' OR $refused_in_caching)",
        "",
        "refused_calls_are_part_of_caching",
    ),
    (
        "reported_zero",
        "A call that reports 0 cached tokens has reported.",
        "count(*) FILTER (cache_read_tokens >= 0)",
        "count(*) FILTER (cache_read_tokens > 0)",
        "a_call_that_reports_no_cached_token_has_reported",
    ),
    (
        "reported_null",
        "A call without a count of cached tokens has not reported.",
        "count(*) FILTER (cache_read_tokens >= 0)",
        "count(*) FILTER (coalesce(cache_read_tokens, 0) >= 0)",
        "a_call_that_reports_no_cached_token_has_reported",
    ),
    (
        "reported_negative",
        "A negative count is taken as absent, so that it is no report.",
        "count(*) FILTER (cache_read_tokens >= 0)",
        "count(cache_read_tokens)",
        "a_negative_token_count_in_a_call_is_taken_as_absent",
    ),
    (
        "negative_reads",
        "A negative count of tokens read adds nothing.",
        "sum(cache_read_tokens) FILTER (cache_read_tokens > 0)",
        "sum(cache_read_tokens)",
        "a_negative_token_count_in_a_call_is_taken_as_absent",
    ),
    (
        "negative_writes",
        "A negative count of tokens written adds nothing.",
        "sum(cache_write_tokens) FILTER (cache_write_tokens > 0)",
        "sum(cache_write_tokens)",
        "a_negative_token_count_in_a_call_is_taken_as_absent",
    ),
    (
        "negative_input",
        "A negative count of input tokens adds nothing.",
        "sum(input_tokens) FILTER (input_tokens > 0)",
        "sum(input_tokens)",
        "a_negative_token_count_in_a_call_is_taken_as_absent",
    ),
    (
        "negative_output",
        "A negative count of output tokens adds nothing.",
        "sum(output_tokens) FILTER (output_tokens > 0)",
        "sum(output_tokens)",
        "a_negative_token_count_in_a_call_is_taken_as_absent",
    ),
    (
        "call_border_start",
        "A call at the first instant of the period is part of it.",
        "c.ts >= $start",
        "c.ts > $start",
        "the_borders_of_the_period_for_calls",
    ),
    (
        "call_border_end",
        "A call at the instant after the period is not part of it.",
        "c.ts < $end",
        "c.ts <= $end",
        "the_borders_of_the_period_for_calls",
    ),
    (
        "call_day",
        "A call at the first instant of a local day lies on that day.",
        "c.ts >= d.starts AND c.ts < d.ends",
        "c.ts > d.starts AND c.ts <= d.ends",
        _of_records("calls_lie_on_local_days"),
    ),
    (
        "call_provider",
        "The provider is that of the call, not that of the price card.",
        "WHEN 'provider' THEN provider",
        "WHEN 'provider' THEN coalesce("
        "provider, (SELECT max(m.provider) FROM models m WHERE m.deployment = c.deployment))",
        "each_deployment_is_priced_on_its_own_card",
    ),
)

_CARD = _in(
    f"{_LIGHTHOUSE}/card.sql",
    (
        "card_ignores_end",
        "A card that is not known before the end of the period is not used in it.",
        "WHERE ts < $end OR",
        "WHERE true OR ts < $end OR",
        "a_card_at_the_end_of_the_period_is_not_known_in_it",
    ),
    (
        "card_border_end",
        "A card line at the instant after the period is dropped.",
        "WHERE ts < $end OR",
        "WHERE ts <= $end OR",
        "a_card_at_the_end_of_the_period_is_not_known_in_it",
    ),
    (
        "card_switch_end",
        "By a switch the end of the period is ignored for the card.",
        "OR $card IN ('newest_in_export', 'last_in_file')",
        "OR $card = 'last_in_file'",
        "a_card_at_the_end_of_the_period_is_not_known_in_it",
    ),
    (
        "card_judged_whole",
        "Completeness is judged by the lines before the end of the period.",
        "    FROM listed\n    GROUP BY deployment, snapshot",
        "    FROM models\n    GROUP BY deployment, snapshot",
        "completeness_is_judged_by_the_lines_before_the_end",
    ),
    (
        "complete_by_any",
        "One line that denies it makes a snapshot incomplete.",
        "bool_and(complete IS NOT false)",
        "bool_or(complete IS NOT false)",
        "a_snapshot_is_complete_unless_a_line_denies_it",
    ),
    (
        "complete_when_said",
        "A snapshot that does not say so is complete.",
        "bool_and(complete IS NOT false)",
        "bool_and(complete IS true)",
        "a_snapshot_is_complete_unless_a_line_denies_it",
    ),
    (
        "complete_ignored",
        "An incomplete snapshot is no card.",
        "WHERE is_complete OR $card = 'newest_any'",
        "",
        "a_snapshot_is_complete_unless_a_line_denies_it",
    ),
    (
        "complete_switch_ignored",
        "By a switch completeness is ignored.",
        "WHERE is_complete OR $card = 'newest_any'",
        "WHERE is_complete",
        "a_snapshot_is_complete_unless_a_line_denies_it",
    ),
    (
        "size_ignored",
        "A snapshot with less models than it says is incomplete.",
        "            AND coalesce(min(size), count(DISTINCT model)) = count(DISTINCT model)\n"
        "            AND coalesce(max(size), count(DISTINCT model)) = count(DISTINCT model)"
        " AS is_complete",
        "            AS is_complete",
        "a_snapshot_has_as_many_models_as_it_says",
    ),
    (
        "size_required",
        "A snapshot need not say how many models it has.",
        "AND coalesce(min(size), count(DISTINCT model)) = count(DISTINCT model)",
        "AND coalesce(min(size), 0) = count(DISTINCT model)",
        "a_snapshot_is_complete_unless_a_line_denies_it",
    ),
    (
        "size_greatest",
        "Every size that is given has to fit, also the smallest.",
        "            AND coalesce(min(size), count(DISTINCT model)) = count(DISTINCT model)\n",
        "",
        "every_size_that_is_given_has_to_fit",
    ),
    (
        "size_smallest",
        "Every size that is given has to fit, also the greatest.",
        "            AND coalesce(max(size), count(DISTINCT model)) = count(DISTINCT model)"
        " AS is_complete",
        "            AS is_complete",
        "every_size_that_is_given_has_to_fit",
    ),
    (
        "size_at_least",
        "A snapshot with more models than it says is incomplete.",
        "coalesce(min(size), count(DISTINCT model)) = count(DISTINCT model)",
        "coalesce(min(size), count(DISTINCT model)) <= count(DISTINCT model)",
        "every_size_that_is_given_has_to_fit",
    ),
    (
        "size_of_lines",
        "A model that is listed twice is one model of its snapshot.",
        "            AND coalesce(min(size), count(DISTINCT model)) = count(DISTINCT model)\n"
        "            AND coalesce(max(size), count(DISTINCT model)) = count(DISTINCT model)",
        "            AND coalesce(min(size), count(model)) = count(model)\n"
        "            AND coalesce(max(size), count(model)) = count(model)",
        "a_model_listed_twice_is_one_model_of_a_snapshot",
    ),
    (
        "newest_by_first_line",
        "A snapshot is as new as its newest line.",
        "max(row(ts, ts_sub)) AS newest",
        "min(row(ts, ts_sub)) AS newest",
        "the_newest_snapshot_is_the_one_with_the_latest_line",
    ),
    (
        "newest_to_the_microsecond",
        "Digits beyond the microsecond decide which snapshot is newer.",
        "max(row(ts, ts_sub)) AS newest",
        "max(ts) AS newest",
        "digits_beyond_the_microsecond_decide_between_snapshots",
    ),
    (
        "newest_is_oldest",
        "The newest of the complete snapshots is the card.",
        "ORDER BY newest DESC, snapshot DESC",
        "ORDER BY newest, snapshot DESC",
        "the_newest_snapshot_is_the_one_with_the_latest_line",
    ),
    (
        "newest_tie",
        "Of equally new snapshots the one with the greater id counts.",
        "ORDER BY newest DESC, snapshot DESC",
        "ORDER BY newest DESC, snapshot",
        "of_equally_new_snapshots_the_greater_id_counts",
    ),
    (
        "newest_by_id",
        "An older snapshot does not count for its greater id.",
        "ORDER BY newest DESC, snapshot DESC",
        "ORDER BY snapshot DESC",
        "the_newest_snapshot_is_the_one_with_the_latest_line",
    ),
    (
        "card_of_every_snapshot",
        "A model that is not in the newest complete snapshot has no price.",
        "WHERE c.newest IS NOT NULL OR $card = 'last_in_file'",
        "",
        "a_model_that_left_the_newest_snapshot_has_no_price",
    ),
    (
        "card_switch_last",
        "By a switch a model's last line in the file is its card.",
        "WHERE c.newest IS NOT NULL OR $card = 'last_in_file'",
        "WHERE c.newest IS NOT NULL",
        "the_last_line_in_the_file_is_another_card",
    ),
    (
        "card_first_line",
        "Of two lines for one model the later counts.",
        "PARTITION BY deployment, model ORDER BY line DESC",
        "PARTITION BY deployment, model ORDER BY line",
        "of_two_lines_for_one_model_the_later_counts",
    ),
    (
        "card_newest_line",
        "The later of two lines is the one further down, whatever their timestamps.",
        "PARTITION BY deployment, model ORDER BY line DESC",
        "PARTITION BY deployment, model ORDER BY l.ts DESC, line DESC",
        "of_two_lines_for_one_model_the_later_counts",
    ),
)

_ROUTING_QUERY = _in(
    f"{_LIGHTHOUSE}/routing.sql",
    (
        "saving_of_watchers",
        "A decision that was not applied saves nothing.",
        "sum(whole) FILTER (applied AND saves)",
        "sum(whole) FILTER (saves)",
        "a_decision_is_applied_unless_it_says_otherwise",
    ),
    (
        "saving_rest",
        "Savings are added with what is behind the point.",
        "sum(rest) FILTER (applied AND saves)",
        "sum(0) FILTER (applied AND saves)",
        "costs_are_compared_and_added_to_the_last_digit",
    ),
    (
        "escalation_of_watchers",
        "A decision that was not applied escalates nothing.",
        "sum(-whole) FILTER (applied AND escalates) AS escalation_whole,\n"
        "    sum(-rest) FILTER (applied AND escalates)",
        "sum(-whole) FILTER (escalates) AS escalation_whole,\n    sum(-rest) FILTER (escalates)",
        "a_decision_is_applied_unless_it_says_otherwise",
    ),
    (
        "escalation_sign",
        "An escalation is a positive number.",
        "sum(-whole) FILTER (applied AND escalates)",
        "sum(whole) FILTER (applied AND escalates)",
        "escalations_are_taken_off_what_routing_saved",
    ),
    (
        "escalation_rest_sign",
        "An escalation is positive behind its point as well.",
        "sum(-rest) FILTER (applied AND escalates)",
        "sum(rest) FILTER (applied AND escalates)",
        "costs_are_compared_and_added_to_the_last_digit",
    ),
    (
        "off_saving_negative",
        "What an unapplied decision would have cost more is not taken off.",
        "sum(whole) FILTER (NOT applied AND saves)",
        "sum(whole) FILTER (NOT applied)",
        "a_decision_is_applied_unless_it_says_otherwise",
    ),
    (
        "off_saving_of_all",
        "What applied decisions saved is no saving of those that were not applied.",
        "sum(whole) FILTER (NOT applied AND saves)",
        "sum(whole) FILTER (saves)",
        "a_decision_is_applied_unless_it_says_otherwise",
    ),
    (
        "off_saving_rest",
        "Savings that were not applied are added with what is behind the point.",
        "sum(rest) FILTER (NOT applied AND saves)",
        "sum(0) FILTER (NOT applied AND saves)",
        "costs_are_compared_and_added_to_the_last_digit",
    ),
    (
        "costs_by_dollars",
        "Costs are compared with what is behind the point.",
        "baseline_usd > picked_usd AS saves",
        "trunc(baseline_usd) > trunc(picked_usd) AS saves",
        "costs_are_compared_and_added_to_the_last_digit",
    ),
    (
        "costs_floored",
        "The dollars of a credit and what is behind their point belong together.",
        "trunc(baseline_usd)::HUGEINT - trunc(picked_usd)::HUGEINT AS whole",
        "floor(baseline_usd)::HUGEINT - floor(picked_usd)::HUGEINT AS whole",
        "costs_are_compared_and_added_to_the_last_digit",
    ),
    (
        "uncomparable_baseline_only",
        "A decision without the cost of what was picked is uncomparable.",
        "count(*) FILTER (whole IS NULL)",
        "count(*) FILTER (baseline_usd IS NULL)",
        "a_decision_without_both_costs_is_uncomparable",
    ),
    (
        "uncomparable_picked_only",
        "A decision without the cost of the baseline is uncomparable.",
        "count(*) FILTER (whole IS NULL)",
        "count(*) FILTER (picked_usd IS NULL)",
        "a_decision_without_both_costs_is_uncomparable",
    ),
    (
        "uncomparable_free",
        "A cost of 0 is a cost.",
        "count(*) FILTER (whole IS NULL)",
        "count(*) FILTER (whole IS NULL OR picked_usd = 0)",
        "a_decision_without_both_costs_is_uncomparable",
    ),
    (
        "decision_border_start",
        "A decision at the first instant of the period is part of it.",
        "WHERE ts >= $start AND",
        "WHERE ts > $start AND",
        "the_borders_of_the_period_for_decisions",
    ),
    (
        "decision_border_end",
        "A decision at the instant after the period is not part of it.",
        "AND ts < $end",
        "AND ts <= $end",
        "the_borders_of_the_period_for_decisions",
    ),
    (
        "decision_day",
        "A decision at the first instant of a local day lies on that day.",
        "r.ts >= d.starts AND r.ts < d.ends",
        "r.ts > d.starts AND r.ts <= d.ends",
        _of_records("decisions_lie_on_local_days"),
    ),
)

_COUNTERFACTUAL_QUERY = _in(
    f"{_LIGHTHOUSE}/counterfactual.sql",
    (
        "counterfactual_refused",
        "Refused calls are no calls of the counterfactual.",
        " AND outcome IS DISTINCT FROM 'refused'",
        "",
        "refused_calls_are_no_calls_of_the_counterfactual",
    ),
    (
        "counterfactual_ok_only",
        "Calls with another outcome than refused are part of the counterfactual.",
        "outcome IS DISTINCT FROM 'refused'",
        "coalesce(outcome, 'ok') = 'ok'",
        "refused_calls_are_no_calls_of_the_counterfactual",
    ),
    (
        "counterfactual_card_of_any",
        "The baseline's card is that of the same deployment.",
        "LEFT JOIN card base ON base.deployment = c.deployment AND base.model = $baseline_model",
        "LEFT JOIN (SELECT * FROM card WHERE model = $baseline_model "
        "ORDER BY deployment LIMIT 1) base ON true",
        "without_a_card_or_an_output_price_a_call_has_no_counterfactual",
    ),
    (
        "counterfactual_negative",
        "A negative count is absent from the counterfactual.",
        "sum(output_tokens) FILTER (output_tokens > 0)",
        "sum(output_tokens)",
        "the_same_tokens_on_another_card",
    ),
    (
        "counterfactual_border_start",
        "A call at the first instant of the period is part of the counterfactual.",
        "c.ts >= $start",
        "c.ts > $start",
        "the_borders_of_the_period_for_the_counterfactual",
    ),
    (
        "counterfactual_border_end",
        "A call at the instant after the period is not part of the counterfactual.",
        "c.ts < $end",
        "c.ts <= $end",
        "the_borders_of_the_period_for_the_counterfactual",
    ),
)

_INFRASTRUCTURE_QUERY = _in(
    f"{_LIGHTHOUSE}/infrastructure.sql",
    (
        "profile_border_end",
        "A profile at the instant after the period is not known in it.",
        "    WHERE ts < $end\n",
        "    WHERE ts <= $end\n",
        "the_newest_profile_before_the_end_is_for_the_whole_period",
    ),
    (
        "profile_in_period",
        "A profile from before the period holds in it.",
        "    WHERE ts < $end\n",
        "    WHERE ts >= $start AND ts < $end\n",
        "always_on_for_every_hour_less_what_was_paid",
    ),
    (
        "profile_oldest",
        "The newest profile is applied to the whole period.",
        "ORDER BY ts DESC, ts_sub DESC, line DESC",
        "ORDER BY ts, ts_sub DESC, line DESC",
        "the_newest_profile_before_the_end_is_for_the_whole_period",
    ),
    (
        "profile_last_line",
        "The newest profile is the newest by its timestamp.",
        "ORDER BY ts DESC, ts_sub DESC, line DESC",
        "ORDER BY line DESC",
        "the_newest_profile_before_the_end_is_for_the_whole_period",
    ),
    (
        "profile_to_the_microsecond",
        "Digits beyond the microsecond decide which profile is newer.",
        "ORDER BY ts DESC, ts_sub DESC, line DESC",
        "ORDER BY ts DESC, line DESC",
        "of_equally_new_profiles_the_later_line_counts",
    ),
    (
        "profile_tie",
        "Of equally new profiles the later line counts.",
        "ORDER BY ts DESC, ts_sub DESC, line DESC",
        "ORDER BY ts DESC, ts_sub DESC, line",
        "of_equally_new_profiles_the_later_line_counts",
    ),
    (
        "profile_always_on",
        "A deployment that is always on is not part of the lever.",
        "WHERE profile IS DISTINCT FROM 'always_on'",
        "",
        "every_profile_but_always_on_counts",
    ),
    (
        "profile_unknown",
        "A deployment with a profile of another name is part of the lever.",
        "WHERE profile IS DISTINCT FROM 'always_on'",
        "WHERE profile IN ('scheduled', 'ephemeral')",
        "every_profile_but_always_on_counts",
    ),
    (
        "profile_null",
        "A deployment whose profile has no name is part of the lever.",
        "WHERE profile IS DISTINCT FROM 'always_on'",
        "WHERE profile <> 'always_on'",
        "every_profile_but_always_on_counts",
    ),
    (
        "cost_of_any_kind",
        "Only costs of infrastructure count.",
        " AND kind = 'infrastructure'",
        "",
        "only_infrastructure_is_a_cost_here",
    ),
    (
        "cost_without_kind",
        "A cost without a kind does not count.",
        "kind = 'infrastructure'",
        "coalesce(kind, 'infrastructure') = 'infrastructure'",
        "only_infrastructure_is_a_cost_here",
    ),
    (
        "cost_null",
        "A cost without an amount is no cost record.",
        "sum(trunc(usd)::HUGEINT) AS actual_whole, sum(usd - trunc(usd)) AS actual_rest\n"
        "    FROM cost\n"
        "    WHERE ts >= $start AND ts < $end AND kind = 'infrastructure' AND usd IS NOT NULL",
        "sum(trunc(coalesce(usd, 0))::HUGEINT) AS actual_whole, "
        "sum(coalesce(usd - trunc(usd), 0)) AS actual_rest\n"
        "    FROM cost\n"
        "    WHERE ts >= $start AND ts < $end AND kind = 'infrastructure'",
        "without_a_cost_record_nothing_is_known_of_a_deployment",
    ),
    (
        "cost_zero",
        "A cost of 0 is a cost record.",
        "usd IS NOT NULL",
        "usd <> 0",
        "a_cost_of_nothing_is_a_cost_record",
    ),
    (
        "cost_negative",
        "A negative cost is a credit and is summed.",
        "usd IS NOT NULL",
        "usd >= 0",
        "always_on_for_every_hour_less_what_was_paid",
    ),
    (
        "cost_rest",
        "Costs are added with what is behind the point.",
        "sum(usd - trunc(usd)) AS actual_rest",
        "0 AS actual_rest",
        "always_on_for_every_hour_less_what_was_paid",
    ),
    (
        "cost_border_start",
        "A cost at the first instant of the period is part of it.",
        "WHERE ts >= $start AND",
        "WHERE ts > $start AND",
        "the_borders_of_the_period_for_costs",
    ),
    (
        "cost_border_end",
        "A cost at the instant after the period is not part of it.",
        "AND ts < $end AND kind",
        "AND ts <= $end AND kind",
        "the_borders_of_the_period_for_costs",
    ),
)

_LEVERS = _in(
    f"{_LIGHTHOUSE}/levers.py",
    (
        "weight_is_rate",
        "A search weighs 1 / its sampling rate.",
        "return 1 / value if 0 < value <= 1 else None",
        "return value if 0 < value <= 1 else None",
        "a_sampled_search_weighs_as_many_as_it_stands_for",
    ),
    (
        "weight_of_zero",
        "A rate of 0 stands for 1.",
        "    if value == 0:\n        return Fraction(1)",
        "    if value == 0:\n        return None",
        "a_sampled_search_weighs_as_many_as_it_stands_for",
    ),
    (
        "weight_above_one",
        "A rate above 1 leaves the search unmeasured.",
        "if 0 < value <= 1 else",
        "if 0 < value else",
        "a_rate_that_gives_no_weight_leaves_the_search_unmeasured",
    ),
    (
        "weight_below_zero",
        "A negative rate leaves the search unmeasured.",
        "if 0 < value <= 1 else",
        "if value <= 1 else",
        "a_rate_that_gives_no_weight_leaves_the_search_unmeasured",
    ),
    (
        "weight_of_one",
        "A rate of 1 is a rate.",
        "if 0 < value <= 1 else",
        "if 0 < value < 1 else",
        "a_sampled_search_weighs_as_many_as_it_stands_for",
    ),
    (
        "weight_as_float",
        "A rate is the decimal that its text says.",
        "value = Fraction(rate)",
        "value = Fraction(float(rate))",
        "a_sampled_search_weighs_as_many_as_it_stands_for",
    ),
    (
        "weight_in_counts",
        "Searches are counted plainly, whatever they weigh.",
        'measured += group["measured"]\n        stuffed',
        'measured += int(group["measured"] * weight)\n        stuffed',
        "a_sampled_search_weighs_as_many_as_it_stands_for",
    ),
    (
        "weight_of_sent",
        "The tokens sent are weighted like the others.",
        'sent += group["sent_tokens"] * weight',
        'sent += group["sent_tokens"]',
        "a_sampled_search_weighs_as_many_as_it_stands_for",
    ),
    (
        "weight_switch_ignored",
        "By a switch every search weighs 1.",
        "if not method.weights:",
        "if method.weights is None:",
        "a_sampled_search_weighs_as_many_as_it_stands_for",
    ),
    (
        "weight_switch_mends",
        "A rate outside its bounds leaves a search unmeasured, weighted or not.",
        "        if weight is None:\n",
        "        if weight is None and method.weights:\n",
        "a_rate_that_gives_no_weight_leaves_the_search_unmeasured",
    ),
    (
        "bad_rate_forgotten",
        "A search with a rate outside its bounds is counted as unmeasured.",
        '            unmeasured += group["measured"]\n',
        "",
        "a_rate_that_gives_no_weight_leaves_the_search_unmeasured",
    ),
    (
        "avoided_from_totals",
        "What is avoided is clamped search by search, not over the sums.",
        'saved = group["tokens_avoided"] * weight',
        'saved = (group["stuffed_tokens"] - group["sent_tokens"]) * weight',
        "stuffed_is_at_most_the_window_and_avoided_never_negative",
    ),
    (
        "unpriced_by_group",
        "Every measured search without a price is counted as unpriced.",
        'unpriced += group["measured"]',
        "unpriced += 1",
        "what_nobody_prices_has_no_dollars_and_is_counted",
    ),
    (
        "cached_without_price",
        "Without a cache-read price a cached search takes the input price.",
        "read = fresh if read_price is None else",
        "read = Fraction(0) if read_price is None else",
        "without_a_cache_read_price_cached_dollars_take_the_input_price",
    ),
    (
        "cached_everywhere",
        "A search is cached by the calls of its own deployment.",
        'if group["deployment"] in reads_cache else',
        "if reads_cache else",
        "cached_is_said_of_each_deployment_by_itself",
    ),
    (
        "cached_never",
        "The figure takes the cached dollars where the deployment read a cache.",
        'usd += read if group["deployment"] in reads_cache else fresh',
        "usd += fresh",
        "a_refused_call_that_reads_a_cache_makes_the_searches_cached",
    ),
    (
        "retrieval_never_no_data",
        "Retrieval has no data when nothing is measured.",
        "    if measured == 0:\n",
        "    if measured + unmeasured == 0:\n",
        "statuses_of_retrieval",
    ),
    (
        "retrieval_card_for_all",
        "Retrieval lacks a price card only when every measured search is unpriced.",
        'elif totals["unpriced"] == measured:',
        'elif totals["unpriced"]:',
        "what_nobody_prices_has_no_dollars_and_is_counted",
    ),
    (
        "retrieval_never_no_card",
        "Retrieval lacks a price card when every measured search is unpriced.",
        'elif totals["unpriced"] == measured:',
        "elif False:",
        "statuses_of_retrieval",
    ),
    (
        "retrieval_coverage",
        "Retrieval's coverage is of all searches in the period.",
        "Coverage(measured, measured + unmeasured)",
        "Coverage(measured, measured)",
        "a_search_is_measured_with_its_scope_and_what_was_sent",
    ),
    (
        "figure_of_any_status",
        "A lever whose status is not ok has no figure.",
        'return _exact(value) if status == "ok" else None',
        "return _exact(value)",
        "statuses_of_retrieval",
    ),
    (
        "caching_unpriced_saves",
        "Without an input price caching saves nothing.",
        "    if price is None:\n        return Fraction(0)\n    if read_price",
        "    if price is None:\n        price = Fraction(0)\n    if read_price",
        "without_a_card_or_a_cache_read_price_caching_saves_nothing",
    ),
    (
        "caching_null_read_is_input",
        "Without a cache-read price nothing is saved, and writing costs nothing either.",
        "            return Fraction(0)\n        read_price = Fraction(0)",
        "            read_price = price\n        else:\n            read_price = Fraction(0)",
        "without_a_card_or_a_cache_read_price_caching_saves_nothing",
    ),
    (
        "caching_null_read_is_free",
        "Without a cache-read price it is not 0.",
        "        if not method.null_read_saves:\n            return Fraction(0)\n",
        "",
        "without_a_card_or_a_cache_read_price_caching_saves_nothing",
    ),
    (
        "caching_null_read_switch",
        "By a switch an unknown cache-read price is 0.",
        "if not method.null_read_saves:",
        "if True:",
        "without_a_card_or_a_cache_read_price_caching_saves_nothing",
    ),
    (
        "caching_null_write",
        "Without a cache-write price writing costs the input price, so nothing extra.",
        "    premium = Fraction(0)\n",
        "    premium = price\n",
        "reads_save_and_writes_cost_what_is_above_the_input_price",
    ),
    (
        "premium_signed",
        "Writing below the input price earns nothing.",
        "premium = max(write_price - price, Fraction(0))",
        "premium = write_price - price",
        "reads_save_and_writes_cost_what_is_above_the_input_price",
    ),
    (
        "premium_whole",
        "Writing costs what is above the input price, not its whole price.",
        "premium = max(write_price - price, Fraction(0))",
        "premium = max(write_price, Fraction(0))",
        "reads_save_and_writes_cost_what_is_above_the_input_price",
    ),
    (
        "premium_switch_ignored",
        "By a switch writing costs nothing extra.",
        "if method.write_premium and write_price is not None:",
        "if write_price is not None:",
        "reads_save_and_writes_cost_what_is_above_the_input_price",
    ),
    (
        "caching_reads_clamped",
        "Reading above the input price loses money.",
        "(price - read_price)",
        "max(price - read_price, Fraction(0))",
        "reads_save_and_writes_cost_what_is_above_the_input_price",
    ),
    (
        "caching_clamped",
        "What caching saves can be negative.",
        "return Fraction(reads - writes) / MILLION",
        "return max(Fraction(reads - writes), Fraction(0)) / MILLION",
        "caching_can_lose_as_a_whole",
    ),
    (
        "caching_no_data_without_calls",
        "Caching has no data when no call reports its cached tokens.",
        'if totals["reported"] == 0:',
        'if totals["calls"] == 0:',
        "statuses_of_caching",
    ),
    (
        "caching_no_data_without_reads",
        "A report of 0 cached tokens is data.",
        'if totals["reported"] == 0:',
        'if totals["cache_read_tokens"] == 0:',
        "statuses_of_caching",
    ),
    (
        "caching_card_for_all",
        "Caching lacks a price card only when no called model is priced.",
        'elif all(group["input_per_m"] is None for group in cells):',
        'elif any(group["input_per_m"] is None for group in cells):',
        "statuses_of_caching",
    ),
    (
        "caching_card_by_line",
        "A model on a card without an input price is not priced.",
        'elif all(group["input_per_m"] is None for group in cells):',
        'elif all(group["card_line"] is None for group in cells):',
        "statuses_of_caching",
    ),
    (
        "caching_coverage",
        "Caching's coverage is of all calls.",
        'Coverage(_int(totals["reported"]), _int(totals["calls"]))',
        'Coverage(_int(totals["reported"]), _int(totals["reported"]))',
        "refused_calls_are_part_of_caching",
    ),
    (
        "caching_sums_as_float",
        "Sums of tokens are exact beyond 64 bits.",
        "{name: sum(int(group[name]) for group in members) for name in counted}",
        "{name: int(sum(float(group[name]) for group in members)) for name in counted}",
        _of_records("token_counts_are_exact_to_64_bits_and_beyond_in_sums"),
    ),
    (
        "cell_without_card",
        "A cell shows the prices of the card it was priced on.",
        "prices if on_card and any(",
        "prices if not on_card and any(",
        _of_records("a_cell_shows_the_card_it_was_priced_on"),
    ),
    (
        "routing_not_netted",
        "Escalations are taken off routing's figure.",
        "        if method.escalation_netted:\n"
        '            usd -= _exact(totals["escalation_usd"])\n',
        "",
        "escalations_are_taken_off_what_routing_saved",
    ),
    (
        "routing_switch_ignored",
        "By a switch routing's figure is its savings alone.",
        "if method.escalation_netted:",
        "if method is not None:",
        "escalations_are_taken_off_what_routing_saved",
    ),
    (
        "routing_ok_by_any_decision",
        "Routing compares nothing when no decision has both costs.",
        "    if comparable:\n",
        "    if decisions:\n",
        "a_model_listed_twice_costs_what_is_listed_first",
    ),
    (
        "routing_coverage",
        "Routing's coverage is of all decisions.",
        "Coverage(comparable, decisions)",
        "Coverage(comparable, comparable)",
        "a_decision_without_both_costs_is_uncomparable",
    ),
    (
        "counterfactual_beside_decisions",
        "A period with a decision, even an uncomparable one, has no counterfactual.",
        "elif decisions == 0 and counterfactual is not None:",
        "elif counterfactual is not None:",
        "only_a_period_without_decisions_has_a_counterfactual",
    ),
    (
        "counterfactual_of_nothing",
        "A counterfactual over no computed call compares nothing.",
        'if detail["calls"]:',
        "if detail:",
        "where_nothing_can_be_computed_there_is_no_comparison",
    ),
    (
        "counterfactual_counted",
        "A counterfactual is a partial comparison and never counted.",
        'status, usd = "partial_comparison", _exact',
        'status, usd = "ok", _exact',
        "the_same_tokens_on_another_card",
    ),
    (
        "counterfactual_sign",
        "The counterfactual is the baseline's cost less the calls' own.",
        "usd += base - own",
        "usd += own - base",
        "a_cheaper_baseline_would_have_cost_less",
    ),
    (
        "counterfactual_calls_by_group",
        "Every comparable call of the counterfactual is counted.",
        '            calls += group["calls"]',
        "            calls += 1",
        "the_same_tokens_on_another_card",
    ),
    (
        "counterfactual_uncomparable_by_group",
        "Every uncomparable call of the counterfactual is counted.",
        '            uncomparable += group["calls"]',
        "            uncomparable += 1",
        "without_a_card_or_an_output_price_a_call_has_no_counterfactual",
    ),
    (
        "counterfactual_own_only",
        "Without a card of the baseline a call has no counterfactual.",
        "if own is None or base is None:",
        "base = base or Fraction(0)\n        if own is None:",
        "without_a_card_or_an_output_price_a_call_has_no_counterfactual",
    ),
    (
        "counterfactual_output_free",
        "Without an output price a call has no counterfactual.",
        "    if price is None or out is None:\n        return None",
        "    out = out or Fraction(0)\n    if price is None:\n        return None",
        "without_a_card_or_an_output_price_a_call_has_no_counterfactual",
    ),
    (
        "counterfactual_read_free",
        "In the counterfactual a null cache-read price is the input price.",
        "(price if read is None else read)",
        "(0 if read is None else read)",
        "cache_tokens_without_a_price_cost_the_input_price",
    ),
    (
        "counterfactual_write_free",
        "In the counterfactual a null cache-write price is the input price.",
        "(price if write is None else write)",
        "(0 if write is None else write)",
        "cache_tokens_without_a_price_cost_the_input_price",
    ),
    (
        "counterfactual_without_output",
        "Output tokens are part of what a call costs.",
        '        + group["output_tokens"] * out\n',
        "",
        "the_same_tokens_on_another_card",
    ),
    (
        "infrastructure_no_cost_is_zero",
        "Without a cost record nothing is known of a deployment.",
        'actual = _amount(group, "actual")',
        'actual = _amount(group, "actual") or Fraction(0)',
        "without_a_cost_record_nothing_is_known_of_a_deployment",
    ),
    (
        "infrastructure_no_rate_is_zero",
        "Without an hourly rate nothing is saved or lost.",
        "always_on = None if rate is None else rate * hours",
        "always_on = (rate or Fraction(0)) * hours",
        "without_a_cost_record_nothing_is_known_of_a_deployment",
    ),
    (
        "infrastructure_clamped",
        "What infrastructure saves can be negative.",
        "else always_on - actual",
        "else max(always_on - actual, Fraction(0))",
        "always_on_for_every_hour_less_what_was_paid",
    ),
    (
        "infrastructure_coverage",
        "Deployments without a cost record are not covered.",
        "Coverage(computed, len(rows))",
        "Coverage(len(rows), len(rows))",
        "without_a_cost_record_nothing_is_known_of_a_deployment",
    ),
    (
        "infrastructure_fed_by_all",
        "One deployment with a cost record is a cost feed.",
        'fed = any(row.measures["actual_usd"]',
        'fed = all(row.measures["actual_usd"]',
        "statuses_of_infrastructure",
    ),
    (
        "infrastructure_never_unfed",
        "Without a cost record anywhere there is no cost feed.",
        'status = "ok" if fed else "no_cost_feed"',
        'status = "ok" if rows else "no_cost_feed"',
        "statuses_of_infrastructure",
    ),
    (
        "infrastructure_never_empty",
        "Without an eligible deployment there is no data.",
        '        status = "no_data"\n    else:\n        fed',
        '        status = "ok"\n    else:\n        fed',
        "statuses_of_infrastructure",
    ),
    (
        "money_without_rest",
        "A sum of money is its dollars and the rest.",
        'return None if whole is None else Fraction(whole) + Fraction(group[f"{name}_rest"])',
        "return None if whole is None else Fraction(whole)",
        "costs_are_compared_and_added_to_the_last_digit",
    ),
    (
        "key_empty_is_null",
        "An empty name is a key of its own.",
        'found.setdefault(group["key"], [])',
        'found.setdefault(group["key"] or None, [])',
        _of_records("no_name_and_an_empty_name_are_two_keys"),
    ),
    (
        "key_null_is_empty",
        "No name is a key of its own.",
        'found.setdefault(group["key"], [])',
        'found.setdefault(group["key"] or "", [])',
        _of_records("no_name_and_an_empty_name_are_two_keys"),
    ),
)

_TABLES = _in(
    f"{_LIGHTHOUSE}/tables.sql",
    (
        "escapes_left",
        "A name is what its escapes say.",
        "CASE WHEN contains(leaf, '\\') THEN leaf ->> '$' ELSE trim(leaf, '\"') END",
        "trim(leaf, '\"')",
        _of_records("names_are_what_their_escapes_say"),
    ),
    (
        "limits_order",
        "The context window is context_tokens before context_window.",
        "count_of(coalesce(nullif(o.limits -> '$.context_tokens', 'null'),\n"
        "                      o.limits -> '$.context_window')) AS window_tokens",
        "count_of(coalesce(nullif(o.limits -> '$.context_window', 'null'),\n"
        "                      o.limits -> '$.context_tokens')) AS window_tokens",
        "context_tokens_before_context_window",
    ),
    (
        "limits_null",
        "A null context_tokens leaves context_window to say it.",
        "nullif(o.limits -> '$.context_tokens', 'null')",
        "o.limits -> '$.context_tokens'",
        "context_tokens_before_context_window",
    ),
    (
        "limits_first_only",
        "Without context_tokens the window is context_window.",
        "coalesce(nullif(o.limits -> '$.context_tokens', 'null'),\n"
        "                      o.limits -> '$.context_window')",
        "nullif(o.limits -> '$.context_tokens', 'null')",
        "context_tokens_before_context_window",
    ),
    (
        "limits_zero",
        "A context_tokens of 0 is not passed over for context_window.",
        "nullif(o.limits -> '$.context_tokens', 'null')",
        "nullif(nullif(o.limits -> '$.context_tokens', 'null'), '0')",
        "context_tokens_before_context_window",
    ),
    (
        "sent_nothing",
        "A search that does not say what it sent is unmeasured.",
        "    context_tokens_sent,\n",
        "    coalesce(context_tokens_sent, 0) AS context_tokens_sent,\n",
        "a_search_is_measured_with_its_scope_and_what_was_sent",
    ),
    (
        "snapshot_by_instant",
        "A snapshot without an id is known by the text of its timestamp, not by the instant.",
        "coalesce(o.snapshot ->> '$', o.ts ->> '$') AS snapshot",
        "coalesce(o.snapshot ->> '$', ts::VARCHAR) AS snapshot",
        "without_an_id_a_snapshot_is_the_text_of_its_timestamp",
    ),
    (
        "snapshot_without_id",
        "Lines without an id are not all one snapshot.",
        "coalesce(o.snapshot ->> '$', o.ts ->> '$') AS snapshot",
        "coalesce(o.snapshot ->> '$', '') AS snapshot",
        "without_an_id_a_snapshot_is_the_text_of_its_timestamp",
    ),
    (
        "agent_undecoded",
        "A name is what its escapes say.",
        '    text_of(pack) AS pack,\n    text_of(agent) AS agent,\n    text_of("index")',
        '    text_of(pack) AS pack,\n    trim(agent, \'"\') AS agent,\n    text_of("index")',
        _of_records("names_are_what_their_escapes_say"),
    ),
    (
        "deployment_undecoded",
        "A deployment's name is what its escapes say.",
        "    line,\n    text_of(deployment) AS deployment,\n    ts,\n    text_of(model) AS model,\n"
        "    text_of(pack) AS pack,\n    text_of(agent) AS agent,\n    text_of(provider)",
        "    line,\n    trim(deployment, '\"') AS deployment,\n    ts,\n"
        "    text_of(model) AS model,\n"
        "    text_of(pack) AS pack,\n    text_of(agent) AS agent,\n    text_of(provider)",
        _of_records("names_are_what_their_escapes_say"),
    ),
    (
        "pack_empty",
        "An empty name in the file is not none.",
        '    text_of(pack) AS pack,\n    text_of(agent) AS agent,\n    text_of("index")',
        "    nullif(text_of(pack), '') AS pack,\n"
        '    text_of(agent) AS agent,\n    text_of("index")',
        _of_records("no_name_and_an_empty_name_are_two_keys"),
    ),
)

_SCHEMA = _in(
    f"{_LIGHTHOUSE}/schema.sql",
    (
        "amount_rounded",
        "An amount has up to eighteen decimals, and none is rounded away.",
        "CAST(leaf ->> '$' AS DECIMAL(38, 18))",
        "CAST(leaf ->> '$' AS DECIMAL(38, 12))",
        "prices_are_not_rounded",
    ),
    (
        "amount_as_double",
        "An amount is no binary floating-point number on its way.",
        "CAST(leaf ->> '$' AS DECIMAL(38, 18))",
        "CAST(CAST(leaf ->> '$' AS DOUBLE) AS DECIMAL(38, 18))",
        "infrastructure_money_is_not_rounded",
    ),
    (
        "count_as_double",
        "A token count is exact to 64 bits.",
        "try_cast(leaf::VARCHAR AS BIGINT)",
        "least(try_cast(leaf::VARCHAR AS DOUBLE), 9e18)::BIGINT",
        _of_records("token_counts_are_exact_to_64_bits_and_beyond_in_sums"),
    ),
    (
        "instant_of_any_length",
        "The fixed format is for timestamps that have each of its digits.",
        "strlen(leaf::VARCHAR) = 26 AND ",
        "",
        "test_plain_forms::a_timestamp_is_read_as_the_strict_reader_reads_it",
    ),
    (
        "offset_cut",
        "The offset of a timestamp is honoured by the fast reader.",
        "try_cast(substr(leaf::VARCHAR, 2, length(leaf::VARCHAR) - 2) AS TIMESTAMPTZ)",
        "try_cast(substr(leaf::VARCHAR, 2, 19) AS TIMESTAMPTZ)",
        _of_records("the_offset_of_a_timestamp_is_honoured"),
    ),
)

_DATABASE = _in(
    "verify/store/database.py",
    (
        "naive_is_local",
        "A timestamp without an offset is UTC.",
        "SET TimeZone = 'UTC'",
        "SET TimeZone = 'Asia/Tokyo'",
        _of_records("a_timestamp_without_an_offset_is_utc"),
    ),
)

_FACTS = _in(
    f"{_LIGHTHOUSE}/facts.sql",
    (
        "naive_unnoticed",
        "A timestamp without an offset is a finding.",
        "ELSE NOT regexp_matches(ts::VARCHAR, '[-+][0-9:]{5}\"$') END AS ts_naive",
        "ELSE false END AS ts_naive",
        _of_records("a_timestamp_without_an_offset_is_utc"),
    ),
    (
        "offset_taken_for_none",
        "A timestamp with an offset is no finding.",
        "ELSE NOT regexp_matches(ts::VARCHAR, '[-+][0-9:]{5}\"$') END AS ts_naive",
        "ELSE true END AS ts_naive",
        _of_records("a_timestamp_without_an_offset_is_utc"),
    ),
    (
        "count_unread",
        "A count that is not written plainly is read strictly, not taken as absent.",
        "OR (cache_read_tokens IS NOT NULL AND cache_read_int IS NULL)",
        "",
        _of_records("an_integer_is_one_however_it_is_written"),
    ),
    (
        "attributes_missing",
        "A record that a lever reads has attributes.",
        "instant IS NULL OR no_attrs",
        "instant IS NULL",
        _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"),
    ),
)

_DOUBTS = _in(
    f"{_LIGHTHOUSE}/doubts.sql",
    *(
        (name, rule, old, new, _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"))
        for name, rule, old, new in (
            (
                "doubt_model",
                "A call and a line of a price card have a model.",
                "   OR (type IN ('\"model_call\"', '\"models\"') AND model IS NULL)\n",
                "",
            ),
            (
                "doubt_pack",
                "A pack that is not a text makes the line invalid.",
                "SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(pack)\nUNION\n",
                "",
            ),
            (
                "doubt_outcome",
                "An outcome that is not a text makes the line invalid.",
                "SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(outcome)\nUNION\n",
                "",
            ),
            (
                "doubt_deployment",
                "A deployment that is not a text makes the line invalid.",
                "SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(deployment)\nUNION\n",
                "",
            ),
            (
                "doubt_rate",
                "A sampling rate that is not a number makes the line invalid.",
                "   OR NOT is_rate(sample_rate)\n",
                "",
            ),
            (
                "doubt_size",
                "A size that is not an integer makes the line invalid.",
                " OR NOT is_count(o.size)",
                "",
            ),
            (
                "doubt_usd",
                "A cost that is not a number makes the line invalid.",
                "NOT is_amount(o.usd) OR ",
                "",
            ),
            (
                "doubt_price_object",
                "A price that is not an object makes the line invalid.",
                "   OR (o.price IS NOT NULL AND NOT starts_with(o.price, '{'))\n",
                "",
            ),
            (
                "doubt_decimals",
                "An amount of more than eighteen decimals makes the line invalid.",
                "OR NOT is_amount(price.input_per_m) ",
                "",
            ),
            (
                "doubt_window",
                "A context window that is not an integer makes the line invalid.",
                "OR NOT is_count(limits.context_tokens) ",
                "",
            ),
            (
                "doubt_price_twice",
                "A price that stands twice in its card makes the line invalid.",
                "OR more_than_once(o.price, '\"input_per_m\":') ",
                "",
            ),
        )
    ),
)

_DECISIONS = _in(
    f"{_LIGHTHOUSE}/decisions.sql",
    (
        "negative_cost_deeper",
        "A negative cost deeper in a candidate is none of its own.",
        "coalesce(len(list_filter(listed, lambda c: "
        "regexp_matches(c.cost_usd::VARCHAR, '^\"?-'))), 0)",
        'occurrences(candidates, \'"cost_usd":-\') + occurrences(candidates, \'"cost_usd":"-\')',
        "test_plain_forms::costs_are_the_same_however_candidates_are_written",
    ),
    (
        "negative_cost_cut_out",
        "A negative cost that is cut out of plain text is a finding.",
        "THEN occurrences(candidates, '\"cost_usd\":-') ELSE 0 END",
        "THEN 0 ELSE 0 END",
        "test_plain_forms::costs_are_the_same_however_candidates_are_written",
    ),
    (
        "applied_by_default",
        "A decision that does not say whether it was applied was.",
        "coalesce(try_cast(o.applied ->> '$' AS BOOLEAN), true)",
        "coalesce(try_cast(o.applied ->> '$' AS BOOLEAN), false)",
        "a_decision_is_applied_unless_it_says_otherwise",
    ),
    (
        "picked_last_candidate",
        "A picked model that is listed twice costs what is listed first.",
        "c.model = d.picked)[1].cost_usd",
        "c.model = d.picked)[-1].cost_usd",
        "a_model_listed_twice_costs_what_is_listed_first",
    ),
    (
        "baseline_last_candidate",
        "A baseline that is listed twice costs what is listed first.",
        "c.model = d.baseline)[1].cost_usd",
        "c.model = d.baseline)[-1].cost_usd",
        "a_model_listed_twice_costs_what_is_listed_first",
    ),
    (
        "picked_first_known",
        "A first candidate without a cost leaves what was picked without one.",
        "c.model = d.picked)[1]",
        "c.model = d.picked AND (c.cost_usd ->> '$') IS NOT NULL)[1]",
        "a_model_listed_twice_costs_what_is_listed_first",
    ),
    (
        "baseline_first_known",
        "A first candidate without a cost leaves the baseline without one.",
        "c.model = d.baseline)[1]",
        "c.model = d.baseline AND (c.cost_usd ->> '$') IS NOT NULL)[1]",
        "a_model_listed_twice_costs_what_is_listed_first",
    ),
    (
        "baseline_nameless",
        "A candidate without a name is not the one of a decision without a baseline.",
        "c.model = d.baseline)[1]",
        "c.model IS NOT DISTINCT FROM d.baseline)[1]",
        "a_decision_without_both_costs_is_uncomparable",
    ),
    (
        "negative_cost_unnoticed",
        "A negative cost is a finding, however its line was read.",
        "regexp_matches(c.cost_usd::VARCHAR, '^\"?-')",
        "regexp_matches(c.cost_usd::VARCHAR, '^-')",
        "a_negative_cost_of_a_candidate_is_found_however_its_line_is_read",
    ),
    *(
        (name, rule, old, new, _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"))
        for name, rule, old, new in (
            (
                "doubt_applied",
                "A mark of application that is neither true nor false makes the line invalid.",
                " AND is_flag(o.applied)",
                "",
            ),
            (
                "doubt_cost_twice",
                "A cost that stands twice in a candidate makes the line invalid.",
                "                AND occurrences(candidates, '\"cost_usd\":') = len(listed)\n",
                "",
            ),
        )
    ),
    (
        "doubt_name_twice",
        "A name that stands twice in a candidate makes the line invalid.",
        "                AND occurrences(candidates, '\"model\":') = len(listed)\n",
        "",
        "test_load::a_deceiving_line_is_refused",
    ),
    (
        "doubt_candidate_object",
        "A candidate that is not an object makes the line invalid.",
        "starts_with(c.model::VARCHAR, '\"')\n                                    AND",
        "true AND",
        "test_load::a_deceiving_line_is_refused",
    ),
    (
        "doubt_cost_evened_out",
        "A cost that stands twice is not evened out by a candidate that has none.",
        "occurrences(c, '\"cost_usd\":') <> 1",
        "false",
        "test_load::a_deceiving_line_is_refused",
    ),
)

_STRICT = _in(
    f"{_LIGHTHOUSE}/strict.py",
    (
        "strict_offset_sign",
        "The sign of an offset is honoured by the strict reader.",
        'timezone(-offset if match[9] == "-" else offset)',
        "timezone(offset)",
        _of_records("the_offset_of_a_timestamp_is_honoured"),
    ),
    (
        "strict_fraction",
        "Digits of a second count from the point on.",
        'digits[:6].ljust(6, "0")',
        'digits[:6].rjust(6, "0")',
        "fractions_of_a_second_are_read_as_decimals",
    ),
    (
        "strict_finer_dropped",
        "Digits beyond the microsecond are kept.",
        'digits[6:].rstrip("0")',
        '""',
        "digits_beyond_the_microsecond_decide_between_snapshots",
    ),
    (
        "strict_snapshot_text",
        "A snapshot without an id keeps the text of its timestamp when it is read strictly.",
        'typed["snapshot"] = record["ts"]',
        'typed["snapshot"] = canonical["ts"]',
        "the_text_of_a_timestamp_is_kept_when_a_line_is_read_strictly",
    ),
    (
        "strict_count_as_float",
        "An integer with a point is exact.",
        "    return int(number)\n",
        "    return int(float(number))\n",
        _of_records("token_counts_are_exact_to_64_bits_and_beyond_in_sums"),
    ),
    (
        "strict_count_bits",
        "A count beyond 64 bits makes the line invalid.",
        "COUNT_MIN, COUNT_MAX = -(2**63), 2**63 - 1",
        "COUNT_MIN, COUNT_MAX = -(2**63), 2**64",
        _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"),
    ),
    (
        "strict_count_cut",
        "A count that is not a whole number makes the line invalid.",
        "    if number != number.to_integral_value():\n"
        '        _wrong(where, "an integer", value)\n',
        "",
        _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"),
    ),
    (
        "strict_decimals",
        "An amount of nineteen decimals makes the line invalid.",
        "AMOUNT_PLACES = 18",
        "AMOUNT_PLACES = 19",
        _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"),
    ),
    (
        "strict_amount_limit",
        "An amount of 10^20 makes the line invalid.",
        "number.copy_abs() >= AMOUNT_LIMIT",
        "number.copy_abs() > AMOUNT_LIMIT",
        _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"),
    ),
    (
        "strict_amount_as_float",
        "An amount is the decimal that its text says.",
        "    text = _plainly(number)\n",
        "    text = _plainly(Decimal(repr(float(number))))\n",
        "prices_are_not_rounded",
    ),
    (
        "strict_rate_as_float",
        "A rate is the decimal that its text says, however long.",
        "return _plainly(_decimal(value, where))",
        "return _plainly(Decimal(repr(float(_decimal(value, where)))))",
        "a_rate_that_gives_no_weight_leaves_the_search_unmeasured",
    ),
    (
        "strict_model_missing",
        "A call and a line of a price card have a model, whoever reads them.",
        "required=attribute.required)",
        "required=False)",
        _of_records("a_line_that_can_be_read_in_two_ways_is_invalid"),
    ),
    (
        "strict_keys_twice",
        "A value that stands twice in a record makes the line invalid.",
        "        if key in record.repeated:\n",
        "        if False:\n",
        _of_records("lines_that_the_fast_reader_refuses_are_read_strictly"),
    ),
    (
        "strict_other_types",
        "A record of a type that no lever reads is never an error.",
        "    if attributes is None:\n",
        "    if attributes is None and record:\n        raise InvalidLine(kind)\n"
        "    if attributes is None:\n",
        _of_records("records_that_no_lever_reads_are_never_an_error"),
    ),
    (
        "strict_other_instants",
        "A record of a type that no lever reads may lack a timestamp.",
        "        except InvalidLine:\n            continue",
        "        except InvalidLine:\n            raise",
        _of_records("records_that_no_lever_reads_are_never_an_error"),
    ),
)

_LOAD = _in(
    f"{_LIGHTHOUSE}/load.py",
    (
        "long_numbers_trusted",
        "A number too long for a binary double is read strictly.",
        "return lines.union(*(part.long_numbers for part in parts))",
        "return lines",
        "prices_are_not_rounded",
    ),
    (
        "refused_segment_lost",
        "Lines around one that the fast reader refuses are not lost.",
        "if not segment.failed and at not in doubts:",
        "if at not in doubts:",
        _of_records("lines_that_the_fast_reader_refuses_are_read_strictly"),
    ),
    (
        "parts_from_one",
        "Lines are numbered on through the parts of an export.",
        "next_line += part.lines",
        "next_line += part.records",
        _of_records("lines_are_numbered_on_through_blank_ones_and_parts"),
    ),
)

_LINES = _in(
    f"{_LIGHTHOUSE}/lines.sql",
    (
        "lines_from_zero",
        "The first line of an export is line 1.",
        "f.rowid + 1 AS line,",
        "f.rowid AS line,",
        _of_records("a_cell_shows_the_card_it_was_priced_on"),
    ),
)

_LINES_NUMBERED = _in(
    f"{_LIGHTHOUSE}/lines_numbered.sql",
    (
        "lines_without_blanks",
        "Blank lines are lines when lines are numbered.",
        "f.rowid + m.ahead AS line,",
        "f.rowid + 1 AS line,",
        _of_records("a_cell_shows_the_card_it_was_priced_on"),
    ),
    (
        "lines_after_blanks",
        "A line directly behind a blank one is numbered behind it.",
        "f.rowid >= m.first_row",
        "f.rowid > m.first_row",
        _of_records("a_cell_shows_the_card_it_was_priced_on"),
    ),
)

_REPEATS = _in(
    f"{_LIGHTHOUSE}/repeats.py",
    (
        "repeats_by_look",
        "Only lines identical byte for byte are one line, by a switch.",
        "hashlib.sha256(raw).digest()",
        'hashlib.sha256(b"").digest()',
        _of_records("lines_that_are_the_same_each_count_unless_asked_otherwise"),
    ),
    (
        "repeats_all_out",
        "Of identical lines the first counts, by a switch.",
        "                if what in seen:\n",
        "                if True:\n",
        _of_records("lines_that_are_the_same_each_count_unless_asked_otherwise"),
    ),
)

_GROUPS = _in(
    f"{_LIGHTHOUSE}/groups.py",
    (
        "repeats_always_out",
        "Identical lines each count unless it is asked otherwise.",
        "self._repeats() if method.dedupe else []",
        "self._repeats()",
        _of_records("lines_that_are_the_same_each_count_unless_asked_otherwise"),
    ),
)

_RECOMPUTER = _in(
    f"{_LIGHTHOUSE}/recomputer.py",
    (
        "days_of_zone",
        "The zone asked for by a switch is that of the period and its days.",
        "period = method.period(asked.since, asked.until)",
        "period = Period(asked.since, asked.until, zone, method.until_exclusive)",
        _of_records("calls_lie_on_local_days"),
    ),
    (
        "zone_of_manifest",
        "A time zone that is asked for goes before that of the manifest.",
        "        if question.time_zone is not None:\n",
        "        if question.time_zone is not None and self._manifest is None:\n",
        "the_hours_are_those_that_passed",
    ),
    (
        "counterfactual_unnamed",
        "Without a named baseline model there is no counterfactual.",
        "counterfactual if named else None",
        "counterfactual",
        "where_nothing_can_be_computed_there_is_no_comparison",
    ),
)

_METHOD = _in(
    f"{_LIGHTHOUSE}/method.py",
    *(
        (
            f"method_{name}",
            f"By the method as it is stated, {rule}.",
            f"    {name}: {kind} = {right}\n",
            f"    {name}: {kind} = {wrong}\n",
            test,
        )
        for name, kind, right, wrong, rule, test in (
            (
                "card",
                "str",
                '"newest_complete"',
                '"newest_any"',
                "an incomplete snapshot is no card",
                "a_snapshot_is_complete_unless_a_line_denies_it",
            ),
            (
                "window_priced_only",
                "bool",
                "True",
                "False",
                "only windows of priced models count",
                "windows_of_priced_models_only",
            ),
            (
                "weights",
                "bool",
                "True",
                "False",
                "a sampled search weighs as many as it stands for",
                "a_sampled_search_weighs_as_many_as_it_stands_for",
            ),
            (
                "clamp",
                "bool",
                "True",
                "False",
                "no search saves less than nothing",
                "stuffed_is_at_most_the_window_and_avoided_never_negative",
            ),
            (
                "unmeasured_as_window",
                "bool",
                "False",
                "True",
                "a search without its scope is unmeasured",
                "a_missing_scope_may_be_taken_as_the_window",
            ),
            (
                "write_premium",
                "bool",
                "True",
                "False",
                "writing a cache costs extra",
                "reads_save_and_writes_cost_what_is_above_the_input_price",
            ),
            (
                "null_read_saves",
                "bool",
                "False",
                "True",
                "an unknown cache-read price is not 0",
                "without_a_card_or_a_cache_read_price_caching_saves_nothing",
            ),
            (
                "refused_in_caching",
                "bool",
                "True",
                "False",
                "refused calls are part of caching",
                "refused_calls_are_part_of_caching",
            ),
            (
                "refused_in_called",
                "bool",
                "False",
                "True",
                "refused calls are no calls",
                "a_refused_call_is_no_call_for_the_price",
            ),
            (
                "dedupe",
                "bool",
                "False",
                "True",
                "identical lines each count",
                _of_records("lines_that_are_the_same_each_count_unless_asked_otherwise"),
            ),
            (
                "until_exclusive",
                "bool",
                "False",
                "True",
                "the last day of a period is part of it",
                _of_records("both_days_of_a_period_are_part_of_it"),
            ),
            (
                "escalation_netted",
                "bool",
                "True",
                "False",
                "escalations are taken off",
                "escalations_are_taken_off_what_routing_saved",
            ),
        )
    ),
)

_PERIOD = _in(
    "verify/period.py",
    (
        "last_day_out",
        "The last day of a period is part of it.",
        "following = self.until if self.last_day_lost else self.until + timedelta(days=1)",
        "following = self.until",
        _of_records("both_days_of_a_period_are_part_of_it"),
    ),
    (
        "last_day_in",
        "By a switch the last day of a period is lost.",
        "following = self.until if self.last_day_lost else self.until + timedelta(days=1)",
        "following = self.until + timedelta(days=1)",
        _of_records("both_days_of_a_period_are_part_of_it"),
    ),
    (
        "hours_of_days",
        "The hours are those that passed, not 24 a day.",
        "Fraction((self.end - self.start) // timedelta(microseconds=1), 3_600_000_000)",
        "Fraction(24 * sum(1 for _ in self.days()))",
        "the_hours_are_those_that_passed",
    ),
    (
        "hours_whole",
        "Half an hour is part of the hours.",
        "Fraction((self.end - self.start) // timedelta(microseconds=1), 3_600_000_000)",
        "Fraction((self.end - self.start) // timedelta(hours=1))",
        "the_hours_are_those_that_passed",
    ),
    (
        "day_later_midnight",
        "A day begins at the first of two midnights, or where a skipped one would have been.",
        "tzinfo=tz)  # fold 0",
        "tzinfo=tz, fold=1)  # fold 1",
        _of_records("the_first_instant_of_a_day"),
    ),
    (
        "day_gap_over_midnight",
        "A day whose midnight was skipped by a change before it begins at that change.",
        "    while late - early > _SECOND:\n",
        "    while False:\n",
        _of_records("the_first_instant_of_a_day"),
    ),
    (
        "day_gap_to_next",
        "A day whose midnight was skipped begins where a clock first shows it.",
        "if middle.astimezone(tz).date() >= day:",
        "if middle.astimezone(tz).date() > day:",
        _of_records("the_first_instant_of_a_day"),
    ),
    (
        "day_of_24_hours",
        "A local day ends where the next begins.",
        "                first_instant(following, self.time_zone),\n            )",
        "                first_instant(day, self.time_zone) + timedelta(hours=24),\n            )",
        _of_records("days_meet_and_fill_the_period"),
    ),
    (
        "day_in_utc",
        "Days are those of the time zone.",
        "    tz = zone_named(zone)\n    midnight",
        '    tz = zone_named("UTC" if zone else zone)\n    midnight',
        _of_records("a_day_that_begins_at_one_o_clock"),
    ),
)

_EXACT = _in(
    "verify/exact.py",
    (
        "places_least",
        "A decimal needs as many places as the greater of its powers of two and five.",
        "return max(twos, fives) if rest == 1 else None",
        "return min(twos, fives) if rest == 1 else None",
        _of_records("an_amount_is_written_out_in_full"),
    ),
    (
        "places_of_any",
        "A fraction with another divisor than two and five has no finite decimal.",
        "return max(twos, fives) if rest == 1 else None",
        "return max(twos, fives)",
        _of_records("what_has_no_finite_decimal_is_printed_as_a_fraction"),
    ),
    (
        "places_of_five",
        "Powers of five are counted one by one.",
        "rest, fives = rest // 5, fives + 1",
        "rest, fives = rest // 5, 1",
        _of_records("an_amount_is_written_out_in_full"),
    ),
    (
        "plain_sign",
        "A negative amount is printed with its sign, also below one.",
        'sign = "-" if value < 0 else ""\n    whole, part = divmod(digits',
        'sign = "-" if value <= -1 else ""\n    whole, part = divmod(digits',
        _of_records("an_amount_is_written_out_in_full"),
    ),
    (
        "plain_zeros",
        "Zeros behind the point are printed.",
        'return f"{sign}{whole}" + (f".{part:0{places}d}" if places else "")',
        'return f"{sign}{whole}" + (f".{part}" if places else "")',
        _of_records("an_amount_is_written_out_in_full"),
    ),
    (
        "plain_as_float",
        "An amount is printed to its last digit.",
        'return f"{sign}{whole}" + (f".{part:0{places}d}" if places else "")',
        "return repr(float(value)) if places else str(whole)",
        _of_records("an_amount_is_written_out_in_full"),
    ),
    (
        "price_as_float",
        "A price is the exact decimal that the engine hands out.",
        "return None if value is None else Fraction(value)",
        "return None if value is None else Fraction(float(value))",
        "prices_are_not_rounded",
    ),
)

_RESULT = _in(
    "verify/result.py",
    (
        "partial_conclusive",
        "A partial comparison is no figure that counts.",
        'if self.status != "ok":',
        'if self.status not in ("ok", "partial_comparison"):',
        "the_same_tokens_on_another_card",
    ),
)

_FINDINGS = _in(
    f"{_LIGHTHOUSE}/findings.sql",
    (
        "finding_negative_tokens",
        "Any negative token count of a call is found.",
        " OR cache_write_tokens < 0)",
        ")",
        "every_negative_count_of_a_call_is_found",
    ),
    (
        "finding_error_outcome",
        "An error is an outcome of a known name.",
        "outcome NOT IN ('ok', 'error', 'refused')",
        "outcome NOT IN ('ok', 'refused')",
        "outcomes_of_other_names_are_found",
    ),
    (
        "finding_unpriced_model",
        "A called model whose card has no input price is found.",
        "AND k.input_per_m IS NULL",
        "AND k.line IS NULL",
        "models_that_are_called_and_have_no_price_are_found",
    ),
    (
        "finding_scope",
        "A search that sent a negative count is found.",
        "(corpus_tokens_in_scope < 0 OR context_tokens_sent < 0)",
        "(corpus_tokens_in_scope < 0)",
        "a_search_is_measured_with_its_scope_and_what_was_sent",
    ),
    (
        "finding_day_null_cost",
        "A cost without an amount does not fill a day.",
        "c.kind = 'infrastructure' AND c.usd IS NOT NULL",
        "c.kind = 'infrastructure'",
        "days_without_a_cost_are_found",
    ),
    (
        "finding_day_kind",
        "A cost of another kind does not fill a day.",
        "AND c.kind = 'infrastructure' AND c.usd",
        "AND c.usd",
        "days_without_a_cost_are_found",
    ),
    (
        "finding_change_of_rate",
        "A profile that changes its hourly rate inside the period is found.",
        "  AND (profile IS DISTINCT FROM profile_before\n"
        "       OR always_on_usd_per_hour IS DISTINCT FROM rate_before)",
        "  AND profile IS DISTINCT FROM profile_before",
        "a_profile_that_changes_inside_the_period_is_found",
    ),
    (
        "finding_change_before",
        "A profile that changed before the period is no finding.",
        "WHERE ts >= $start AND follows",
        "WHERE follows",
        "a_profile_that_changes_inside_the_period_is_found",
    ),
    (
        "finding_change_first",
        "A profile that is the first of its deployment has not changed.",
        "WHERE ts >= $start AND follows",
        "WHERE ts >= $start",
        "a_profile_that_changes_inside_the_period_is_found",
    ),
)

MUTANTS: tuple[Mutant, ...] = (
    *_CACHED_FLAG,
    *_RETRIEVAL_QUERY,
    *_CACHING_QUERY,
    *_CARD,
    *_ROUTING_QUERY,
    *_COUNTERFACTUAL_QUERY,
    *_INFRASTRUCTURE_QUERY,
    *_LEVERS,
    *_TABLES,
    *_SCHEMA,
    *_DATABASE,
    *_FACTS,
    *_DOUBTS,
    *_DECISIONS,
    *_STRICT,
    *_LOAD,
    *_LINES,
    *_LINES_NUMBERED,
    *_REPEATS,
    *_GROUPS,
    *_RECOMPUTER,
    *_METHOD,
    *_PERIOD,
    *_EXACT,
    *_RESULT,
    *_FINDINGS,
)
