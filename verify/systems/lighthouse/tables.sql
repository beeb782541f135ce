-- From lines to records: one relation a record type, with the line that each record stands in.
-- `lines` is made by lines.sql.

CREATE VIEW record AS
SELECT line, type ->> '$' AS type, deployment ->> '$' AS deployment, ts, ts_naive FROM lines;

CREATE VIEW model_call AS
SELECT
    line,
    deployment ->> '$' AS deployment,
    ts,
    model ->> '$' AS model,
    pack ->> '$' AS pack,
    agent ->> '$' AS agent,
    provider ->> '$' AS provider,
    outcome ->> '$' AS outcome,
    id ->> '$' AS id,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_tokens
FROM lines WHERE type = '"model_call"';

CREATE VIEW retrieval AS
SELECT
    line,
    deployment ->> '$' AS deployment,
    ts,
    model ->> '$' AS model,
    pack ->> '$' AS pack,
    agent ->> '$' AS agent,
    "index" ->> '$' AS "index",
    id ->> '$' AS id,
    corpus_tokens_in_scope,
    context_tokens_sent,
    sample_rate ->> '$' AS sample_rate
FROM lines WHERE type = '"retrieval"';

CREATE VIEW other AS
SELECT
    line,
    type ->> '$' AS type,
    deployment ->> '$' AS deployment,
    ts,
    coalesce(ts_sub, '') AS ts_sub,
    model ->> '$' AS model,
    pack ->> '$' AS pack,
    agent ->> '$' AS agent,
    provider ->> '$' AS provider,
    id ->> '$' AS id,
    from_json(others, '{"ts":"JSON","profile":"JSON","rate":"JSON","kind":"JSON","usd":"JSON",
        "limits":"JSON","price":"JSON","snapshot":"JSON","complete":"JSON","size":"JSON"}') AS o
FROM lines WHERE type IN ('"models"', '"deployment_profile"', '"cost"');

-- USD per million tokens. A snapshot without an id is known by the text of its timestamp. A
-- context window is `context_tokens`, or else `context_window`.
CREATE TABLE models AS
SELECT
    line, deployment, ts, ts_sub, model, provider,
    coalesce(o.snapshot ->> '$', o.ts ->> '$') AS snapshot,
    (o.complete ->> '$')::BOOLEAN AS complete,
    count_of(o.size) AS size,
    count_of(coalesce(nullif(o.limits -> '$.context_tokens', 'null'),
                      o.limits -> '$.context_window')) AS window_tokens,
    amount_of(o.price -> '$.input_per_m') AS input_per_m,
    amount_of(o.price -> '$.output_per_m') AS output_per_m,
    amount_of(o.price -> '$.cache_read_per_m') AS cache_read_per_m,
    amount_of(o.price -> '$.cache_write_per_m') AS cache_write_per_m
FROM other WHERE type = 'models';

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
    deployment ->> '$' AS deployment,
    ts,
    agent ->> '$' AS agent,
    pack ->> '$' AS pack,
    id ->> '$' AS id,
    others ->> '$.picked' AS picked,
    others ->> '$.baseline' AS baseline,
    applied, picked_usd, baseline_usd, negative_costs
FROM decision;

CREATE TABLE deployment_profile AS
SELECT line, deployment, ts, ts_sub, o.profile ->> '$' AS profile,
       amount_of(o.rate) AS always_on_usd_per_hour
FROM other WHERE type = 'deployment_profile';

CREATE TABLE cost AS
SELECT line, deployment, ts, o.kind ->> '$' AS kind, amount_of(o.usd) AS usd
FROM other WHERE type = 'cost';
