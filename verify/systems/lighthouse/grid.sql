-- One grouping fine enough to answer many methods: by segment between the borders of all the
-- periods that are asked about. `borders(begins, segment)` lists them; `repeats(line)` the lines that
-- repeat an earlier one.
-- @calls: by all that decides whether a call counts, for which model, and at what price
SELECT
    b.segment, c.deployment, c.pack, c.model,
    outcome IS NOT DISTINCT FROM 'refused' AS refused,
    r.line IS NOT NULL AS repeated,
    count(*) AS calls,
    count(*) FILTER (cache_read_tokens >= 0) AS reported,
    count(*) FILTER (cache_read_tokens > 0) AS reading,
    coalesce(sum(input_tokens) FILTER (input_tokens > 0), 0) AS input_tokens,
    coalesce(sum(output_tokens) FILTER (output_tokens > 0), 0) AS output_tokens,
    coalesce(sum(cache_read_tokens) FILTER (cache_read_tokens > 0), 0) AS cache_read_tokens,
    coalesce(sum(cache_write_tokens) FILTER (cache_write_tokens > 0), 0) AS cache_write_tokens
FROM model_call c
ASOF JOIN borders b ON c.ts >= b.begins
LEFT JOIN repeats r ON r.line = c.line
WHERE c.ts < $last
GROUP BY ALL;
-- @searches: once for each window that any method gives the search's deployment and pack
SELECT
    b.segment, s.deployment, s.pack, s.model, s.sample_rate, w.window_tokens,
    r.line IS NOT NULL AS repeated,
    s.corpus_tokens_in_scope IS NULL AS no_scope,
    coalesce(coalesce(corpus_tokens_in_scope, 0) >= 0 AND context_tokens_sent >= 0, false) AS readable,
    count(*) AS searches,
    sum(least(coalesce(corpus_tokens_in_scope, w.window_tokens), w.window_tokens)) AS stuffed,
    sum(context_tokens_sent) AS sent,
    sum(greatest(least(coalesce(corpus_tokens_in_scope, w.window_tokens), w.window_tokens)
                 - context_tokens_sent, 0)) AS avoided,
    sum(least(coalesce(corpus_tokens_in_scope, w.window_tokens), w.window_tokens)
        - context_tokens_sent) AS signed
FROM retrieval s
ASOF JOIN borders b ON s.ts >= b.begins
JOIN windows_asked w
    ON w.deployment = s.deployment AND w.pack IS NOT DISTINCT FROM s.pack
LEFT JOIN repeats r ON r.line = s.line
WHERE s.ts < $last
GROUP BY ALL;
-- @decisions: by what decides which total a decision goes to
SELECT
    b.segment, d.deployment, applied,
    CASE WHEN baseline_usd > picked_usd THEN 1 WHEN baseline_usd < picked_usd THEN -1
         WHEN baseline_usd = picked_usd THEN 0 END AS sign,
    r.line IS NOT NULL AS repeated,
    count(*) AS decisions,
    sum(trunc(baseline_usd)::HUGEINT - trunc(picked_usd)::HUGEINT) AS whole,
    sum((baseline_usd - trunc(baseline_usd)) - (picked_usd - trunc(picked_usd))) AS rest
FROM routing_decision d
ASOF JOIN borders b ON d.ts >= b.begins
LEFT JOIN repeats r ON r.line = d.line
WHERE d.ts < $last
GROUP BY ALL;
-- @searched: the deployments and packs that searched at all
SELECT DISTINCT deployment, pack FROM retrieval;
-- @snapshots: every instant at which a price card may change
SELECT DISTINCT ts FROM models ORDER BY ts
