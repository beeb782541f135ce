-- Records whose timestamps are odd, of the types that levers read.
--
-- $start, $end   the period: start <= ts < end
-- $exported      when the export was made; null where nothing says so
-- $far           how far from the period is far off
WITH odd AS (
    SELECT
        line, ts,
        CASE WHEN ts < $start - $far::INTERVAL OR ts >= $end + $far::INTERVAL THEN 'far_off'
             WHEN ts > $exported THEN 'after_export'
        END AS place,
        ts_naive AND ts >= $start AND ts < $end AS naive
    FROM record
    WHERE type IN ('models', 'model_call', 'retrieval', 'routing_decision',
                   'deployment_profile', 'cost')
), told AS (
    SELECT 'without_offset' AS what, line, ts FROM odd WHERE naive
    UNION ALL
    SELECT place, line, ts FROM odd WHERE place IS NOT NULL
)
SELECT what, count(*) AS records, min(ts) AS earliest, max(ts) AS latest, min(line, 5) AS lines
FROM told GROUP BY what ORDER BY what
