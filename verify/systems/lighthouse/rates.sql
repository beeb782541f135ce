-- The sampling rates of the searches in the period, as they are written.
--
-- $start, $end   the period: start <= ts < end
SELECT DISTINCT sample_rate FROM retrieval
WHERE ts >= $start AND ts < $end AND sample_rate IS NOT NULL
