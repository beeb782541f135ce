-- How the plain forms of JSON text are read; every other form gives NULL, which marks a doubt.

-- An integer of 64 bits, also written 12.0. With a point in it, a longer one may have been rounded;
-- 0.0 is also what becomes of 1e-400. Text without a point or an e is an integer, or no number.
CREATE OR REPLACE TEMP MACRO count_of(leaf) AS
    CASE WHEN NOT (contains(leaf::VARCHAR, '.') OR contains(leaf::VARCHAR, 'e'))
           OR regexp_full_match(leaf::VARCHAR, '-?[1-9][0-9]{0,14}\.0')
         THEN try_cast(leaf::VARCHAR AS BIGINT) END;

-- RFC 3339; without an offset it is UTC. Leap seconds, 24:00 and year 0 are not plain. Most logs
-- write milliseconds in UTC, for which a fixed format is quicker: as long as its longest form, it
-- has each of its digits.
CREATE OR REPLACE TEMP MACRO instant_of(leaf) AS
    CASE WHEN strlen(leaf::VARCHAR) = 26 AND ends_with(leaf::VARCHAR, 'Z"')
              AND NOT starts_with(leaf::VARCHAR, '"0000')
         THEN make_timestamptz(epoch_us(
              try_strptime(leaf::VARCHAR, '"%Y-%m-%dT%H:%M:%S.%gZ"')))
         WHEN regexp_full_match(leaf::VARCHAR,
        '"([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-[01][0-9]-[0-3][0-9]T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])?"')
         THEN try_cast(substr(leaf::VARCHAR, 2, length(leaf::VARCHAR) - 2) AS TIMESTAMPTZ) END;

-- Whether a value is absent or written in the plain form of its kind.
CREATE OR REPLACE TEMP MACRO is_text(leaf) AS leaf IS NULL OR starts_with(leaf::VARCHAR, '"');
CREATE OR REPLACE TEMP MACRO is_no_text(leaf) AS
    leaf::VARCHAR < '"' OR leaf::VARCHAR >= '#';  -- as `NOT is_text`, in what zone maps know
CREATE OR REPLACE TEMP MACRO is_flag(leaf) AS leaf IS NULL OR leaf::VARCHAR IN ('true', 'false');
CREATE OR REPLACE TEMP MACRO is_count(leaf) AS leaf IS NULL OR count_of(leaf) IS NOT NULL;
CREATE OR REPLACE TEMP MACRO amount_pattern() AS
    '0|-?([1-9][0-9]{0,14}(\.[0-9]{1,18})?|0\.[0-9]{0,17}[1-9]|[1-9](\.[0-9]{1,9})?e-[1-9])';
CREATE OR REPLACE TEMP MACRO is_amount(leaf) AS
    leaf IS NULL OR regexp_full_match(leaf::VARCHAR, amount_pattern());
CREATE OR REPLACE TEMP MACRO is_rate(leaf) AS
    leaf IS NULL OR regexp_full_match(leaf::VARCHAR,
        '-?([0-9]{1,15}|[1-9][0-9]{0,14}\.[0-9]+|0\.[0-9]*[1-9])');

-- An exact amount: at most 18 decimals, which is what DECIMAL(38, 18) holds. The strict reader
-- hands decimals on as strings, so that no parser rounds them on the way.
CREATE OR REPLACE TEMP MACRO amount_of(leaf) AS
    CASE WHEN regexp_full_match(leaf ->> '$', '-?[0-9]{1,20}(\.[0-9]{1,18})?|-?[1-9](\.[0-9]{1,9})?e-[1-9]')
         THEN CAST(leaf ->> '$' AS DECIMAL(38, 18)) END;

-- The amount that stands behind a piece of JSON text, up to the end of its object; NULL without such
-- a piece.
CREATE OR REPLACE TEMP MACRO cost_behind(text, piece) AS
    CAST(split_part(substr(text, nullif(strpos(text, piece), 0) + length(piece)), '}', 1)
         AS DECIMAL(38, 18));

-- Whether any lever reads records of a type.
CREATE OR REPLACE TEMP MACRO is_read(type) AS
    type IN ('"models"', '"model_call"', '"retrieval"', '"routing_decision"',
             '"deployment_profile"', '"cost"');

-- How often a piece stands in a text. In JSON text `"name":` can only be a key.
CREATE OR REPLACE TEMP MACRO occurrences(text, piece) AS
    (length(text::VARCHAR) - length(replace(text::VARCHAR, piece, ''))) // length(piece);
CREATE OR REPLACE TEMP MACRO more_than_once(text, piece) AS coalesce(occurrences(text, piece), 0) > 1;

CREATE TABLE IF NOT EXISTS facts (
    type VARCHAR, deployment VARCHAR, ts TIMESTAMPTZ, ts_naive BOOLEAN, model VARCHAR, pack VARCHAR,
    agent VARCHAR, provider VARCHAR, "index" VARCHAR, outcome VARCHAR, id VARCHAR,
    input_tokens BIGINT, output_tokens BIGINT, cache_read_tokens BIGINT, cache_write_tokens BIGINT,
    corpus_tokens_in_scope BIGINT, context_tokens_sent BIGINT, sample_rate VARCHAR,
    candidates VARCHAR, others VARCHAR, doubt BOOLEAN
);

-- The same columns for the lines that the strict reader read again, which come with their numbers
-- and the digits of their timestamps beyond the microsecond; the lines it was asked to read, and
-- those it refused.
CREATE TABLE IF NOT EXISTS resolved AS
SELECT CAST(NULL AS BIGINT) AS line, CAST(NULL AS VARCHAR) AS ts_sub, * FROM facts LIMIT 0;
CREATE TABLE IF NOT EXISTS reread (line BIGINT);
CREATE TABLE IF NOT EXISTS invalid (line BIGINT, reason VARCHAR);
-- rowid + ahead is the number of the line, from `first_row` on.
CREATE TABLE IF NOT EXISTS numbering (first_row BIGINT, ahead BIGINT);
