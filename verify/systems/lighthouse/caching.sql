-- Caching: what cached tokens saved against reading them afresh, less what writing them cost extra.
--   saved = (cache_read x (input - cache_read_price)
--            - cache_write x max(cache_write_price - input, 0)) / 1,000,000          [stated]
-- by deployment and model, each on its own deployment's card, refused calls included [reading].
-- A negative token count is taken as absent. A call reports when it has cache_read_tokens; 0 is
-- a report.
--
-- $start, $end          the period: start <= ts < end
-- $dimension            model, agent, pack, deployment, provider, day, or total
-- $refused_in_caching   see docs/method.md
SELECT
    CASE $dimension
        WHEN 'model' THEN c.model
        WHEN 'agent' THEN agent
        WHEN 'pack' THEN pack
        WHEN 'deployment' THEN c.deployment
        WHEN 'provider' THEN provider
        WHEN 'day' THEN d.day
    END AS key,
    c.deployment,
    c.model,
    k.snapshot,
    k.snapshot_at,
    k.line AS card_line,
    k.input_per_m,
    k.output_per_m,
    k.cache_read_per_m,
    k.cache_write_per_m,
    count(*) AS calls,
    count(*) FILTER (cache_read_tokens >= 0) AS reported,
    coalesce(sum(input_tokens) FILTER (input_tokens > 0), 0) AS input_tokens,
    coalesce(sum(output_tokens) FILTER (output_tokens > 0), 0) AS output_tokens,
    coalesce(sum(cache_read_tokens) FILTER (cache_read_tokens > 0), 0) AS cache_read_tokens,
    coalesce(sum(cache_write_tokens) FILTER (cache_write_tokens > 0), 0) AS cache_write_tokens
FROM model_call c
LEFT JOIN card k ON k.deployment = c.deployment AND k.model = c.model
LEFT JOIN days d ON $dimension = 'day' AND c.ts >= d.starts AND c.ts < d.ends
WHERE c.ts >= $start AND c.ts < $end
  AND (outcome IS DISTINCT FROM 'refused' OR $refused_in_caching)
GROUP BY ALL
