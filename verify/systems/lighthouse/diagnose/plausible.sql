-- @convention: calls that read a cache, by whether their input could hold the cached tokens
-- $start, $end   the period: start <= ts < end
SELECT
    deployment,
    count(*) AS reading,
    count(*) FILTER (coalesce(input_tokens, 0) < cache_read_tokens) AS input_smaller,
    count(*) FILTER (coalesce(input_tokens, 0) >= cache_read_tokens) AS input_at_least
FROM model_call
WHERE ts >= $start AND ts < $end AND cache_read_tokens > 0
GROUP BY deployment ORDER BY deployment;
-- @routed: what applied decisions would have cost at their baseline
SELECT deployment, sum(trunc(baseline_usd)::HUGEINT) AS whole,
       sum(baseline_usd - trunc(baseline_usd)) AS rest
FROM routing_decision
WHERE ts >= $start AND ts < $end AND applied AND baseline_usd IS NOT NULL AND picked_usd IS NOT NULL
GROUP BY deployment
