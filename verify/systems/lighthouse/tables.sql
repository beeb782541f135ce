-- From lines to records: one relation a record type, with the line that each record stands in.
-- `lines` is made by lines.sql.

-- The text that a string of JSON stands for. Hardly any holds an escape, and what has no other end
-- than its quotes is cut once a name, not once a row.
CREATE MACRO text_of(leaf) AS
    CASE WHEN contains(leaf, '\') THEN leaf ->> '$' ELSE trim(leaf, '"') END;

CREATE VIEW record AS
SELECT line, text_of(type) AS type, text_of(deployment) AS deployment, ts, ts_naive FROM lines;

CREATE VIEW model_call AS
SELECT
    line,
    text_of(deployment) AS deployment,
    ts,
    text_of(model) AS model,
    text_of(pack) AS pack,
    text_of(agent) AS agent,
    text_of(provider) AS provider,
    text_of(outcome) AS outcome,
    text_of(id) AS id,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_tokens
FROM lines WHERE type = '"model_call"';

CREATE VIEW retrieval AS
SELECT
    line,
    text_of(deployment) AS deployment,
    ts,
    text_of(model) AS model,
    text_of(pack) AS pack,
    text_of(agent) AS agent,
    text_of("index") AS "index",
    text_of(id) AS id,
    corpus_tokens_in_scope,
    context_tokens_sent,
    text_of(sample_rate) AS sample_rate
FROM lines WHERE type = '"retrieval"';

-- Price cards, profiles and costs are few, and typed at once. USD; prices per million tokens. A
-- snapshot without an id is known by the text of its timestamp. A context window is
-- `context_tokens`, or else `context_window`.
CREATE TABLE listed AS
SELECT
    line, type, deployment, ts, ts_sub, model, provider,
    coalesce(o.snapshot ->> '$', o.ts ->> '$') AS snapshot,
    (o.complete ->> '$')::BOOLEAN AS complete,
    count_of(o.size) AS size,
    count_of(coalesce(nullif(o.limits -> '$.context_tokens', 'null'),
                      o.limits -> '$.context_window')) AS window_tokens,
    amount_of(o.price -> '$.input_per_m') AS input_per_m,
    amount_of(o.price -> '$.output_per_m') AS output_per_m,
    amount_of(o.price -> '$.cache_read_per_m') AS cache_read_per_m,
    amount_of(o.price -> '$.cache_write_per_m') AS cache_write_per_m,
    o.profile ->> '$' AS profile,
    amount_of(o.rate) AS always_on_usd_per_hour,
    o.kind ->> '$' AS kind,
    amount_of(o.usd) AS usd
FROM (
    SELECT
        line,
        text_of(type) AS type,
        text_of(deployment) AS deployment,
        ts,
        coalesce(ts_sub, '') AS ts_sub,
        text_of(model) AS model,
        text_of(provider) AS provider,
        from_json(others, '{"ts":"JSON","profile":"JSON","rate":"JSON","kind":"JSON","usd":"JSON",
            "limits":"JSON","price":"JSON","snapshot":"JSON","complete":"JSON","size":"JSON"}') AS o
    FROM lines WHERE type IN ('"models"', '"deployment_profile"', '"cost"')
);

CREATE VIEW models AS
SELECT line, deployment, ts, ts_sub, model, provider, snapshot, complete, size, window_tokens,
       input_per_m, output_per_m, cache_read_per_m, cache_write_per_m
FROM listed WHERE type = 'models';

CREATE VIEW deployment_profile AS
SELECT line, deployment, ts, ts_sub, profile, always_on_usd_per_hour
FROM listed WHERE type = 'deployment_profile';

CREATE VIEW cost AS
SELECT line, deployment, ts, kind, usd FROM listed WHERE type = 'cost';

-- What decisions say of costs is in `decided` for the facts, and in `decided_again` for the lines
-- that the strict reader read: both by decisions.sql.
CREATE VIEW routing_decision AS
WITH decision AS (
    SELECT l.*, applied, picked_usd, baseline_usd, negative_costs
    FROM lines l JOIN decided d ON l.row_at = d.row_at
    WHERE type = '"routing_decision"'
    UNION ALL
    SELECT NULL AS row_at, r.*, applied, picked_usd, baseline_usd, negative_costs
    FROM resolved r JOIN decided_again d ON r.line = d.row_at
)
SELECT
    line,
    text_of(deployment) AS deployment,
    ts,
    text_of(agent) AS agent,
    text_of(pack) AS pack,
    text_of(id) AS id,
    others ->> '$.picked' AS picked,
    others ->> '$.baseline' AS baseline,
    applied, picked_usd, baseline_usd, negative_costs
FROM decision;
