-- Profiles of knapsacks and batches, against solves one by one.
CREATE SCHEMA batches;
SET search_path = batches;

CREATE TABLE items AS
SELECT i AS item, 1 + checks.draw(i, 50) AS profit, 1 + checks.draw(i + 100, 12) AS weight, CASE i WHEN 1 THEN 3 WHEN 2 THEN NULL ELSE 1 END AS copies
FROM generate_series(1, 8) i;

-- The profit of each capacity.
SELECT count(*) AS capacities, count(*) FILTER (WHERE profit <> k.objective) AS wrong, bool_and(status = 'optimal') AS optimal,
    max(profit) = max(p.objective) AS "the last one is the objective"
FROM makespan.knapsack_profile('TABLE batches.items', 40) p,
    LATERAL (SELECT DISTINCT objective FROM makespan.knapsack('TABLE batches.items', p.capacity, '{"method": "core"}')) k;

-- Knapsacks with other profits. A profit without a row is 0.
CREATE TABLE profits AS
SELECT i AS instance, item, checks.draw(i * 100 + item, 60) AS profit FROM unnest(ARRAY['spring', 'autumn', 'winter']) WITH ORDINALITY season (name, i), items
WHERE (i, item) <> (2, 3);
CREATE VIEW batch AS SELECT * FROM makespan.knapsack_batch('SELECT item, weight, copies FROM batches.items', 'TABLE batches.profits', 30);
SELECT b.instance, count(*) AS items, max(b.profit) = max(k.objective) AS largest,
    sum(b.count * coalesce(p.profit, 0)) = max(b.profit) AS "profits of the items", sum(b.count * i.weight) <= 30 AS fits,
    bool_and(b.count <= coalesce(i.copies, b.count)) AS copies, max(b.objective) = (SELECT sum(DISTINCT profit) FROM batch) AS sum
