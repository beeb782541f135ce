-- What a reader of the figures should know about the records behind them: by lever, a code of the
-- registry, how often, and the first lines.
--
-- $start, $end    the period: start <= ts < end
-- $bad_rates      the sampling rates in it that lie outside (0, 1]
SELECT 'caching' AS lever, 'negative_tokens' AS code, count(*) AS found, min(line, 5) AS examples
FROM model_call
WHERE ts >= $start AND ts < $end
  AND (input_tokens < 0 OR output_tokens < 0 OR cache_read_tokens < 0 OR cache_write_tokens < 0)
UNION ALL
SELECT 'caching', 'outcome_unknown', count(*), min(line, 5)
FROM model_call
WHERE ts >= $start AND ts < $end AND outcome NOT IN ('ok', 'error', 'refused')
UNION ALL
SELECT 'caching', 'model_without_card', count(*), min(c.line, 5)
FROM model_call c LEFT JOIN card k ON k.deployment = c.deployment AND k.model = c.model
WHERE c.ts >= $start AND c.ts < $end AND k.input_per_m IS NULL
UNION ALL
SELECT 'caching', 'negative_money', count(*), min(line, 5)
FROM card
WHERE least(input_per_m, output_per_m, cache_read_per_m, cache_write_per_m) < 0
UNION ALL
SELECT 'retrieval', 'negative_scope', count(*), min(line, 5)
FROM retrieval
WHERE ts >= $start AND ts < $end AND (corpus_tokens_in_scope < 0 OR context_tokens_sent < 0)
UNION ALL
SELECT 'retrieval', 'rate_out_of_range', count(*), min(line, 5)
FROM retrieval
WHERE ts >= $start AND ts < $end AND sample_rate IN (SELECT unnest($bad_rates))
UNION ALL
SELECT 'routing', 'negative_money', count(*), min(line, 5)
FROM routing_decision
WHERE ts >= $start AND ts < $end AND negative_costs > 0
UNION ALL
SELECT 'infrastructure', 'negative_money', count(*), min(line, 5)
FROM cost
WHERE ts >= $start AND ts < $end AND kind = 'infrastructure' AND usd < 0
UNION ALL
SELECT 'infrastructure', 'profile_unknown', count(*), min(line, 5)
FROM deployment_profile
WHERE ts < $end AND coalesce(profile, '') NOT IN ('always_on', 'scheduled', 'ephemeral')
UNION ALL
SELECT 'infrastructure', 'profile_changed', count(*), min(line, 5)
FROM (
    SELECT
        *,
        lag(line) OVER w IS NOT NULL AS follows,
        lag(profile) OVER w AS profile_before,
        lag(always_on_usd_per_hour) OVER w AS rate_before
    FROM deployment_profile WHERE ts < $end
    WINDOW w AS (PARTITION BY deployment ORDER BY ts, ts_sub, line)
)
WHERE ts >= $start AND follows
  AND (profile IS DISTINCT FROM profile_before
       OR always_on_usd_per_hour IS DISTINCT FROM rate_before)
UNION ALL
-- Days of deployments that do report costs, but not on that day.
SELECT 'infrastructure', 'days_without_cost', count(*), []
FROM (
    SELECT DISTINCT deployment FROM cost
    WHERE ts >= $start AND ts < $end AND kind = 'infrastructure' AND usd IS NOT NULL
) fed
JOIN (
    SELECT deployment, profile FROM deployment_profile WHERE ts < $end
    QUALIFY row_number() OVER (
        PARTITION BY deployment ORDER BY ts DESC, ts_sub DESC, line DESC) = 1
) newest ON newest.deployment = fed.deployment AND newest.profile IS DISTINCT FROM 'always_on'
CROSS JOIN days d
WHERE NOT EXISTS (
    SELECT 1 FROM cost c
    WHERE c.deployment = fed.deployment AND c.kind = 'infrastructure' AND c.usd IS NOT NULL
      AND c.ts >= d.starts AND c.ts < d.ends
)
UNION ALL
SELECT
    CASE type WHEN 'model_call' THEN 'caching' WHEN 'retrieval' THEN 'retrieval'
              WHEN 'routing_decision' THEN 'routing' WHEN 'models' THEN 'caching'
              ELSE 'infrastructure' END,
    'timestamp_without_offset', count(*), min(line, 5)
FROM record
WHERE ts_naive AND ts >= $start AND ts < $end
  AND type IN ('model_call', 'retrieval', 'routing_decision', 'models', 'deployment_profile', 'cost')
GROUP BY 1
