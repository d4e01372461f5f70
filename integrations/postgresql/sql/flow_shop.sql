-- Flow shops: the smallest plan, the order of jobs and machines, a view that plans.
CREATE SCHEMA flow_shop;
SET search_path = flow_shop;

CREATE TABLE operations (job text, machine integer, duration integer);
INSERT INTO operations VALUES
    ('chair', 2, 4), ('chair', 10, 3), ('table', 2, 2), ('table', 10, 7);

SELECT * FROM makespan.flow_shop('SELECT job, machine, duration FROM operations');

-- Integers are in the order of numbers, texts in the order of ORDER BY: 10 is before 2.
SELECT job, machine, place, starts, ends
FROM makespan.flow_shop('SELECT job, machine::text COLLATE "C", duration FROM operations');

-- The argument "machines" gives the order in which jobs pass them, and when they are ready.
SELECT job, machine, place, starts, ends, objective
FROM makespan.flow_shop('TABLE operations',
    machines => 'SELECT machine, ready FROM (VALUES (10, 3), (2, 11)) m (machine, ready)');

CREATE VIEW plan AS SELECT * FROM makespan.flow_shop('TABLE operations');
SELECT machine, max(ends) FROM plan GROUP BY machine ORDER BY machine;
UPDATE operations SET duration = 20 WHERE job = 'chair' AND machine = 2;
SELECT DISTINCT objective, bound, status FROM plan;

-- A query sees what its transaction has written.
BEGIN;
INSERT INTO operations VALUES ('bench', 2, 1), ('bench', 10, 1);
SELECT count(*) FROM plan;
ROLLBACK;
SELECT count(*) FROM plan;

-- The same rows in another order give the same plan.
SELECT count(*) FROM (
    (SELECT * FROM makespan.flow_shop('SELECT * FROM operations ORDER BY duration')
     EXCEPT TABLE plan)
    UNION ALL
    (TABLE plan
     EXCEPT SELECT * FROM makespan.flow_shop('SELECT * FROM operations ORDER BY duration DESC'))) d;

-- Types of labels: enumerations in their order, uuids, names; durations as numeric and as a domain.
CREATE TYPE station AS ENUM ('saw', 'drill', 'paint');
CREATE DOMAIN minutes AS integer CHECK (VALUE >= 0);
SELECT DISTINCT machine, min(starts) OVER (PARTITION BY machine) AS first
FROM makespan.flow_shop($$
    SELECT '11111111-1111-1111-1111-111111111111'::uuid AS job, s AS machine, 3::minutes AS duration
    FROM unnest(enum_range(NULL::station)) s $$) ORDER BY first;
SELECT ends FROM makespan.flow_shop($$
    SELECT 'a'::name AS job, 1::smallint AS machine, 2.00::numeric AS duration $$);

-- A call inside the query of a call, and a call for each row.
SELECT objective FROM makespan.flow_shop($$
    SELECT job, 1 AS machine, sum(ends - starts)::bigint AS duration FROM plan GROUP BY job $$) LIMIT 1;
SELECT factor, objective
FROM generate_series(1, 3) factor, LATERAL (
    SELECT objective FROM makespan.flow_shop(format(
        'SELECT job, machine, duration * %s AS duration FROM operations', factor)) LIMIT 1) scaled;

-- Sequences: two jobs are released already, and the search begins with a sequence.
SELECT job, place FROM makespan.flow_shop(
    'SELECT j AS job, m AS machine, j + m AS duration FROM generate_series(1, 4) j, generate_series(1, 2) m',
    jobs => 'SELECT j AS job, CASE j WHEN 4 THEN 1 WHEN 2 THEN 2 END AS pinned, 5 - j AS start
             FROM generate_series(1, 4) j')
WHERE machine = '1' AND place <= 2 ORDER BY place;

-- No better schedule than an upper bound.
SELECT * FROM makespan.flow_shop('TABLE operations',
    options => '{"method": "branch-and-bound", "upper_bound": 5}');
SELECT problem, method, status, objective, bound >= 5 AS "bound is at least 5", stages, engine
FROM makespan.last_solve();

-- Large: more rows than one batch, equal to the sum of its durations on one machine.
SELECT count(*), max(ends), sum(ends - starts) FROM makespan.flow_shop(
    'SELECT j AS job, 1 AS machine, j AS duration FROM generate_series(1, 2500) j',
    options => '{"method": "neh"}');
