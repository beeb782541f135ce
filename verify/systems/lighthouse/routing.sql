-- Routing: what the picked model cost less than the baseline, by the decision's own candidates.
--   delta = cost(baseline) - cost(picked)
-- Applied decisions save their positive deltas and escalate by their negative ones; decisions
-- that only watched would have saved their positive deltas [stated]. With either cost missing a
-- decision is uncomparable. Whole dollars and the rest are summed apart: no sum of amounts can leave
-- 128 bits.
--
-- $start, $end   the period: start <= ts < end
-- $dimension     agent, pack, deployment, day, or total
WITH decision AS (
    SELECT
        *,
        baseline_usd > picked_usd AS saves,
        baseline_usd < picked_usd AS escalates,
        trunc(baseline_usd)::HUGEINT - trunc(picked_usd)::HUGEINT AS whole,
        (baseline_usd - trunc(baseline_usd)) - (picked_usd - trunc(picked_usd)) AS rest
    FROM routing_decision
    WHERE ts >= $start AND ts < $end
)
SELECT
    CASE $dimension
        WHEN 'agent' THEN agent
        WHEN 'pack' THEN pack
        WHEN 'deployment' THEN deployment
        WHEN 'day' THEN d.day
    END AS key,
    sum(whole) FILTER (applied AND saves) AS saving_whole,
    sum(rest) FILTER (applied AND saves) AS saving_rest,
    sum(-whole) FILTER (applied AND escalates) AS escalation_whole,
    sum(-rest) FILTER (applied AND escalates) AS escalation_rest,
    sum(whole) FILTER (NOT applied AND saves) AS off_saving_whole,
    sum(rest) FILTER (NOT applied AND saves) AS off_saving_rest,
    count(*) AS decisions,
    count(*) FILTER (whole IS NULL) AS uncomparable
FROM decision r
LEFT JOIN days d ON $dimension = 'day' AND r.ts >= d.starts AND r.ts < d.ends
GROUP BY ALL
