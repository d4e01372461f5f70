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

SELECT state, message, detail, place FROM unnest(ARRAY[
    $$ lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 2 AS dimension, 1 AS step') $$,
    $$ lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step FROM generate_series(1, 2)') $$,
    $$ lattice_dp('SELECT 1 AS dimension, 0 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step') $$,
    $$ lattice_dp('SELECT 1 AS dimension, 4 AS size', 'SELECT m AS move, 1 AS cost FROM unnest(ARRAY[''a'', ''b'']) m', 'SELECT ''a'' AS move, 1 AS dimension, 1 AS step') $$]) call,
    checks.fault('SELECT * FROM makespan.' || call);
