-- Recurrences, against recursive queries.
CREATE SCHEMA recurrence;
SET search_path = recurrence;

-- The fewest coins for each amount; some amounts cannot be paid.
CREATE TABLE coins ("offset" integer, weight integer);
INSERT INTO coins VALUES (4, 1), (9, 1), (11, 1);
SELECT element, value FROM makespan.recurrence('TABLE coins',
    'SELECT element, CASE element WHEN 0 THEN 0 WHEN 4 THEN 1 WHEN 8 THEN 2 WHEN 9 THEN 1 END AS value FROM generate_series(0, 10) element', 24)
WHERE element IN (0, 1, 7, 8, 14, 20, 23) ORDER BY element;
CREATE VIEW paid AS SELECT * FROM makespan.recurrence('TABLE recurrence.coins',
    'SELECT element, CASE element WHEN 0 THEN 0 WHEN 4 THEN 1 WHEN 8 THEN 2 WHEN 9 THEN 1 END AS value FROM generate_series(0, 10) element', 400,
    options => '{"choices": true}');
SELECT count(*) AS elements, count(*) FILTER (WHERE p.element > 10 AND p.value IS DISTINCT FROM (
        SELECT min(before.value + weight) FROM coins, paid before WHERE before.element = p.element - "offset")) AS wrong,
    count(*) FILTER (WHERE p.element > 10 AND p.value <> (
        SELECT before.value + 1 FROM paid before WHERE before.element = p.element - p.choice)) AS "wrong choices",
    min(status) AS status, bool_and(objective = bound) AS proved
FROM paid p;
SELECT (SELECT value FROM paid ORDER BY element DESC LIMIT 1) = objective AS equal FROM paid LIMIT 1;

-- The objective is null if the last element is unreachable.
SELECT element, value, status, objective, bound FROM makespan.recurrence('SELECT 2 AS "offset", 1 AS weight',
    'SELECT e AS element, nullif(e, 1) AS value FROM generate_series(0, 1) e', 6) WHERE element >= 4;

-- Only the last element, of a long table.
SELECT element, value, objective FROM makespan.recurrence('TABLE coins',
    'SELECT element, 0 AS value FROM generate_series(0, 10) element', 1000000, options => '{"values": "last"}');

-- Other semirings: Fibonacci's numbers, their residues, sums with terms, the least width of a path.
SELECT string_agg(value::text, ' ' ORDER BY element) FROM makespan.recurrence(
    'SELECT o AS "offset" FROM generate_series(1, 2) o', 'SELECT e AS element, e AS value FROM generate_series(0, 1) e', 15, 'sum-product');
SELECT max(value) FILTER (WHERE element = 300) AS "fib(300) mod 1000000007" FROM makespan.recurrence(
    'SELECT o AS "offset" FROM generate_series(1, 2) o', 'SELECT e AS element, e AS value FROM generate_series(0, 1) e', 301, 'modular', 1000000007);
SELECT string_agg(value::text, ' ' ORDER BY element) FROM makespan.recurrence('SELECT 1 AS "offset"', 'SELECT 0 AS element, 0 AS value', 8,
    'sum-product', terms => 'SELECT e AS element, e AS value FROM generate_series(1, 7) e');
SELECT string_agg(value::text, ' ' ORDER BY element) FROM makespan.recurrence(
    'SELECT o AS "offset", 10 - o AS weight FROM generate_series(1, 2) o', 'SELECT e AS element, 20 * e AS value FROM generate_series(0, 1) e',
    5, 'max-min');
SELECT count(*) FROM makespan.recurrence('TABLE coins', 'SELECT element, 0 AS value FROM generate_series(0, 10) element', 5000, 'max-plus')
WHERE value > 0;

\x on
\pset format unaligned
SELECT fault.* FROM unnest(ARRAY[
    $$ recurrence('SELECT 0 AS "offset"', 'SELECT 0 AS element, 0 AS value', 5) $$,
    $$ recurrence('SELECT 1 AS "offset" FROM generate_series(1, 2)', 'SELECT 0 AS element, 0 AS value', 5) $$,
    $$ recurrence('SELECT 2 AS "offset"', 'SELECT 0 AS element, 0 AS value', 5) $$,
    $$ recurrence('SELECT 2 AS "offset"', 'SELECT 2 AS element, 0 AS value', 5) $$,
    $$ recurrence('SELECT 1 AS "offset"', 'SELECT 0 AS element, NULL::integer AS value', 5, 'sum-product') $$,
    $$ recurrence('SELECT 1 AS "offset"', 'SELECT 0 AS element, 1 AS value', 5, 'plus-plus') $$,
    $$ recurrence('SELECT 1 AS "offset"', 'SELECT 0 AS element, 1 AS value', 5, 'modular') $$,
    $$ recurrence('SELECT 1 AS "offset", 3 AS weight', 'SELECT 0 AS element, 1 AS value', 100, 'sum-product') $$,
    $$ recurrence('SELECT 1 AS "offset"', 'SELECT 0 AS element, 1 AS value', -1) $$,
    $$ recurrence('SELECT 3 AS "offset"', 'SELECT e AS element, 1 AS value FROM generate_series(0, 2) e', 2) $$]) call,
    checks.fault('SELECT * FROM makespan.' || call) fault;
\x off
\pset format aligned
