-- @by_kind: ids that stand on several records of a deployment, by what these have to do with each
-- other; a call, a search and a decision do not share ids with each other
-- $start, $end   the period: start <= ts < end
SELECT type, kind, count(*) AS ids, sum(records)::BIGINT AS records,
       list_sort(flatten(min(lines[:5], 5)))[:5] AS lines
FROM several
GROUP BY type, kind ORDER BY type, kind;
-- @dropped: the lines that would not count if each id counted once: of equal records the first
-- stays, of others the last
SELECT unnest(CASE WHEN kind = 'equal' THEN by_line[2:] ELSE by_time[:-2] END) AS line
FROM several WHERE kind = $kind ORDER BY line;
-- @several
CREATE OR REPLACE TEMP TABLE several AS
WITH looks AS (
    SELECT hash(type, deployment, id) AS look
    FROM lines
    WHERE type IN ('"model_call"', '"retrieval"', '"routing_decision"') AND id IS NOT NULL
      AND ts >= $start AND ts < $end
    GROUP BY look HAVING count(*) > 1
), shared AS (
    SELECT line FROM lines
    WHERE type IN ('"model_call"', '"retrieval"', '"routing_decision"') AND id IS NOT NULL
      AND ts >= $start AND ts < $end AND hash(type, deployment, id) IN (SELECT look FROM looks)
), found AS (
    SELECT 'model_call' AS type, deployment, id, line, ts,
           coalesce(outcome IN ('error', 'refused'), false) AS failed,
           hash(model, pack, input_tokens) AS call, coalesce(output_tokens, 0) AS written,
           hash(ts, model, pack, agent, provider, outcome, input_tokens, output_tokens,
                cache_read_tokens, cache_write_tokens) AS content
    FROM model_call WHERE line IN (SELECT line FROM shared) AND id IS NOT NULL
    UNION ALL
    SELECT 'retrieval', deployment, id, line, ts, false, line, 0,
           hash(ts, model, pack, agent, "index", corpus_tokens_in_scope, context_tokens_sent,
                sample_rate)
    FROM retrieval WHERE line IN (SELECT line FROM shared) AND id IS NOT NULL
    UNION ALL
    SELECT 'routing_decision', deployment, id, line, ts, false, line, 0,
           hash(ts, agent, pack, picked, baseline, applied, picked_usd, baseline_usd)
    FROM routing_decision WHERE line IN (SELECT line FROM shared) AND id IS NOT NULL
), together AS (
    SELECT
        type, deployment, id, count(*) AS records, count(DISTINCT content) AS contents,
        count(DISTINCT call) AS calls, max(ts) - min(ts) AS apart,
        list(line ORDER BY line) AS by_line, list(line ORDER BY ts, line) AS by_time,
        list(failed ORDER BY ts, line) AS failures, list(written ORDER BY ts, line) AS growth
    FROM found GROUP BY type, deployment, id HAVING count(*) > 1
)
SELECT
    type, records, by_line AS lines, by_line, by_time,
    CASE WHEN contents = 1 THEN 'equal'
         WHEN list_contains(failures[:-2], true) THEN 'retried'
         WHEN type = 'model_call' AND calls = 1 AND growth = list_sort(growth)
              AND apart <= INTERVAL 1 HOUR THEN 'growing'
         ELSE 'different' END AS kind
FROM together
