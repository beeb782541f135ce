-- Retrieval: what searches saved against sending the whole scope, up to the context window.
--   stuffed = min(corpus_tokens_in_scope, window)        avoided = max(stuffed - sent, 0)
--   dollars = avoided x weight x price / 1,000,000       weight  = 1 / sample_rate
-- A search without its scope counts nothing [stated]; without what was sent, or with a negative
-- count, it is unmeasured [reading]. Sums of plain integers by whatever carries a weight or a
-- price; weights and prices are applied to the groups.
--
-- $start, $end            the period: start <= ts < end
-- $dimension              agent, pack, index, model, deployment, day, or total
-- $window_priced_only, $clamp, $unmeasured_as_window, $refused_in_called: see docs/method.md
WITH called AS (
    -- The models that each deployment and pack called. A refused call is no call.
    SELECT DISTINCT deployment, pack, model FROM model_call
    WHERE ts >= $start AND ts < $end
      AND (outcome IS DISTINCT FROM 'refused' OR $refused_in_called)
), on_card AS (
    SELECT deployment, pack, model, window_tokens, input_per_m, cache_read_per_m
    FROM called JOIN card USING (deployment, model)
), windows AS (
    -- The smallest known window among the priced models called.
    SELECT deployment, pack, min(window_tokens) AS window_tokens
    FROM on_card
    WHERE window_tokens > 0 AND (input_per_m IS NOT NULL OR NOT $window_priced_only)
    GROUP BY deployment, pack
), cheapest AS (
    -- Prices a search whose own model has no price.
    SELECT deployment, pack, input_per_m, cache_read_per_m
    FROM on_card
    WHERE input_per_m IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY deployment, pack ORDER BY input_per_m, model) = 1
), searches AS (
    SELECT
        r.*,
        coalesce(w.window_tokens, 200000) AS window_tokens,
        CASE WHEN r.corpus_tokens_in_scope IS NULL AND $unmeasured_as_window
             THEN coalesce(w.window_tokens, 200000)
             ELSE r.corpus_tokens_in_scope END AS scope,
        coalesce(own.input_per_m, c.input_per_m) AS input_per_m,
        CASE WHEN own.input_per_m IS NOT NULL
             THEN own.cache_read_per_m ELSE c.cache_read_per_m END AS cache_read_per_m
    FROM retrieval r
    LEFT JOIN windows w
        ON w.deployment = r.deployment AND w.pack IS NOT DISTINCT FROM r.pack
    LEFT JOIN cheapest c
        ON c.deployment = r.deployment AND c.pack IS NOT DISTINCT FROM r.pack
    LEFT JOIN card own
        ON own.deployment = r.deployment AND own.model = r.model AND own.input_per_m IS NOT NULL
    WHERE r.ts >= $start AND r.ts < $end
), measured AS (
    SELECT
        *,
        least(scope, window_tokens) AS stuffed,
        CASE WHEN is_measured AND $clamp
             THEN greatest(least(scope, window_tokens) - context_tokens_sent, 0)
             WHEN is_measured
             THEN least(scope, window_tokens) - context_tokens_sent END AS avoided
    FROM (
        SELECT *, coalesce(scope >= 0 AND context_tokens_sent >= 0, false) AS is_measured
        FROM searches
    )
)
SELECT
    CASE $dimension
        WHEN 'agent' THEN agent
        WHEN 'pack' THEN pack
        WHEN 'index' THEN "index"
        WHEN 'model' THEN model
        WHEN 'deployment' THEN m.deployment
        WHEN 'day' THEN d.day
    END AS key,
    m.deployment,
    sample_rate,
    input_per_m,
    cache_read_per_m,
    count(*) FILTER (is_measured) AS measured,
    count(*) FILTER (NOT is_measured) AS unmeasured,
    sum(stuffed) FILTER (is_measured) AS stuffed_tokens,
    sum(context_tokens_sent) FILTER (is_measured) AS sent_tokens,
    sum(avoided) FILTER (is_measured) AS tokens_avoided
FROM measured m
LEFT JOIN days d ON $dimension = 'day' AND m.ts >= d.starts AND m.ts < d.ends
GROUP BY ALL
