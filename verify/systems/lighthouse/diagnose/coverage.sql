-- The records of each deployment by local day, of the types that happen all the time. A snapshot, a
-- profile or a cost record comes once in a while, and its absence says nothing.
--
-- $start, $end   the period: start <= ts < end; `days` are its local days
SELECT r.deployment, d.day, count(*) AS records
FROM record r
JOIN days d ON r.ts >= d.starts AND r.ts < d.ends
WHERE r.ts >= $start AND r.ts < $end
  AND r.type IN ('model_call', 'retrieval', 'routing_decision')
GROUP BY ALL
