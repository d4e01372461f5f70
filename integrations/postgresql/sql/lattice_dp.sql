-- Lattices, against all paths.
CREATE SCHEMA lattice_dp;
SET search_path = lattice_dp;

CREATE TABLE moves (move text, x integer, y integer, cost integer);
INSERT INTO moves VALUES ('east', 1, 0, 3), ('north', 0, 1, 4), ('knight', 1, 2, 8), ('jump', 3, 1, 9);
CREATE VIEW path AS SELECT * FROM makespan.lattice_dp($$ SELECT * FROM (VALUES ('x', 9), ('y', 6)) s (dimension, size) $$,
    'SELECT move, cost FROM lattice_dp.moves',
    'SELECT move, ''x'' AS dimension, x AS step FROM lattice_dp.moves WHERE x > 0
     UNION ALL SELECT move, ''y'', y FROM lattice_dp.moves WHERE y > 0');
WITH RECURSIVE cells (x, y, cost) AS (
    SELECT 0, 0, 0 UNION SELECT c.x + m.x, c.y + m.y, c.cost + m.cost FROM cells c, moves m WHERE c.x + m.x <= 8 AND c.y + m.y <= 5)
SELECT sum(x) AS x, sum(y) AS y, sum(cost) = max(objective) AS "costs of the moves", max(objective) = max(bound) AS proved,
    max(objective) = (SELECT min(cost) FROM cells WHERE x = 8 AND y = 5) AS least
FROM path JOIN moves USING (move);
-- Every prefix of the path stays in the box.
SELECT max(x) <= 8 AND max(y) <= 5 AS "in the box"
FROM (SELECT sum(x) OVER (ORDER BY step) AS x, sum(y) OVER (ORDER BY step) AS y FROM path JOIN moves USING (move)) cells;

-- No path.
SELECT * FROM makespan.lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT ''pair'' AS move, 1 AS cost',
    'SELECT ''pair'' AS move, 1 AS dimension, 2 AS step');
SELECT problem, status, objective FROM makespan.last_solve();

-- Packings: all items are packed, loads fit, and the containers are as few as those of cutting stock.
CREATE TABLE items (item text, size integer, count integer);
INSERT INTO items VALUES ('leg', 45, 4), ('rail', 36, 3), ('stile', 31, 5), ('peg', 14, 6);
SELECT recurrence, max(p.objective) = max(p.bound) AS proved, max(p.container) = max(p.objective) AS containers,
    max(p.objective) = (SELECT max(objective) FROM makespan.cutting_stock('SELECT item, size AS length, count AS demand FROM lattice_dp.items', 100)) AS least,
    bool_and(load <= 100) AS fit
FROM unnest(ARRAY['configurations', 'unit-steps']) recurrence, LATERAL (
    SELECT *, sum(p.count * size) OVER (PARTITION BY container) AS load
    FROM makespan.lattice_packing('TABLE lattice_dp.items', 100, jsonb_build_object('recurrence', recurrence)) p JOIN items USING (item)) p
GROUP BY recurrence ORDER BY recurrence;
SELECT item, sum(p.count) - max(i.count) AS difference
FROM makespan.lattice_packing('TABLE lattice_dp.items', 100) p JOIN items i USING (item) GROUP BY item ORDER BY item;
-- Without the column there is one of each item.
SELECT count(*), max(objective) FROM makespan.lattice_packing('SELECT item, size FROM lattice_dp.items', 100);

\x on
\pset format unaligned
SELECT fault.* FROM unnest(ARRAY[
    $$ lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 2 AS dimension, 1 AS step') $$,
    $$ lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step FROM generate_series(1, 2)') $$,
    $$ lattice_dp('SELECT 1 AS dimension, 0 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step') $$,
    $$ lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT m AS move, 1 AS cost FROM unnest(ARRAY[''a'', ''b'']) m', 'SELECT ''a'' AS move, 1 AS dimension, 1 AS step') $$,
    $$ lattice_dp('SELECT d AS dimension, 4000000000 AS size FROM generate_series(1, 2) d', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step') $$,
    $$ lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step', '{"recurrence": "unit-steps"}') $$,
    $$ lattice_packing('SELECT ''peg'' AS item, 6 AS size', 5) $$,
    $$ lattice_packing('SELECT 1 AS item, 0 AS size', 5) $$,
    $$ lattice_packing('SELECT 1 AS item, 1 AS size, -1 AS count', 5) $$]) call,
    checks.fault('SELECT * FROM makespan.' || call) fault;
\x off
\pset format aligned
