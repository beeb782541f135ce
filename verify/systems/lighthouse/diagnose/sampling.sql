-- How sure retrieval's sums are: the squares of what each search adds to them, by whatever carries
-- a weight or a price. It follows the searches of retrieval.sql, `measured`, so that it speaks of
-- the very same ones. A square is summed in three parts, (high x 2^32 + low)^2, so that no sum can
-- leave 128 bits.
SELECT
    CASE $dimension
        WHEN 'agent' THEN agent
        WHEN 'pack' THEN pack
        WHEN 'index' THEN "index"
        WHEN 'model' THEN model
        WHEN 'deployment' THEN m.deployment
        WHEN 'day' THEN d.day
    END AS key,
    m.deployment, sample_rate, input_per_m, cache_read_per_m,
    count(*) AS measured,
    sum(stuffed::HUGEINT) AS stuffed_sum,
    sum(context_tokens_sent::HUGEINT) AS sent_sum,
    sum(avoided::HUGEINT) AS avoided_sum,
    sum((abs(stuffed) // 4294967296)::HUGEINT * (abs(stuffed) // 4294967296)) AS stuffed_hh,
    sum((abs(stuffed) // 4294967296)::HUGEINT * (abs(stuffed) % 4294967296)) AS stuffed_hl,
    sum((abs(stuffed) % 4294967296)::HUGEINT * (abs(stuffed) % 4294967296)) AS stuffed_ll,
    sum((context_tokens_sent // 4294967296)::HUGEINT * (context_tokens_sent // 4294967296)) AS sent_hh,
    sum((context_tokens_sent // 4294967296)::HUGEINT * (context_tokens_sent % 4294967296)) AS sent_hl,
    sum((context_tokens_sent % 4294967296)::HUGEINT * (context_tokens_sent % 4294967296)) AS sent_ll,
    sum((abs(avoided) // 4294967296)::HUGEINT * (abs(avoided) // 4294967296)) AS avoided_hh,
    sum((abs(avoided) // 4294967296)::HUGEINT * (abs(avoided) % 4294967296)) AS avoided_hl,
    sum((abs(avoided) % 4294967296)::HUGEINT * (abs(avoided) % 4294967296)) AS avoided_ll
FROM measured m
LEFT JOIN days d ON $dimension = 'day' AND m.ts >= d.starts AND m.ts < d.ends
WHERE is_measured AND sample_rate IS NOT NULL
GROUP BY ALL
