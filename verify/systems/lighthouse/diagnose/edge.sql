-- What lies in a stretch of time at the edge of a period, by the type of record.
--
-- $start, $end   the stretch: start <= ts < end
SELECT type, count(*) AS records, min(line, 5) AS lines,
       NULL AS whole, NULL AS rest
FROM record
WHERE ts >= $start AND ts < $end AND type IN ('model_call', 'retrieval', 'routing_decision')
GROUP BY type
UNION ALL
SELECT 'cost', count(*), min(line, 5), sum(trunc(usd)::HUGEINT), sum(usd - trunc(usd))
FROM cost
WHERE ts >= $start AND ts < $end AND kind = 'infrastructure' AND usd IS NOT NULL
HAVING count(*) > 0
