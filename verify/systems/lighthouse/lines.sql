-- Every line that a figure may rest on, with its number: the rows that the fast path vouches for,
-- and those that the strict reader read again.
CREATE VIEW lines AS
SELECT f.rowid + 1 AS line, f.*
FROM facts f ANTI JOIN reread r ON f.rowid + 1 = r.line
UNION ALL
SELECT CAST(line_no ->> '$' AS BIGINT) AS line, * FROM resolved;

CREATE VIEW numbered_decisions AS
SELECT d.row_at + 1 AS line, d.*
FROM decided d ANTI JOIN reread r ON d.row_at + 1 = r.line;
