-- What the routing decisions among the facts say of costs. The cost of a model is that of the first
-- candidate of its name. `plain`: nothing in it is in doubt, and no name or cost stands twice in a
-- candidate. In JSON text `"name":` can only be a key.
WITH decision AS MATERIALIZED (
    SELECT rowid AS row_at, line_no, deployment, ts, agent, pack, id,
           picked, baseline, applied, candidates,
           from_json(candidates, '[{"model":"JSON","cost_usd":"JSON"}]') AS listed
    FROM facts WHERE type = '"routing_decision"'
)
SELECT
    row_at,
    line_no,
    deployment ->> '$' AS deployment,
    ts,
    agent ->> '$' AS agent,
    pack ->> '$' AS pack,
    id ->> '$' AS id,
    picked ->> '$' AS picked,
    baseline ->> '$' AS baseline,
    coalesce(try_cast(applied ->> '$' AS BOOLEAN), true) AS applied,
    amount_of(list_filter(listed, lambda c: c.model = decision.picked)[1].cost_usd) AS picked_usd,
    amount_of(list_filter(listed, lambda c: c.model = decision.baseline)[1].cost_usd)
        AS baseline_usd,
    occurrences(candidates, '"cost_usd":-') + occurrences(candidates, '"cost_usd":"-')
        AS negative_costs,
    is_text(picked) AND is_text(baseline) AND is_flag(applied)
        AND (candidates IS NULL
             OR starts_with(candidates, '[')
                AND occurrences(candidates, '"model":') = len(listed)
                AND occurrences(candidates, '"cost_usd":') = len(listed)
                AND len(list_filter(listed, lambda c: starts_with(c.model::VARCHAR, '"')
                                    AND is_amount(c.cost_usd))) = len(listed)
                -- Where one candidate has no cost, does another have two?
                AND CASE WHEN len(list_filter(listed, lambda c: c.cost_usd IS NULL)) = 0 THEN true
                    ELSE len(list_filter(from_json(candidates, '["JSON"]'), lambda c:
                             occurrences(c, '"cost_usd":') <> 1)) = 0
                    END) AS plain
FROM decision
