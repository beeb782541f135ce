-- What the routing decisions among the facts say of costs. The cost of a model is that of the first
-- candidate of its name. `plain`: nothing in it is in doubt, and no name or cost stands twice in a
-- candidate. In JSON text `"name":` can only be a key.
--
-- Where every candidate is written as {"model":"…","cost_usd":1.5}, no name with an escape in it,
-- a cost stands behind its model's name, and the list need not be taken apart.
WITH decision AS MATERIALIZED (
    SELECT
        row_at, candidates, o.picked AS picked, o.baseline AS baseline,
        coalesce(try_cast(o.applied ->> '$' AS BOOLEAN), true) AS applied,
        is_text(o.picked) AND is_text(o.baseline) AND is_flag(o.applied) AS names_plain,
        coalesce(regexp_full_match(candidates,
            '\[\]|\[\{"model":"[^"\\]*","cost_usd":(' || amount_pattern() ||
            ')\}(,\{"model":"[^"\\]*","cost_usd":(' || amount_pattern() || ')\})*\]'), false) AS simple
    FROM (
        SELECT rowid AS row_at, candidates,
               from_json(others, '{"picked":"JSON","baseline":"JSON","applied":"JSON"}') AS o
        FROM facts WHERE type = '"routing_decision"'
    )
), listed AS (
    SELECT *, from_json(candidates, '[{"model":"JSON","cost_usd":"JSON"}]') AS listed
    FROM decision WHERE NOT simple
)
SELECT
    row_at, applied,
    cost_behind(candidates, '{"model":' || picked::VARCHAR || ',"cost_usd":') AS picked_usd,
    cost_behind(candidates, '{"model":' || baseline::VARCHAR || ',"cost_usd":') AS baseline_usd,
    CASE WHEN contains(candidates, '"cost_usd":-')
         THEN occurrences(candidates, '"cost_usd":-') ELSE 0 END AS negative_costs,
    names_plain AS plain
FROM decision WHERE simple
UNION ALL
SELECT
    row_at, applied,
    amount_of(list_filter(listed, lambda c: c.model = d.picked)[1].cost_usd) AS picked_usd,
    amount_of(list_filter(listed, lambda c: c.model = d.baseline)[1].cost_usd) AS baseline_usd,
    coalesce(len(list_filter(listed, lambda c: regexp_matches(c.cost_usd::VARCHAR, '^"?-'))), 0)
        AS negative_costs,
    names_plain
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
FROM listed d
