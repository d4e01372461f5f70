-- Interval programs in the general form and in real numbers, against their recurrences.
CREATE SCHEMA interval_general;
SET search_path = interval_general;

-- The operations of the semirings.
CREATE FUNCTION plus(semiring text, one numeric, other numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN one IS NULL THEN other ELSE CASE semiring
        WHEN 'min-plus' THEN least(one, other) WHEN 'or-and' THEN (one::bigint | other::bigint)::numeric
        WHEN 'plus-times' THEN one + other ELSE greatest(one, other) END END
$$;
CREATE FUNCTION times(semiring text, one numeric, other numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE semiring WHEN 'plus-times' THEN one * other WHEN 'max-min' THEN least(one, other)
        WHEN 'or-and' THEN (one::bigint & other::bigint)::numeric ELSE one + other END
$$;

-- The value of a cell, with costs of cells and factors of splits. Points and leaves count from 0.
CREATE FUNCTION cell(semiring text, leaves integer[], costs integer[], factors integer[], first integer, last integer)
RETURNS numeric
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    best numeric;
    candidate numeric;
    points integer := cardinality(leaves) + 1;
BEGIN
    IF last = first + 1 THEN
        RETURN leaves[last];
    END IF;
    FOR split IN first + 1 .. last - 1 LOOP
        candidate := times(semiring, cell(semiring, leaves, costs, factors, first, split),
            cell(semiring, leaves, costs, factors, split, last));
        IF factors IS NOT NULL THEN
            candidate := times(semiring, candidate,
                factors[first + 1]::numeric * (factors[split + 1] - 3) * (factors[last + 1] + 1));
        END IF;
        best := plus(semiring, best, candidate);
    END LOOP;
    RETURN CASE WHEN costs IS NULL THEN best ELSE times(semiring, best, costs[first * points + last + 1]) END;
END $$;

CREATE TABLE leaves AS SELECT leaf, 1 + checks.draw(leaf, 5)::integer AS value FROM generate_series(1, 7) leaf;
CREATE TABLE points AS SELECT point, checks.draw(point + 50, 9)::integer AS factor FROM generate_series(0, 7) point;
-- A table of costs, and costs that are sums.
CREATE TABLE costs AS
SELECT first, last, 1 + checks.draw(first * 10 + last, 6)::integer AS cost, first + 2 * last AS sum
FROM generate_series(0, 7) first, generate_series(0, 7) last;
CREATE VIEW lists AS SELECT
    (SELECT array_agg(value ORDER BY leaf) FROM leaves) AS leaves,
    (SELECT array_agg(factor ORDER BY point) FROM points) AS factors,
    (SELECT array_agg(cost ORDER BY first, last) FROM costs) AS costs,
    (SELECT array_agg(sum ORDER BY first, last) FROM costs) AS sums;

CREATE TABLE programs (kind text, points text, costs text);
INSERT INTO programs VALUES ('plain', NULL, NULL),
    ('table', NULL, 'SELECT first, last, cost FROM interval_general.costs WHERE first < last'),
    ('sums', 'SELECT point, point AS "row", 2 * point AS "column" FROM interval_general.points', NULL),
    ('products', 'SELECT point, factor AS "left", factor - 3 AS split, factor + 1 AS "right" FROM interval_general.points', NULL),
    ('both', 'SELECT point, factor AS "left", factor - 3 AS split, factor + 1 AS "right" FROM interval_general.points',
        'SELECT first, last, cost FROM interval_general.costs WHERE first < last');
CREATE VIEW programs_and_semirings AS
SELECT * FROM programs, unnest(ARRAY['min-plus', 'max-plus', 'max-min', 'or-and', 'plus-times']) semiring
WHERE semiring IN ('min-plus', 'max-plus') OR kind NOT IN ('products', 'both');

-- Whole numbers and real ones, all semirings. Trees have a node less than leaves, other programs one row with the value.
CREATE FUNCTION expected(kind text, semiring text) RETURNS numeric
LANGUAGE sql STABLE AS $$
    SELECT cell(semiring, leaves, CASE WHEN kind IN ('table', 'both') THEN costs WHEN kind = 'sums' THEN sums END,
        CASE WHEN kind IN ('products', 'both') THEN factors END, 0, 7) FROM lists
$$;
SELECT kind, semiring, w.rows, w.objective = expected(kind, semiring) AS equal, w.objective = w.bound AS proved, w.value = w.objective AS value,
    CASE WHEN semiring <> 'or-and' THEN (SELECT max(r.objective) = w.objective
        FROM makespan.interval_dp_real('TABLE interval_general.leaves', p.points, p.costs, p.semiring) r) END AS "equal in real numbers"
FROM programs_and_semirings p CROSS JOIN LATERAL (
        SELECT count(*) AS rows, max(objective) AS objective, max(bound) AS bound, max(value) AS value
        FROM makespan.interval_dp('TABLE interval_general.leaves', p.points, p.costs, p.semiring)) w
ORDER BY semiring, kind;

-- The nodes are a tree: each node's parts are leaves or nodes.
CREATE VIEW tree AS SELECT * FROM programs p, LATERAL makespan.interval_dp('TABLE interval_general.leaves', p.points, p.costs) WHERE kind = 'both';
SELECT count(*) AS nodes, count(*) FILTER (WHERE split > first + 1 AND NOT EXISTS (
        SELECT FROM tree p WHERE p.first = t.first AND p.last = t.split)) AS "left is missing",
    count(*) FILTER (WHERE last > split + 1 AND NOT EXISTS (
        SELECT FROM tree p WHERE p.first = t.split AND p.last = t.last)) AS "right is missing" FROM tree t;

-- The values of cells, in the order of the option.
SELECT first, last, value = cell(semiring, leaves, costs, NULL, first, last) AS equal, pg_typeof(value) AS type
FROM unnest(ARRAY['min-plus', 'plus-times']) semiring, lists, LATERAL makespan.interval_dp('TABLE interval_general.leaves',
    costs => (SELECT costs FROM programs WHERE kind = 'table'), semiring => semiring, options => '{"cells": "2,6 0,7 3,4"}') WHERE split IS NULL;
SELECT first, last, value = cell('min-plus', leaves, NULL, NULL, first, last) AS equal, pg_typeof(value) AS type
FROM lists, LATERAL makespan.interval_dp_real('TABLE interval_general.leaves', options => '{"cells": "1,5 0,2"}') WHERE split IS NULL;

-- Chains, trees and polygons in real numbers are those in whole numbers on another scale.
SELECT max(r.objective) * 8 = max(w.objective) AS chain, count(*) AS products,
    bool_and(r.bound <= r.objective AND r.bound > r.objective * (1 - 1e-12)) AS bound
FROM makespan.matrix_chain('SELECT leaf AS matrix, value AS "rows", lead(value, 1, 6) OVER (ORDER BY leaf) AS "columns" FROM interval_general.leaves') w
    JOIN makespan.matrix_chain_real('SELECT leaf AS matrix, value / 2.0 AS "rows", lead(value, 1, 6) OVER (ORDER BY leaf) / 2.0 AS "columns"
        FROM interval_general.leaves') r USING (step);
SELECT max(r.objective) * 4 = max(w.objective) AS tree, count(*) AS keys, bool_and(r.depth = w.depth) AS same
FROM makespan.search_tree('SELECT leaf AS key, value AS weight, leaf AS gap FROM interval_general.leaves', 3) w
    JOIN makespan.search_tree_real('SELECT leaf AS key, value::float8 / 4 AS weight, leaf::float4 / 4 AS gap FROM interval_general.leaves', 0.75) r USING (key);
SELECT max(r.objective) * 8 = max(w.objective) AS polygon, count(*) AS triangles
FROM makespan.triangulation('SELECT leaf AS vertex, value AS weight FROM interval_general.leaves') w
    JOIN makespan.triangulation_real('SELECT leaf AS vertex, value / 2.0 AS weight FROM interval_general.leaves') r USING (triangle);

-- A convex polygon: the edges of the triangles are the objective, which is the least.
CREATE TABLE vertices AS SELECT v AS vertex, 10 * cosd(v * v * 7) AS x, 6 * sind(v * v * 7) AS y FROM generate_series(1, 7) v;
CREATE FUNCTION edge(one integer, other integer) RETURNS double precision
LANGUAGE sql STABLE AS $$
    SELECT sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2) FROM vertices a, vertices b WHERE a.vertex = one AND b.vertex = other
$$;
CREATE FUNCTION polygon_cost(first integer, last integer) RETURNS double precision
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN last - first < 2 THEN 0 ELSE (
        SELECT min(polygon_cost(first, k) + polygon_cost(k, last) + edge(first, k) + edge(k, last) + edge(first, last))
        FROM generate_series(first + 1, last - 1) k) END
$$;
SELECT count(*) AS triangles, abs(max(objective) - polygon_cost(1, 7)) < 1e-9 AS least,
    abs(max(objective) - sum(edge(first::integer, second::integer) + edge(second::integer, third::integer) + edge(first::integer, third::integer))) < 1e-9
        AS "edges of the triangles" FROM makespan.convex_polygon('TABLE interval_general.vertices');
SELECT problem, objective, bound, stages, round(real_objective::numeric, 6) = round(polygon_cost(1, 7)::numeric, 6) AS real_objective,
    real_bound <= real_objective AS real_bound FROM makespan.last_solve();

-- A single leaf has no node, so the row is that of its value. A limit ends without a value where there is no tree.
SELECT * FROM makespan.interval_dp('SELECT 1 AS leaf, 5 AS value');
SELECT * FROM makespan.interval_dp('SELECT leaf, 1 AS value FROM generate_series(1, 900) leaf', semiring => 'plus-times',
    options => '{"time_limit": 0}');

\x on
\pset format unaligned
SELECT fault.* FROM unnest(ARRAY[
    $$ interval_dp('SELECT 2 AS leaf, 1 AS value') $$,
    $$ interval_dp('SELECT l AS leaf, 1 AS value FROM unnest(ARRAY[1, 3]) l') $$,
    $$ interval_dp('SELECT 1 AS leaf, 1.5 AS value') $$,
    $$ interval_dp('SELECT 1 AS leaf, 1 AS value', semiring => 'times-plus') $$,
    $$ interval_dp('TABLE leaves', 'SELECT 0 AS point, 1 AS "row", 1 AS "column"') $$,
    $$ interval_dp('TABLE leaves', 'SELECT point, 1 AS "row" FROM points') $$,
    $$ interval_dp('TABLE leaves', 'SELECT point, 1 AS "left", 2 AS "right" FROM points') $$,
    $$ interval_dp('TABLE leaves', costs => 'SELECT 0 AS first, 8 AS last, 1 AS cost') $$,
    $$ interval_dp('TABLE leaves', costs => 'SELECT 0 AS first, 7 AS last, 1 AS cost') $$,
    $$ interval_dp('TABLE leaves', costs => 'SELECT 3 AS first, 3 AS last, 1 AS cost') $$,
    $$ interval_dp('TABLE leaves', costs => 'SELECT 3 AS first, 4 AS last, 1 AS cost FROM generate_series(1, 2)') $$,
    $$ interval_dp('TABLE leaves', 'SELECT point, 1 AS "row", 2 AS "column" FROM points', 'SELECT first, last, cost FROM costs WHERE first < last') $$,
    $$ interval_dp('TABLE leaves', 'SELECT point, 1 AS "left", 1 AS split, 2 AS "right" FROM points', semiring => 'max-min') $$,
    $$ interval_dp('SELECT leaf, 9000000000000000000 AS value FROM leaves') $$,
    $$ interval_dp('TABLE leaves', options => '{"cells": "0,8"}') $$,
    $$ interval_dp('TABLE leaves', options => '{"cells": "0,8,1"}') $$,
    $$ interval_dp_real('TABLE leaves', semiring => 'or-and') $$,
    $$ interval_dp_real('SELECT 1 AS leaf, ''NaN''::float8 AS value') $$,
    $$ matrix_chain_real('SELECT 1 AS matrix, 1.5 AS "rows", -2 AS "columns"') $$,
    $$ matrix_chain_real('SELECT m AS matrix, 1.5 AS "rows", 2.5 AS "columns" FROM generate_series(1, 2) m') $$,
    $$ search_tree_real('SELECT 1 AS key, 1.5 AS weight', 'Infinity') $$,
    $$ search_tree_real('SELECT k AS key, -1.5 AS weight FROM unnest(ARRAY[''ant'']) k') $$,
    $$ triangulation_real('SELECT 1 AS vertex, ''1'' AS weight') $$,
    $$ convex_polygon('SELECT v AS vertex, 1e308::numeric * 10 AS x, v AS y FROM generate_series(1, 3) v') $$,
    $$ convex_polygon('SELECT v AS vertex, 1 AS x FROM generate_series(1, 3) v') $$]) call,
    checks.fault('SELECT * FROM makespan.' || call) fault;
\x off
\pset format aligned
