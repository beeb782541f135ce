-- @snapshots: every snapshot of a price card that began before the end of the period
-- $end   the first instant after the period
SELECT
    deployment, snapshot, max(ts) AS newest, min(line) AS line, count(DISTINCT model) AS models,
    max(size) AS size, bool_and(complete IS NOT false) AS complete,
    bool_and(complete IS NOT false)
        AND coalesce(min(size), count(DISTINCT model)) = count(DISTINCT model)
        AND coalesce(max(size), count(DISTINCT model)) = count(DISTINCT model) AS is_complete
FROM models
WHERE ts < $end
GROUP BY deployment, snapshot
ORDER BY newest, deployment, snapshot;
-- @instants: when a card may change inside the period
SELECT DISTINCT ts FROM models WHERE ts >= $start AND ts < $end ORDER BY ts;
-- @unpriced: models called that the card does not price
SELECT
    c.deployment, c.model, k.line IS NOT NULL AS on_card, count(*) AS calls,
    coalesce(sum(greatest(input_tokens, 0)), 0) + coalesce(sum(greatest(output_tokens, 0)), 0)
        + coalesce(sum(greatest(cache_read_tokens, 0)), 0)
        + coalesce(sum(greatest(cache_write_tokens, 0)), 0) AS tokens,
    min(c.line, 5) AS lines
FROM model_call c LEFT JOIN card k ON k.deployment = c.deployment AND k.model = c.model
WHERE c.ts >= $start AND c.ts < $end AND k.input_per_m IS NULL
GROUP BY ALL ORDER BY calls DESC, c.deployment, c.model;
-- @prices: each price that any card of the export names for a model, once for each deployment,
-- with the first line that does
SELECT model, deployment, kind, price, min(line) AS line
FROM (
    SELECT model, deployment, line,
           unnest(['input_per_m', 'output_per_m', 'cache_read_per_m', 'cache_write_per_m']) AS kind,
           unnest([input_per_m, output_per_m, cache_read_per_m, cache_write_per_m]) AS price
    FROM models
)
WHERE price IS NOT NULL
GROUP BY ALL ORDER BY ALL
