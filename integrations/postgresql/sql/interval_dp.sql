-- Interval programs, against their recurrences.
CREATE SCHEMA interval_dp;
SET search_path = interval_dp;

-- The least cost of a chain, a polygon or a tree of keys, by the recurrence.
CREATE FUNCTION chain_cost(dimensions bigint[], first integer, last integer) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    best bigint := CASE WHEN last - first < 2 THEN 0 END;
BEGIN
    FOR split IN first + 1 .. last - 1 LOOP
        best := least(best, chain_cost(dimensions, first, split) + chain_cost(dimensions, split, last)
            + dimensions[first] * dimensions[split] * dimensions[last]);
    END LOOP;
    RETURN best;
END $$;

CREATE TABLE matrices AS
SELECT seed, matrix, 1 + checks.draw(seed * 100 + matrix, 20) AS "rows", 1 + checks.draw(seed * 100 + matrix + 1, 20) AS "columns"
FROM generate_series(1, 4) seed, generate_series(1, 7) matrix;

-- The products in the order of the steps: each one has its factors, and their costs are the objective.
CREATE FUNCTION chain(seed integer) RETURNS TABLE (step integer, left_from integer, left_to integer, right_from integer,
    right_to integer, status text, objective bigint, bound bigint)
LANGUAGE sql STABLE AS $$
    SELECT step, left_from::integer, left_to::integer, right_from::integer, right_to::integer, status, objective, bound
    FROM makespan.matrix_chain(format('SELECT matrix, "rows", "columns" FROM interval_dp.matrices WHERE seed = %s', seed))
$$;
SELECT g.seed, count(*) AS products, bool_and(status = 'optimal' AND objective = bound) AS proved,
    bool_and(right_from = left_to + 1) AS adjacent, max(objective) = best.cost AS least,
    sum(a."rows" * b."rows" * z."columns") = max(objective) AS "costs of the products"
FROM generate_series(1, 4) g (seed) CROSS JOIN LATERAL chain(g.seed) c
    JOIN matrices a ON a.seed = g.seed AND a.matrix = left_from
    JOIN matrices b ON b.seed = g.seed AND b.matrix = right_from
    JOIN matrices z ON z.seed = g.seed AND z.matrix = right_to,
    LATERAL (SELECT chain_cost(array_agg(d ORDER BY i), 1, 8) FROM (
        SELECT matrix AS i, "rows" AS d FROM matrices m WHERE m.seed = g.seed
        UNION ALL SELECT 8, "columns" FROM matrices m WHERE m.seed = g.seed AND matrix = 7) d) best (cost)
GROUP BY g.seed, best.cost ORDER BY g.seed;
SELECT count(*) FILTER (WHERE left_from < left_to AND NOT EXISTS (
        SELECT FROM chain(1) p WHERE p.step < c.step AND p.left_from = c.left_from AND p.right_to = c.left_to)) AS "left is missing",
    count(*) FILTER (WHERE right_from < right_to AND NOT EXISTS (
        SELECT FROM chain(1) p WHERE p.step < c.step AND p.left_from = c.right_from AND p.right_to = c.right_to)) AS "right is missing"
FROM chain(1) c;

-- One matrix needs no product.
SELECT * FROM makespan.matrix_chain('SELECT ''A'' AS matrix, 2 AS "rows", 3 AS "columns"');
SELECT problem, status, objective, bound FROM makespan.last_solve();

-- Names, and every method.
SELECT step, left_from, left_to, right_from, right_to, objective FROM makespan.matrix_chain($$
    SELECT * FROM (VALUES ('A', 10, 100), ('B', 100, 5), ('C', 5, 50)) m (matrix, "rows", "columns") $$);
SELECT method, status, objective FROM unnest(ARRAY['auto', 'hu-shing', 'cubic', 'serial', 'pipeline']) method, LATERAL (
    SELECT * FROM makespan.matrix_chain('SELECT matrix, "rows", "columns" FROM interval_dp.matrices WHERE seed = 2',
        jsonb_build_object('method', method)) LIMIT 1) c
WHERE objective <> (SELECT objective FROM chain(2) LIMIT 1) OR status <> 'optimal';

-- Search trees: the comparisons are weights times depths; a gap is as deep as the key below which it hangs.
CREATE FUNCTION tree_cost(weights bigint[], gaps bigint[], first integer, last integer) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    best bigint;
BEGIN
    IF first > last THEN
        RETURN 0;
    END IF;
    FOR root IN first .. last LOOP
        best := least(best, tree_cost(weights, gaps, first, root - 1) + tree_cost(weights, gaps, root + 1, last));
    END LOOP;
    RETURN best + (SELECT sum(w) FROM unnest(weights[first:last]) w) + (SELECT sum(g) FROM unnest(gaps[first:last + 1]) g);
