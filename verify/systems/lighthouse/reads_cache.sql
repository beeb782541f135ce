-- The deployments that read from a cache at all in the period: their searches are priced at the
-- cache-read price [stated]. Any call counts here, refused or not, priced or not.
SELECT DISTINCT deployment FROM model_call
WHERE ts >= $start AND ts < $end AND cache_read_tokens > 0
