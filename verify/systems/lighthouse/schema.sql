-- How the plain forms of JSON text are read; every other form gives NULL, which marks a doubt.

-- An integer of 64 bits, also written 12.0. With a point in it, a longer one may have been rounded;
-- 0.0 is also what becomes of 1e-400. Text without a point or an e is an integer, or no number.
CREATE OR REPLACE TEMP MACRO count_of(leaf) AS
    CASE WHEN NOT (contains(leaf::VARCHAR, '.') OR contains(leaf::VARCHAR, 'e'))
           OR regexp_full_match(leaf::VARCHAR, '-?[1-9][0-9]{0,14}\.0')
         THEN try_cast(leaf::VARCHAR AS BIGINT) END;

-- RFC 3339; without an offset it is UTC. Leap seconds, 24:00 and year 0 are not plain.
CREATE OR REPLACE TEMP MACRO instant_of(leaf) AS
    CASE WHEN regexp_full_match(leaf::VARCHAR,
        '"([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-[01][0-9]-[0-3][0-9]T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])?"')
         THEN try_cast(substr(leaf::VARCHAR, 2, length(leaf::VARCHAR) - 2) AS TIMESTAMPTZ) END;

-- Whether a value is absent or written in the plain form of its kind.
CREATE OR REPLACE TEMP MACRO is_text(leaf) AS leaf IS NULL OR starts_with(leaf::VARCHAR, '"');
CREATE OR REPLACE TEMP MACRO is_flag(leaf) AS leaf IS NULL OR leaf::VARCHAR IN ('true', 'false');
CREATE OR REPLACE TEMP MACRO is_count(leaf) AS leaf IS NULL OR count_of(leaf) IS NOT NULL;
CREATE OR REPLACE TEMP MACRO is_amount(leaf) AS
    leaf IS NULL OR regexp_full_match(leaf::VARCHAR,
        '0|-?([1-9][0-9]{0,14}(\.[0-9]{1,18})?|0\.[0-9]{0,17}[1-9]|[1-9](\.[0-9]{1,9})?e-[1-9])');
CREATE OR REPLACE TEMP MACRO is_rate(leaf) AS
    leaf IS NULL OR regexp_full_match(leaf::VARCHAR,
        '-?([0-9]{1,15}|[1-9][0-9]{0,14}\.[0-9]+|0\.[0-9]*[1-9])');

-- An exact amount: at most 18 decimals, which is what DECIMAL(38, 18) holds. The strict reader
-- hands decimals on as strings, so that no parser rounds them on the way.
CREATE OR REPLACE TEMP MACRO amount_of(leaf) AS
    CASE WHEN regexp_full_match(leaf ->> '$', '-?[0-9]{1,20}(\.[0-9]{1,18})?|-?[1-9](\.[0-9]{1,9})?e-[1-9]')
         THEN CAST(leaf ->> '$' AS DECIMAL(38, 18)) END;

-- How often a piece stands in a text. In JSON text `"name":` can only be a key.
CREATE OR REPLACE TEMP MACRO occurrences(text, piece) AS
    (length(text::VARCHAR) - length(replace(text::VARCHAR, piece, ''))) // length(piece);
CREATE OR REPLACE TEMP MACRO more_than_once(text, piece) AS coalesce(occurrences(text, piece), 0) > 1;

CREATE TABLE IF NOT EXISTS facts (
    type VARCHAR, deployment VARCHAR, ts TIMESTAMPTZ, ts_naive BOOLEAN, ts_sub VARCHAR,
    line_no VARCHAR, model VARCHAR, pack VARCHAR, agent VARCHAR, provider VARCHAR,
    "index" VARCHAR, outcome VARCHAR, id VARCHAR, input_tokens BIGINT, output_tokens BIGINT,
    cache_read_tokens BIGINT, cache_write_tokens BIGINT, corpus_tokens_in_scope BIGINT,
    context_tokens_sent BIGINT, sample_rate VARCHAR,
    candidates VARCHAR, picked VARCHAR, baseline VARCHAR, applied VARCHAR,
    others VARCHAR, doubt BOOLEAN
);

-- The same columns for the lines that the strict reader read again (`line_no` says which), the
-- lines it was asked to read, and those it refused.
CREATE TABLE IF NOT EXISTS resolved AS FROM facts LIMIT 0;
CREATE TABLE IF NOT EXISTS reread (line BIGINT);
CREATE TABLE IF NOT EXISTS invalid (line BIGINT, reason VARCHAR);
-- rowid + ahead is the number of the line, from `first_row` on.
CREATE TABLE IF NOT EXISTS numbering (first_row BIGINT, ahead BIGINT);
