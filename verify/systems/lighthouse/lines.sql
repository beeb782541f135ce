-- Every line that a figure may rest on, with its number: the rows that the fast path vouches for,
-- and those that the strict reader read again.
CREATE VIEW lines AS
SELECT f.rowid AS row_at, f.rowid + 1 AS line, NULL AS ts_sub, f.*
FROM facts f ANTI JOIN reread r ON f.rowid + 1 = r.line
UNION ALL
SELECT NULL AS row_at, * FROM resolved;
