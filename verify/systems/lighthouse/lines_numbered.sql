-- As lines.sql, for exports in several parts or with blank lines between: there a row's number is
-- not its position, and `numbering` says how far ahead of it the line is.
CREATE VIEW lines AS
SELECT n.line, n.* EXCLUDE (line)
FROM (
    SELECT f.rowid + m.ahead AS line, f.*
    FROM facts f ASOF JOIN numbering m ON f.rowid >= m.first_row
) n ANTI JOIN reread r ON n.line = r.line
UNION ALL
SELECT CAST(line_no ->> '$' AS BIGINT) AS line, * FROM resolved;

CREATE VIEW numbered_decisions AS
SELECT n.line, n.* EXCLUDE (line)
FROM (
    SELECT d.row_at + m.ahead AS line, d.*
    FROM decided d ASOF JOIN numbering m ON d.row_at >= m.first_row
) n ANTI JOIN reread r ON n.line = r.line;