FROM batch b JOIN items i ON i.item = b.item::integer LEFT JOIN profits p ON p.instance = b.instance::integer AND p.item = i.item,
    LATERAL (SELECT max(objective) AS objective FROM makespan.knapsack(format('SELECT item, weight, copies, coalesce(p.profit, 0) AS profit
        FROM batches.items i LEFT JOIN batches.profits p USING (item) WHERE p.instance = %s', b.instance), 30)) k
GROUP BY b.instance ORDER BY b.instance;

-- Several tables of one recurrence: values, weights and terms of their own, or terms of all.
CREATE TABLE tables AS SELECT t AS instance, e AS element, checks.draw(t * 10 + e, 9) AS value FROM generate_series(1, 3) t, generate_series(0, 3) e;
CREATE TABLE weights AS SELECT t AS instance, o AS "offset", 1 + checks.draw(t * 20 + o, 5) AS weight FROM generate_series(1, 3) t, unnest(ARRAY[1, 4]) o;
SELECT semiring, count(*) AS elements, count(*) FILTER (WHERE b.value IS DISTINCT FROM r.value) AS wrong, count(DISTINCT b.objective) AS objectives,
    max(b.objective) = max(b.value) FILTER (WHERE b.instance = '1' AND b.element = 29) AS "last of the first"
FROM unnest(ARRAY['min-plus', 'max-plus', 'max-min', 'or-and', 'sum-product', 'modular']) semiring, LATERAL makespan.recurrence_batch(
        'SELECT o AS "offset" FROM unnest(ARRAY[1, 4]) o', 'TABLE batches.tables', 30, semiring, CASE semiring WHEN 'modular' THEN 97 END,
        terms => 'SELECT i AS instance, e AS element, i + e AS value FROM generate_series(4, 29) e, generate_series(1, 3) i',
        weights => 'TABLE batches.weights') b,
    LATERAL makespan.recurrence(format('SELECT "offset", weight FROM batches.weights WHERE instance = %s', b.instance),
        format('SELECT element, value FROM batches.tables WHERE instance = %s', b.instance), 30, semiring, CASE semiring WHEN 'modular' THEN 97 END,
        terms => format('SELECT e AS element, %s + e AS value FROM generate_series(4, 29) e', b.instance)) r
WHERE r.element = b.element GROUP BY semiring ORDER BY semiring;
-- The choices, and weights and terms that all tables share.
SELECT instance, count(b.choice) AS choices, count(*) FILTER (WHERE b.choice IS NOT NULL AND b.value <> before.value + b.choice) AS wrong
FROM makespan.recurrence_batch('SELECT o AS "offset", o AS weight FROM unnest(ARRAY[1, 4]) o', 'TABLE batches.tables', 30,
        terms => 'SELECT e AS element, 100 - e AS value FROM generate_series(4, 29) e', options => '{"choices": true}') b
    LEFT JOIN makespan.recurrence_batch('SELECT o AS "offset", o AS weight FROM unnest(ARRAY[1, 4]) o', 'TABLE batches.tables', 30,
        terms => 'SELECT e AS element, 100 - e AS value FROM generate_series(4, 29) e') before
    USING (instance) WHERE before.element = b.element - coalesce(b.choice, 0) GROUP BY instance ORDER BY instance;
SELECT instance, element, value IS NULL AS unreachable, objective FROM makespan.recurrence_batch('SELECT 2 AS "offset"',
    'SELECT i AS instance, e AS element, CASE i WHEN ''b'' THEN e END AS value FROM unnest(ARRAY[''a'', ''b'']) i, generate_series(0, 1) e', 9,
    options => '{"values": "last"}');

\x on
\pset format unaligned
SELECT fault.* FROM unnest(ARRAY[
    $$ knapsack_profile('SELECT 1 AS item, 1 AS profit, 1 AS weight, 1 AS pinned', 5) $$,
    $$ knapsack_profile('SELECT 1 AS item, 1 AS profit, 1 AS weight', -5) $$,
    $$ knapsack_profile('SELECT 1 AS item, 1 AS profit, 1 AS weight', 5, '{"method": "core"}') $$,
    $$ knapsack_batch('SELECT 1 AS item, 1 AS weight', 'SELECT ''a'' AS instance, 2 AS item, 1 AS profit', 5) $$,
    $$ knapsack_batch('SELECT 1 AS item, 1 AS weight', 'SELECT ''a'' AS instance, 1 AS item, 1 AS profit FROM generate_series(1, 2)', 5) $$,
    $$ knapsack_batch('SELECT 1 AS item, 1 AS weight', 'SELECT ''a'' AS instance, 1 AS item, -1 AS profit', 5) $$,
    $$ knapsack_batch('SELECT i AS item, 1 AS weight FROM generate_series(1, 2) i',
        'SELECT ''a'' AS instance, i AS item, 9000000000000000000 AS profit FROM generate_series(1, 2) i', 5) $$,
    $$ recurrence_batch('SELECT 1 AS "offset"', 'SELECT ''a'' AS instance, 0 AS element, 1 AS value FROM generate_series(1, 2)', 5) $$,
    $$ recurrence_batch('SELECT 2 AS "offset"', 'SELECT i AS instance, 0 AS element, 1 AS value FROM generate_series(1, 2) i', 5) $$,
    $$ recurrence_batch('SELECT 1 AS "offset"', 'SELECT 0 AS element, 1 AS value', 5) $$,
    $$ recurrence_batch('SELECT 1 AS "offset"', 'SELECT ''a'' AS instance, 0 AS element, 1 AS value', 5,
        weights => 'SELECT ''b'' AS instance, 1 AS "offset", 1 AS weight') $$,
    $$ recurrence_batch('SELECT o AS "offset" FROM unnest(ARRAY[1, 3]) o', 'SELECT ''a'' AS instance, e AS element, 1 AS value FROM generate_series(0, 2) e', 5,
        weights => 'SELECT ''a'' AS instance, 2 AS "offset", 1 AS weight FROM generate_series(1, 2)') $$,
    $$ recurrence_batch('SELECT 1 AS "offset"', 'SELECT i AS instance, 0 AS element, 1 AS value FROM generate_series(1, 2) i', 5,
        terms => 'SELECT 1 AS instance, e AS element, 1 AS value FROM generate_series(1, 4) e') $$]) call,
    checks.fault('SELECT * FROM makespan.' || call) fault;
\x off
\pset format aligned
