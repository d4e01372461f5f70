-- Parallel machines, against all assignments.
CREATE SCHEMA parallel_machines;
SET search_path = parallel_machines;

CREATE TABLE jobs (job text, duration integer);
INSERT INTO jobs SELECT 'job ' || j, checks.draw(j, 30) FROM generate_series(1, 7) j;

-- All assignments of 7 jobs to 3 machines.
SELECT objective = best AS equal, bound = best AS proved, status
FROM (SELECT * FROM makespan.parallel_machines('TABLE jobs', 3) LIMIT 1) plan, (
    SELECT min(makespan) AS best FROM (
        SELECT number, max(load) AS makespan FROM (
            SELECT number, number / power(3, j - 1)::integer % 3 AS machine,
                sum(checks.draw(j, 30)) AS load
            FROM generate_series(0, 2186) number, generate_series(1, 7) j
            GROUP BY number, machine) loads
        GROUP BY number) assignments) b;

-- Machines run their jobs without pause.
CREATE VIEW plan AS SELECT * FROM makespan.parallel_machines('TABLE jobs',
    'SELECT name AS machine FROM (VALUES (''lathe''), (''mill''), (''drill'')) m (name)');
SELECT count(*) AS jobs, count(*) FILTER (WHERE ends - starts <> duration) AS durations,
    count(*) FILTER (WHERE starts <> previous) AS pauses, max(ends) = max(objective) AS equal
FROM (SELECT *, coalesce(lag(ends) OVER (PARTITION BY machine ORDER BY starts, ends), 0) AS previous FROM plan) p
    JOIN jobs USING (job);
SELECT DISTINCT machine FROM plan ORDER BY machine;

-- Jobs that run already, and a plan to start from.
SELECT job, machine FROM makespan.parallel_machines($$
        SELECT job, duration, CASE job WHEN 'job 3' THEN 2 WHEN 'job 5' THEN 2 END AS pinned FROM jobs $$,
    2) WHERE job IN ('job 3', 'job 5') ORDER BY job;
SELECT count(*) FROM makespan.parallel_machines($$
        SELECT job, duration, machine AS start FROM jobs JOIN plan USING (job) $$,
    'SELECT DISTINCT machine FROM plan', '{"time_limit": 0}');

-- Every method.
SELECT method, status, objective - bound <= 0 AS proved
FROM unnest(ARRAY['exact', 'ptas', 'auto']) method, LATERAL (
    SELECT * FROM makespan.parallel_machines('TABLE jobs', 3, jsonb_build_object('method', method)) LIMIT 1) p
WHERE method <> 'ptas' OR objective <= bound * 7 / 6.0
ORDER BY method;

-- More machines than jobs, and durations of 62 bits.
SELECT max(ends) FROM makespan.parallel_machines('TABLE jobs', 1000);
SELECT objective FROM makespan.parallel_machines(
    'SELECT j AS job, 2000000000000000000 AS duration FROM generate_series(1, 3) j', 2) LIMIT 1;