END $$;
CREATE TABLE keys AS
SELECT seed, key, checks.draw(seed * 1000 + key, 30) AS weight, checks.draw(seed * 2000 + key, 15) AS gap
FROM generate_series(1, 4) seed, generate_series(1, 7) key;
SELECT g.seed, t.objective = best.cost AS least, t.objective = t.bound AS proved, t.roots, t.comparisons <= t.objective AS keys
FROM generate_series(1, 4) g (seed), LATERAL (
        SELECT max(objective) AS objective, max(bound) AS bound, count(*) FILTER (WHERE parent IS NULL AND depth = 1) AS roots,
            sum(depth * weight) AS comparisons
        FROM makespan.search_tree(format('SELECT key, weight, gap FROM interval_dp.keys WHERE seed = %s', g.seed), last_gap => 4) t
            JOIN keys k ON k.seed = g.seed AND k.key = t.key::integer) t,
    LATERAL (SELECT tree_cost(array_agg(weight ORDER BY key), array_agg(gap ORDER BY key) || 4::bigint, 1, 7)
        FROM keys k WHERE k.seed = g.seed) best (cost)
ORDER BY g.seed;
-- Children are one deeper than their parents, on the side of their keys.
SELECT count(*) AS children, count(*) FILTER (WHERE c.depth <> p.depth + 1) AS wrong,
    max(siblings) AS "most on a side"
FROM (SELECT *, count(*) OVER (PARTITION BY parent, key < parent) AS siblings
        FROM makespan.search_tree('SELECT key, weight FROM interval_dp.keys WHERE seed = 1')) c
    JOIN makespan.search_tree('SELECT key, weight FROM interval_dp.keys WHERE seed = 1') p ON p.key = c.parent;
SELECT * FROM makespan.search_tree($$ SELECT * FROM (VALUES ('ant', 1), ('bee', 8), ('cow', 1), ('dog', 2)) k (key, weight) $$);

-- A triangulation with as many triangles as vertices but two.
SELECT triangle, first, second, third, objective FROM makespan.triangulation($$
    SELECT * FROM (VALUES ('a', 1), ('b', 9), ('c', 2), ('d', 8)) v (vertex, weight) $$);
SELECT count(*) AS triangles, max(objective) = sum(a.weight * b.weight * c.weight) AS "costs of the triangles",
    max(objective) = (SELECT chain_cost(array_agg(1 + weight ORDER BY key), 1, 7) FROM keys WHERE seed = 3) AS least
FROM makespan.triangulation('SELECT key AS vertex, 1 + weight AS weight FROM interval_dp.keys WHERE seed = 3') t,
    LATERAL (SELECT 1 + weight AS weight FROM keys WHERE seed = 3 AND key = t.first::integer) a,
    LATERAL (SELECT 1 + weight AS weight FROM keys WHERE seed = 3 AND key = t.second::integer) b,
    LATERAL (SELECT 1 + weight AS weight FROM keys WHERE seed = 3 AND key = t.third::integer) c;

-- A limit ends with a tree without a bound.
SELECT count(*), min(status), bool_and(bound IS NULL) AS "no bound" FROM makespan.matrix_chain(
    'SELECT i AS matrix, 1 + i % 7 AS "rows", 1 + (i + 1) % 7 AS "columns" FROM generate_series(1, 2000) i',
    '{"method": "serial", "time_limit": 0}');

\x on
\pset format unaligned
SELECT fault.* FROM unnest(ARRAY[
    $$ matrix_chain('SELECT i AS matrix, 2 AS "rows", i AS "columns" FROM generate_series(1, 3) i') $$,
    $$ matrix_chain('SELECT 1 AS matrix, 0 AS "rows", 1 AS "columns"') $$,
    $$ matrix_chain('SELECT i AS matrix, 3000000000 AS "rows", 3000000000 AS "columns" FROM generate_series(1, 3) i') $$,
    $$ matrix_chain('SELECT 1 AS matrix, 1 AS "rows", 1 AS "columns"', '{"cells": "0,1"}') $$,
    $$ search_tree('SELECT 1 AS key, -1 AS weight') $$,
    $$ search_tree('SELECT 1 AS key, 1 AS weight', -1) $$,
    $$ triangulation('SELECT i AS vertex, 1 AS weight FROM generate_series(1, 2) i') $$]) call,
    checks.fault('SELECT * FROM makespan.' || call) fault;
\x off
\pset format aligned
