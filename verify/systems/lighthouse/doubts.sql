-- The rows that the fast path will not vouch for, by rowid. The strict reader reads their lines
-- again from the bytes. A record of a type that no lever reads is never in doubt.
WITH known AS (
    SELECT
        rowid AS row_at,
        *,
        from_json(others, '{"ts":"JSON","profile":"JSON","rate":"JSON","kind":"JSON","usd":"JSON",
            "limits":"JSON","price":"JSON","snapshot":"JSON","complete":"JSON","size":"JSON"}') AS o
    FROM facts
    WHERE type IN ('"models"', '"model_call"', '"retrieval"', '"routing_decision"',
                   '"deployment_profile"', '"cost"')
), parts AS (
    SELECT
        *,
        from_json(o.price, '{"input_per_m":"JSON","output_per_m":"JSON",
            "cache_read_per_m":"JSON","cache_write_per_m":"JSON"}') AS price,
        from_json(o.limits, '{"context_tokens":"JSON","context_window":"JSON"}') AS limits
    FROM known
    WHERE type IN ('"models"', '"deployment_profile"', '"cost"')
)
SELECT rowid AS row_at FROM facts WHERE type IS NULL OR NOT starts_with(type, '"')
UNION
SELECT row_at FROM known
WHERE doubt OR deployment IS NULL OR NOT starts_with(deployment, '"')
   OR (type IN ('"model_call"', '"models"') AND model IS NULL)
   OR NOT is_text(model) OR NOT is_text(pack) OR NOT is_text(agent) OR NOT is_text(provider)
   OR NOT is_text("index") OR NOT is_text(outcome) OR NOT is_text(id)
   OR NOT is_rate(sample_rate)
   -- Far from any year that a calendar here can hold.
   OR ts < TIMESTAMPTZ '0001-01-03 00:00:00+00' OR ts > TIMESTAMPTZ '9999-12-29 00:00:00+00'
UNION
SELECT row_at FROM decided WHERE NOT coalesce(plain, false)
UNION
SELECT row_at FROM parts
WHERE NOT is_text(o.profile) OR NOT is_text(o.kind) OR NOT is_text(o.snapshot)
   OR NOT is_flag(o.complete) OR NOT is_count(o.size)
   OR NOT is_amount(o.usd) OR NOT is_amount(o.rate)
   OR (o.price IS NOT NULL AND NOT starts_with(o.price, '{'))
   OR (o.limits IS NOT NULL AND NOT starts_with(o.limits, '{'))
   OR NOT is_amount(price.input_per_m) OR NOT is_amount(price.output_per_m)
   OR NOT is_amount(price.cache_read_per_m) OR NOT is_amount(price.cache_write_per_m)
   OR NOT is_count(limits.context_tokens) OR NOT is_count(limits.context_window)
   -- A key that stands twice in a nested object is read differently by different parsers.
   OR more_than_once(o.price, '"input_per_m":') OR more_than_once(o.price, '"output_per_m":')
   OR more_than_once(o.price, '"cache_read_per_m":')
   OR more_than_once(o.price, '"cache_write_per_m":')
   OR more_than_once(o.limits, '"context_tokens":') OR more_than_once(o.limits, '"context_window":')
ORDER BY row_at;
