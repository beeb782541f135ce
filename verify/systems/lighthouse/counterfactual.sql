-- Routing without decisions: the same tokens at a baseline model's card of the same deployment,
-- against the call's own card. Shown, never counted. Unrefused calls only; negative counts are
-- taken as absent. Tokens by deployment and model; the two cards beside them.
--
-- $start, $end      the period: start <= ts < end
-- $baseline_model   the model that would have been called instead
SELECT
    c.deployment,
    c.model,
    own.input_per_m, own.output_per_m, own.cache_read_per_m, own.cache_write_per_m,
    base.input_per_m AS base_input_per_m,
    base.output_per_m AS base_output_per_m,
    base.cache_read_per_m AS base_cache_read_per_m,
    base.cache_write_per_m AS base_cache_write_per_m,
    count(*) AS calls,
    coalesce(sum(input_tokens) FILTER (input_tokens > 0), 0) AS input_tokens,
    coalesce(sum(output_tokens) FILTER (output_tokens > 0), 0) AS output_tokens,
    coalesce(sum(cache_read_tokens) FILTER (cache_read_tokens > 0), 0) AS cache_read_tokens,
    coalesce(sum(cache_write_tokens) FILTER (cache_write_tokens > 0), 0) AS cache_write_tokens
FROM model_call c
LEFT JOIN card own ON own.deployment = c.deployment AND own.model = c.model
LEFT JOIN card base ON base.deployment = c.deployment AND base.model = $baseline_model
WHERE c.ts >= $start AND c.ts < $end AND outcome IS DISTINCT FROM 'refused'
GROUP BY ALL
