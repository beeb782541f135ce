-- Routing: what the picked model cost less than the baseline, by the decision's own candidates.
--   delta = cost(baseline) - cost(picked)
-- Applied decisions save their positive deltas and escalate by their negative ones; decisions
-- that only watched would have saved their positive deltas [stated]. With either cost missing a
-- decision is uncomparable.
--
-- $start, $end   the period: start <= ts < end
-- $dimension     agent, pack, deployment, day, or total
WITH decision AS (
    SELECT *, baseline_usd - picked_usd AS delta
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
    coalesce(sum(delta) FILTER (applied AND delta > 0), 0) AS saving_usd,
    coalesce(-sum(delta) FILTER (applied AND delta < 0), 0) AS escalation_usd,
    coalesce(sum(delta) FILTER (NOT applied AND delta > 0), 0) AS off_saving_usd,
    count(*) AS decisions,
    count(*) FILTER (delta IS NULL) AS uncomparable
FROM decision r
LEFT JOIN days d ON $dimension = 'day' AND r.ts >= d.starts AND r.ts < d.ends
GROUP BY ALL
