-- Each method of each problem, by the names that the options list. Methods that prove a plan have the same objective,
-- and no other method has a better one.
CREATE SCHEMA methods;
SET search_path = methods;

CREATE TABLE problems (problem text, function text, arguments text, sense integer);
INSERT INTO problems VALUES
    ('flow_shop', 'flow_shop', $$ 'SELECT j AS job, m AS machine, 1 + checks.draw(j * 10 + m, 40) AS duration
        FROM generate_series(1, 7) j, generate_series(1, 3) m' $$, 1),
    ('parallel_machines', 'parallel_machines', $$ 'SELECT j AS job, 1 + checks.draw(j, 40) AS duration FROM generate_series(1, 9) j', 3 $$, 1),
    ('cutting_stock', 'cutting_stock', $$ 'SELECT i AS item, 20 + checks.draw(i, 60) AS length, 1 + i % 4 AS demand
        FROM generate_series(1, 8) i', 100 $$, 1),
    ('knapsack', 'knapsack', $$ 'SELECT i AS item, 1 + checks.draw(i, 50) AS profit, 1 + checks.draw(i + 100, 50) AS weight
        FROM generate_series(1, 12) i', 100 $$, -1),
    ('multidimensional_knapsack', 'multidimensional_knapsack', $$ 'SELECT i AS item, 1 + checks.draw(i, 50) AS profit FROM generate_series(1, 10) i',
        'SELECT i AS item, d AS dimension, 1 + checks.draw(i * 3 + d, 30) AS weight FROM generate_series(1, 10) i, generate_series(1, 2) d',
        'SELECT d AS dimension, 50 + d AS capacity FROM generate_series(1, 2) d' $$, -1),
    ('interval_dp', 'triangulation', $$ 'SELECT v AS vertex, 1 + checks.draw(v, 30) AS weight FROM generate_series(1, 12) v' $$, 1),
    ('interval_dp', 'search_tree', $$ 'SELECT k AS key, 1 + checks.draw(k, 30) AS weight FROM generate_series(1, 12) k' $$, 1),
    ('recurrence', 'recurrence', $$ 'SELECT o AS "offset", o * o AS weight FROM generate_series(1, 5) o',
        'SELECT e AS element, checks.draw(e, 9) AS value FROM generate_series(0, 4) e', 200 $$, 1);

-- Runs a call and returns its objective, with the method that the library names.
CREATE FUNCTION solve(function text, arguments text, method text,
    OUT state text, OUT place text, OUT used text, OUT status text, OUT objective bigint, OUT bound bigint)
LANGUAGE plpgsql AS $$
DECLARE
    fault record;
BEGIN
    fault := checks.fault(format('SELECT * FROM makespan.%s(%s, options => %L)', function, arguments, jsonb_build_object('method', method)));
    state := fault.state;
    place := fault.place;
    IF state IS NULL THEN
        SELECT l.method, l.status, l.objective, l.bound INTO used, status, objective, bound FROM makespan.last_solve() l;
    END IF;
END $$;
CREATE TABLE solves AS
SELECT function, sense, number, choice AS method, solve.*
FROM problems p, makespan.options(p.problem) o, string_to_table(o.choices, ' ') WITH ORDINALITY choices (choice, number),
    solve(p.function, p.arguments, choice)
WHERE o.name = 'method';
SELECT function, method, coalesce(state, status) AS status, used = method OR method = 'auto' AS "the method itself",
    CASE WHEN status = 'optimal' THEN objective = best ELSE sense * objective >= sense * best END AS "as it must be", sense * bound <= sense * best AS "bound holds"
FROM solves s, LATERAL (SELECT b.sense * min(b.sense * b.objective) AS best FROM solves b WHERE b.function = s.function GROUP BY b.sense) b
ORDER BY function COLLATE "C", number;
-- Methods for other instances, and those for devices, are refused.
SELECT place, string_agg(DISTINCT method, ' ' ORDER BY method) AS methods FROM solves WHERE state IS NOT NULL GROUP BY place;

-- Two methods of recurrences need one without weights, or its last element only.
SELECT l.method, l.status, objective = (SELECT DISTINCT objective FROM makespan.recurrence('SELECT o AS "offset" FROM generate_series(1, 5) o',
        'SELECT e AS element, 1 + e AS value FROM generate_series(0, 4) e', 300, semiring, modulus, options => '{"method": "sequential"}')) AS equal
FROM (VALUES ('sliding-window', 'max-min', NULL), ('jump', 'modular', 97)) c (method, semiring, modulus), LATERAL (
    SELECT DISTINCT c.method, status, objective FROM makespan.recurrence('SELECT o AS "offset" FROM generate_series(1, 5) o',
        'SELECT e AS element, 1 + e AS value FROM generate_series(0, 4) e', 300, c.semiring, c.modulus,
        options => jsonb_build_object('method', c.method, 'values', 'last'))) l;

-- Lattices have no methods but traversals and recurrences.
SELECT traversal, status, objective = 2 * 6 + 3 * 4 AS equal FROM unnest(ARRAY['slabs', 'levels', 'blocks']) traversal, LATERAL (
    SELECT DISTINCT status, objective FROM makespan.lattice_dp('SELECT d AS dimension, 9 - 2 * d AS size FROM generate_series(1, 2) d',
        'SELECT m AS move, 1 + m AS cost FROM generate_series(1, 2) m', 'SELECT m AS move, m AS dimension, 1 AS step FROM generate_series(1, 2) m',
        jsonb_build_object('traversal', traversal))) p ORDER BY traversal;
