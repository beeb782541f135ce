-- The report's rows, to be run by hand with DuckDB in the store's directory:
--     duckdb -c ".read by_hand.sql"
-- Of each session the latest line, its whole cumulative total [stated]; of equal timestamps the
-- first line read [reading]. It takes lines as the product writes them: UTC, no key twice, sums
-- within 64 bits. verify recompute also follows the product through lines that are otherwise, and
-- says which. A cut: WHERE timestamp >= '2026-09-21' on `line`.
WITH line AS (
    SELECT
        session_id,
        rtrim(timestamp, 'Z')::TIMESTAMP_NS AS instant,
        row_number() OVER () AS place,
        snapshot.telemetry AS t,
        snapshot.response_governor AS g
    FROM read_ndjson(
        'usage-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].jsonl',
        ignore_errors = true,
        columns = {
            timestamp: 'VARCHAR',
            session_id: 'VARCHAR',
            snapshot: 'STRUCT(
                telemetry STRUCT(
                    schema_listings_total BIGINT, schema_native_tokens_total BIGINT,
                    schema_sent_tokens_total BIGINT, discovery_calls_total BIGINT,
                    discovery_tokens_total BIGINT),
                response_governor STRUCT(
                    truncated BIGINT, original_tokens BIGINT, returned_tokens BIGINT,
                    saved_tokens BIGINT, projected BIGINT, projection_saved_tokens BIGINT,
                    dedup_hits BIGINT, dedup_saved_tokens BIGINT, summarized BIGINT,
                    summarize_saved_tokens BIGINT))'
        }
    )
),
latest AS (
    SELECT * FROM line
    QUALIFY row_number() OVER (PARTITION BY session_id ORDER BY instant DESC, place) = 1
),
summed AS (
    SELECT
        coalesce(sum(t.schema_native_tokens_total), 0) AS native,
        coalesce(sum(t.schema_sent_tokens_total), 0) AS sent,
        coalesce(sum(t.schema_listings_total), 0) AS listings,
        coalesce(sum(g.original_tokens), 0) AS original,
        coalesce(sum(g.returned_tokens), 0) AS returned,
        coalesce(sum(g.saved_tokens), 0) AS saved,
        coalesce(sum(g.truncated), 0) AS truncated,
        coalesce(sum(g.projection_saved_tokens), 0) AS projection,
        coalesce(sum(g.projected), 0) AS projected,
        coalesce(sum(g.dedup_saved_tokens), 0) AS dedup,
        coalesce(sum(g.dedup_hits), 0) AS hits,
        coalesce(sum(g.summarize_saved_tokens), 0) AS summarization,
        coalesce(sum(g.summarized), 0) AS summarized,
        coalesce(sum(t.discovery_tokens_total), 0) AS discovery,
        coalesce(sum(t.discovery_calls_total), 0) AS calls
    FROM latest
)
SELECT unnest([
    {mechanism: 'schema', original: native, resulting: sent, saved: native - sent,
     calls: listings},
    {mechanism: 'response_truncation', original: original, resulting: returned,
     saved: saved - projection - dedup - summarization, calls: truncated},
    {mechanism: 'response_projection', original: 0, resulting: 0, saved: projection,
     calls: projected},
    {mechanism: 'response_dedup', original: 0, resulting: 0, saved: dedup, calls: hits},
    {mechanism: 'response_summarization', original: 0, resulting: 0, saved: summarization,
     calls: summarized},
    -- A cost, and never in a total.
    {mechanism: 'discovery', original: 0, resulting: discovery, saved: -discovery, calls: calls}
], recursive := true)
FROM summed;
