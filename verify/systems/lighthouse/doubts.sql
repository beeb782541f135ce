-- The rows that the fast path will not vouch for, by rowid. The strict reader reads their lines
-- again from the bytes. A record of a type that no lever reads is never in doubt.
WITH parts AS (
    SELECT
        *,
        from_json(o.price, '{"input_per_m":"JSON","output_per_m":"JSON",
            "cache_read_per_m":"JSON","cache_write_per_m":"JSON"}') AS price,
        from_json(o.limits, '{"context_tokens":"JSON","context_window":"JSON"}') AS limits
    FROM (
        SELECT
            rowid AS row_at,
            from_json(others, '{"ts":"JSON","profile":"JSON","rate":"JSON","kind":"JSON",
                "usd":"JSON","limits":"JSON","price":"JSON","snapshot":"JSON","complete":"JSON",
                "size":"JSON"}') AS o
        FROM facts WHERE type IN ('"models"', '"deployment_profile"', '"cost"')
    )
)
SELECT rowid AS row_at FROM facts WHERE type IS NULL OR is_no_text(type)
UNION
SELECT rowid FROM facts
WHERE is_read(type)
  AND (doubt OR deployment IS NULL
       OR (type IN ('"model_call"', '"models"') AND model IS NULL)
       OR NOT is_rate(sample_rate)
       -- Far from any year that a calendar here can hold.
       OR ts < TIMESTAMPTZ '0001-01-03 00:00:00+00' OR ts > TIMESTAMPTZ '9999-12-29 00:00:00+00')
UNION
-- Each column by itself: what a row group knows of its smallest and largest text then most often
-- says that there is nothing to look at.
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(deployment)
UNION
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(model)
UNION
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(pack)
UNION
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(agent)
UNION
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(provider)
UNION
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text("index")
UNION
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(outcome)
UNION
SELECT rowid FROM facts WHERE is_read(type) AND is_no_text(id)
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
