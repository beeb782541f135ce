-- The price card and context windows that the levers use: USD per million tokens, by deployment
-- and model. A deployment's card is its newest complete snapshot [stated]; lines at or after the
-- end of the period are dropped first, and completeness is judged by what is left [reading].
--
-- $end   the first instant after the period
-- $card  newest_complete, or another rule for which snapshot counts (see docs/method.md)
WITH listed AS (
    SELECT * FROM models
    WHERE ts < $end OR $card IN ('newest_in_export', 'last_in_file')
), snapshots AS (
    -- Complete: no line says otherwise, and every size given is the number of its models.
    SELECT
        deployment,
        snapshot,
        max(row(ts, ts_sub)) AS newest,
        bool_and(complete IS NOT false)
            AND coalesce(min(size), count(DISTINCT model)) = count(DISTINCT model)
            AND coalesce(max(size), count(DISTINCT model)) = count(DISTINCT model) AS is_complete
    FROM listed
    GROUP BY deployment, snapshot
), chosen AS (
    SELECT deployment, snapshot, newest
    FROM snapshots
    WHERE is_complete OR $card = 'newest_any'
    QUALIFY row_number() OVER (PARTITION BY deployment ORDER BY newest DESC, snapshot DESC) = 1
)
-- Where one model has two lines, the later one.
SELECT
    deployment, model, l.snapshot, l.ts AS snapshot_at, line,
    window_tokens, input_per_m, output_per_m, cache_read_per_m, cache_write_per_m
FROM listed l LEFT JOIN chosen c USING (deployment, snapshot)
WHERE c.newest IS NOT NULL OR $card = 'last_in_file'
QUALIFY row_number() OVER (PARTITION BY deployment, model ORDER BY line DESC) = 1
