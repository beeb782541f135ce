-- Infrastructure: what a deployment that is not always on cost less than if it were.
--   saved = always_on_usd_per_hour x hours of the period - its infrastructure costs in the period
-- [stated; that the records name these two so is our reading]
-- The profile is the newest before the end of the period (on a tie the later line) and is applied
-- to all of it. Without a cost record there is no figure for the deployment [reading].
--
-- $start, $end   the period: start <= ts < end
WITH newest AS (
    SELECT * FROM deployment_profile
    WHERE ts < $end
    QUALIFY row_number() OVER (
        PARTITION BY deployment ORDER BY ts DESC, ts_sub DESC, line DESC) = 1
), costs AS (
    -- Whole dollars and the rest apart: no sum can leave 128 bits.
    SELECT deployment, sum(trunc(usd)::HUGEINT) AS actual_whole, sum(usd - trunc(usd)) AS actual_rest
    FROM cost
    WHERE ts >= $start AND ts < $end AND kind = 'infrastructure' AND usd IS NOT NULL
    GROUP BY deployment
)
SELECT deployment, profile, always_on_usd_per_hour, actual_whole, actual_rest
FROM newest LEFT JOIN costs USING (deployment)
WHERE profile IS DISTINCT FROM 'always_on'
