-- Statements of NamedSqlTest.

-- result: one
-- A comment, which is not sent.
SELECT 1;

-- result: two
WITH two AS (
    -- A comment at an expression; with a semicolon.
    SELECT 2 AS number
)
SELECT two.number
  FROM two;
