-- As lines.sql, for exports in several parts or with blank lines between: there a row's number is
-- not its position, and `numbering` says how far ahead of it the line is.
CREATE VIEW lines AS
SELECT n.*
FROM (
    SELECT f.rowid AS row_at, f.rowid + m.ahead AS line, NULL AS ts_sub, f.*
    FROM facts f ASOF JOIN numbering m ON f.rowid >= m.first_row
) n ANTI JOIN reread r ON n.line = r.line
UNION ALL
SELECT NULL AS row_at, * FROM resolved;
