-- One row a line of the export, in file order: rowid + 1 is the number of the line among those
-- that are not blank. `export_lines` hands out every value as the JSON text it has in the file.
--
-- Names stay JSON text here (a dictionary of few words, decoded when read). Token counts and
-- instants are typed at once. What is written in any but the plain way is not guessed at: the row
-- is marked `doubt`, and the strict reader goes back to the bytes of that line. `ts_sub` and `line_no`
-- are what the strict reader adds to a line that it has read again.
SELECT
    line_no,
    ts_sub,
    type::VARCHAR AS type,
    deployment::VARCHAR AS deployment,
    instant AS ts,
    CASE WHEN ends_with(ts::VARCHAR, 'Z"') THEN false
         ELSE NOT regexp_matches(ts::VARCHAR, '[-+][0-9:]{5}"$') END AS ts_naive,
    model::VARCHAR AS model,
    pack::VARCHAR AS pack,
    agent::VARCHAR AS agent,
    provider::VARCHAR AS provider,
    "index"::VARCHAR AS "index",
    outcome::VARCHAR AS outcome,
    id::VARCHAR AS id,
    input_int AS input_tokens,
    output_int AS output_tokens,
    cache_read_int AS cache_read_tokens,
    cache_write_int AS cache_write_tokens,
    corpus_int AS corpus_tokens_in_scope,
    sent_int AS context_tokens_sent,
    sample_rate::VARCHAR AS sample_rate,
    candidates::VARCHAR AS candidates,
    -- What only lines of some types have stays together until it is typed: every column more, even
    -- an empty one, costs every row.
    CASE WHEN type::VARCHAR = '"routing_decision"'
         THEN to_json(struct_pack(picked := picked, baseline := baseline, applied := applied))::VARCHAR
         WHEN type::VARCHAR IN ('"models"', '"deployment_profile"', '"cost"')
         THEN to_json(struct_pack(
              ts := ts, profile := profile, rate := always_on_usd_per_hour, kind := kind,
              usd := usd, limits := limits, price := price, snapshot := snapshot,
              complete := complete, size := size))::VARCHAR
    END AS others,
    (instant IS NULL OR no_attrs
     OR (input_tokens IS NOT NULL AND input_int IS NULL)
     OR (output_tokens IS NOT NULL AND output_int IS NULL)
     OR (cache_read_tokens IS NOT NULL AND cache_read_int IS NULL)
     OR (cache_write_tokens IS NOT NULL AND cache_write_int IS NULL)
     OR (corpus_tokens_in_scope IS NOT NULL AND corpus_int IS NULL)
     OR (context_tokens_sent IS NOT NULL AND sent_int IS NULL)
    ) AS doubt
FROM (
    SELECT
        *,
        instant_of(ts) AS instant,
        count_of(input_tokens) AS input_int,
        count_of(output_tokens) AS output_int,
        count_of(cache_read_tokens) AS cache_read_int,
        count_of(cache_write_tokens) AS cache_write_int,
        count_of(corpus_tokens_in_scope) AS corpus_int,
        count_of(context_tokens_sent) AS sent_int
    FROM export_lines
)
